import { expect, test } from 'vitest'
import { OrderLimit } from '../../../main/orders/orders.ts'

test('any minute holds at most the limit, for each program alone', () => {
  const limit = new OrderLimit()
  limit.sent('a', 0)
  limit.sent('a', 10_000)
  expect(limit.nextAtMs('a', 2, 20_000)).toBe(60_000)
  expect(limit.nextAtMs('a', 3, 20_000)).toBe(20_000)
  expect(limit.nextAtMs('b', 1, 20_000)).toBe(20_000)
  expect(limit.nextAtMs('a', 2, 59_999)).toBe(60_000)
  expect(limit.nextAtMs('a', 2, 60_000)).toBe(60_000)
  limit.sent('a', 60_000)
  expect(limit.nextAtMs('a', 2, 60_001)).toBe(70_000)
  expect([limit.count('a', 60_001), limit.count('a', 70_000), limit.count('b', 60_001)]).toEqual([2, 1, 0])
})

test('more orders than the limit, such as cancels, delay the next one until enough are a minute old', () => {
  const limit = new OrderLimit()
  for (const atMs of [0, 1_000, 2_000]) limit.sent('a', atMs)
  expect(limit.nextAtMs('a', 1, 3_000)).toBe(62_000)
})

test('a clock that was set back frees the limit', () => {
  const limit = new OrderLimit()
  limit.sent('a', 5_000_000)
  expect(limit.nextAtMs('a', 1, 1_000)).toBe(1_000)
})
