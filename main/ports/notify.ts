/** One system notification. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** A later notification with the same tag replaces the current one. */
  readonly tag: string
  readonly isUrgent: boolean
}

/**
 * Shows a system notification. Hosts without notifications ignore it, and the window's events carry the same
 * information.
 */
export type Notify = (notice: Notice) => void
