import { expect, test } from 'vitest'
import { levelErrors } from './level-errors.ts'

const RULE = { limit: 60, periodSeconds: 60, window: 'rolling' } as const
const START_MS = 1_000_000
const sample = (secondsLater: number, level: number) => ({
  ...{ machine: 'A', category: 'Accounts', atMs: START_MS + secondsLater * 1_000 },
  ...{ level, low: level - 1, high: level + 1 },
})

test('levels are compared with what the service had left at the same moment', () => {
  const row = {
    rule: RULE,
    startLevel: 30,
    startMs: START_MS,
    acceptedMs: [START_MS + 500, START_MS + 1_500],
  }
  // One request a second refills. The true levels are 30, then 30 + 1 − 1, then 30 + 2 − 2.
  const { mean, worst, samples, within } = levelErrors({ Accounts: row }, [
    sample(2, 30.5),
    sample(0, 30),
    sample(1, 33),
  ])
  expect(samples).toBe(3)
  expect(mean).toBeCloseTo(3.5 / 3, 6)
  expect(worst).toMatchObject({ atMs: START_MS + 1_000, level: 33, truth: 30 })
  expect(within).toBeCloseTo(2 / 3, 6)
})
