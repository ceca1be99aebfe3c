import { useCallback, useEffect } from 'react'
import { useParts } from '../state/window-parts.ts'

/**
 * Returns a function that goes from a page to the dashboard. The Escape key also goes there, unless a dialog
 * is open or another element uses the key.
 */
export function useWayBack(): () => void {
  const { view } = useParts()
  const back = useCallback(() => view.setState({ page: 'dashboard' }), [view])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isBusy = event.defaultPrevented || view.getState().dialog !== undefined
      if (event.key === 'Escape' && !isBusy) back()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [view, back])
  return back
}
