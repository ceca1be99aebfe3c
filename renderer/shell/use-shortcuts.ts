import { useEffect, useMemo } from 'react'
import { mayHaveOrders } from '../../app/contract/orders.ts'
import { rowActions } from '../capacity/use-groups.ts'
import { useCommand } from '../hooks/use-command.ts'
import { shownSnapshot, useParts } from '../state/window-parts.ts'
import { type Doing, opensPalette, shortcutFor, stopsOrders, usesKeys } from './shortcuts.ts'

/** The stores and functions that shortcuts and the palette use. */
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

/** Stops the orders of every key on Shift+O, also while a dialog is open or shortcuts are off. */
function useStopOrders(): void {
  const { api, mirror } = useParts()
  const run = useCommand()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!stopsOrders(event, event.target)) return
      const { snapshots } = mirror.getState()
      if (!snapshots.some(mayHaveOrders)) return
      event.preventDefault()
      event.stopPropagation()
      run(() => api.stopOrders({}))
    }
    // Before a menu or dialog can keep the press to itself.
    document.addEventListener('keydown', pressed, true)
    return () => document.removeEventListener('keydown', pressed, true)
  }, [api, mirror, run])
}

/** Handles the window's shortcuts while no dialog is open. */
export function useShortcuts(): void {
  const { view, look } = useParts()
  useStopOrders()
  const doing = useDoing()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
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
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [view, look, doing])
}
