import { useEffect } from 'react'
import { chosenCategory } from '../capacity/chosen-category.ts'
import { shownSnapshot, useParts } from '../state/window-parts.ts'
import { type Doing, shortcutFor, usesKeys } from './shortcuts.ts'

/** Handles the window's shortcuts while no dialog is open. */
export function useShortcuts(): void {
  const { view, look, mirror, togglePause } = useParts()
  useEffect(() => {
    const snapshot = () => shownSnapshot(mirror.getState(), view.getState())
    const doing: Doing = {
      view,
      togglePause,
      focus: (selector) => document.querySelector<HTMLElement>(selector)?.focus(),
      canOpenStream: () => (snapshot()?.access.state ?? 'none') !== 'none',
      step: (by) => {
        const shown = snapshot()
        if (shown === undefined) return
        const names = shown.requests.map(({ category }) => category)
        const at = names.indexOf(chosenCategory(shown, view.getState().category) ?? '')
        const category = names[Math.min(names.length - 1, Math.max(0, at + by))]
        if (category !== undefined) view.setState({ category })
      },
    }
    const pressed = (event: KeyboardEvent) => {
      const isBusy = view.getState().dialog !== undefined || usesKeys(event.target, event.key)
      const shortcut = shortcutFor(event, isBusy, look)
      if (shortcut === undefined) return
      event.preventDefault()
      shortcut.run(doing)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [view, look, mirror, togglePause])
}
