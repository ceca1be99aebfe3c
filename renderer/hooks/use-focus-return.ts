import { useEffect } from 'react'
import { useParts } from '../state/window-parts.ts'

/**
 * Delay in milliseconds before the focus is returned. A closing dialog first tries to return the focus
 * itself, but fails because the window is still inert.
 */
const SETTLED_MS = 20

/**
 * Returns the focus to the control that opened a dialog. If the control is gone, the element `page` gets the
 * focus.
 *
 * The window behind a dialog is inert. The control therefore loses the focus before the dialog can find out
 * which control had it.
 */
export function useFocusReturn(page: string): void {
  const { view, clock } = useParts()
  useEffect(() => {
    let opener: HTMLElement | undefined
    return view.subscribe((now, before) => {
      if (now.dialog === before.dialog) return
      if (before.dialog === undefined) opener = focused()
      if (now.dialog !== undefined) return
      const back = opener
      clock.after(SETTLED_MS, () => {
        if (back === undefined || back === document.body || !isLost()) return
        back.focus()
        if (isLost()) document.getElementById(page)?.focus()
      })
    })
  }, [view, clock, page])
}

/** Whether no element has the focus. */
export const isLost = (): boolean => document.activeElement === document.body

/**
 * The focused control. A menu item disappears with its menu, so it is replaced by the button that opened the
 * menu.
 */
function focused(): HTMLElement | undefined {
  const { activeElement } = document
  const button = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const element = button ? document.getElementById(button) : activeElement
  return element instanceof HTMLElement ? element : undefined
}
