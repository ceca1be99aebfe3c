import { expect, test } from 'vitest'
import { exchangeTimeOf } from '../../../app/contract/exchange-time.ts'
import { DAY_MS, MINUTE_MS } from '../../../app/contract/units.ts'
import {
  RECORDED_STRETCH_MS,
  type RecordedStretch,
  usualDayOf,
  usualLevels,
  usualLoads,
} from '../../../app/history/usual-day.ts'
import { chanceFrom } from '../quota/chance.ts'

/** A Monday. */
const MONDAY = Date.UTC(2026, 1, 2)
const QUIET_REQUESTS = 30

/** Requests of others at `minute` of a day; `undefined` where nothing was recorded. */
type Traffic = (minute: number, dayMs: number) => number | undefined

/**
 * Records of `days` days from `fromMs` on, each from 08:00 to 16:00 exchange time. No load empties the quota.
 */
function record(days: number, traffic: Traffic, fromMs = MONDAY): readonly RecordedStretch[] {
  const found: RecordedStretch[] = []
  for (let day = 0; day < days; day += 1) {
    const dayMs = fromMs + day * DAY_MS
    for (let minute = 480; minute < 960; minute += 3) {
      const requests = traffic(minute, dayMs)
      if (requests === undefined) continue
      const atMs = exchangeTimeOf(dayMs, minute)
      found.push({ atMs, requests, knownMs: RECORDED_STRETCH_MS, level: 320 - requests / 4 })
    }
  }
  return found
}

/** A scan of six minutes at 9:30, and a little all the time. */
const SCAN: Traffic = (minute) => (minute >= 570 && minute < 576 ? 360 : 2)
const NONE: Traffic = () => 0
const WEEKS = 14
const nextDay = (days: number, minute = 540) => exchangeTimeOf(MONDAY + days * DAY_MS, minute)

/**
 * Records `days` days and returns the loads expected for the next day, with their times as minutes of that
 * day.
 */
function loadsAfter(days: number, traffic: Traffic, today: readonly RecordedStretch[] = [], minute = 540) {
  const nowMs = nextDay(days, minute)
  const usual = usualDayOf(record(days, traffic), nowMs)
  const dayMs = MONDAY + days * DAY_MS
  return usualLoads(usual, today, nowMs).map(({ atMs, untilMs, ...load }) => ({
    ...load,
    from: (atMs - exchangeTimeOf(dayMs, 0)) / MINUTE_MS,
    until: (untilMs - exchangeTimeOf(dayMs, 0)) / MINUTE_MS,
  }))
}

test('a scan that comes each day at 9:30 is expected on the next trading day', () => {
  const [before, load, ...after] = loadsAfter(WEEKS, SCAN)
  expect(load).toMatchObject({ from: 570, until: 585, perSecond: 2 })
  expect(load?.requests).toBeCloseTo(726, 0)
  expect(load?.chance).toBeGreaterThan(0.9)
  // The constant use forms one load before the scan and one after it.
  expect(before).toMatchObject({ from: 480, until: 570, perSecond: 2 / 180 })
  expect(after).toMatchObject([{ from: 585, until: 960, perSecond: 2 / 180 }])
})

test('before the fifth day, and on weekends, no load is expected and no line is drawn', () => {
  expect(loadsAfter(4, SCAN)).toEqual([])
  expect(loadsAfter(WEEKS + 5, SCAN)).toEqual([])
  const four = usualDayOf(record(4, SCAN), nextDay(4))
  expect(four.days).toBe(4)
  expect(usualLevels(four, MONDAY, nextDay(4))).toEqual([])
  const weeks = usualDayOf(record(WEEKS, SCAN), nextDay(WEEKS))
  expect(weeks.days).toBe(10)
  const [open] = usualLevels(weeks, nextDay(WEEKS, 570), nextDay(WEEKS, 584))
  expect(open).toEqual([nextDay(WEEKS, 577.5), 320 - (2 * 360 + 3 * 2) / 20])
})

test('an unfinished day teaches nothing', () => {
  const untilMs = nextDay(WEEKS, 900)
  expect(usualDayOf(record(WEEKS + 1, SCAN), untilMs)).toEqual(usualDayOf(record(WEEKS, SCAN), untilMs))
})

test('times follow the exchange’s clock across the change to summer time', () => {
  // Two weeks before 8 March 2026, when New York's clocks change.
  const fromMs = Date.UTC(2026, 1, 23)
  const nowMs = Date.UTC(2026, 2, 9, 13, 0)
  const [load] = usualLoads(usualDayOf(record(14, SCAN, fromMs), nowMs), [], nowMs).filter(
    ({ perSecond }) => perSecond > 1,
  )
  expect(new Date(load?.atMs ?? 0).toISOString()).toBe('2026-03-09T13:30:00.000Z')
})

test('neighbouring quarters are one load, unless one is far busier', () => {
  const holiday = MONDAY + 9 * DAY_MS
  const all = record(WEEKS, (minute, dayMs) => (dayMs === holiday ? 0 : SCAN(minute, dayMs)))
  const without = all.filter(({ atMs }) => atMs < holiday || atMs >= holiday + DAY_MS)
  const nowMs = nextDay(WEEKS)
  expect(usualDayOf(all, nowMs)).toEqual(usualDayOf(without, nowMs))
  const today = record(1, NONE, MONDAY + WEEKS * DAY_MS)
  const before = today.filter(({ atMs }) => atMs < nextDay(WEEKS, 599))
  expect(loadsAfter(WEEKS, SCAN, before, 599)).not.toEqual([])
  expect(loadsAfter(WEEKS, SCAN, today, 600)).toEqual([])
  const usualToday = record(1, SCAN, MONDAY + WEEKS * DAY_MS)
  expect(loadsAfter(WEEKS, SCAN, usualToday, 600)).not.toEqual([])
  // A day without any recording has not shown that it differs from the usual day.
  expect(loadsAfter(WEEKS, SCAN, [], 600)).not.toEqual([])
})

