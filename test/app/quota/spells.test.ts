import { expect, test } from 'vitest'
import { HOLD_COUNT, RATE_COUNT, RATES } from '../../../app/quota/candidates.ts'
import { Spells } from '../../../app/quota/spells.ts'

const started = () => {
  const spells = new Spells()
  spells.forget()
  return spells
}
/**
 * For each candidate, the probability that it began by a jump. It is `chance` for one candidate at `rate`,
 * and 0 for the others.
 */
const jumpTo = (rate: number, chance: number) => {
  const came = new Float64Array(RATE_COUNT * HOLD_COUNT)
  came[rate * HOLD_COUNT] = chance
  return came
}
const sum = (numbers: Float64Array) => numbers.reduce((all, one) => all + one, 0)
const STORM = RATE_COUNT - 1
const PRIOR_STORM = (2 * 0.6) / STORM

test('before any header, two fifths of jumps end in silence and the others at any rate', () => {
  const { ends, holds } = started()
  expect(ends[0]).toBeCloseTo(0.8, 12)
  expect(ends[STORM]).toBeCloseTo(PRIOR_STORM, 12)
  expect(sum(ends)).toBeCloseTo(2, 12)
  for (const hold of holds) expect(sum(hold)).toBeCloseTo(4, 12)
})

test('the mean spell is that of each rate, by how often jumps end there', () => {
  const mean = (shares: readonly number[]) =>
    shares.reduce((all, share, hold) => all + share * ([5, 30, 180, 2000][hold] ?? 0), 0)
  // Shares of the four holding times while others are silent, within the refill, busy, and in a storm.
  const bands = [
    [0, 0.1, 0.3, 0.6],
    [0, 0.1, 0.35, 0.55],
    [0.06, 0.22, 0.42, 0.3],
    [0.25, 0.35, 0.33, 0.07],
  ].map(mean)
  const bandOf = (rate: number) => (rate === 0 ? 0 : rate <= 1.5 ? 1 : rate <= 5 ? 2 : 3)
  const ofRates = RATES.slice(1).reduce((all, rate) => all + (bands[bandOf(rate)] ?? 0), 0)
  const expected = (0.8 * (bands[0] ?? 0) + PRIOR_STORM * ofRates) / 2
  expect(started().meanSeconds()).toBeCloseTo(expected, 9)
})

test('a jump that a header shows counts by its probability, where it ended and how long its spell was', () => {
  const spells = started()
  const before = spells.holds.map((hold) => Float64Array.from(hold))
  const left = spells.left[1]
  if (left === undefined) throw new Error('there is a second band')
  left.set([0, 0.3, 0.1, 0])
  spells.learn(jumpTo(STORM, 0.25), 0.5, 10)
  expect(spells.ends[STORM]).toBeCloseTo(PRIOR_STORM + 0.5, 12)
  expect(spells.ends[0]).toBeCloseTo(0.8, 12)
  const more = (band: number, hold: number) => (spells.holds[band]?.[hold] ?? 0) - (before[band]?.[hold] ?? 0)
  expect(more(1, 1)).toBeCloseTo((0.5 * 0.3) / 0.4, 12)
  expect(more(1, 2)).toBeCloseTo((0.5 * 0.1) / 0.4, 12)
  for (const band of [0, 2, 3]) expect(more(band, 1)).toBeCloseTo(0, 12)
  spells.restart()
  expect(spells.left.map(sum)).toEqual([0, 0, 0, 0])
})

test('learned data fades within two hours to a third, down to the priors', () => {
  const spells = started()
  const left = spells.left[1]
  if (left === undefined) throw new Error('there is a second band')
  left.set([0, 1, 0, 0])
  spells.learn(jumpTo(STORM, 1), 1, 0)
  const hold = () => spells.holds[1]?.[1] ?? 0
  const gained = hold() - 0.4
  expect(gained).toBeCloseTo(1, 12)
  spells.learn(jumpTo(0, 0), 1, 7200)
  expect(spells.ends[STORM]).toBeCloseTo(PRIOR_STORM + Math.exp(-1), 12)
  expect(hold()).toBeCloseTo(0.4 + Math.exp(-1), 12)
  // No spell has ended since, so the known lengths do not change.
  spells.restart()
  spells.learn(jumpTo(0, 0), 1, 7200)
  expect(hold()).toBeCloseTo(0.4 + Math.exp(-1), 12)
})

test('a copy has everything learned, and forgets independently', () => {
  const spells = started()
  spells.left[2]?.fill(0.1)
  spells.learn(jumpTo(3, 1), 1, 60)
  const copy = new Spells()
  copy.copyFrom(spells)
  expect(copy).toEqual(spells)
  copy.forget()
  expect(copy.ends).toEqual(started().ends)
  expect(copy.holds).toEqual(started().holds)
  expect(spells.ends[3]).toBeGreaterThan(1)
})

test('a new spell empties what it drains in time, if it lasts that long', () => {
  const spells = started()
  const rates = Float64Array.from(RATES)
  // All jumps lead to one storm of 32 times the refill. Its holding times have the prior shares.
  spells.ends.fill(0)
  spells.ends[STORM] = 3
  const holds = (seconds: number) =>
    0.25 * Math.exp(-seconds / 5) +
    0.35 * Math.exp(-seconds / 30) +
    0.33 * Math.exp(-seconds / 180) +
    0.07 * Math.exp(-seconds / 2000)
  expect(spells.emptyByNew(310, rates, 1, 600)).toBeCloseTo(holds(10), 12)
  expect(spells.emptyByNew(310, rates, 1, 10)).toBeCloseTo(holds(10), 12)
  expect(spells.emptyByNew(310, rates, 1, 9.99)).toBe(0)
  // If the quota refills as fast as the storm uses it, the storm does not empty it.
  expect(spells.emptyByNew(0, rates, 32, 600)).toBe(0)
  expect(spells.emptyByNew(0, rates, 1, 600)).toBe(1)
  // Half of the jumps end in silence.
  spells.ends[0] = 3
  expect(spells.emptyByNew(310, rates, 1, 600)).toBeCloseTo(holds(10) / 2, 12)
})
