import type { QuotaState, RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** The last header of a row that was believed. */
export interface Seen {
  readonly remaining: number
  readonly atMs: number
}

/** The input of the state of a row. Levels in requests, chances 0 to 1. */
export interface StateReading {
  /** `undefined` before the first header. */
  readonly seen: Seen | undefined
  /** A 429 is being waited out. */
  readonly blocked: boolean
  readonly limit: number
  /** Share of the limit under which the row is low, 0 to 1. */
  readonly threshold: number
  readonly low: number
  readonly high: number
  /** The chance that less than one request is left now. */
  readonly emptyNow: number
  /** The chance that the row is empty within the next ten minutes, by all that others may do, 0 to 1. */
  readonly emptyChance: number
  /** The part of it that others' present use alone accounts for; that use may end. */
  readonly emptyChanceByPresent: number
}

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
 * Chance of running out, by all that others may do, from which a row is watched. Above 0.18, which a key without other users
 * starts with until a third header came.
 */
const WATCH_CHANCE = 0.2
/** Chance of having less than one request left from which a row is empty: it says that calls fail. */
const EMPTY_CHANCE = 0.9
/** Width of the interval, as a share of the limit, from which a row counts as not checked. */
const USELESS_WIDTH = 0.5
/** Share of the limit that is surely left from which a row plainly runs out no longer. */
const FULL_AGAIN = 0.9
/** Requests surely left from which a row is plainly no longer empty: rounding is less than one. */
const REFILLED = 2
/**
 * How far a condition has to be false before a milder state is believed: by a share of the limit, or by half of the chance
 * that began it.
 */
const HYSTERESIS = { share: 0.05, chance: 0.5 } as const
/** How long a state is held in any case, and how long its condition has to be false before a milder one. Milliseconds. */
const HELD_MS = { least: 10_000, beforeMilder: 30_000 } as const

const GRAVITY: Readonly<Record<QuotaState, number>> = {
  ok: 0,
  'not-checked': 1,
  watch: 2,
  low: 3,
  'running-out': 4,
  empty: 5,
  blocked: 6,
}

/** Which of two states comes first in a headline: greater is worse. */
export const gravityOf = (state: QuotaState): number => GRAVITY[state]

/**
 * The state that a reading alone asks for, the first of these that holds. Every surface takes its word from here.
 *
 * | state | when |
 * |---|---|
 * | `blocked` | a 429 is being waited out |
 * | `not-checked` | no header yet, or `high − low` is over half the limit, unless it is empty and likely to stay so |
 * | `empty` | less than one request is left, with a chance of 90 %, as after a header that shows none |
 * | `running-out` | empty within 10 minutes by others' present use, with a chance of 70 % |
 * | `low` | `low` is under the threshold |
 * | `watch` | empty within 10 minutes by anything, with a chance of 20 % |
 * | `ok` | none of these |
 *
 * `isHeld` widens each condition but `blocked` and `ok` by 5 points of the limit, and halves each chance: what a state
 * that holds goes on to hold by.
 */
export function stateOf(reading: StateReading, isHeld = false): QuotaState {
  const { limit, low } = reading
  const more = isHeld ? HYSTERESIS.share * limit : 0
  const part = isHeld ? HYSTERESIS.chance : 1
  if (reading.blocked) return 'blocked'
  const isEmpty = reading.emptyNow >= part * EMPTY_CHANCE
  const runsOut = reading.emptyChanceByPresent >= part * RUNNING_OUT_CHANCE
  const isWide = reading.high - low > USELESS_WIDTH * limit - more
  if (reading.seen === undefined || (isWide && !(isEmpty && runsOut))) return 'not-checked'
  if (isEmpty) return 'empty'
  if (runsOut) return 'running-out'
  if (low < reading.threshold * limit + more) return 'low'
  return reading.emptyChance >= part * WATCH_CHANCE ? 'watch' : 'ok'
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
 * A state is held for 10 s, and a milder one is believed after 30 s in which it was not asked for, even with the slack of
 * `stateOf`. A fact counts at once: a 429, the good end of its wait, a header since the state began that shows it to be
 * wrong, a range that says nothing any more, and the first that does again.
 */
export class RowState {
  #state: QuotaState = 'not-checked'
  #sinceMs = Number.POSITIVE_INFINITY
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
    if (current === 'not-checked' || wanted === 'blocked') return true
    if (current === 'blocked' && (wanted === 'ok' || wanted === 'watch')) return true
    if (isContradicted(current, reading, this.#sinceMs)) return true
    const isHeld = nowMs - this.#sinceMs < HELD_MS.least
    if (gravityOf(wanted) > gravityOf(current)) return wanted === 'not-checked' || !isHeld
    if (gravityOf(stateOf(reading, true)) >= gravityOf(current)) {
      this.#falseSinceMs = undefined
      return false
    }
    if (!isHeld && isPlainlyOver(current, reading)) return true
    this.#falseSinceMs = Math.min(this.#falseSinceMs ?? nowMs, nowMs)
    return nowMs - this.#falseSinceMs >= HELD_MS.beforeMilder
  }
}

/** Whether a header since `sinceMs` shows by its number alone that a state is too mild or too grave. */
function isContradicted(
  current: QuotaState,
  { seen, limit, threshold }: StateReading,
  sinceMs: number,
): boolean {
  if (seen === undefined || seen.atMs <= sinceMs) return false
  const { remaining } = seen
  if (remaining < 1) return gravityOf(current) < gravityOf('empty')
  if (remaining < threshold * limit && gravityOf(current) < gravityOf('low')) return true
  switch (current) {
    case 'blocked':
      return remaining >= 1
    case 'empty':
      return remaining >= REFILLED
    case 'low':
      return remaining >= (threshold + HYSTERESIS.share) * limit
    case 'running-out':
    case 'watch':
    case 'ok':
    case 'not-checked':
      return false
  }
}

/** Whether what is surely left says that a state is over. */
function isPlainlyOver(current: QuotaState, { low, limit }: StateReading): boolean {
  if (current === 'empty') return low >= REFILLED
  return current === 'running-out' && low >= FULL_AGAIN * limit
}