test('barely recorded intervals, and days with few others, are ignored', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = chanceFrom(seed)
    const starts = new Map<number, number>()
    const random: Traffic = (minute, dayMs) => {
      const start = starts.get(dayMs) ?? 480 + Math.floor(chance() * 460)
      starts.set(dayMs, start)
      return minute >= start && minute < start + 15 ? 300 : 0
    }
    expect(loadsAfter(WEEKS, random), `seed ${seed}`).toEqual([])
  }
})

test('a load on six of ten days is usual, one on five is not', () => {
  const on = (days: number): Traffic => {
    const seen = new Set<number>()
    return (minute, dayMs) => {
      const isLoaded = seen.has(dayMs) || (seen.size < days && ![0, 6].includes(new Date(dayMs).getUTCDay()))
      if (isLoaded) seen.add(dayMs)
      return isLoaded && minute >= 950 && minute < 959 ? 100 : 0
    }
  }
  const [load] = loadsAfter(WEEKS, on(6))
  expect(load?.chance).toBeCloseTo(6.5 / 11, 5)
  expect(loadsAfter(WEEKS, on(5))).toEqual([])
})

test('a weekday has a factor of its own from its third day on', () => {
  const mondays: Traffic = (minute, dayMs) =>
    (SCAN(minute, dayMs) ?? 0) * (new Date(dayMs).getUTCDay() === 1 ? 2 : 1)
  const perSecondOn = (days: number) =>
    Math.max(...loadsAfter(days, mondays).map(({ perSecond }) => perSecond))
  // Days 14 and 21 are Mondays, which have twice the requests of other days. The mean trading day has 1.2
  // times the median before day 21, and 1.25 times before day 22.
  expect(perSecondOn(14)).toBeCloseTo(2, 5)
  expect(perSecondOn(21)).toBeCloseTo((2 * 2) / 1.2, 5)
  expect(perSecondOn(22)).toBeCloseTo(2 / 1.25, 5)
})

test('neighbouring quarters are one load, unless one is far busier', () => {
  const [first, second, ...others] = loadsAfter(WEEKS, (minute) =>
    minute < 570 || minute >= 630 ? 0 : minute < 600 ? QUIET_REQUESTS : 2 * QUIET_REQUESTS,
  )
  expect(first).toMatchObject({ from: 570, until: 600, requests: 10 * QUIET_REQUESTS })
  expect(second).toMatchObject({ from: 600, until: 630, requests: 20 * QUIET_REQUESTS })
  expect(others).toEqual([])
})

/**
 * A quota of 90 in 60 s, on which others start to make 4.5 requests a second. It is empty after 30 s. From
 * then on they get the refill of 1.5/s, so the three minutes have 90 + 270 requests.
 */
const EMPTIED: Traffic = (minute) => (minute === 570 ? 360 : minute > 570 && minute < 576 ? 270 : 0)

test('the rate of a load that empties the quota is that of the fall, not the accepted one', () => {
  const startRate = (meanOf: (requests: number) => number) => {
    const days = record(WEEKS, EMPTIED).map((one) => ({ ...one, level: meanOf(one.requests) }))
    const usual = usualDayOf(days, nextDay(WEEKS))
    return usualLoads(usual, [], nextDay(WEEKS)).find(({ requests }) => requests > 100)?.perSecond
  }
  /** The mean level of the first three minutes; then the quota stays empty. */
  const first = (mean: number) => (requests: number) => (requests === 0 ? 90 : requests === 360 ? mean : 0)
  // A fall from 90 to 0 within 30 of 180 s has a mean of 45 × 30 / 180.
  expect(startRate(first(7.5))).toBeCloseTo(90 / 30 + 1.5, 5)
  expect(startRate(first(45))).toBeCloseTo(2, 5)
  expect(startRate(first(44))).toBeCloseTo(90 / 176 + 1.5, 5)
  expect(startRate(first(0))).toBeCloseTo(90 / 20 + 1.5, 5)
  // Others made fewer requests than there were: own requests took the rest.
  expect(startRate((requests) => (requests === 0 ? 361 : 0))).toBeCloseTo(2, 5)
})

test('stretches that were hardly recorded, and days with few of them, are left out', () => {
  const hardly = record(WEEKS, SCAN).map((stretch) => ({ ...stretch, knownMs: RECORDED_STRETCH_MS / 2 - 1 }))
  expect(usualDayOf(hardly, nextDay(WEEKS)).days).toBe(0)
  const half = record(WEEKS, (minute, dayMs) => (minute % 15 < 9 ? SCAN(minute, dayMs) : undefined))
  const [load] = usualLoads(usualDayOf(half, nextDay(WEEKS)), [], nextDay(WEEKS)).filter(
    ({ perSecond }) => perSecond > 1,
  )
  expect(load?.requests).toBeCloseTo((722 * 5) / 3, 0)
})
