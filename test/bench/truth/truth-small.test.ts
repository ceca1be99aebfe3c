import { beforeAll, expect, test } from 'vitest'
import type { QuotaState } from '../../../app/contract/snapshot.ts'
import { proves } from '../../proof/proves.ts'
import { NO_MODEL } from './aims.ts'
import { added, type Figures, figuresOf } from './figures.ts'
import { type Kind, listedKinds, timedKinds } from './kinds.ts'
import { startingAt } from './processes.ts'
import { watchedKey } from './watched-key.ts'

/**
 * The truth bench on a small scale: half an hour of virtual time for some of its kinds of traffic, with one
 * seed each. The aims are a little wider than those of the bench, which has twenty seeds for each of a
 * hundred kinds.
 */
const CHOSEN = [
  'nobody else, 320 in 300 s',
  'steady, 0.9 times the refill, 320 in 300 s',
  'steady, 1.2 times the refill, 320 in 300 s',
  'steady, 1.2 times the refill, 90 in 60 s',
  'steady, 2.5 times the refill, 90 in 60 s',
  'bursts of two minutes of five, 320 in 300 s',
  'bursts of two minutes of five, 90 in 60 s, and own',
  'a ramp as at the opening, 320 in 300 s',
  'sessions of heavy-tailed length, 90 in 60 s',
]
const SEED = 1
const SEEDS_OF_STARTS = 20
const SEEDS_OF_SESSIONS = 3
const AMBER: readonly QuotaState[] = ['watch', 'low', 'running-out']

let kinds: readonly Figures[] = []
let all: Figures

beforeAll(async () => {
  const chosen = CHOSEN.map((name) => listedKinds().find((kind) => kind.name === name))
  const figures: Figures[] = []
  for (const kind of chosen) {
    if (!kind) throw new Error('no such kind')
    figures.push(figuresOf(await watchedKey(kind, SEED)))
  }
  kinds = figures
  all = figures.reduce(added)
}, 120_000)

test('the level is within the shown range, and never above it', () => {
  expect(all.highWrong).toBe(0)
  for (const { name, covered, looks } of kinds) expect(covered / looks, name).toBeGreaterThan(0.86)
  expect(all.covered / all.looks).toBeGreaterThan(0.93)
  // A range from 0 to the limit would always contain the level, but would be useless.
  expect(all.width / all.looks).toBeLessThan(0.3)
  proves('Q8', { level: 2, cases: all.looks })
})

test('the number is closer to the truth than the last header', () => {
  const [alone, ...others] = kinds
  expect((alone?.error ?? 0) / (alone?.looks ?? 1)).toBeLessThan(0.1)
  const sum = others.reduce(added)
  expect(sum.error).toBeLessThan(0.8 * (sum.peerErrors[NO_MODEL] ?? 0))
  proves('Q8', { level: 2, cases: sum.looks })
})

test('a quota under a fifth is not called ok, and one that runs out is reported before it does', () => {
  expect(all.underFifth).toBeGreaterThan(1000)
  expect(all.okUnderFifth / all.underFifth).toBeLessThan(0.003)
  expect(all.emptyings).toBeGreaterThan(5)
  expect(all.emptyingsWarned / all.emptyings).toBeGreaterThan(0.6)
  expect(all.overHalf).toBeGreaterThan(1000)
  expect(all.warnedOverHalf / all.overHalf).toBeLessThan(0.05)
  proves('Q9', { level: 2, cases: all.underFifth + all.emptyings })
})

test('sessions of a minute in three change no state within ten seconds, and few in an hour', {
  timeout: 60_000,
}, async () => {
  const sessions = timedKinds().filter(({ name }) => name.startsWith('sessions of a minute in three'))
  for (const kind of sessions) {
    const runs: Figures[] = []
    for (let seed = SEED; seed < SEED + SEEDS_OF_SESSIONS; seed += 1)
      runs.push(figuresOf(await watchedKey(kind, seed, { asksOracle: false })))
    const { flickers, changes, hours } = runs.reduce(added)
    expect(flickers, kind.name).toBe(0)
    // Ten in twenty minutes. There are twenty sessions an hour.
    expect(changes / hours, kind.name).toBeLessThanOrEqual(30)
  }
})

test('the shown chance of running out allows for use that has yet to begin', () => {
  expect(all.forecasts).toBeGreaterThan(5000)
  const unlikely = all.chances.slice(0, 2)
  const of = (part: 'told' | 'came' | 'looks') => unlikely.reduce((sum, step) => sum + step[part], 0)
  expect(of('came') / of('looks') - of('told') / of('looks')).toBeLessThan(0.23)
  expect(all.brier / all.forecasts).toBeLessThan(0.2)
  proves('Q9', { level: 2, cases: all.forecasts })
})

test('checks stay within their budget on average, and a row in trouble is seldom older than a minute', () => {
  for (const { name, checks, budget } of kinds) expect(checks, name).toBeLessThanOrEqual(budget + 2)
  expect(all.warningLooks).toBeGreaterThan(1000)
  expect(all.warningOld / all.warningLooks).toBeLessThan(0.03)
  proves('Q10', { level: 2, cases: all.checks + all.warningLooks })
})

/** A program starts at 2/s and continues, while 1.07/s refill. The quota is empty 340 s later. */
test('a new load above the refill turns the row amber within a minute', { timeout: 60_000 }, async () => {
  const delays: number[] = []
  for (let seed = 1; seed <= SEEDS_OF_STARTS; seed += 1) {
    // Each seed starts it at another time between two checks.
    const startSecond = 600 + ((seed * 37) % 60)
    const others = startingAt(startSecond, 2)
    const kind: Kind = {
      ...{ name: 'starts', shape: 'steady', limit: 320, periodSeconds: 300, own: 0 },
      others,
    }
    const { state } = await watchedKey(kind, seed, { asksOracle: false, minutes: 15 })
    const amber = state.findIndex((shown, second) => second >= startSecond && AMBER.includes(shown))
    expect(amber, `seed ${seed}`).toBeGreaterThan(0)
    delays.push(amber - startSecond)
  }
  const median = delays.sort((a, b) => a - b)[SEEDS_OF_STARTS / 2]!
  expect(median).toBeLessThanOrEqual(60)
  proves('Q9', { level: 2, cases: delays.length })
})
