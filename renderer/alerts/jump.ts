import type { Alert } from '../../app/contract/alerts.ts'
import { chooseIfRow } from '../capacity/chosen-category.ts'
import type { WindowParts } from '../state/window-parts.ts'

/** Closes the dialog, and shows and focuses the alert's row, slots or stream. */
export function jumpTo(
  { profile, subject }: Pick<Alert, 'profile' | 'subject'>,
  parts: Pick<WindowParts, 'view' | 'look' | 'mirror'>,
): void {
  parts.view.setState({ profile, dialog: undefined, page: 'dashboard' })
  chooseIfRow(parts, profile, subject)
  if (subject === '') return
  // Closing the dialog first returns the focus to the button that opened it.
  requestAnimationFrame(() => requestAnimationFrame(() => focusOn(subject)))
}

function focusOn(subject: string): void {
  const name = CSS.escape(subject)
  const found = document.querySelector(
    [`tr[data-category="${name}"]`, `[data-stream="${name}"]`, `[data-slots="${name}"]`].join(', '),
  )
  found?.scrollIntoView({ block: 'nearest' })
  found?.querySelector<HTMLElement>('button')?.focus()
}
