import fc from 'fast-check'
import { expect, test } from 'vitest'
import { levelAt, replenishedPerSecond } from '../../../app/quota/model.ts'
import {
  counted,
  countedFrom,
  countedPerSecond,
  HORIZONS_MS,
  intervalPerSecond,
  noIntervals,
  observedOver,
} from '../../../app/quota/rates.ts'

test('the examples of service.md 8.3: 0.6 s a request, and 100 s bring about 167 back', () => {
  expect(1 / replenishedPerSecond(500, 300)).toBeCloseTo(0.6, 12)
  expect(100 * replenishedPerSecond(500, 300)).toBeCloseTo(166.67, 2)
})

const quota = { model: 'rolling', level: 100, limit: 500, slope: 500 / 300, asOf: 1_000 } as const

test('a rolling level grows from its moment on, to the limit and not beyond', () => {
  expect(levelAt(quota, 1_000)).toBe(100)
  expect(levelAt(quota, 101_000)).toBeCloseTo(266.67, 2)
  expect(levelAt(quota, 1e9)).toBe(500)
  expect(levelAt({ ...quota, slope: -1 }, 1e9)).toBe(0)
})

test('a moment before the quota’s own changes nothing: clocks of windows may lag', () => {
  expect(levelAt(quota, 0)).toBe(100)
})

test('a fixed level stays until its window ends, and is full at that very moment', () => {
  const fixed = { ...quota, model: 'fixed', slope: 0, windowEndsAt: 60_000 } as const
  expect(levelAt(fixed, 59_999)).toBe(100)
  expect(levelAt(fixed, 60_000)).toBe(500)
  const { windowEndsAt: _unknown, ...endless } = fixed
  expect(levelAt(endless, 1e9)).toBe(100)
})

test('no moment makes a level that is no number, or out of range', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      (slope, nowMs) => {
        const level = levelAt({ ...quota, slope }, nowMs)
        expect(level >= 0 && level <= 500).toBe(true)
      },
    ),
  )
})

test('a steady own rate is read as what it is, soon and late', () => {
  let rate = countedFrom(0, HORIZONS_MS.short)
  for (let at = 500; at <= 600_000; at += 500) {
    rate = counted(rate, at)
    if (at === 20_000 || at === 600_000) expect(countedPerSecond(rate, at)).toBeCloseTo(2, 0)
  }
  expect(countedPerSecond(rate, 900_000)).toBeLessThan(0.05)
})

test('one request is never read as a storm', () => {
  const rate = counted(countedFrom(0, HORIZONS_MS.short), 1)
  expect(countedPerSecond(rate, 1)).toBeLessThan(0.2)
  expect(countedPerSecond(rate, 0)).toBeLessThan(0.2)
})

const NO_INTERVALS = noIntervals(HORIZONS_MS.short)

test('silence between two observations says nothing about others; an interval does', () => {
  expect(intervalPerSecond(NO_INTERVALS)).toBeUndefined()
  expect(observedOver(NO_INTERVALS, 5, 0)).toEqual(NO_INTERVALS)
  expect(intervalPerSecond(observedOver(NO_INTERVALS, 10, 20_000))).toBeCloseTo(0.5, 9)
  const then = observedOver(observedOver(NO_INTERVALS, 10, 20_000), 0, 600_000)
  expect(intervalPerSecond(then)).toBeLessThan(0.01)
})
