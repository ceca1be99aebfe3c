import { exchangeDayOf, exchangeTimeOf } from '../contract/exchange-time.ts'
import { MINUTE_MS } from '../contract/units.ts'
import type { LoadStart } from './learned.ts'

/** A start belongs to a usual load if it is at most this far from the load's recorded start. Milliseconds. */
const NEAR_MS = 5 * MINUTE_MS
/** Minimum number of days with a start. With fewer days, only the record shows when the load starts. */
const MIN_DAYS = 3
/** Maximum number of kept starts: thirty days with three loads each. */
export const MAX_STARTS = 90
/**
 * A sixth of the starts at each end, rounded down, is omitted: these may be other traffic. A window wider
 * than `widestMs` is not used, because it would be less exact than the record.
 */
const VARIES = { others: 1 / 6, widestMs: 3 * MINUTE_MS } as const
/** Headers are combined until they are at least this far apart, in seconds. */
const MIN_SECONDS = 5
/**
 * A load is recognised if it adds at least `requests`, and at least `deviations` times the standard deviation
 * of earlier use.
 */
const SHOWN = { requests: 5, deviations: 3 } as const
/** A load uses at least this multiple of the refill, and of others' earlier rate. */
const BUSY = { refill: 1.15, before: 2 } as const

/** What the headers at both ends of an interval show. */
interface Interval {
  readonly fromMs: number
  readonly toMs: number
  /**
   * How far the level at the end is below the level without use by others. `overflowed`: refill that would be
   * lost in the interval without use by others, because the quota would be full. Both in requests.
   */
  readonly missing: number
  readonly overflowed: number
  /** The refill, in requests per second. */
  readonly refill: number
}

/** The time of day in which a usual load starts, and its rate in requests per second. */
export interface StartWindow {
  readonly fromMs: number
  readonly toMs: number
  readonly perSecond: number
}

/**
 * When others' usual loads started on earlier days, more exactly than the record's three minutes.
 *
 * A load shows as an interval between two headers in which others made far more requests than before. The
 * next interval shows the load's rate r. The load started d / (r − b) seconds before the end of the first
 * interval. Here, b is the earlier rate, and d is the number of requests in the first interval beyond that
 * rate. If the quota was full when the load started, d is the fall of the level and b is the refill, which
 * others' requests use up before the level falls.
 */
export class LoadStarts {
  #starts: readonly LoadStart[] = []
  #open: Interval | undefined
  /** Others' rate in the last interval, in requests per second. `undefined` before the first interval. */
  #before: number | undefined
  #shown: Interval | undefined

  get all(): readonly LoadStart[] {
    return this.#starts
  }

  restore(starts: readonly LoadStart[]): void {
    this.#starts = starts
  }

  /** Discards unfinished intervals, for example after the limit changed. */
  restart(): void {
    this.#open = undefined
    this.#before = undefined
    this.#shown = undefined
  }

  /** Handles a header. Returns the start of a load if this header shows the load's rate. */
  header(interval: Interval): LoadStart | undefined {
    const open = this.#open
    const whole: Interval = open
      ? {
          ...open,
          toMs: interval.toMs,
          missing: open.missing + interval.missing,
          overflowed: open.overflowed + interval.overflowed,
        }
      : interval
    if (secondsOf(whole) < MIN_SECONDS) {
      this.#open = whole
      return undefined
    }
    this.#open = undefined
    const [shown, before = Number.POSITIVE_INFINITY] = [this.#shown, this.#before]
    const usual = before * secondsOf(whole)
    const more = whole.missing + Math.min(0, whole.overflowed - usual)
    const isMore = more >= Math.max(SHOWN.requests, SHOWN.deviations * Math.sqrt(usual))
    this.#shown = shown === undefined && isMore ? whole : undefined
    if (this.#shown) return undefined
    // If the quota was always full, others' requests up to the refill are hidden.
    this.#before = whole.missing < SHOWN.requests ? 0 : rateOf(whole)
    return shown && startOf(shown, whole, before)
  }

  /** Remembers a start, unless another one at about the same time is already known. */
  keep(start: LoadStart): void {
    if (this.#starts.some(({ atMs }) => Math.abs(atMs - start.atMs) <= 2 * NEAR_MS)) return
    this.#starts = [...this.#starts, start].slice(-MAX_STARTS)
  }

  /**
   * When the load with the recorded start `atMs` starts, computed from the starts of earlier days.
   * `undefined` if too few days had a start, or if the starts vary too much.
   *
   * n random times divide their range into n + 1 parts of equal mean length. So for each omitted or unseen
   * start, the window is extended by the mean distance between two remaining starts.
   */
  windowOf(atMs: number): StartWindow | undefined {
    const dayMs = exchangeDayOf(atMs)
    const found = this.#starts.filter(
      (start) => exchangeDayOf(start.atMs) < dayMs && isSameTimeOfDay(start.atMs, atMs),
    )
    if (found.length < MIN_DAYS) return undefined
    const offs = ascending(found.map((start) => timeOfDay(start.atMs) - timeOfDay(atMs)))
    const rates = ascending(found.map(({ perSecond }) => perSecond))
    const omitted = Math.floor(VARIES.others * offs.length)
    const rest = offs.slice(omitted, offs.length - omitted)
    const [least, most] = [rest[0] ?? 0, rest.at(-1) ?? 0]
    const beyond = ((omitted + 1) * (most - least)) / (rest.length - 1)
    if (most - least + 2 * beyond > VARIES.widestMs) return undefined
    const perSecond = rates[Math.floor((rates.length - 1) / 2)] ?? 0
    return { fromMs: atMs + least - beyond, toMs: atMs + most + beyond, perSecond }
  }
}

const ascending = (all: readonly number[]): readonly number[] => all.toSorted((a, b) => a - b)
const secondsOf = ({ fromMs, toMs }: Interval): number => (toMs - fromMs) / 1000
/** Others' rate if the quota was never full. Others then used the refill that would otherwise be lost. */
const rateOf = (interval: Interval): number => (interval.missing + interval.overflowed) / secondsOf(interval)
/** Whether two times are at nearly the same time of day. */
export const isSameTimeOfDay = (one: number, other: number): boolean =>
  Math.abs(timeOfDay(one) - timeOfDay(other)) <= NEAR_MS
const timeOfDay = (atMs: number): number => atMs - exchangeTimeOf(exchangeDayOf(atMs), 0)

/** The load that began in `shown` and continued in `next`. `undefined` if there was no load. */
function startOf(shown: Interval, next: Interval, before: number): LoadStart | undefined {
  const { fromMs, toMs, missing, overflowed, refill } = shown
  // A quota that ran empty hides some requests. Both intervals then show only a minimum.
  const perSecond = Math.max(rateOf(next), missing / secondsOf(shown))
  if (perSecond < Math.max(BUSY.refill * refill, BUSY.before * before)) return undefined
  const sinceFull = missing / (perSecond - refill)
  const wasFull = sinceFull * refill <= overflowed
  const beyond = missing + overflowed - before * secondsOf(shown)
  const seconds = wasFull ? sinceFull : beyond / (perSecond - before)
  return { atMs: Math.max(fromMs, Math.min(toMs, toMs - 1000 * seconds)), perSecond }
}
