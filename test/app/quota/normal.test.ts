import { expect, test } from 'vitest'
import { chanceBelow, nearChanceBelow } from '../../../app/quota/normal.ts'

test('the chance of a standard normal number at most z matches the tables', () => {
  for (const [z, chance] of [
    [0, 0.5],
    [1, 0.841344746],
    [-1, 0.158655254],
    [1.959964, 0.975],
    [-3, 0.001349898],
  ] as const) {
    expect(chanceBelow(z)).toBeCloseTo(chance, 6)
  }
})

test('the faster one is the same to 1e-5, grows with z, and ends at 0 and 1', () => {
  let before = 0
  for (let step = -700; step <= 700; step += 1) {
    const z = step / 100 + 0.0037
    const near = nearChanceBelow(z)
    expect(Math.abs(near - chanceBelow(z))).toBeLessThan(1e-5)
    expect(near).toBeGreaterThanOrEqual(before)
    before = near
  }
  expect([nearChanceBelow(Number.NEGATIVE_INFINITY), nearChanceBelow(6)]).toEqual([0, 1])
})
