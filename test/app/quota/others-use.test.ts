import { expect, test } from 'vitest'
import { OthersUse } from '../../../app/quota/others-use.ts'

const [LIMIT, PERIOD] = [320, 300]
const REFILL = LIMIT / PERIOD

/**
 * The results of a model in one line: the rate, the requests taken, the probability of few requests, and the
 * chances of running empty.
 */
const read = (others: OthersUse, left = 200) => {
  const { chance, byPresent } = others.emptyWithin({ seconds: 600, left }, REFILL)
  return [
    ...[others.rateAt(0.05), others.rate(), others.rateAt(0.95)],
    ...[others.takenAt(0.05, LIMIT), others.takenAt(0.5, LIMIT), others.takenAt(0.999, LIMIT)],
    ...[others.chanceOfAtMost(0), others.chanceOfAtMost(25), chance, byPresent],
  ]
    .map((number) => Number(number.toPrecision(6)))
    .join(' ')
}

/**
 * A header `seconds` after the previous one. It shows that `missing` requests are missing, give or take half
 * a request.
 */
function header(others: OthersUse, seconds: number, missing: number, overflowed = 0): void {
  others.advance(seconds, overflowed, LIMIT - 20)
  others.observed({ least: missing - 0.5, most: missing + 0.5, taken: missing, variance: 1 / 12 })
}

/**
 * After a change of the estimate, measure it again (`npm run truth`), and only then change these numbers.
 */
test('equal headers give equal estimates, to six digits', () => {
  const others = new OthersUse(LIMIT, PERIOD)
  const seen: Record<string, string> = { 'before any header': read(others) }
  others.advance(0.4, 0, LIMIT)
  others.advance(9.6, 0, LIMIT)
  seen['10 s on'] = read(others)
  others.observed({ least: 11.5, most: 12.5, taken: 12, variance: 0.1 })
  header(others, 10, 14)
  seen['steady'] = read(others, 150)
  others.advance(45, 0, 280)
  seen['steady, 45 s later'] = read(others, 150)
  header(others, 1, 58)
  header(others, 20, 0)
  seen['silent again'] = read(others)
  header(others, 30, 2, 25)
  header(others, 30, 0.2, 20)
  others.advance(30, 32, LIMIT)
  seen['full, with what spills'] = read(others, LIMIT)
  others.observed({ least: 120, most: Number.POSITIVE_INFINITY, taken: 320, variance: 2 })
  others.advance(5, 0, 6)
  seen['emptied by a burst'] = read(others, 6)
  others.restart()
  others.advance(3, 0, LIMIT)
  seen['in a new window'] = read(others, LIMIT)
  others.advance(20_000, 0, 40)
  seen['after hours without a header'] = read(others, 40)
  expect(seen).toMatchInlineSnapshot(`
    {
      "10 s on": "0 0 16.7173 0 0 320 0.61189 0.82937 0.226218 0.185097",
      "after hours without a header": "0 0.101702 24.7089 0 21.3326 320 0.275005 0.554165 0.342297 0.239026",
      "before any header": "0 0 17.0667 0 0 0 1 1 0.222696 0.182341",
      "emptied by a burst": "0.240978 16.0541 35.4343 5.49189 5.95442 7.52972 0.000394711 0.99998 0.959565 0.937108",
      "full, with what spills": "0 0.839176 0.862957 0 0 294.64 0.442996 0.968631 0.0734322 0.00941488",
      "in a new window": "0 15.3489 35.3109 0 46.808 133.408 0.047788 0.229608 0.728684 0.695269",
      "silent again": "0 0 0.632724 0 0 0 0.999997 0.999997 0.0887986 0.0106751",
      "steady": "0.893023 1.30016 1.84077 0 0 0 0.999976 0.999976 0.220717 0.16148",
      "steady, 45 s later": "0.807718 1.30016 1.85535 34.6462 55.5756 279.047 0.00652954 0.0146847 0.530275 0.491957",
    }
  `)
})

test('a model of another size starts over', () => {
  const others = new OthersUse(LIMIT, PERIOD)
  header(others, 10, 40)
  header(others, 10, 40)
  others.resize(90, 60)
  const anew = new OthersUse(90, 60)
  for (const one of [others, anew]) header(one, 5, 6)
  expect(read(others, 50)).toBe(read(anew, 50))
})

test('the chance of others’ use does not depend on the order of queries', () => {
  const [one, other] = [new OthersUse(LIMIT, PERIOD), new OthersUse(LIMIT, PERIOD)]
  for (const others of [one, other]) {
    header(others, 10, 12)
    others.takenAt(0.5, LIMIT)
    others.advance(10, 0, LIMIT - 20)
  }
  const first = one.chanceOfAtMost(12)
  other.takenAt(0.5, LIMIT)
  expect(other.chanceOfAtMost(12)).toBe(first)
})

test('an interval with overflow counts only if others use well over the refill', () => {
  const ratesFor = (perInterval: number) => {
    const others = new OthersUse(LIMIT, PERIOD)
    for (let i = 0; i < 6; i += 1) header(others, 30, perInterval)
    const before = others.rate()
    header(others, 30, perInterval - 10, 4)
    return { before, after: others.rate() }
  }
  // 32 requests refill between two headers. 37 used requests are more than 1.15 times that, 36 are not.
  const busy = ratesFor(37)
  expect(busy.after).toBeLessThan(busy.before - 0.02)
  const calm = ratesFor(36)
  expect(calm.after).toBeCloseTo(calm.before, 9)
})

test('a NaN header clears everything known, and spoils nothing after it', () => {
  const others = new OthersUse(LIMIT, PERIOD)
  header(others, 10, 12)
  others.observed({ least: Number.NaN, most: Number.NaN, taken: Number.NaN, variance: Number.NaN })
  const anew = new OthersUse(LIMIT, PERIOD)
  for (const one of [others, anew]) header(one, 5, 6)
  expect(read(others)).toBe(read(anew))
})

test('others who leave enough for one span may empty the next', () => {
  const others = new OthersUse(LIMIT, PERIOD)
  for (let at = 0; at < 5; at += 1) header(others, 10, 14)
  const rest = { seconds: 10, left: 200 }
  const byPresent = (left: number) => others.emptyWithin(rest, 0, { seconds: 300, left }).byPresent
  expect(others.emptyWithin(rest, 0).byPresent).toBeLessThan(0.01)
  expect(byPresent(1_000)).toBeLessThan(0.01)
  expect(byPresent(LIMIT)).toBeGreaterThan(0.4)
  // A rate that empties the first span is not counted twice.
  expect(others.emptyWithin({ seconds: 10, left: 1 }, 0, rest).byPresent).toBeLessThanOrEqual(1)
})
