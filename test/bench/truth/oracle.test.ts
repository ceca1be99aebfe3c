import { expect, test } from 'vitest'
import { chanceFrom } from '../../app/quota/chance.ts'
import { Oracle } from './oracle.ts'
import type { Process } from './process.ts'
import { cyclic, oneOf, steady } from './processes.ts'

const oracleOf = (process: Process) => new Oracle({ process, limit: 320, periodSeconds: 300 }, chanceFrom(5))

test('alone on the key it is exact', () => {
  const oracle = oracleOf(steady(0))
  oracle.observed(10, 319, false)
  expect(oracle.look(10)).toEqual({ middle: 319, low: 319, high: 319 })
  oracle.observed(10.1, 318, false)
  expect(oracle.look(20).middle).toBe(320)
})

test('between headers it follows the known process, with growing uncertainty', () => {
  const oracle = oracleOf(steady(2))
  oracle.observed(1, 300, false)
  const { middle, low, high } = oracle.look(61)
  // In 60 s, others use 2.0 a second, and 1.067 a second refill.
  expect(Math.abs(middle - 244)).toBeLessThanOrEqual(5)
  // 95 % of a Poisson distribution with mean 120 lie in an interval that is 43 wide.
  expect(high - low).toBeGreaterThan(30)
  expect(high - low).toBeLessThan(56)
})

test('a header makes it certain again', () => {
  const oracle = oracleOf(steady(2))
  oracle.observed(1, 300, false)
  oracle.look(61)
  oracle.observed(61, 250, false)
  expect(oracle.look(61)).toEqual({ middle: 250, low: 250, high: 250 })
})

test('headers show it the others’ position in a cycle', () => {
  const process = cyclic(4, 100, 300)
  const oracle = oracleOf(process)
  // The quota is full until second 200. Then others use 4 a second for a hundred seconds, and 1.067 refill.
  oracle.observed(190, 319, false)
  oracle.observed(250, 170, false)
  const atTheEnd = oracle.look(300).middle
  expect(Math.abs(atTheEnd - 25)).toBeLessThan(30)
  expect(Math.abs(oracle.look(400).middle - 130)).toBeLessThan(35)
})

test('without knowing which of several processes it is, it learns that from headers', () => {
  const oracle = oracleOf(
    oneOf([steady(0), steady(1), steady(4)], { redrawnSeconds: 3600, maxPerSecond: 99 }),
  )
  expect(oracle.look(30).low).toBeLessThan(oracle.look(30).high - 50)
  oracle.observed(30, 232, false)
  oracle.observed(60, 144, false)
  // Others use 4.0 a second, and 1.067 a second refill.
  expect(Math.abs(oracle.look(90).middle - 56)).toBeLessThanOrEqual(12)
})

test('others’ rate over the last minute is that of their process', () => {
  const oracle = oracleOf(steady(1))
  oracle.observed(1, 300, false)
  expect(oracle.othersRate(30)).toEqual({ low: 1, high: 1 })
  expect(oracle.othersRate(90)).toEqual({ low: 1, high: 1 })
})

test('once others empty the quota, only what is accepted counts: the refill', () => {
  const oracle = oracleOf(steady(4))
  oracle.observed(1, 20, false)
  const { low, high } = oracle.othersRate(300)
  // 1.067 a second refill.
  expect(low).toBeGreaterThan(0.9)
  expect(high).toBeLessThan(1.2)
})
