import { expect, test } from 'vitest'
import { keptRegressions, LONGEST_TESTED_HOURS } from './regressions.ts'
import { simulate } from './simulate.ts'

test('no seed that once broke an invariant within six hours breaks one again', {
  timeout: 400_000,
}, async () => {
  const broken: string[] = []
  const lives = keptRegressions().filter(({ hours }) => hours <= LONGEST_TESTED_HOURS)
  expect(lives.length).toBeGreaterThan(2)
  for (const { seed, hours, violation, story } of lives) {
    try {
      await simulate(seed, hours, story)
    } catch (problem) {
      broken.push(`${String(problem)} (once: ${violation})`)
    }
  }
  expect(broken).toEqual([])
})
