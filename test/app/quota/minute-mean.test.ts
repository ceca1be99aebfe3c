import { expect, test } from 'vitest'
import { MinuteMean } from '../../../app/quota/minute-mean.ts'

function after(...headers: readonly (readonly [atSeconds: number, missing: number])[]): MinuteMean {
  const mean = new MinuteMean()
  mean.restart(0)
  for (const [atSeconds, missing] of headers) mean.header(atSeconds * 1000, missing)
  return mean
}

/** The middle of the range at a time in seconds. */
const middle = (mean: MinuteMean, atSeconds: number, perSecond = 0) => {
  const range = mean.at(atSeconds * 1000, perSecond)
  return range && (range.least + range.most) / 2
}

test('a burst within the last minute counts, and no longer after it', () => {
  const mean = after([50, 0], [60, 120], [70, 0], [90, 0])
  expect(middle(mean, 90)).toBeCloseTo(2, 6)
  expect(middle(mean, 115)).toBeCloseTo(1, 6)
  expect(middle(mean, 125)).toBeLessThan(0.02)
})

test('a gap that reaches into the minute counts for its part of it', () => {
  expect(middle(after([40, 80], [80, 40]), 80)).toBeCloseTo((0.5 * 80 + 40) / 60, 6)
})

test('since the last header others continue at the given rate', () => {
  expect(middle(after([30, 60], [60, 60]), 90, 1)).toBeCloseTo((60 + 30) / 60, 6)
})

test('its ends are a root of the count apart', () => {
  expect(after([30, 60], [60, 60]).at(60_000, 0)).toEqual({
    least: (120 - 11) / 60,
    most: (120 + 11) / 60,
  })
})

test('nothing is known before two headers, and a minute after the last one', () => {
  expect(new MinuteMean().at(0, 1)).toBeUndefined()
  expect(after().at(1000, 1)).toBeUndefined()
  expect(after([10, 5]).at(70_000, 1)).toBeUndefined()
})

test('two headers at the same time, as after a clock was set back, count together', () => {
  expect(middle(after([30, 60], [60, 30], [60, 30]), 60)).toBeCloseTo(2, 6)
})
