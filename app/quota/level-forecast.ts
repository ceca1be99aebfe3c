import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'
import { countedToEmpty, emptyAtMost, emptyAtWith, fixedSecondsLeft, type PacedRow } from './safe-pace.ts'

/** The range of a row's level at one future time, in requests from 0 to its limit. */
export interface ForecastPoint {
  /** Epoch ms. */
  readonly at: number
  /** The lower edge of the range. Computed from the level's lower bound and the high end of others' use. */
  readonly low: number
  /**
   * The upper edge of the range. Computed from the level's upper bound and the low end of others' use.
   * `undefined` if the low end is unknown.
   */
  readonly high: number | undefined
}

/** How a row's level develops if its use does not change. */
export interface LevelForecast {
  /**
   * When the lower edge reaches 0, epoch ms. If the row might be empty already, the time is not in the
   * future.
   */
  readonly emptyAtMs: number
  /**
   * Points at evenly spaced times from now on, and wherever the slope of the lower or upper edge changes.
   * Earliest first.
   */
  readonly points: readonly ForecastPoint[]
}

/** The fields of a row that determine its forecast. */
export type ForecastRow = PacedRow & Pick<RequestQuota, 'high' | 'state' | 'asOf' | 'emptyAt'>

/** A watched, low or running-out row gets a forecast if it might run out within this time. Milliseconds. */
const SOON_MS = 600_000
/** Number of points between now and the end of the forecast. */
const STEPS = 20

/** When a row runs out if its use continues, epoch ms. */
export interface EmptyRange {
  /** The earliest time. Computed from the level's lower bound and the high end of others' use. */
  readonly fromMs: number
  /**
   * The latest time. Computed from the level's upper bound and the low end of others' use. `undefined` if the
   * row might never run out.
   */
  readonly toMs: number | undefined
}

/** `EmptyRange.toMs` is left out if it is more than this many periods away. */
const FAR_PERIODS = 12

/**
 * The time range in which a row runs out. Every surface uses this function, so that all show the same range.
 *
 * `undefined` if the row does not run out, is empty, or waits after a 429. Also while others' use is unknown.
 */
export function emptyRangeOf(row: ForecastRow): EmptyRange | undefined {
  const { state, asOf, emptyAt } = row
  if (state === 'empty' || state === 'blocked' || row.blockedUntil !== undefined) return undefined
  // Computed for the snapshot's time, so that the result changes only with a new snapshot.
  const fromMs = emptyAtWith(row, 0, asOf)
  if (typeof fromMs !== 'number') return undefined
  const isDoubted = state === 'watch' || state === 'low' || state === 'running-out'
  const isSoon = isDoubted && fromMs - asOf <= SOON_MS
  if (!isSoon && (emptyAt === undefined || state === 'watch')) return undefined
  const toMs = emptyAtMost(row, asOf)
  const isShown = typeof toMs === 'number' && toMs - asOf <= FAR_PERIODS * row.period * 1000
  return { fromMs, toMs: isShown ? toMs : undefined }
}

/**
 * How the range of a row's level develops from `nowMs` to `toMs`. Computed from both bounds of the level, and
 * from the low and the high end of others' use. A fixed window is forecast only until it ends.
 *
 * `undefined` in the same cases as `emptyRangeOf`.
 */
export function levelForecast(row: ForecastRow, nowMs: number, toMs: number): LevelForecast | undefined {
  const { use, limit } = row
  const emptyAtMs = emptyRangeOf(row)?.fromMs
  if (use === null || emptyAtMs === undefined) return undefined
  const secondsLeft = fixedSecondsLeft(row, row.asOf)
  const endMs = secondsLeft === undefined ? toMs : Math.min(toMs, row.asOf + secondsLeft * 1000)
  if (endMs <= nowMs) return undefined
  const refill = secondsLeft !== undefined ? 0 : replenishedPerSecond(limit, row.period)
  const { elsewhereLow } = use
  const gain = elsewhereLow === undefined ? undefined : (refill - countedToEmpty(row) - elsewhereLow) / 1000
  const low = (at: number) => (emptyAtMs <= at ? 0 : (row.low * (emptyAtMs - at)) / (emptyAtMs - nowMs))
  const high = (at: number) =>
    gain === undefined ? undefined : Math.min(limit, Math.max(0, row.high + gain * (at - nowMs)))
  const moments = Array.from({ length: STEPS + 1 }, (_, step) => nowMs + ((endMs - nowMs) * step) / STEPS)
  for (const turn of [emptyAtMs, ...turnsOf(row, gain, nowMs)]) {
    if (turn > nowMs && turn < endMs) moments.push(turn)
  }
  const points = [...new Set(moments)]
    .sort((a, b) => a - b)
    .map((at): ForecastPoint => ({ at, low: low(at), high: high(at) }))
  return { emptyAtMs, points }
}

/**
 * When the upper edge of the range reaches 0 or the limit. `gain`: change of that edge, in requests per
 * millisecond.
 */
function turnsOf({ high, limit }: ForecastRow, gain: number | undefined, nowMs: number): readonly number[] {
  if (gain === undefined || gain === 0) return []
  return [nowMs + (gain > 0 ? limit - high : -high) / gain]
}
