import { useMemo } from 'react'
import { rowActions } from '../capacity/use-groups.ts'
import { useKeyDown } from '../hooks/use-key-down.ts'
import { useStopOrders } from '../orders/use-stop-orders.ts'
import { shownSnapshot, useParts } from '../state/window-parts.ts'
import { type Doing, opensPalette, shortcutFor, usesKeys } from './shortcuts.ts'

export function useDoing(): Doing {
  const { view, look, mirror, togglePause } = useParts()
  return useMemo(() => {
    const snapshot = () => shownSnapshot(mirror.getState(), view.getState())
    return {
      view,
      look,
      togglePause,
      focus: (selector) => document.querySelector<HTMLElement>(selector)?.focus(),
      canOpenStream: () => (snapshot()?.access.state ?? 'none') !== 'none',
      rows: rowActions({ view, look, mirror }),
    }
  }, [view, look, mirror, togglePause])
}

export function useShortcuts(): void {
  const { view, look } = useParts()
  useStopOrders()
  const doing = useDoing()
  useKeyDown((event) => {
    if (opensPalette(event) && view.getState().dialog === undefined) {
      event.preventDefault()
      view.setState({ dialog: 'palette' })
      return
    }
    const isBusy = view.getState().dialog !== undefined || usesKeys(event.target, event.key)
    const shortcut = shortcutFor(event, isBusy, look)
    if (shortcut === undefined) return
    event.preventDefault()
    shortcut.run(doing)
  })
}
