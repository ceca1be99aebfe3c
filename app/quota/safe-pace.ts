import { defaultReserve } from '../contract/programs.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** The fields of a row that determine its safe pace. */
export type PacedRow = Pick<
  RequestQuota,
  'model' | 'limit' | 'period' | 'low' | 'use' | 'held' | 'blockedUntil' | 'nextTryAt' | 'windowEndsAt'
>

/** The part of a quota that this machine may use while it works alone in its desk. */
export interface DeskPart {
  /** From 0 to 1. */
  readonly fraction: number
  /**
   * How many requests this part allows now, possibly below 0. Absent if the part was not used yet, or is the
   * whole quota.
   */
  readonly tokens?: number
}

export interface PaceLimits {
  /** Requests that the gateway reserves. Default: `defaultReserve`. */
  readonly reserve?: number | undefined
  /** Absent if this machine may use the whole quota. */
  readonly part?: DeskPart | undefined
}

/**
 * The rate and burst that others leave for Headroom's own requests on a row. Headroom's checks count as own.
 *
 * `everySeconds`: seconds between requests at the safe rate. `null` if others leave nothing, or during the
 * wait after a 429. The safe rate is in requests per second. In its formulas, `others` is the high end of
 * others' use plus the desk's use:
 * - Rolling interval: `limit / period − others`. At this rate, the level does not fall (service 8.3.2).
 * - Fixed window: `low / secondsLeft − others`. The lower bound is spread over the rest of the window
 *   (service 8.3.5).
 *
 * `burst`: number of requests, 0 or more, that can be made at once without using the gateway's `reserve`. The
 * reserve counts even if the gateway is off.
 * - Rolling interval: `low − reserve`, in addition to the rate.
 * - Fixed window: `low − reserve − others × secondsLeft`, in place of the rate.
 *
 * With `part`, the gateway sends at most `tokens − fraction × reserve` requests at once, then
 * `fraction × limit / period` per second. Burst and rate are capped at these values. In a fixed window, the
 * tokens are spread over the rest of the window.
 */
export function safePace(
  row: PacedRow,
  nowMs: number,
  { reserve = defaultReserve(row.limit), part }: PaceLimits = {},
): NonNullable<RequestQuota['safe']> {
  if (row.blockedUntil !== undefined || row.nextTryAt !== undefined) return { everySeconds: null, burst: 0 }
  const others = othersAtMost(row) + (row.use?.desk ?? 0)
  const secondsLeft = fixedSecondsLeft(row, nowMs)
  const refill = replenishedPerSecond(row.limit, row.period)
  const { fraction, tokens = fraction * row.low } = part ?? { fraction: 1, tokens: row.low }
  const perSecond =
    secondsLeft === undefined
      ? Math.min(refill - others, fraction * refill)
      : Math.min(row.low / secondsLeft - others, tokens / secondsLeft)
  const spare = Math.min(row.low - reserve - others * (secondsLeft ?? 0), tokens - fraction * reserve)
  return { everySeconds: perSecond > 0 ? 1 / perSecond : null, burst: Math.max(0, Math.floor(spare)) }
}

/**
 * When a row runs empty if use rises by `addedPerSecond`, epoch ms. `lasts`: the row does not run empty (in a
 * fixed window, not before its end). `not-known`: others' use is unknown, which does not mean 0.
 *
 * Computed from the lower bound and the high end of others' use: `low / (counted + others + added − refill)`.
 * `counted`: see `countedToEmpty`. A fixed window has no refill.
 */
export function emptyAtWith(
  row: PacedRow,
  addedPerSecond: number,
  nowMs: number,
): number | 'lasts' | 'not-known' {
  return row.use === null
    ? 'not-known'
    : emptyAtOf(row, row.low, countedToEmpty(row) + othersAtMost(row) + addedPerSecond, nowMs)
}

/**
 * Latest time at which a row runs empty, epoch ms. Computed from the level's upper bound and the low end of
 * others' use. If the low end is unknown, the median is used.
 */
export function emptyAtMost(
  row: PacedRow & Pick<RequestQuota, 'high'>,
  nowMs: number,
): number | 'lasts' | 'not-known' {
  const { use, high } = row
  return use === null
    ? 'not-known'
    : emptyAtOf(row, high, countedToEmpty(row) + (use.elsewhereLow ?? use.elsewhere), nowMs)
}

function emptyAtOf(row: PacedRow, level: number, usedPerSecond: number, nowMs: number): number | 'lasts' {
  const secondsLeft = fixedSecondsLeft(row, nowMs)
  const refill = secondsLeft === undefined ? replenishedPerSecond(row.limit, row.period) : 0
  const drain = usedPerSecond - refill
  if (drain <= 0) return 'lasts'
  const seconds = level / drain
  return seconds >= (secondsLeft ?? Number.POSITIVE_INFINITY) ? 'lasts' : nowMs + seconds * 1000
}

/**
 * Requests per second of this app and of the desk's other machines, as far as they can empty a row. Own
 * requests in `held` are left out, because the gateway does not let them use its reserve.
 */
export const countedToEmpty = ({ use, held = 0 }: Pick<RequestQuota, 'use' | 'held'>): number =>
  Math.max(0, (use?.own ?? 0) - held) + (use?.desk ?? 0)

/** The high end of others' use, requests per second. */
const othersAtMost = ({ use }: PacedRow): number => use?.elsewhereHigh ?? use?.elsewhere ?? 0

/**
 * Seconds until a fixed window ends. `undefined` if the quota refills gradually. If no window is open, one
 * period: the length of the window that the next request opens (service 8.3.5).
 */
export function fixedSecondsLeft(
  {
    model,
    period,
    windowEndsAt,
  }: Pick<RequestQuota, 'model' | 'period'> & { readonly windowEndsAt?: number | undefined },
  nowMs: number,
): number | undefined {
  if (model === 'rolling') return undefined
  return windowEndsAt === undefined || windowEndsAt <= nowMs ? period : (windowEndsAt - nowMs) / 1000
}
