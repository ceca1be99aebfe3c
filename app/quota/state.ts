import type { QuotaState, RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** The input of the state of a row. Levels in requests, chances 0 to 1. */
export interface StateReading {
  /** Whether a header of this row was ever seen. */
  readonly seen: boolean
  /** A 429 is being waited out. */
  readonly blocked: boolean
  readonly limit: number
  /** Share of the limit under which the row is low, 0 to 1. */
  readonly threshold: number
  readonly low: number
  readonly high: number
  readonly level: number
  /** The chance that the row is empty within the next ten minutes, by all that others may do, 0 to 1. */
  readonly emptyChance: number
  /** The part of it that others' present use alone accounts for; that use may end. */
  readonly emptyChanceByPresent: number
}

/** Share of the limit under which a row is low, unless a person set another. */
export const LOW_THRESHOLD = 0.2
/** A row that is empty sooner than this, at the middle of others' use, runs out. */
export const RUNNING_OUT_SECONDS = 600
/** From here on running out is told in red. */
export const CRITICAL_SECONDS = 120
/**
 * Chance of running out by others' present use from which a row runs out. At 0.5 a third of the alerts are false, at 0.7
 * under a quarter, as the truth bench counts them; the median warning comes 6 s later.
 */
const RUNNING_OUT_CHANCE = 0.7
/**
 * Chance of running out, by all that others may do, from which a row is not ok. Above 0.18, which a key without other users
 * starts with until a third header came.
 */
const NOT_OK_CHANCE = 0.2
/** Width of the interval, as a share of the limit, from which a row counts as not checked. */
const USELESS_WIDTH = 0.5
/** Share of the limit that is surely left from which a row plainly runs out no longer. */
const FULL_AGAIN = 0.9
/**
 * How far a condition has to be false, and for how long, before a milder state is believed: by a share of the limit, or by
 * half of the chance that began it.
 */
const HYSTERESIS = { ms: 30_000, share: 0.05, chance: 0.5 } as const

const GRAVITY: Readonly<Record<QuotaState, number>> = {
  ok: 0,
  'not-checked': 1,
  low: 2,
  'running-out': 3,
  empty: 4,
  blocked: 5,
}

/** Requests that have come back until an empty row is no longer empty: rounding is less than one. */
const EMPTY_SLACK = 1

/** Which of two states comes first in a headline: greater is worse. */
export const gravityOf = (state: QuotaState): number => GRAVITY[state]

/**
 * The state that a reading alone asks for, the first of these that holds. Every surface takes its word from here.
 *
 * | state | when |
 * |---|---|
 * | `blocked` | a 429 is being waited out |
 * | `not-checked` | no header yet, or `high − low` is over half the limit, unless it is empty and likely to stay so |
 * | `empty` | `low` and the middle are below 1 |
 * | `running-out` | empty within 10 minutes by others' present use, with a chance of 70 % |
 * | `low` | `low` is under the threshold, or empty within 10 minutes by anything with a chance of 20 % |
 * | `ok` | none of these |
 *
 * `isHeld` widens each condition but `blocked` and `ok` by 5 points of the limit, and halves each chance: what a state
 * that holds goes on to hold by. It widens `empty` by one request at most, because that says that calls fail.
 */
export function stateOf(reading: StateReading, isHeld = false): QuotaState {
  const { limit, low, level } = reading
  const more = isHeld ? HYSTERESIS.share * limit : 0
  const part = isHeld ? HYSTERESIS.chance : 1
  if (reading.blocked) return 'blocked'
  const nothing = 1 + Math.min(more, EMPTY_SLACK)
  const isEmpty = low < nothing && level < nothing
  const runsOut = reading.emptyChanceByPresent >= part * RUNNING_OUT_CHANCE
  const isWide = reading.high - low > USELESS_WIDTH * limit - more
  if (!reading.seen || (isWide && !(isEmpty && runsOut))) return 'not-checked'
  if (isEmpty) return 'empty'
  if (runsOut) return 'running-out'
  return low < reading.threshold * limit + more || reading.emptyChance >= part * NOT_OK_CHANCE ? 'low' : 'ok'
}

/** The fields of a row that its lasting depends on. */
type LastingRow = Pick<RequestQuota, 'use' | 'level' | 'limit' | 'period' | 'model' | 'windowEndsAt' | 'asOf'>

/**
 * Whether the row does not run out within 10 minutes even at the high end of others' use. False while others' use is not
 * known, which takes two headers.
 *
 * It falls by own + others − refill per second, and lasts where that times 600 s is less than what is left. A fixed
 * window gives nothing back before its end and everything then, so what is left has to last to the end, and a whole
 * limit through the next window.
 */
export function lastsAtMost({ use, level, limit, period, model, windowEndsAt, asOf }: LastingRow): boolean {
  if (use === null) return false
  const used = use.own + (use.elsewhereHigh ?? use.elsewhere)
  if (model === 'rolling') return (used - replenishedPerSecond(limit, period)) * RUNNING_OUT_SECONDS < level
  const leftSeconds = windowEndsAt === undefined ? RUNNING_OUT_SECONDS : (windowEndsAt - asOf) / 1000
  const nextSeconds = Math.min(period, RUNNING_OUT_SECONDS - leftSeconds)
  return used * Math.min(leftSeconds, RUNNING_OUT_SECONDS) < level && used * nextSeconds < limit
}

/**
 * The state of one row over time.
 *
 * A graver state holds at once. Another one holds after 30 s in which the present one was not asked for, even with the
 * slack of `stateOf`; that a 429's wait ended well, that an empty row has requests again, that nearly all is left again,
 * or that a row is checked again is a fact and counts at once.
 */
export class RowState {
  #state: QuotaState = 'not-checked'
  #falseSinceMs: number | undefined

  get state(): QuotaState {
    return this.#state
  }

  /** A header contradicts the present state: the next one holds at once. */
  contradicted(): void {
    this.#state = 'not-checked'
  }

  at(reading: StateReading, nowMs: number): QuotaState {
    const wanted = stateOf(reading)
    if (wanted !== this.#state && !this.#leaves(wanted, reading, nowMs)) return this.#state
    this.#state = wanted
    this.#falseSinceMs = undefined
    return wanted
  }

  #leaves(wanted: QuotaState, reading: StateReading, nowMs: number): boolean {
    const current = this.#state
    if (current === 'not-checked' || (wanted === 'ok' && current === 'blocked')) return true
    if (gravityOf(wanted) > gravityOf(current)) return true
    if (gravityOf(stateOf(reading, true)) >= gravityOf(current)) {
      this.#falseSinceMs = undefined
      return false
    }
    if (current === 'empty') return true
    if (current === 'running-out' && reading.low >= FULL_AGAIN * reading.limit) return true
    this.#falseSinceMs = Math.min(this.#falseSinceMs ?? nowMs, nowMs)
    return nowMs - this.#falseSinceMs >= HYSTERESIS.ms
  }
}
