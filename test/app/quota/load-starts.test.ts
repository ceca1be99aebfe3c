import { expect, test } from 'vitest'
import { exchangeTimeOf } from '../../../app/contract/exchange-time.ts'
import { DAY_MS, MINUTE_MS } from '../../../app/contract/units.ts'
import { LoadStarts, MAX_STARTS } from '../../../app/quota/load-starts.ts'

const REFILL = 320 / 300
/** A Monday. */
const MONDAY = Date.UTC(2026, 1, 2)
const OPEN = 570
const openOn = (day: number, seconds = 0, fromMs = MONDAY) =>
  exchangeTimeOf(fromMs + day * DAY_MS, OPEN) + 1000 * seconds

/** Others' rate by second, and headers at `headers` (seconds), on a quota that is full at first. */
function startFrom(rate: (second: number) => number, headers: readonly number[], limit = 320) {
  const starts = new LoadStarts()
  const found = []
  let [level, shown, second] = [limit, limit, 0]
  for (const [at, header] of headers.entries()) {
    for (; second < header; second += 1) {
      level = Math.max(0, Math.min(limit, level + REFILL - rate(second)))
    }
    const from = headers[at - 1] ?? 0
    const free = shown + REFILL * (header - from)
    const start = starts.header({
      ...{ fromMs: 1000 * from, toMs: 1000 * header, refill: REFILL },
      ...{ missing: Math.min(limit, free) - level, overflowed: Math.max(0, free - limit) },
    })
    if (start) found.push(start)
    shown = level
  }
  return found
}

const EVERY_47 = Array.from({ length: 8 }, (_, at) => 47 * (at + 1))
/** A load of 3.2/s from second 100 on, after a steady rate. */
const after = (before: number) => (second: number) => (second >= 100 ? 3.2 : before)

test.each([
  ['nothing', 0],
  ['a poller', 0.5],
])('a load after %s starts when its requests began, at the rate of the next interval', (_, before) => {
  const [start, ...more] = startFrom(after(before), EVERY_47)
  expect(Math.abs((start?.atMs ?? 0) - 100_000)).toBeLessThan(3000)
  expect(start?.perSecond).toBeCloseTo(3.2, 0)
  expect(more).toEqual([])
})

test('on a quota that is not full, what others used before the load is subtracted', () => {
  const busy = (second: number) => (second < 47 ? 1.5 : after(1.2)(second))
  const [start] = startFrom(busy, EVERY_47)
  expect(Math.abs((start?.atMs ?? 0) - 100_000)).toBeLessThan(3000)
})

test('a load that fits the refill, and one that is not twice as busy, is no start', () => {
  expect(startFrom((second) => (second >= 100 ? 1.1 * REFILL : 0.2), EVERY_47)).toEqual([])
  expect(startFrom((second) => (second < 47 ? 1.5 : second < 100 ? 1 : 1.9), EVERY_47)).toEqual([])
  expect(startFrom(() => 0.5, EVERY_47)).toEqual([])
})

test('headers within five seconds are combined', () => {
  const each = Array.from({ length: 200 }, (_, at) => at + 1)
  const [start] = startFrom(after(0), each)
  expect(Math.abs((start?.atMs ?? 0) - 100_000)).toBeLessThan(2500)
  expect(start?.perSecond).toBeCloseTo(3.2, 0)
})

test('a load that empties the quota between two headers started after the first of them', () => {
  const [start] = startFrom((second) => (second >= 100 ? 12 : 0), EVERY_47)
  expect(start?.atMs).toBeGreaterThanOrEqual(94_000)
  expect(start?.atMs).toBeLessThanOrEqual(100_000)
})

test('after a restart, the first interval shows no load', () => {
  const starts = new LoadStarts()
  const interval = (from: number, missing: number) =>
    starts.header({ fromMs: 1000 * from, toMs: 1000 * (from + 47), missing, overflowed: 0, refill: REFILL })
  interval(0, 140)
  starts.restart()
  expect(interval(47, 150)).toBeUndefined()
})

function known(...seconds: readonly (readonly [day: number, second: number, perSecond?: number])[]) {
  const starts = new LoadStarts()
  for (const [day, second, perSecond = 3] of seconds) starts.keep({ atMs: openOn(day, second), perSecond })
  return starts
}

test('three days with a start give a window that is wider by what may still come', () => {
  expect(known([0, 0], [1, 10]).windowOf(openOn(3))).toBeUndefined()
  const window = known([0, 2, 4], [1, 8, 3], [2, 14, 2]).windowOf(openOn(3))
  expect(window).toEqual({ fromMs: openOn(3, -4), toMs: openOn(3, 20), perSecond: 3 })
})

test('starts of today, of another time of day and later ones of a day do not count', () => {
  const three = [
    [0, 2],
    [1, 8],
    [2, 14],
  ] as const
  const expected = known(...three).windowOf(openOn(3))
  expect(known(...three, [3, 100]).windowOf(openOn(3))).toEqual(expected)
  expect(known(...three, [2, 301]).windowOf(openOn(3))).toEqual(expected)
  expect(known([0, 2], [0, 400], [1, 8], [2, 14]).windowOf(openOn(3))).toEqual(expected)
})

test('one start of six that is far off does not widen the window, and starts all over give none', () => {
  const days = [0, 1, 2, 3, 4]
  const starts = known(...days.map((day) => [day, 3 * day] as const), [7, 240])
  // The four times from 3 to 12 s remain; one on each side was omitted, and one may come beyond it.
  expect(starts.windowOf(openOn(8))).toMatchObject({ fromMs: openOn(8, -3), toMs: openOn(8, 18) })
  const scattered = known(...days.map((day) => [day, 60 * day - 100] as const))
  expect(scattered.windowOf(openOn(8))).toBeUndefined()
})

test('the window follows the exchange’s clock across the change to summer time', () => {
  const starts = new LoadStarts()
  const before = Date.UTC(2026, 2, 2)
  for (const day of [0, 1, 2]) starts.keep({ atMs: openOn(day, 5, before), perSecond: 3 })
  expect(starts.windowOf(openOn(7, 0, before))?.fromMs).toBe(Date.UTC(2026, 2, 9, 13, 30, 5))
})

test('the newest starts are kept', () => {
  const starts = new LoadStarts()
  for (let at = 0; at <= MAX_STARTS; at += 1) starts.keep({ atMs: at * 20 * MINUTE_MS, perSecond: 2 })
  expect(starts.all.length).toBe(MAX_STARTS)
  expect(starts.all[0]?.atMs).toBe(20 * MINUTE_MS)
})
