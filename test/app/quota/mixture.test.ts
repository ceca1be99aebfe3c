import { expect, test } from 'vitest'
import { Mixture } from '../../../app/quota/mixture.ts'

const mixture = (...parts: readonly (readonly [chance: number, mean: number, variance: number])[]) => {
  const made = new Mixture(parts.length)
  for (const part of parts) made.add(...part)
  return made
}

test('a quantile has the requested share at or below it', () => {
  const twoHumps = mixture([0.6, 20, 9], [0.4, 80, 25])
  for (const share of [0.05, 0.3, 0.5, 0.7, 0.95])
    expect(twoHumps.chanceOfAtMost(twoHumps.quantile(share, 100))).toBeCloseTo(share, 1)
  expect(twoHumps.chanceOfAtMost(50)).toBeCloseTo(0.6, 5)
})

test('a quantile is clamped between 0 and the maximum', () => {
  expect(mixture([1, 0.1, 0]).quantile(0.5, 100)).toBe(0)
  expect(mixture([1, 300, 4]).quantile(0.5, 100)).toBe(100)
})

test('an exact number is at most itself, and no smaller one is', () => {
  expect(mixture([1, 7, 0]).chanceOfAtMost(7)).toBe(1)
  expect(mixture([1, 7, 0]).chanceOfAtMost(6.999)).toBe(0)
})

test('leaves out negligible components, and clearing removes all', () => {
  const made = mixture([1, 5, 1], [1e-6, 5, 1])
  expect(made.chanceOfAtMost(50)).toBe(1)
  made.clear()
  expect(made.chanceOfAtMost(50)).toBe(0)
})
