import { expect, test } from 'vitest'
import type { QuotaState } from '../../../app/contract/snapshot.ts'
import { comesEmpty, emptyings, staysOverHalf, warningDelays } from './emptyings.ts'
import type { Kind } from './kinds.ts'
import { type Looks, noLooks } from './looks.ts'
import { steady } from './processes.ts'

const KIND: Kind = {
  ...{ name: 'test', limit: 300, periodSeconds: 300, own: 0, others: steady(0) },
  shape: 'steady',
}
const COUNT = 900

/** `truth` and `rate` for each second. Every look has a header, and the given state. */
function looksOf(
  truth: (second: number) => number,
  rate: (second: number) => number = () => 0,
  state: (second: number) => QuotaState = () => 'ok',
): Looks {
  const looks = noLooks(KIND, COUNT, 600, [])
  for (let at = 0; at < looks.truth.length; at += 1) looks.truth[at] = truth(at)
  for (let at = 0; at < looks.rate.length; at += 1) looks.rate[at] = rate(at)
  for (let at = 0; at < COUNT; at += 1) looks.state[at] = state(at)
  looks.isSeen.fill(1)
  return looks
}

/**
 * Full until second 100. Then others use two requests a second at a refill of one, until the quota is empty
 * in second 400.
 */
const falling = (second: number) => Math.max(0, Math.min(300, 400 - second))
const burst = (second: number) => (second < 100 ? 0 : 2)

test('the delay runs from the time at which the rate would empty the quota to the first warning', () => {
  const warns = (at: number) => looksOf(falling, burst, (second) => (second < at ? 'ok' : 'running-out'))
  // From second 71 on, the mean use of the next minute exceeds the refill, and the 300 requests left last
  // less than ten minutes.
  const [start] = [71]
  expect(warningDelays(warns(start + 20))[0]).toBeGreaterThan(0)
  expect(warningDelays(warns(start + 20))[0]).toBeLessThanOrEqual(20)
  expect(warningDelays(warns(start + 60))[0]! - warningDelays(warns(start + 20))[0]!).toBe(40)
  expect(warningDelays(warns(0))).toEqual([0])
})

test('a spell that ends without a warning counts in full, and one still running not yet', () => {
  const spell = (second: number) => (second >= 100 && second < 300 ? 2 : 0)
  const [delay] = warningDelays(looksOf(() => 200, spell))
  expect(delay).toBeGreaterThan(150)
  expect(delay).toBeLessThan(260)
  expect(
    warningDelays(
      looksOf(
        () => 200,
        (second) => (second < 100 ? 0 : 2),
      ),
    ),
  ).toEqual([])
})

test('a rate below the refill needs no warning', () => {
  expect(
    warningDelays(
      looksOf(
        () => 20,
        () => 0.9,
      ),
    ),
  ).toEqual([])
})

test('a warning counts up to ten minutes ahead of the emptying', () => {
  const comes = comesEmpty(looksOf((second) => (second === 800 ? 0 : 50)))
  expect([comes[199], comes[200], comes[800], comes[801]]).toEqual([false, true, true, false])
})

test('a chance over half for the next ten minutes extends past the last sample', () => {
  const stays = staysOverHalf(looksOf((second) => (second < 1400 ? 200 : 100)))
  expect([stays[0], stays[799], stays[800]]).toEqual([true, true, false])
  expect(staysOverHalf(looksOf(() => 150))[0]).toBe(false)
})

test('an emptying is a fall from a tenth or more, reported once', () => {
  const flickers = (second: number) => (second < 400 ? 100 : second % 2)
  expect(emptyings(looksOf(flickers))).toEqual([400])
  const refills = (second: number) => (second === 400 || second === 700 ? 0 : 30)
  expect(emptyings(looksOf(refills))).toEqual([400, 700])
  const doesNot = (second: number) => (second === 400 || second === 700 ? 0 : 29)
  expect(emptyings(looksOf(doesNot))).toEqual([400])
})
