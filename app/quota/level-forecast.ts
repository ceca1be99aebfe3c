import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'
import { emptyAtMost, emptyAtWith } from './safe-pace.ts'

/** The levels that a row can have at one time to come, in requests from 0 to its limit. */
export interface ForecastPoint {
  /** Epoch ms. */
  readonly at: number
  /** The low edge: what is surely left now, less others' use at the high end of its interval. */
  readonly low: number
  /** The high edge, likewise; `undefined` where the low end of others' use is not known. */
  readonly high: number | undefined
}

/** How the level of a row goes on if its use does. */
export interface LevelForecast {
  /** When the low edge meets 0, epoch ms; not after now where the row may be empty already. */
  readonly emptyAtMs: number
  /** Oldest first: now, each moment at which an edge turns, and moments between them for a cursor to stop at. */
  readonly points: readonly ForecastPoint[]
}

/** The parts of a row that its forecast follows from. */
export type ForecastRow = Pick<
  RequestQuota,
  | 'model'
  | 'limit'
  | 'period'
  | 'low'
  | 'high'
  | 'threshold'
  | 'use'
  | 'state'
  | 'asOf'
  | 'emptyAt'
  | 'blockedUntil'
  | 'windowEndsAt'
>

/** A row that may only perhaps run out is forecast if it can be empty as soon as its state says: within ten minutes. */
const SOON_MS = 600_000
/** Moments between now and the end. */
const STEPS = 20

/** When a row is empty if use goes on, epoch ms. */
export interface EmptyRange {
  /** What is surely left, at the high end of others' use. */
  readonly fromMs: number
  /** What is possibly left, at the low end; `undefined` where it may last. */
  readonly toMs: number | undefined
}

/** Periods beyond which the far end is no longer told. */
const FAR_PERIODS = 12

/**
 * The one range that every surface tells. `undefined` where nothing is to be expected: others' use is not known, it lasts, it is empty,
 * or a 429 is waited out.
 */
export function emptyRangeOf(row: ForecastRow): EmptyRange | undefined {
  const { state, asOf, emptyAt } = row
  if (state === 'empty' || state === 'blocked' || row.blockedUntil !== undefined) return undefined
  // From the push on, so that the moment stands still while the clock goes on.
  const fromMs = emptyAtWith(row, 0, asOf)
  if (typeof fromMs !== 'number') return undefined
  const isDoubted = state === 'watch' || state === 'low' || state === 'running-out'
  const isSoon = isDoubted && fromMs - asOf <= SOON_MS
  if (!isSoon && (emptyAt === undefined || state === 'watch')) return undefined
  const toMs = emptyAtMost(row, asOf)
  const isTold = typeof toMs === 'number' && toMs - asOf <= FAR_PERIODS * row.period * 1000
  return { fromMs, toMs: isTold ? toMs : undefined }
}

/**
 * The range of a row's level from `nowMs` to `toMs`, from what is surely and possibly left and from both ends of others'
 * use. A fixed window is forecast up to its end.
 *
 * `undefined` where nothing is to be expected: others' use is not known, it lasts, it is empty, or a 429 is waited out.
 */
export function levelForecast(row: ForecastRow, nowMs: number, toMs: number): LevelForecast | undefined {
  const { use, limit, windowEndsAt } = row
  const emptyAtMs = emptyRangeOf(row)?.fromMs
  if (use === null || emptyAtMs === undefined) return undefined
  const isFixed = row.model === 'fixed'
  const endMs = isFixed && windowEndsAt !== undefined ? Math.min(toMs, windowEndsAt) : toMs
  if (endMs <= nowMs) return undefined
  const refill = isFixed ? 0 : replenishedPerSecond(limit, row.period)
  const { elsewhereLow } = use
  const gain = elsewhereLow === undefined ? undefined : (refill - use.own - elsewhereLow) / 1000
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

/** When the high edge meets 0 or the limit. `gain`: requests per millisecond. */
function turnsOf({ high, limit }: ForecastRow, gain: number | undefined, nowMs: number): readonly number[] {
  if (gain === undefined || gain === 0) return []
  return [nowMs + (gain > 0 ? limit - high : -high) / gain]
}
