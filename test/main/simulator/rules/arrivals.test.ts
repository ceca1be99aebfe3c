import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArrivalRule, arrivalsOf } from '../../../../main/simulator/rules/arrivals.ts'

const START_MS = 1_000
/** One each 250 ms of work, so that all times are whole numbers. */
const evenly = (spells: ArrivalRule['spells']) =>
  arrivalsOf({ perSecond: 4, shape: 'even', ...(spells && { spells }) }, START_MS, () => 0.5)

test('even arrivals that were skipped continue as if each had been awaited', () => {
  const duration = fc.integer({ min: 1, max: 5_000 })
  const rules = fc.option(fc.record({ onMs: duration, offMs: duration }), { nil: undefined })
  fc.assert(
    fc.property(rules, fc.integer({ min: 0, max: 100_000 }), (spells, atMs) => {
      const [awaited, skipped] = [evenly(spells), evenly(spells)]
      while (awaited.nextAtMs < atMs) awaited.advance()
      skipped.skipTo(atMs)
      expect(skipped.nextAtMs).toBe(awaited.nextAtMs)
    }),
  )
})

test('random arrivals continue at the time to which they were skipped', () => {
  const random = arrivalsOf({ perSecond: 1, shape: 'poisson' }, START_MS, () => 0.5)
  random.skipTo(1e12)
  expect(random.nextAtMs).toBeCloseTo(1e12 + 1000 * Math.log(2), 3)
  random.skipTo(1e12)
  expect(random.nextAtMs).toBeCloseTo(1e12 + 1000 * Math.log(2), 3)
})

test('a program that sends nothing still sends nothing', () => {
  const silent = arrivalsOf({ perSecond: 0, shape: 'even' }, START_MS, () => 0)
  silent.skipTo(1e12)
  expect(silent.nextAtMs).toBe(Number.POSITIVE_INFINITY)
})
