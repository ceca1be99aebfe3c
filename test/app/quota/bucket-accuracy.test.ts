import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { chanceFrom } from './chance.ts'
import { play, type Traffic } from './traffic.ts'

const SIZES = [
  [500, 300],
  [320, 300],
  [90, 60],
  [30, 60],
] as const

function everyTwentySeconds(seed: number, elsewherePerSecond = 0): Traffic {
  const chance = chanceFrom(seed)
  const [limit, periodSeconds] = SIZES[seed % SIZES.length]!
  return {
    rule: { limit, periodSeconds, window: 'rolling' },
    level: limit * chance(),
    forMs: 200_000,
    chance,
    pauseMs: () => 15_000 + 10_000 * chance(),
    latencyMs: () => 10 + 240 * chance(),
    elsewherePerSecond,
  }
}

test('20 s after a header the mean error is at most half a request', () => {
  const errors: number[] = []
  for (let seed = 0; seed < 1_000; seed += 1) {
    const traffic = everyTwentySeconds(seed)
    const { limit, periodSeconds } = traffic.rule
    play(traffic, {
      answered: (bucket, _elsewhere, nowMs, level) => {
        const then = Math.min(limit, level + (20 * limit) / periodSeconds)
        errors.push(Math.abs(bucket.estimate(nowMs + 20_000).point - then))
      },
    })
  }
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
  expect(errors.length).toBeGreaterThan(7_500)
  expect(mean).toBeLessThanOrEqual(0.5)
  expect(Math.max(...errors)).toBeLessThan(2)
  proves('Q1', { level: 2, cases: errors.length })
})

test('20 s after the very first header the mean error is at most half a request', () => {
  let sum = 0
  for (let seed = 0; seed < 4_000; seed += 1) {
    const traffic = everyTwentySeconds(seed)
    const { limit, periodSeconds } = traffic.rule
    let isFirst = true
    play(traffic, {
      answered: (bucket, _elsewhere, nowMs, level) => {
        if (!isFirst) return
        isFirst = false
        const then = Math.min(limit, level + (20 * limit) / periodSeconds)
        sum += Math.abs(bucket.estimate(nowMs + 20_000).point - then)
      },
    })
  }
  expect(sum / 1_000).toBeLessThanOrEqual(0.5)
})

test('with steady use elsewhere the point stays near the true level between headers', () => {
  let sum = 0
  let count = 0
  for (let seed = 0; seed < 400; seed += 1) {
    const traffic = everyTwentySeconds(seed, 0.4)
    const { limit, periodSeconds } = traffic.rule
    let answers = 0
    play(traffic, {
      answered: (bucket, _elsewhere, nowMs, level) => {
        answers += 1
        // A bucket that stays full whatever others do shows nothing.
        if (answers < 4 || level > limit * 0.9 || level < limit * 0.1) return
        const then = Math.min(limit, level + 20 * (limit / periodSeconds - 0.4))
        sum += Math.abs(bucket.estimate(nowMs + 20_000).point - then)
        count += 1
      },
    })
  }
  expect(count).toBeGreaterThan(500)
  expect(sum / count).toBeLessThan(1.5)
})
