import { useEffect, useEffectEvent } from 'react'

/** Calls `pressed` for each key press in the page. `isFirst` calls it before the focused element. */
export function useKeyDown(pressed: (event: KeyboardEvent) => void, { isFirst = false } = {}): void {
  const heard = useEffectEvent(pressed)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => heard(event)
    document.addEventListener('keydown', listener, isFirst)
    return () => document.removeEventListener('keydown', listener, isFirst)
  }, [isFirst])
}
