import { exchangeDayOf, exchangeTimeOf, weekdayOf } from '../contract/exchange-time.ts'
import type { UsualLevels, UsualLoad } from '../contract/history.ts'
import { DAY_MS, MINUTE_MS } from '../contract/units.ts'

/*
 * Learns from recorded use which load from others is usual at each time of the trading day.
 *
 * Model: others on a trading key follow the exchange's clock. A day on that clock has 96 quarters of an hour,
 * and Monday to Friday are pooled. In each quarter of an hour, a day either has a load or does not. A load is
 * usual if at least 60 % of the days have it. Random traffic never reaches 60 %.
 *
 * Steps:
 * 1. Intervals of three minutes are assigned to the exchange's days. Weekends, today and unrecorded days are
 *    left out. Days without their usual traffic by 10:00 (a holiday, a half-day) are left out too: they have
 *    less than 25 % of earlier days' mean requests in the same intervals.
 * 2. For each quarter of an hour, find the days on which it was recorded. A day has a load if it has at least
 *    half of the median load and at least 5 requests. Compute the medians of the requests, of the rate, and
 *    of the interval in which the load began. The rate is that of the busiest interval, or `rateAtStart`.
 * 3. Chance that a day has the load: (days with it + ½) / (days + 1).
 * 4. A weekday's factor, from its third day on: its requests divided by the mean of the same intervals over
 *    all days.
 * 5. For one day, loads of neighbouring quarters of an hour are joined, unless their rates differ too much.
 *
 * Units: requests, requests per second, epoch milliseconds. A day is the UTC midnight of its date.
 */

export const RECORDED_STRETCH_MS = 3 * MINUTE_MS
const STRETCH_SECONDS = RECORDED_STRETCH_MS / 1000
const STRETCHES = DAY_MS / RECORDED_STRETCH_MS
/** A load is assumed to need at least this long to empty a quota. Seconds. */
const MIN_FALL_SECONDS = 20
const IN_QUARTER = 5
const QUARTERS = STRETCHES / IN_QUARTER
/** Minimum number of recorded days for a load to count as usual, and for the usual line to be drawn. */
const MIN_DAYS = 5
/** Minimum number of days for a weekday's own factor, and the bounds of that factor. */
const WEEKDAY = { days: 3, least: 0.25, most: 4 } as const
/** Minimum share of days for a load to be usual. */
const USUAL_SHARE = 0.6
/**
 * Others' requests in a quarter of an hour count as a load if there are at least `requests`, and at least
 * `share` of the median. The median is over all days with at least `requests` in that quarter of an hour.
 */
const LOADED = { share: 0.5, requests: 5 } as const
/**
 * A day lacks its usual traffic if it has less than `share` of the usual requests before `untilMinute`. Rows
 * that usually have fewer than `requests` requests by then are not tested.
 */
export const SHOWN = { untilMinute: 600, share: 0.25, requests: 20 } as const
/** Minimum recorded share of a three-minute interval, and of a quarter of an hour when loads are learned. */
const RECORDED = 0.5
/** Loads in neighbouring quarters of an hour are separate if their rates differ by at least this factor. */
const OTHER_LOAD = 1.5

/** An interval of three recorded minutes of one quota. */
export interface RecordedStretch {
  readonly atMs: number
  /** Others' requests. */
  readonly requests: number
  readonly knownMs: number
  /** The mean level, in requests. */
  readonly level: number
}

interface QuarterLoad {
  readonly requests: number
  readonly perSecond: number
  /** When the load begins: the index of the three-minute interval within the quarter of an hour, 0 to 4. */
  readonly begins: number
  /** Chance that a day has a load in this quarter of an hour, 0 to 1. */
  readonly chance: number
}

/** The usual day of one quota. */
export interface UsualDay {
  /** Number of days that the usual day was learned from. */
  readonly days: number
  readonly loads: readonly (QuarterLoad | undefined)[]
  /** Median level by quarter of an hour. `undefined` with fewer than five recorded days. */
  readonly levels: readonly (number | undefined)[]
  /** Factor of each weekday, 0 for Sunday. */
  readonly factors: readonly number[]
  /** Mean requests per three-minute interval, used to recognise a day without its usual traffic. */
  readonly means: readonly number[]
}

interface Day {
  readonly weekday: number
  /** Requests by three-minute interval. `NaN` if not recorded. */
  readonly requests: Float64Array
  readonly levels: Float64Array
}

const isLike = (one: number, other: number): boolean =>
  Math.max(one, other) < OTHER_LOAD * Math.min(one, other)

const isTradingDay = (dayMs: number): boolean => weekdayOf(dayMs) % 6 !== 0

/**
 * The usual day, from the record before `untilMs`. The unfinished day that contains `untilMs` is left out.
 */
