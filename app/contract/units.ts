/** Time units in milliseconds. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A wait before a retry, in whole seconds: rounded up, at least 1. */
export const wholeSeconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000))

/** Time zones for display. `local` is the computer's, `exchange` is New York. */
export const TIME_ZONES = ['local', 'exchange', 'utc'] as const
export type TimeZone = (typeof TIME_ZONES)[number]

/** The bounds of a setting, both included. */
export interface Range {
  readonly least: number
  readonly most: number
}

/**
 * Bounds of the share of a quota that checks may use. Below them, checks show almost nothing. Above them, the
 * trader's own programs would notice.
 */
export const BUDGET_FRACTION: Range = { least: 0.001, most: 0.2 }
/** Seconds between checks. 0 is also valid and means never. */
export const EVERY_SECONDS: Range = { least: 1, most: 86_400 }
export const ROTATION_MINUTES: Range = { least: 1, most: 1_440 }

/** Whether a value is within the range, ends included. */
export const isWithin = ({ least, most }: Range, value: number): boolean => value >= least && value <= most

/** Default share of the limit below which a row is low. */
export const LOW_THRESHOLD = 0.2

/**
 * Thresholds as shares of a limit, 0 to 1. A row below its threshold is low. With 0, a row is never low.
 *
 * A person sets a threshold for all rows or for one. It determines the row's state, its alert and the tick on
 * its bar.
 */
export interface Thresholds {
  readonly below: number
  readonly perCategory: Readonly<Record<string, number>>
}

export const DEFAULT_THRESHOLDS: Thresholds = { below: LOW_THRESHOLD, perCategory: {} }

/** The threshold of one row. A row without its own threshold uses `below`, the threshold of all rows. */
export function thresholdOf({ below, perCategory }: Thresholds, category: string): number {
  return Object.hasOwn(perCategory, category) ? (perCategory[category] ?? below) : below
}
