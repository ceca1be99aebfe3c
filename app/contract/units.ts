/** Milliseconds in what people count time in. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Zones in which times of day can be shown: the computer's own, the exchange's (New York), UTC. */
export const TIME_ZONES = ['local', 'exchange', 'utc'] as const
export type TimeZone = (typeof TIME_ZONES)[number]

/** The bounds of a setting, both included. */
export interface Range {
  readonly least: number
  readonly most: number
}

/**
 * Share of each quota. Less than the least shows next to nothing, more than the most would be felt by the trader's own
 * programs.
 */
export const BUDGET_FRACTION: Range = { least: 0.001, most: 0.2 }
/** 0 beside these: never. */
export const EVERY_SECONDS: Range = { least: 1, most: 86_400 }
export const ROTATION_MINUTES: Range = { least: 1, most: 1_440 }

/** Whether a value is between the bounds, or on one of them. */
export const isWithin = ({ least, most }: Range, value: number): boolean => value >= least && value <= most

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
