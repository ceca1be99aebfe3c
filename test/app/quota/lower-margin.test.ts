import { expect, test } from 'vitest'
import { LowerMargin } from '../../../app/quota/lower-margin.ts'
import { OthersUse } from '../../../app/quota/others-use.ts'

const [LIMIT, PERIOD] = [320, 300]

/** Forty headers that showed nothing missing, the last of them `seconds` ago. */
function quiet(seconds: number): OthersUse {
  const others = new OthersUse(LIMIT, PERIOD)
  for (let header = 0; header < 40; header += 1) {
    others.advance(40, 0, LIMIT)
    others.observed({ least: 0, most: 1, taken: 0, variance: 0 })
  }
  others.advance(seconds, 0, LIMIT)
  return others
}

test('a surprise may repeat at any moment, and fades', () => {
  const margin = new LowerMargin()
  expect(margin.takenAtMost(quiet(4), 0, LIMIT)).toBeLessThan(10)
  margin.judge(quiet(40), 57, LIMIT)
  const after = margin.takenAtMost(quiet(4), 0, LIMIT)
  expect(after).toBeGreaterThan(55)
  // In half a second after a header, others can have made fewer requests than in 4 s.
  expect(margin.takenAtMost(quiet(0.5), 0, LIMIT)).toBeLessThan(after / 2)
  for (let header = 0; header < 35; header += 1) margin.judge(quiet(40), 0, LIMIT)
  expect(margin.takenAtMost(quiet(4), 0, LIMIT)).toBeLessThan(0.6 * after)
})

test('each header below `low` makes such headers rarer, each other one slightly more common', () => {
  const margin = new LowerMargin()
  const before = margin.share
  margin.judge(quiet(40), LIMIT, LIMIT)
  expect(margin.share).toBeCloseTo(before / 2, 6)
  margin.judge(quiet(40), 0, LIMIT)
  expect(margin.share).toBeCloseTo((before / 2) * 1.03, 6)
})

test('one request may be missing a few seconds after any header', () => {
  const margin = new LowerMargin()
  expect(margin.takenAtMost(quiet(2), 0, LIMIT)).toBeLessThan(1)
  expect(margin.takenAtMost(quiet(3.5), 0, LIMIT)).toBeGreaterThanOrEqual(1)
})
