import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RETRY } from '../../../app/retry/schedules.ts'
import { MIN_REFRESH_MS, refreshDueAt, refreshRetryMs } from '../../../app/tokens/schedule.ts'

const MINUTE = 60_000

test('a token of 20 minutes is refreshed two minutes ahead', () => {
  expect(refreshDueAt(0, 20 * MINUTE)).toBe(18 * MINUTE)
})

test('the lead shrinks to half of a lifetime under four minutes', () => {
  const due = (lifetimeMs: number) => refreshDueAt(0, lifetimeMs)
  expect(due(240_000)).toBe(120_000)
  expect(due(240_001)).toBe(120_001)
  expect(due(239_999)).toBe(119_999.5)
  expect(due(60_000)).toBe(30_000)
})

test('with any lifetime, refreshes are at least the minimum interval apart', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.nat(1e9), (lifetimeMs, issuedAtMs) => {
      const due = refreshDueAt(issuedAtMs, issuedAtMs + lifetimeMs)
      expect(due).toBeGreaterThanOrEqual(issuedAtMs + MIN_REFRESH_MS)
    }),
  )
})

test('waits after failures grow by steps, jittered over the second half of a step', () => {
  const wait = (failures: number, jitter: number) =>
    refreshRetryMs(RETRY.refresh, failures, jitter, undefined)
  expect(wait(1, 0)).toBe(500)
  expect(wait(1, 0.999)).toBeLessThan(1_000)
  expect([1, 2, 3, 4, 5, 6, 7, 1e9].map((failures) => wait(failures, 0) * 2)).toEqual([
    1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 60_000, 60_000,
  ])
  expect(wait(0, 0)).toBe(500)
})

test('a requested wait is a minimum, up to a quarter of an hour', () => {
  const wait = (asked: number) => refreshRetryMs(RETRY.refresh, 1, 0, asked)
  expect(wait(0)).toBe(500)
  expect(wait(30)).toBe(30_000)
  expect(wait(900)).toBe(900_000)
  expect(wait(999_999)).toBe(900_000)
})
