import { expect, test } from 'vitest'
import { counted, countedFrom, countedPerSecond } from '../../../app/quota/rates.ts'
import { replenishedPerSecond } from '../../../app/quota/replenishment.ts'

test('the examples of service 8.3: 0.6 s a request, and 100 s refill about 167', () => {
  expect(1 / replenishedPerSecond(500, 300)).toBeCloseTo(0.6, 12)
  expect(100 * replenishedPerSecond(500, 300)).toBeCloseTo(166.67, 2)
})

test('a steady own rate shows its true value, soon and late', () => {
  let rate = countedFrom(0)
  for (let at = 500; at <= 600_000; at += 500) {
    rate = counted(rate, at)
    if (at === 20_000 || at === 600_000) expect(countedPerSecond(rate, at)).toBeCloseTo(2, 0)
  }
  expect(countedPerSecond(rate, 900_000)).toBeLessThan(0.05)
})

test('one request never looks like a storm', () => {
  const rate = counted(countedFrom(0), 1)
  expect(countedPerSecond(rate, 1)).toBeLessThan(0.2)
  expect(countedPerSecond(rate, 0)).toBeLessThan(0.2)
})
