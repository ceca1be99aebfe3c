import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextRequestAtMs } from '../../../app/quota/replenishment.ts'

const fixed = { model: 'fixed', limit: 90, period: 60, windowEndsAt: 100_000 } as const

test('a rolling bucket has one after one step', () => {
  expect(nextRequestAtMs({ model: 'rolling', limit: 500, period: 300 }, 1_000)).toBe(1_600)
})

test('a fixed one has it at the end of its window, or of the one after it', () => {
  expect(nextRequestAtMs(fixed, 99_999)).toBe(100_000)
  expect(nextRequestAtMs(fixed, 100_000)).toBe(160_000)
  expect(nextRequestAtMs(fixed, 159_999)).toBe(160_000)
  expect(nextRequestAtMs(fixed, 160_000)).toBeUndefined()
})

test('never returns a time in the past', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('rolling' as const, 'fixed' as const),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      (model, limit, windowEndsAt, nowMs) => {
        const atMs = nextRequestAtMs({ model, limit, period: 300, windowEndsAt }, nowMs)
        if (atMs !== undefined) expect(atMs).toBeGreaterThan(nowMs)
      },
    ),
  )
})
