import { describe, expect, test } from 'vitest'
import { grow, grown, waiting } from '../../../app/quota/taken-moments.ts'

interface Moments {
  readonly mean: number
  readonly variance: number
}

function grownBy(start: Moments, growth: Partial<typeof grown>): Moments {
  const means = Float64Array.from([7, start.mean])
  const variances = Float64Array.from([7, start.variance])
  Object.assign(grown, { count: 0, spread: 0, overflowed: 0, most: 1e9, ...growth })
  grow(means, variances, 1)
  expect([means[0], variances[0]]).toEqual([7, 7])
  return { mean: means[1] ?? 0, variance: variances[1] ?? 0 }
}

/**
 * Mean and variance of a normal number clipped to `least`…`most`, summed over 40,000 strips of its density.
 */
function clipped({ mean, variance }: Moments, least: number, most: number): Moments {
  const deviation = Math.sqrt(variance)
  const strips = 40_000
  let [weight, first, second] = [0, 0, 0]
  for (let strip = 0; strip < strips; strip += 1) {
    const z = -10 + (20 * (strip + 0.5)) / strips
    const density = Math.exp(-z * z * 0.5)
    const value = Math.min(most, Math.max(least, mean + z * deviation))
    weight += density
    first += density * value
    second += density * value * value
  }
  const middle = first / weight
  return { mean: middle, variance: second / weight - middle * middle }
}

const near = ({ mean, variance }: Moments, places = 2) => ({
  mean: expect.closeTo(mean, places),
  variance: expect.closeTo(variance, places),
})

test('use without a limit in sight adds up', () => {
  expect(grownBy({ mean: 3, variance: 2 }, { count: 4, spread: 0.5 })).toEqual({ mean: 7, variance: 2.5 })
})

describe('overflow is subtracted, down to zero', () => {
  test.each([
    [5, 1, 1],
    [5, 4, 4.5],
    [5, 4, 6],
    [5, 4, 12],
    [0.2, 0.01, 0.15],
    // Mean and variance are far from 1, so that adding and multiplying give different results.
    [40, 400, 30],
  ])('mean %d, variance %d, overflowed %d', (mean, variance, overflowed) => {
    const expected = clipped({ mean: mean - overflowed, variance }, 0, Number.POSITIVE_INFINITY)
    expect(grownBy({ mean, variance }, { overflowed })).toEqual(near(expected))
  })
  test('more than four deviations above zero, no tail is cut off', () => {
    expect(grownBy({ mean: 10, variance: 1 }, { overflowed: 5 })).toEqual({ mean: 5, variance: 1 })
    expect(grownBy({ mean: 10, variance: 1 }, { overflowed: 6 }).mean).toBeGreaterThan(4)
  })
  test('without overflow it may stay below zero', () => {
    expect(grownBy({ mean: -1, variance: 0.5 }, {})).toEqual({ mean: -1, variance: 0.5 })
  })
  test('an exact number stays exact', () => {
    expect(grownBy({ mean: 2, variance: 0 }, { overflowed: 0.5 })).toEqual({ mean: 1.5, variance: 0 })
    expect(grownBy({ mean: 2, variance: 0 }, { overflowed: 3 })).toEqual({ mean: 0, variance: 0 })
  })
})

describe('use is limited to what is there', () => {
  test.each([
    [5, 4, 6],
    [5, 4, 5],
    [5, 4, 3],
    [5, 4, 12],
    [9, 1, 2],
  ])('mean %d, variance %d, at most %d', (mean, variance, most) => {
    const expected = clipped({ mean, variance }, Number.NEGATIVE_INFINITY, most)
    expect(grownBy({ mean, variance }, { most })).toEqual(near(expected))
  })
  test('a number far from the limit is unchanged, to the digit', () => {
    expect(grownBy({ mean: 5, variance: 4 }, { most: 13 })).toEqual({ mean: 5, variance: 4 })
  })
  test('a number far beyond it is the limit', () => {
    expect(grownBy({ mean: 50, variance: 1 }, { most: 3 })).toEqual({ mean: 3, variance: 0 })
  })
})

test('a quota that others keep below full lacks as much as a queue of that load is long', () => {
  const means = Float64Array.from([0, 0, 4])
  const variances = Float64Array.from([0, 9, 9])
  for (const at of [0, 1, 2]) waiting(means, variances, at, 0.8)
  // At a load of ρ = 0.8, the mean is ρ / 2(1 − ρ) = 2, and the variance is ρ / 3(1 − ρ) + ρ² / 4(1 − ρ)² = 4
  // / 3 + 4.
  expect([...means]).toEqual([expect.closeTo(2, 9), expect.closeTo(2, 9), 4])
  expect([...variances]).toEqual([expect.closeTo(16 / 3, 9), 9, 9])
})
