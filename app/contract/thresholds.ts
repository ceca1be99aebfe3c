/** Share of the limit under which a row is low, unless a person set another. */
export const LOW_THRESHOLD = 0.2

/**
 * Shares of a limit, 0 to 1, under which a row is low. 0 turns that off for the row.
 *
 * Set by a person for all rows or for one. A row's state, its mark in the window and its alert follow from it.
 */
export interface Thresholds {
  readonly below: number
  readonly perCategory: Readonly<Record<string, number>>
}

export const DEFAULT_THRESHOLDS: Thresholds = { below: LOW_THRESHOLD, perCategory: {} }

/** The threshold of one row: its own where it has one, else that of all rows. */
export function thresholdOf({ below, perCategory }: Thresholds, category: string): number {
  return Object.hasOwn(perCategory, category) ? (perCategory[category] ?? below) : below
}
