import { expect, test } from 'vitest'
import { OthersTakeAll } from '../../../app/quota/others-take-all.ts'

const NEVER = Number.NEGATIVE_INFINITY

/** One 429 at 1 s, and another for a request that was sent after it. */
function taken(): OthersTakeAll {
  const others = new OthersTakeAll()
  others.refused(900, 1_000)
  others.tried(2_000)
  others.refused(2_000, 2_100)
  return others
}

test('they take all once the next try gets a 429 again, but not for 429s in flight together', () => {
  const others = new OthersTakeAll()
  others.tried(0)
  expect(others.nextTryAtMs).toBe(NEVER)
  others.refused(900, 1_000)
  others.refused(950, 1_050)
  others.refused(1_000, 1_100)
  expect(others.isSo).toBe(false)
  others.refused(1_001, 1_200)
  expect(others.isSo).toBe(true)
})

test('after the first 429 one try goes at a time, and its success ends that', () => {
  const others = new OthersTakeAll()
  others.refused(900, 1_000)
  expect(others.nextTryAtMs).toBe(NEVER)
  others.tried(2_000)
  expect(others.nextTryAtMs).toBe(22_000)
  expect(others.answered(0, 900, 2_050)).toBe(false)
  expect(others.nextTryAtMs).toBe(22_000)
  expect(others.answered(0, 2_000, 2_100)).toBe(false)
  expect(others.nextTryAtMs).toBe(NEVER)
})

test('tries are then 20 s, 40 s, and a minute apart, until a later header has room', () => {
  const others = taken()
  expect(others.nextTryAtMs).toBe(22_000)
  // Before the try, a critical program's request gets a 429. This does not postpone the try.
  others.refused(5_000, 5_100)
  expect(others.nextTryAtMs).toBe(22_000)
  const tries = [22_000, 62_000, 122_000].map((atMs) => {
    others.tried(atMs)
    others.refused(atMs, atMs + 100)
    return others.nextTryAtMs - atMs
  })
  expect(tries).toEqual([40_000, 60_000, 60_000])
  expect(others.answered(0, 182_000, 182_100)).toBe(false)
  expect(others.answered(1, 122_000, 182_200)).toBe(false)
  expect(others.isSo).toBe(true)
  expect(others.answered(1, 182_300, 182_400)).toBe(true)
  expect(others.isSo).toBe(false)
  expect(others.nextTryAtMs).toBe(NEVER)
})

test('a 429 within a minute after the end belongs to the same storm, a later one does not', () => {
  const others = taken()
  expect(others.answered(5, 3_000, 3_100)).toBe(true)
  others.refused(60_000, 63_099)
  expect(others.isSo).toBe(true)
  expect(others.nextTryAtMs).toBe(63_099 + 20_000)
  expect(others.answered(5, 70_000, 70_100)).toBe(true)
  others.refused(130_000, 130_100)
  expect(others.isSo).toBe(false)
})

test('a 429 ten minutes after another counts as a first one', () => {
  const others = new OthersTakeAll()
  others.refused(900, 1_000)
  others.refused(601_000, 601_000)
  expect(others.isSo).toBe(false)
  others.refused(1_200_999, 1_200_999)
  expect(others.isSo).toBe(true)
})
