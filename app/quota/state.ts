import type { QuotaState, RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'
import { countedToEmpty } from './safe-pace.ts'

/** The last valid header of a row. */
export interface Seen {
  readonly remaining: number
  readonly atMs: number
}

/** The values that determine the state of a row. Levels in requests, chances 0 to 1. */
export interface StateReading {
  /** `undefined` before the first header. */
  readonly seen: Seen | undefined
  /** A 429 is being waited out. */
  readonly blocked: boolean
  readonly limit: number
  /** Share of the limit below which the row is low, 0 to 1. */
  readonly threshold: number
  readonly low: number
  readonly high: number
  /** The probable level, in requests. */
  readonly point: number
  /** The chance that less than one request is left now. */
  readonly emptyNow: number
  /** The chance that the row runs empty within ten minutes, from everything that others may do, 0 to 1. */
  readonly emptyChance: number
  /** The part of `emptyChance` that others' present use alone causes; that use may end. */
  readonly emptyChanceByPresent: number
  /** Whether requests wait in the gateway, so that its programs do not touch the reserve. */
  readonly isHeldBack?: boolean
}

/** How far the states `running-out` and `watch` look ahead, in seconds. */
export const RUNNING_OUT_SECONDS = 600
/** Running out is shown in red with at most this time left. */
export const CRITICAL_SECONDS = 120
/**
 * A row counts as running out at this chance of running out from others' present use. In the truth bench, a
 * third of the alerts are false at 0.5, and under a quarter at 0.7. However, the median warning comes 6 s
 * later at 0.7.
 */
const RUNNING_OUT_CHANCE = 0.7
/**
 * A row is watched at this chance of running out from everything that others may do. Until its third header,
 * a key without other users has a chance of 0.18, at which it must not be watched.
 */
const WATCH_CHANCE = 0.2
/** A row counts as empty (calls fail) if the chance that less than one request is left is at least this. */
const EMPTY_CHANCE = 0.9
/**
 * `useless`: an interval wider than this share of the limit is too wide to use. `unchecked`: a row that was
 * ok becomes `not-checked` only if its interval is wider than this share, and its header is at least
 * `HELD_MS.least` old.
 */
const WIDTH = { useless: 0.5, unchecked: 0.7 } as const
/** A row is no longer running out once this share of the limit is certainly left. */
const PLENTY = 0.75
/** A row is never low with this share of the limit certainly left. */
const ENOUGH = 0.5
/**
 * If the interval is too wide to use, a row is low only if its probable level is below this share of the
 * limit.
 */
const WIDE_LOW = 0.85
/** A row is no longer empty once this many requests are certainly left. Rounding is less than one request. */
const REFILLED = 2
/**
 * How far beyond its threshold a value must be before a milder state replaces the current one: a level by
 * `share` of the limit, and a chance at `chance` times its threshold.
 */
const HYSTERESIS = { share: 0.05, chance: 0.5 } as const
/**
 * `least`: minimum duration of a state. The other two: how long the condition of a state must be false before
 * a milder state replaces it. `beforeMilder` applies if a header has arrived since the state began,
 * `withoutHeader` if none has. Milliseconds. In the truth bench, 45 s warn of 78 % of emptyings, and 30 s of
 * 70 %; at 60 s, more alerts are false.
 */
const HELD_MS = { least: 10_000, beforeMilder: 45_000, withoutHeader: 120_000 } as const

const GRAVITY: Readonly<Record<QuotaState, number>> = {
  ok: 0,
  'not-checked': 1,
  watch: 2,
  low: 3,
  'running-out': 4,
  empty: 5,
  blocked: 6,
}

/** Order of states in a headline: greater is worse. */
export const gravityOf = (state: QuotaState): number => GRAVITY[state]

/**
 * The state for a reading alone: the first row of this table that applies. Every surface takes its label from
 * it.
 *
 * | state | when |
 * |---|---|
 * | `blocked` | a 429 is being waited out |
 * | `not-checked` | no header yet |
 * | `empty` | less than one request is left with a chance of 90 %, for example after a header with 0 |
 * | `running-out` | empty within 10 minutes from others' present use, with a chance of 70 % |
 * | `not-checked` | `high − low` exceeds half the limit, and the row is not to be watched |
 * | `low` | `low` is below the threshold |
 * | `watch` | empty within 10 minutes from anything, with a chance of 20 % |
 * | `ok` | none of these |
 *
 * If `high − low` exceeds half the limit, `empty` also needs the chance of `running-out`, `low` also needs a
 * probable level below 85 % of the limit, and `running-out` does not apply.
 *
 * `isHeld` selects the wider thresholds for leaving the current state: each condition except `blocked` and
 * `ok` is widened by 5 points of the limit, and each chance is halved.
 */
export function stateOf(reading: StateReading, isHeld = false): QuotaState {
  const { limit, low } = reading
  const more = isHeld ? HYSTERESIS.share * limit : 0
  const part = isHeld ? HYSTERESIS.chance : 1
  if (reading.blocked) return 'blocked'
  const isEmpty = reading.emptyNow >= part * EMPTY_CHANCE
  const runsOut = reading.emptyChanceByPresent >= part * RUNNING_OUT_CHANCE
  const isWide = reading.high - low > WIDTH.useless * limit - more
  if (reading.seen === undefined) return 'not-checked'
  if (isEmpty && (!isWide || runsOut)) return 'empty'
  if (runsOut && !isWide) return 'running-out'
  const isToWatch = reading.emptyChance >= part * WATCH_CHANCE
  if (isWide && !isToWatch) return 'not-checked'
  const isLow = low < reading.threshold * limit + more
  if (isLow && (!isWide || reading.point < WIDE_LOW * limit + more)) return 'low'
  return isToWatch ? 'watch' : 'ok'
}

/** The fields of a row that decide whether it lasts. */
type LastingRow = Pick<
  RequestQuota,
  'use' | 'held' | 'level' | 'limit' | 'period' | 'model' | 'windowEndsAt' | 'asOf'
>

/**
 * Whether the row lasts 10 minutes even at the high end of others' use. False while others' use is unknown:
 * measuring it takes two headers.
 *
 * The level falls by own + others − refill per second; the row lasts if it falls by less than the level in
 * 600 s. A fixed window refills nothing until it ends, and everything then. So the level must last until the
 * end of the window, and a whole limit must last through the next window.
 */
export function lastsAtMost(row: LastingRow): boolean {
  const { use, level, limit, period, model, windowEndsAt, asOf } = row
  if (use === null) return false
  const used = countedToEmpty(row) + (use.elsewhereHigh ?? use.elsewhere)
  if (model === 'rolling') return (used - replenishedPerSecond(limit, period)) * RUNNING_OUT_SECONDS < level
  const leftSeconds = windowEndsAt === undefined ? RUNNING_OUT_SECONDS : (windowEndsAt - asOf) / 1000
  const nextSeconds = Math.min(period, RUNNING_OUT_SECONDS - leftSeconds)
  return used * Math.min(leftSeconds, RUNNING_OUT_SECONDS) < level && used * nextSeconds < limit
}

/**
 * The state of one row over time.
 *
 * A state lasts at least 10 s. A milder state replaces it only after its condition, even with the slack of
 * `stateOf`, was false for 45 s. This takes 120 s if no header since the state began supports the change, or
 * if the milder state is `not-checked`. Some facts count at once: a 429; the successful end of its wait; a
 * header since the state began that disproves the state or ends `not-checked`; for a low row, half of the
 * limit certainly left.
 */
export class RowState {
  #state: QuotaState = 'not-checked'
  #sinceMs = Number.NEGATIVE_INFINITY
  #falseSinceMs: number | undefined

  get state(): QuotaState {
    return this.#state
  }

  at(reading: StateReading, nowMs: number): QuotaState {
    this.#sinceMs = Math.min(this.#sinceMs, nowMs)
    const wanted = stateOf(reading)
    if (wanted !== this.#state) {
      if (!this.#leaves(wanted, reading, nowMs)) return this.#state
      this.#state = wanted
      this.#sinceMs = nowMs
    }
    this.#falseSinceMs = undefined
    return wanted
  }

  #leaves(wanted: QuotaState, reading: StateReading, nowMs: number): boolean {
    const current = this.#state
    const hasHeader = reading.seen !== undefined && reading.seen.atMs > this.#sinceMs
    const isHeld = nowMs - this.#sinceMs < HELD_MS.least
    if (wanted === 'blocked') return true
    if (current === 'not-checked') return hasHeader || !isHeld
    if (current === 'blocked' && (wanted === 'ok' || wanted === 'watch')) return true
    if (hasHeader && isContradicted(current, reading)) return true
    if (current === 'low' && hasEnough(reading)) return true
    if (gravityOf(wanted) > gravityOf(current))
      return !isHeld && (wanted !== 'not-checked' || isOutdated(reading, nowMs))
    if (gravityOf(stateOf(reading, true)) >= gravityOf(current)) {
      this.#falseSinceMs = undefined
      return false
    }
    if (!isHeld && isPlainlyOver(current, reading)) return true
    this.#falseSinceMs = Math.min(this.#falseSinceMs ?? nowMs, nowMs)
    const isSupported = (hasHeader || current === 'blocked') && wanted !== 'not-checked'
    return nowMs - this.#falseSinceMs >= (isSupported ? HELD_MS.beforeMilder : HELD_MS.withoutHeader)
  }
}

const hasEnough = ({ low, limit, threshold }: StateReading): boolean =>
  low >= Math.max(ENOUGH, threshold + HYSTERESIS.share) * limit

/** Whether a row that was ok has no header, or only an old one while its range is wide. */
const isOutdated = ({ seen, low, high, limit }: StateReading, nowMs: number): boolean =>
  seen === undefined || (high - low > WIDTH.unchecked * limit && nowMs - seen.atMs >= HELD_MS.least)

/** Whether the last header alone proves that a state is too mild or too severe. */
function isContradicted(current: QuotaState, { seen, limit, threshold }: StateReading): boolean {
  const remaining = seen?.remaining ?? 0
  if (remaining < 1) return gravityOf(current) < gravityOf('empty')
  if (remaining < threshold * limit && gravityOf(current) < gravityOf('low')) return true
  switch (current) {
    case 'blocked':
      return remaining >= 1
    case 'empty':
      return remaining >= REFILLED
    default:
      return false
  }
}

/** Whether a state has plainly ended: the lower bound is high enough, or the gateway holds requests back. */
function isPlainlyOver(current: QuotaState, { low, limit, isHeldBack }: StateReading): boolean {
  if (current === 'empty') return low >= REFILLED
  return current === 'running-out' && (isHeldBack === true || low >= PLENTY * limit)
}
