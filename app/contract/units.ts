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
