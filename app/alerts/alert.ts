import type { AlertKind, Severity } from './kinds.ts'

/** One episode that was said and is not over. */
export interface Alert {
  /** Of this episode: the next one of the same condition has another. */
  readonly id: string
  readonly profile: string
  readonly kind: AlertKind
  readonly severity: Severity
  /** The category; for a stream its id, empty for what concerns the whole key. */
  readonly subject: string
  /** When the condition began and when it was said. Epoch ms. */
  readonly since: number
  readonly at: number
  readonly title: string
  readonly body: string
  /** A person has seen it: it is not shown as new, and not said again before it was over. */
  readonly dismissed: boolean
}
