/** One message that the system shows outside of our windows. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** A later one with the same tag takes the place of the one that is still shown. */
  readonly tag: string
  readonly isUrgent: boolean
}

/** Where a host can show one; elsewhere it goes nowhere, and the window's events say the same. */
export type Notify = (notice: Notice) => void