export function usualDayOf(stretches: Iterable<RecordedStretch>, untilMs: number): UsualDay {
  const means = new Means()
  const days: Day[] = []
  for (const day of daysOf(stretches, exchangeDayOf(untilMs))) {
    if (isUnlike(means.all, days.length, day)) continue
    means.add(day)
    days.push(day)
  }
  return {
    days: days.length,
    loads: Array.from({ length: QUARTERS }, (_, quarter) => loadOf(days, quarter)),
    levels: Array.from({ length: QUARTERS }, (_, quarter) => levelOf(days, quarter)),
    factors: Array.from({ length: 7 }, (_, weekday) => factorOf(days, means.all, weekday)),
    means: means.all,
  }
}

/**
 * The usual loads of the day that contains `nowMs`, in order. Empty on a weekend, and with fewer than five
 * recorded days. `today` is the record of that day. From 10:00 on, the result is also empty if the record
 * lacks the usual traffic.
 */
export function usualLoads(
  usual: UsualDay,
  today: Iterable<RecordedStretch>,
  nowMs: number,
): readonly UsualLoad[] {
  const dayMs = exchangeDayOf(nowMs)
  if (usual.days < MIN_DAYS || !isTradingDay(dayMs)) return []
  if (nowMs >= exchangeTimeOf(dayMs, SHOWN.untilMinute)) {
    const [shown] = daysOf(today, Number.POSITIVE_INFINITY, dayMs)
    if (shown !== undefined && isUnlike(usual.means, usual.days, shown)) return []
  }
  const factor = usual.factors[weekdayOf(dayMs)] ?? 1
  const found: UsualLoad[] = []
  for (const [quarter, load] of usual.loads.entries()) {
    if (load === undefined) continue
    const untilMs = exchangeTimeOf(dayMs, (quarter + 1) * 15)
    const perSecond = load.perSecond * factor
    const last = found.at(-1)
    const isSame = last?.untilMs === untilMs - 15 * MINUTE_MS && isLike(perSecond, last.perSecond)
    if (last !== undefined && isSame) {
      found[found.length - 1] = {
        ...last,
        untilMs,
        requests: last.requests + load.requests * factor,
        perSecond: Math.max(last.perSecond, perSecond),
      }
    } else {
      const atMs = exchangeTimeOf(dayMs, quarter * 15 + load.begins * 3)
      found.push({ atMs, untilMs, requests: load.requests * factor, perSecond, chance: load.chance })
    }
  }
  return found
}

/**
 * The usual level from `fromMs` to `toMs`, with one point in the middle of each quarter of an hour. Empty
 * with fewer than five days.
 */
export function usualLevels(usual: UsualDay, fromMs: number, toMs: number): UsualLevels {
  if (usual.days < MIN_DAYS) return []
  const found: (readonly [number, number])[] = []
  for (let dayMs = exchangeDayOf(fromMs); dayMs <= exchangeDayOf(toMs); dayMs += DAY_MS) {
    if (!isTradingDay(dayMs)) continue
    for (const [quarter, level] of usual.levels.entries()) {
      const atMs = exchangeTimeOf(dayMs, quarter * 15 + 7.5)
      if (level !== undefined && atMs >= fromMs && atMs <= toMs) found.push([atMs, level])
    }
  }
  return found
}

/** The trading days of a record before `untilDayMs`, oldest first. With `onlyMs`, only that day. */
function daysOf(stretches: Iterable<RecordedStretch>, untilDayMs: number, onlyMs?: number): readonly Day[] {
  const days = new Map<number, Day>()
  for (const { atMs, requests, knownMs, level } of stretches) {
    const dayMs = exchangeDayOf(atMs)
    if (dayMs >= untilDayMs || !isTradingDay(dayMs) || knownMs < RECORDED * RECORDED_STRETCH_MS) continue
    if (onlyMs !== undefined && dayMs !== onlyMs) continue
    const day = days.get(dayMs) ?? emptyDay(weekdayOf(dayMs))
    days.set(dayMs, day)
    const stretch = Math.floor((atMs - exchangeTimeOf(dayMs, 0)) / RECORDED_STRETCH_MS) % STRETCHES
    day.requests[stretch] = requests
    day.levels[stretch] = level
  }
  return [...days].sort(([a], [b]) => a - b).map(([, day]) => day)
}

const emptyDay = (weekday: number): Day => ({
  weekday,
  requests: new Float64Array(STRETCHES).fill(Number.NaN),
  levels: new Float64Array(STRETCHES).fill(Number.NaN),
})

/** Mean requests of each interval, over the days on which it was recorded. */
class Means {
  readonly #stretches = Array.from({ length: STRETCHES }, () => ({ sum: 0, days: 0 }))

