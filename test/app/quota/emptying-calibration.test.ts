import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import { EmptyingCalibration, type EmptyingOutcome } from '../../../app/quota/emptying-calibration.ts'
import { chanceFrom } from './chance.ts'

const HORIZON = 600
const outcome = (level: number, chance: number, seconds = 60): EmptyingOutcome => ({
  ...{ level, limit: 320, chance, seconds, horizonSeconds: HORIZON },
})
/** The chance of one emptying in ten minutes on average. */
const ONE = 1 - Math.exp(-1)

test('a forecast that is right as often as predicted stays unchanged', () => {
  const odds = new EmptyingCalibration()
  expect(odds.corrected({ chance: 0.3, byPresent: 0.2 })).toEqual({
    chance: expect.closeTo(0.3, 9),
    byPresent: expect.closeTo(0.2, 9),
  })
  const chance = chanceFrom(11)
  let isRefilled = true
  for (let minute = 0; minute < 3000; minute += 1) {
    // Once the quota has refilled, one header in ten shows an emptying, as often as forecast.
    const comes: boolean = isRefilled && chance() < 0.1
    odds.observed(outcome(comes ? 0 : 200, ONE))
    isRefilled = !comes
  }
  expect(odds.ratio).toBeGreaterThan(0.6)
  expect(odds.ratio).toBeLessThan(1.5)
})

test('one emptying in the time for which two were predicted: 2 / 3 of the rate', () => {
  const odds = new EmptyingCalibration()
  // Each forecast covers one second, so that almost nothing is forgotten.
  for (const level of [200, 0]) odds.observed({ ...outcome(level, ONE, 1), horizonSeconds: 1 })
  expect(odds.ratio).toBeCloseTo((1 + 1) / (2 + 1), 3)
  expect(odds.corrected({ chance: 0.5, byPresent: 0 }).chance).toBeCloseTo(1 - 0.5 ** (2 / 3), 3)
})

test('an empty quota runs empty once, until a header shows a twentieth of the limit', () => {
  const odds = new EmptyingCalibration()
  for (let header = 0; header < 10; header += 1) odds.observed(outcome(0, 0, 1))
  const once = odds.ratio
  expect(once).toBeCloseTo(2, 1)
  // 15 requests are less than a twentieth of the limit of 320, so the same emptying continues.
  odds.observed(outcome(15, 0, 1))
  odds.observed(outcome(0, 0, 1))
  expect(odds.ratio).toBeCloseTo(once, 2)
  odds.observed(outcome(16, 0, 1))
  odds.observed(outcome(0, 0, 1))
  expect(odds.ratio).toBeCloseTo(3, 1)
})

test('a quota with one request left is not empty', () => {
  const odds = new EmptyingCalibration()
  odds.observed(outcome(1, 0, 1))
  expect(odds.ratio).toBe(1)
  odds.observed(outcome(0.9, 0, 1))
  expect(odds.ratio).toBe(2)
})

test('learned data fades within hours', () => {
  const odds = new EmptyingCalibration()
  for (let burst = 0; burst < 5; burst += 1) {
    odds.observed(outcome(0, 0, 1))
    odds.observed(outcome(300, 0, 1))
  }
  expect(odds.ratio).toBeGreaterThan(5.5)
  odds.observed(outcome(300, 0, 4 * 3600))
  expect(odds.ratio).toBeLessThan(1.2)
})

test('a drain is still reported however rarely it was right, and certainty stays certain', () => {
  const odds = new EmptyingCalibration()
  for (let hour = 0; hour < 20; hour += 1) odds.observed(outcome(200, 0.99, 3600))
  expect(odds.ratio).toBeLessThan(0.3)
  const { chance, byPresent } = odds.corrected({ chance: 0.95, byPresent: 0.95 })
  expect(byPresent).toBeGreaterThan(0.8)
  expect(chance).toBeGreaterThanOrEqual(byPresent)
  expect(odds.corrected({ chance: 1, byPresent: 1 })).toEqual({ chance: 1, byPresent: 1 })
  expect(odds.corrected({ chance: 1, byPresent: 1 + 1e-15 })).toEqual({ chance: 1, byPresent: 1 })
  expect(odds.corrected({ chance: 0, byPresent: 0 })).toEqual({ chance: 0, byPresent: 0 })
})

const HEADER_EVERY_MS = 20_000
const HEADERS = 24

/**
 * Every eight minutes, a burst of others leaves `least` of 320 requests. Returns the mean forecast chance
 * between these bursts, after four of them.
 */
function toldBetweenBursts(least: number): number {
  const bucket = new Bucket(320, 300, 0)
  const chances: number[] = []
  for (let header = 0; header < 6 * HEADERS; header += 1) {
    const [cycle, since] = [Math.floor(header / HEADERS), header % HEADERS]
    const refilled = Math.min(320, least + Math.floor(((since - 3) * HEADER_EVERY_MS * 320) / 300_000))
    const remaining = since < 3 ? Math.round(((4 - since) * 160 + since * least) / 4) : refilled
    const atMs = (header + 1) * HEADER_EVERY_MS
    bucket.sent(header, atMs)
    const resetSeconds = Math.ceil(((320 - remaining) * 300) / 320)
    const rate = { limit: 320, remaining, resetSeconds, periodSeconds: 300 }
    bucket.answered({ id: header, receivedAtMs: atMs + 50, rejected: remaining < 1, rate })
    if (cycle >= 4 && since >= 20) chances.push(bucket.others(atMs + 5000)?.emptyChance ?? 0)
  }
  return chances.reduce((sum, chance) => sum + chance, 0) / chances.length
}

test('between bursts, expects a key to run empty again if it did before, and less if it did not', () => {
  const [emptied, harmless] = [toldBetweenBursts(0), toldBetweenBursts(100)]
  expect(harmless).toBeLessThan(0.2)
  expect(emptied).toBeGreaterThan(2 * harmless)
})
