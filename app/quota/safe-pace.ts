import { defaultReserve } from '../contract/programs.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** The parts of a row that its safe pace follows from. */
export type PacedRow = Pick<
  RequestQuota,
  'model' | 'limit' | 'period' | 'low' | 'use' | 'blockedUntil' | 'nextTryAt' | 'windowEndsAt'
>

/**
 * The pace and the burst that others' use leaves to all own requests of a row, this app's checks included.
 *
 * `everySeconds`: seconds between requests, above 0; `null` where nothing is left to use or a 429 is waited out. With
 * `others` as the high end of others' use, in requests per second, it is the inverse of
 *
 * - rolling interval: `limit / period − others`. What comes back, less what others take, can be used for ever: the level
 *   does not fall (service 8.3.2).
 * - fixed window: `low / secondsLeft − others`. What is surely left, less what others take until the window ends, spread
 *   over that time (service 8.3.5).
 *
 * `burst`: whole requests, 0 or more, that can be made at once and leave the gateway's `reserve`, with or without a gateway:
 * rolling `low − reserve`, beside the pace; fixed `low − reserve − others × secondsLeft`, instead of the pace.
 */
export function safePace(
  row: PacedRow,
  nowMs: number,
  reserve = defaultReserve(row.limit),
): NonNullable<RequestQuota['safe']> {
  if (row.blockedUntil !== undefined || row.nextTryAt !== undefined) return { everySeconds: null, burst: 0 }
  const others = othersAtMost(row)
  const secondsLeft = fixedSecondsLeft(row, nowMs)
  const perSecond =
    secondsLeft === undefined
      ? replenishedPerSecond(row.limit, row.period) - others
      : row.low / secondsLeft - others
  const spare = row.low - reserve - others * (secondsLeft ?? 0)
  return { everySeconds: perSecond > 0 ? 1 / perSecond : null, burst: Math.max(0, Math.floor(spare)) }
}

/**
 * When a row is empty if `addedPerSecond` more requests are made than now, epoch ms; `lasts`, which for a fixed window
 * means until the window ends; `not-known` where others' use is not: that is not none.
 *
 * From the low end of what is left and the high end of others' use: `low / (own + others + added − refill)`, without the
 * refill in a fixed window. `addedPerSecond`: requests per second, 0 or more.
 */
export function emptyAtWith(
  row: PacedRow,
  addedPerSecond: number,
  nowMs: number,
): number | 'lasts' | 'not-known' {
  return row.use === null
    ? 'not-known'
    : emptyAtOf(row, row.low, row.use.own + othersAtMost(row) + addedPerSecond, nowMs)
}

/** The other end: when `high` is gone at the low end of others' use; where that is not known, at the middle. */
export function emptyAtMost(
  row: PacedRow & Pick<RequestQuota, 'high'>,
  nowMs: number,
): number | 'lasts' | 'not-known' {
  const { use, high } = row
  return use === null
    ? 'not-known'
    : emptyAtOf(row, high, use.own + (use.elsewhereLow ?? use.elsewhere), nowMs)
}

function emptyAtOf(row: PacedRow, level: number, usedPerSecond: number, nowMs: number): number | 'lasts' {
  const secondsLeft = fixedSecondsLeft(row, nowMs)
  const refill = secondsLeft === undefined ? replenishedPerSecond(row.limit, row.period) : 0
  const drain = usedPerSecond - refill
  if (drain <= 0) return 'lasts'
  const seconds = level / drain
  return seconds >= (secondsLeft ?? Number.POSITIVE_INFINITY) ? 'lasts' : nowMs + seconds * 1000
}

/** The high end of others' use, requests per second. */
const othersAtMost = ({ use }: PacedRow): number => use?.elsewhereHigh ?? use?.elsewhere ?? 0

/** Seconds until a fixed window ends; `undefined` where the quota refills gradually, or no window is running. */
function fixedSecondsLeft({ model, windowEndsAt }: PacedRow, nowMs: number): number | undefined {
  if (model === 'rolling' || windowEndsAt === undefined || windowEndsAt <= nowMs) return undefined
  return (windowEndsAt - nowMs) / 1000
}
