import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { liveDesk } from './desk-lives.ts'

/** Two thousand take about five minutes. */
const LIVES = 2_000

test('two thousand lives of a desk keep its laws', { timeout: 3_600_000 }, async () => {
  const broken: string[] = []
  let machines = 0
  for (let seed = 100_000; seed < 100_000 + LIVES; seed += 1) {
    try {
      machines += (await liveDesk(seed)).machines
    } catch (error) {
      if (!(error instanceof Error)) throw error
      broken.push(error.message)
    }
  }
  expect(broken).toEqual([])
  expect(machines).toBeGreaterThan(3 * LIVES)
  proves('M4', { level: 2, cases: LIVES })
})
