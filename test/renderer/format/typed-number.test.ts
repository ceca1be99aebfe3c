import { expect, test } from 'vitest'
import { numberIn } from '../../../renderer/format/typed-number.ts'

test('a typed number accepts a point or a comma, and nothing out of range', () => {
  const range = { least: 0, most: 10, digits: 2 }
  expect(['0.5', '0,5', ' 2 ', '.25', '10'].map((typed) => numberIn(typed, range))).toEqual([
    0.5, 0.5, 2, 0.25, 10,
  ])
  for (const typed of ['', 'some', '-1', '10.5', '1e1', 'NaN', '1.', '0x1'])
    expect(numberIn(typed, range)).toBeUndefined()
  expect(numberIn('1.5', { ...range, digits: 0 })).toBeUndefined()
})

test('a thousands separator is rejected, not read as a decimal point', () => {
  const burst = { least: 1, most: 100_000, digits: 0 }
  expect(numberIn('1000', burst)).toBe(1_000)
  for (const typed of ['1,000', '1.000', '12,000', '1,000,000'])
    expect(numberIn(typed, burst)).toBeUndefined()
  const rate = { least: 0, most: 1_000, digits: 2 }
  expect(numberIn('1,000', rate)).toBeUndefined()
  expect(['1000', '0,125', '1.125', '1,12'].map((typed) => numberIn(typed, rate))).toEqual([
    1_000, 0.13, 1.13, 1.12,
  ])
})
