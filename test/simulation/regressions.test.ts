import { expect, test } from 'vitest'
import { keptRegressions } from './regressions.ts'
import { simulate } from './simulate.ts'

test('no life that once broke a law breaks one again', { timeout: 400_000 }, async () => {
  const broken: string[] = []
  for (const { seed, hours, law, story } of keptRegressions()) {
    try {
      await simulate(seed, hours, story)
    } catch (problem) {
      broken.push(`${String(problem)} (once: ${law})`)
    }
  }
  expect(broken).toEqual([])
})
