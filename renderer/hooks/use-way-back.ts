import { useCallback } from 'react'
import { useParts } from '../state/window-parts.ts'
import { useKeyDown } from './use-key-down.ts'

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
