import type { Alert } from '../../app/contract/alerts.ts'
import type { ViewStore } from '../state/view-state.ts'

/** Closes the dialog, and shows and focuses the row, slots or stream that an alert is about. */
export function jumpTo({ profile, subject }: Pick<Alert, 'profile' | 'subject'>, view: ViewStore): void {
  const { category } = view.getState()
  view.setState({ profile, dialog: undefined, glance: false, category: subject === '' ? category : subject })
  if (subject === '') return
  // Closing the dialog first gives the focus back to the button that opened it.
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
