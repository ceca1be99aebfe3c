import type { QuotaState, RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'
import { countedToEmpty, fixedSecondsLeft } from './safe-pace.ts'

/** The last valid header of a row. */
export interface Seen {
  readonly remaining: number
  readonly atMs: number
}

/** The values that determine the state of a row. Levels in requests, chances 0 to 1. */
export interface StateReading {
  /** `undefined` before the first header. */
  readonly seen: Seen | undefined
  /** Whether the wait after a 429 continues. */
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
  /** The chance, 0 to 1, that the row runs empty within ten minutes, before or after others' use changes. */
  readonly emptyChance: number
  /** The chance, 0 to 1, that the row runs empty within ten minutes and before others' use changes. */
  readonly emptyChanceByPresent: number
  /**
   * Whether requests waited in the gateway in the last minute. Only critical programs then use the reserve.
   */
  readonly isHeldBack?: boolean
}

/** How far ahead `running-out` and `watch` look, in seconds. */
export const RUNNING_OUT_SECONDS = 600
/** A row that runs out within this time is shown in red. Seconds. */
export const CRITICAL_SECONDS = 120
/**
 * A row is `running-out` if `emptyChanceByPresent` is at least this. At 0.5, a third of the alerts in the
 * truth bench (`test/bench/truth`) are false. At 0.7, less than a quarter are false, but the median warning
 * comes 6 s later.
 */
const RUNNING_OUT_CHANCE = 0.7
/**
 * A row is `watch` if `emptyChance` is at least this. On a key without other programs, `emptyChance` is up to
 * 0.16 after the second header. Such a row must not become `watch`.
 */
const WATCH_CHANCE = 0.2
/** A row is `empty` (calls fail) if `emptyNow` is at least this. */
const EMPTY_CHANCE = 0.9
/**
 * Widths of the interval from `low` to `high`, as shares of the limit. If it is wider than `useless`, it is
 * too imprecise to judge the row. If it is wider than `unchecked` and the header is at least `HELD_MS.least`
 * old, an ok row becomes `not-checked`.
 */
const WIDTH = { useless: 0.5, unchecked: 0.7 } as const
/**
 * If at least this share of the limit is certainly left, `low` ends early. So does `running-out`, unless it
 * is kept because it recurs.
 */
const PLENTY = 0.75
/**
 * With `high − low` above `WIDTH.useless`, a row is low only if its probable level is below this share of the
 * limit.
 */
const WIDE_LOW = 0.85
/**
 * The state `empty` ends early if at least this number of requests is certainly left. 1 would not be enough,
 * because headers are rounded by up to one request.
 */
const REFILLED = 2
/**
 * How far a value must pass its threshold before a milder state replaces the current one. For a level, the
 * threshold is raised by `share` of the limit. For a chance, the threshold is multiplied by `chance`.
 */
const HYSTERESIS = { share: 0.05, chance: 0.5 } as const
/**
 * Times in milliseconds. Each state lasts at least `least`. A milder state replaces it only after the
 * condition for the current state was false for `beforeMilder`. If no header came since the current state
 * began, `withoutHeader` applies instead.
 *
 * With `beforeMilder` at 45 s, the truth bench warns before 78 % of the times that a quota runs empty. At 30
 * s, it warns before 70 %. At 60 s, more alerts are false.
 */
const HELD_MS = { least: 10_000, beforeMilder: 45_000, withoutHeader: 120_000 } as const
/**
 * A forecast (`watch`, `low` or `running-out`) recurs if it returns within `withinMs` after its end. It then
 * ends only after its condition was false for `factor` times as long as the forecast was away. The factor
 * allows for variation in others' cycles.
 */
const RECURRENCE = { withinMs: 300_000, factor: 1.5 } as const

const GRAVITY: Readonly<Record<QuotaState, number>> = {
  ok: 0,
  'not-checked': 1,
  watch: 2,
  low: 3,
  'running-out': 4,
  empty: 5,
  blocked: 6,
}

/** Order of states in a headline. Greater is worse. */
export const gravityOf = (state: QuotaState): number => GRAVITY[state]

/**
 * The state that one reading implies: the first row of this table that applies. Every surface takes its label
 * from it.
 *
 * | state | when |
 * |---|---|
 * | `blocked` | the wait after a 429 continues |
 * | `not-checked` | no header yet |
 * | `empty` | the chance of less than one request left is at least 90 %, for example after a header with 0 |
 * | `running-out` | the chance to run empty within 10 minutes, before others' use changes, is at least 70 % |
 * | `not-checked` | `high − low` exceeds half the limit, and the condition of `watch` is false |
 * | `low` | `low` is below the threshold |
 * | `watch` | the chance to run empty within 10 minutes, for any reason, is at least 20 % |
 * | `ok` | none of these |
 *
 * If `high − low` exceeds half the limit:
 * - `low` also needs a probable level below 85 % of the limit.
 * - `running-out` does not apply.
 *
 * With `isHeld`, the conditions are easier to meet, so that the current state lasts longer. Thresholds of
 * levels and of `high − low` move by 5 % of the limit. Chances are halved.
 */
export function stateOf(reading: StateReading, isHeld = false): QuotaState {
  const { limit, low } = reading
  const more = isHeld ? HYSTERESIS.share * limit : 0
  const part = isHeld ? HYSTERESIS.chance : 1
  if (reading.blocked) return 'blocked'
  const runsOut = reading.emptyChanceByPresent >= part * RUNNING_OUT_CHANCE
  const isWide = reading.high - low > WIDTH.useless * limit - more
  if (reading.seen === undefined) return 'not-checked'
  if (reading.emptyNow >= part * EMPTY_CHANCE) return 'empty'
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
 * Whether the row lasts 10 minutes even at the high end of others' use. False while others' use is unknown,
 * which is the case until the second header.
 *
 * The level falls by own + others − refill per second. The row lasts if the fall in 600 s is less than the
 * level.
 *
 * A fixed window refills nothing until it ends. Then the quota is full again. So the level must last until
 * the end, and a whole limit must last through the next window.
 */
export function lastsAtMost(row: LastingRow): boolean {
  const { use, level, limit, period, asOf } = row
  if (use === null) return false
  const used = countedToEmpty(row) + (use.elsewhereHigh ?? use.elsewhere)
  const leftSeconds = fixedSecondsLeft(row, asOf)
  if (leftSeconds === undefined)
    return (used - replenishedPerSecond(limit, period)) * RUNNING_OUT_SECONDS < level
  const nextSeconds = Math.min(period, RUNNING_OUT_SECONDS - leftSeconds)
  return used * Math.min(leftSeconds, RUNNING_OUT_SECONDS) < level && used * nextSeconds < limit
}

/**
 * The state of one row over time.
 *
 * A state lasts at least 10 s. A milder state replaces it only after `stateOf` with `isHeld` gave milder
 * states for 45 s. If no header since the state began supports the change, or if the milder state is
 * `not-checked`, the time is 120 s.
 *
 * `watch`, `low` and `running-out` are forecasts. A forecast recurs if it returns within five minutes after
 * its end. It then ends only after its condition was false for 1.5 times as long as the forecast was away. So
 * a row keeps its state while others come and go. If `low` or `running-out` ends while a recurring `watch`
 * would still be kept, the next state is `watch`.
 *
 * In these cases, the state changes immediately:
 * - A 429 arrives, or the wait after a 429 ends successfully.
 * - A header since the state began disproves the state or ends `not-checked`.
 * - The state is `low`, and at least three quarters of the limit are certainly left.
 */
export class RowState {
  #state: QuotaState = 'not-checked'
  #sinceMs = Number.NEGATIVE_INFINITY
  #falseSinceMs: number | undefined
  /** For each gravity, when the row last became milder than this, and for how long. Milliseconds. */
  readonly #endedAtMs: number[] = []
  readonly #awayMs: number[] = []

  at(reading: StateReading, nowMs: number): QuotaState {
    this.#sinceMs = Math.min(this.#sinceMs, nowMs)
    const wanted = stateOf(reading)
    if (wanted !== this.#state) {
      if (!this.#leaves(wanted, reading, nowMs)) return this.#state
      const next = this.#mildest(wanted)
      this.#countAway(gravityOf(next), nowMs)
      this.#state = next
      this.#sinceMs = nowMs
    }
    this.#falseSinceMs = undefined
    return this.#state
  }

  /**
   * The state to change to. If `low` or `running-out` ends and `watch` recurs, `watch` replaces milder
   * states.
   */
  #mildest(wanted: QuotaState): QuotaState {
    const isForecast = this.#state === 'low' || this.#state === 'running-out'
    const isMilder = gravityOf(wanted) < gravityOf('watch')
    return isForecast && isMilder && this.#keptMs('watch') > 0 ? 'watch' : wanted
  }

  /** Updates `#endedAtMs` and `#awayMs` for a change to a state of this gravity. */
  #countAway(gravity: number, nowMs: number): void {
    const before = gravityOf(this.#state)
    for (let ended = gravity + 1; ended <= before; ended += 1) this.#endedAtMs[ended] = nowMs
    for (let back = before + 1; back <= gravity; back += 1)
      this.#awayMs[back] = nowMs - (this.#endedAtMs[back] ?? Number.NEGATIVE_INFINITY)
  }

  /** How long the condition of a recurring forecast must be false. 0 for any other state. Milliseconds. */
  #keptMs(state: QuotaState): number {
    const awayMs = this.#awayMs[gravityOf(state)]
    if (awayMs === undefined || awayMs > RECURRENCE.withinMs) return 0
    return gravityOf(state) <= gravityOf('running-out') ? RECURRENCE.factor * awayMs : 0
  }

  #leaves(wanted: QuotaState, reading: StateReading, nowMs: number): boolean {
    const current = this.#state
    const hasHeader = reading.seen !== undefined && reading.seen.atMs > this.#sinceMs
    const isHeld = nowMs - this.#sinceMs < HELD_MS.least
    if (wanted === 'blocked') return true
    if (current === 'not-checked') return hasHeader || !isHeld
    if (current === 'blocked' && (wanted === 'ok' || wanted === 'watch')) return true
    if (hasHeader && isContradicted(current, reading)) return true
    if (current === 'low' && hasPlenty(reading)) return true
    if (gravityOf(wanted) > gravityOf(current))
      return !isHeld && (wanted !== 'not-checked' || isOutdated(reading, nowMs))
    if (gravityOf(stateOf(reading, true)) >= gravityOf(current)) {
      this.#falseSinceMs = undefined
      return false
    }
    this.#falseSinceMs = Math.min(this.#falseSinceMs ?? nowMs, nowMs)
    const falseMs = nowMs - this.#falseSinceMs
    const keptMs = this.#keptMs(current)
    if (!isHeld && isPlainlyOver(current, reading, falseMs < keptMs)) return true
    const isSupported = (hasHeader || current === 'blocked') && wanted !== 'not-checked'
    return falseMs >= Math.max(keptMs, isSupported ? HELD_MS.beforeMilder : HELD_MS.withoutHeader)
  }
}

const hasPlenty = ({ low, limit, threshold }: StateReading): boolean =>
  low >= Math.max(PLENTY, threshold + HYSTERESIS.share) * limit

/** Whether a row has no header, or has an old header and a wide interval. */
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

/**
 * Whether `empty` or `running-out` ends early.
 *
 * - `empty` ends early if at least `REFILLED` requests are certainly left.
 * - `running-out` ends early if the lower bound is high enough (`PLENTY`), unless it is kept because it
 *   recurs.
 * - While requests wait in the gateway, `running-out` always ends early, because the gateway then does not
 *   use up its reserve.
 */
function isPlainlyOver(current: QuotaState, reading: StateReading, isKept: boolean): boolean {
  if (current === 'empty') return reading.low >= REFILLED
  return current === 'running-out' && (reading.isHeldBack === true || (!isKept && hasPlenty(reading)))
}
