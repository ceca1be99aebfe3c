import { expect, test } from 'vitest'
import { RETRY, retryDelayMs } from '../../../app/retry/schedules.ts'
import { proves } from '../../proof/proves.ts'
import { chanceFrom } from '../quota/chance.ts'

const CLIENTS = 1_000
const backoffMs = (attempt: number, chance: number) => retryDelayMs(RETRY.stream, attempt + 1, chance)

test('the bound doubles from the base up to the cap, and chance spreads evenly below it', () => {
  const bound = (attempt: number) => backoffMs(attempt, 1)
  expect([0, 1, 2, 3, 4, 5, 6, 7].map(bound)).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  expect(bound(1e9)).toBe(30_000)
  expect(backoffMs(3, 0)).toBe(0)
  expect(backoffMs(3, 0.25)).toBe(1_000)
})

test('1,000 clients dropped together return spread out: no second has twice the mean', () => {
  const attempts = [4, 5, 6, 7, 8]
  for (const attempt of attempts) {
    const chance = chanceFrom(attempt)
    const boundMs = backoffMs(attempt, 1)
    const perSecond = new Array<number>(Math.ceil(boundMs / 1_000)).fill(0)
    for (let client = 0; client < CLIENTS; client += 1) {
      const second = Math.floor(backoffMs(attempt, chance()) / 1_000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
    }
    expect(Math.max(...perSecond)).toBeLessThan((2 * CLIENTS) / perSecond.length)
    expect(Math.min(...perSecond)).toBeGreaterThan(0)
  }
  proves('S5', { level: 2, cases: attempts.length * CLIENTS })
})

test('1,000 clients whose every attempt fails stay spread over all of their attempts together', () => {
  const chance = chanceFrom(1)
  const perSecond = new Array<number>(120).fill(0)
  for (let client = 0; client < CLIENTS; client += 1) {
    for (let at = 0, attempt = 0; at < 120_000; attempt += 1) {
      at += backoffMs(attempt, chance())
      const second = Math.floor(at / 1_000)
      if (second < 120) perSecond[second] = (perSecond[second] ?? 0) + 1
    }
  }
  // After 45 s, no client is still on the short first steps of the schedule.
  const settled = perSecond.slice(45)
  const mean = settled.reduce((sum, count) => sum + count, 0) / settled.length
  expect(Math.max(...settled)).toBeLessThan(2 * mean)
  proves('S5', { level: 2, cases: CLIENTS })
})

test('half jitter spreads the second half of a step, and nobody waits the whole step', () => {
  expect(retryDelayMs(RETRY.host, 1, 0)).toBe(500)
  expect(retryDelayMs(RETRY.host, 2, 0.5)).toBe(1_500)
  expect(retryDelayMs(RETRY.host, 1e9, 0.999)).toBeLessThan(30_000)
  expect([1, 2, 3, 4, 5].map((failures) => retryDelayMs(RETRY.tokenSave, failures, 0.3))).toEqual([
    5_000, 15_000, 30_000, 60_000, 60_000,
  ])
})