  get all(): readonly number[] {
    return this.#stretches.map(({ sum, days }) => sum / Math.max(1, days))
  }

  add({ requests }: Day): void {
    for (const [at, stretch] of this.#stretches.entries()) {
      const count = requests[at] ?? Number.NaN
      if (Number.isNaN(count)) continue
      stretch.sum += count
      stretch.days += 1
    }
  }
}

/** Whether a day lacked its usual traffic before 10:00, as far as recorded. */
function isUnlike(means: readonly number[], days: number, { requests }: Day): boolean {
  if (days < MIN_DAYS) return false
  const { had, usual } = against(
    means,
    requests.subarray(0, (SHOWN.untilMinute * MINUTE_MS) / RECORDED_STRETCH_MS),
  )
  return usual >= SHOWN.requests && had < SHOWN.share * usual
}

/**
 * `had`: the requests of a day in its recorded intervals. `usual`: the sum of the means of the same
 * intervals.
 */
function against(means: readonly number[], requests: Float64Array) {
  let [had, usual] = [0, 0]
  for (const [at, count] of requests.entries()) {
    if (Number.isNaN(count)) continue
    had += count
    usual += means[at] ?? 0
  }
  return { had, usual }
}

function factorOf(days: readonly Day[], means: readonly number[], weekday: number): number {
  const of = days.filter((day) => day.weekday === weekday)
  if (of.length < WEEKDAY.days) return 1
  const all = of.map(({ requests }) => against(means, requests))
  const usual = all.reduce((sum, one) => sum + one.usual, 0)
  const had = all.reduce((sum, one) => sum + one.had, 0)
  return usual === 0 ? 1 : Math.min(WEEKDAY.most, Math.max(WEEKDAY.least, had / usual))
}

function loadOf(days: readonly Day[], quarter: number): QuarterLoad | undefined {
  const found = days.flatMap((day) => {
    const counts = day.requests.subarray(quarter * IN_QUARTER, (quarter + 1) * IN_QUARTER)
    const recorded = counts.filter((count) => !Number.isNaN(count))
    if (recorded.length < RECORDED * IN_QUARTER) return []
    const sum = recorded.reduce((total, count) => total + count, 0) * (IN_QUARTER / recorded.length)
    const most = recorded.reduce((a, b) => Math.max(a, b), 0)
    const begins = counts.findIndex((count) => count >= most / 2)
    const perSecond = Math.max(most / STRETCH_SECONDS, rateAtStart(day, quarter * IN_QUARTER + begins))
    return [{ sum, perSecond, begins }]
  })
  const least = Math.max(
    LOADED.requests,
    LOADED.share * medianOf(found.map(({ sum }) => sum).filter((sum) => sum >= LOADED.requests)),
  )
  const loaded = found.filter(({ sum }) => sum >= least)
  if (found.length < MIN_DAYS || loaded.length < USUAL_SHARE * found.length) return undefined
  return {
    requests: medianOf(loaded.map(({ sum }) => sum)),
    perSecond: medianOf(loaded.map(({ perSecond }) => perSecond)),
    begins: Math.floor(medianOf(loaded.map(({ begins }) => begins))),
    chance: (loaded.length + 0.5) / (found.length + 1),
  }
}

/**
 * The rate of a load that empties the quota in its first interval, in requests per second. 0 for any other
 * load.
 *
 * The record has only accepted requests, and an empty quota accepts the refill at most. But the mean level
 * shows how fast the level fell. If it falls from `before` to 0 in t of T seconds and then stays there, its
 * mean is before × t / 2T. Others then made `before` requests in t seconds, in addition to the refill. The
 * requests accepted beyond `before` are the refill.
 */
function rateAtStart({ requests, levels }: Day, stretch: number): number {
  const [before, accepted] = [levels[stretch - 1] ?? Number.NaN, requests[stretch] ?? Number.NaN]
  const mean = levels[stretch] ?? Number.NaN
  if (!(mean < before / 2 && accepted >= before)) return 0
  const seconds = Math.max(MIN_FALL_SECONDS, (2 * STRETCH_SECONDS * mean) / before)
  return before / seconds + (accepted - before) / STRETCH_SECONDS
}

function levelOf(days: readonly Day[], quarter: number): number | undefined {
  const levels = days.flatMap((day) => {
    const all = day.levels.subarray(quarter * IN_QUARTER, (quarter + 1) * IN_QUARTER)
    const recorded = all.filter((level) => !Number.isNaN(level))
    return recorded.length === 0 ? [] : [recorded.reduce((sum, level) => sum + level, 0) / recorded.length]
  })
  return levels.length < MIN_DAYS ? undefined : medianOf(levels)
}

/** The lower median. 0 for an empty list. */
const medianOf = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) / 2)] ?? 0
