import { useCallback, useEffect, useEffectEvent } from 'react'
import { useParts } from '../state/window-parts.ts'

/** Calls `pressed` for each key press in the page. `isFirst` calls it before the focused element. */
export function useKeyDown(pressed: (event: KeyboardEvent) => void, isFirst = false): void {
  const heard = useEffectEvent(pressed)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => heard(event)
    document.addEventListener('keydown', listener, isFirst)
    return () => document.removeEventListener('keydown', listener, isFirst)
  }, [isFirst])
}

/**
 * Returns a function that goes from a page to the dashboard. The Escape key also goes there, unless a dialog
 * is open or another element uses the key.
 */
export function useWayBack(): () => void {
  const { view } = useParts()
  const back = useCallback(() => view.setState({ page: 'dashboard' }), [view])
  useKeyDown((event) => {
    const isBusy = event.defaultPrevented || view.getState().dialog !== undefined
    if (event.key === 'Escape' && !isBusy) back()
  })
  return back
}
