import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { liveQueue } from './queue-lives.ts'

/** Number of lives. A thousand take about three minutes. Ten thousand, by hand, take half an hour. */
const LIVES = Number(process.env['HEADROOM_QUEUE_LIVES'] ?? 1_000)

test('a thousand lives of a desk’s queue keep its laws', { timeout: 7_200_000 }, async () => {
  const broken: string[] = []
  let machines = 0
  for (let seed = 100_000; seed < 100_000 + LIVES; seed += 1) {
    try {
      machines += (await liveQueue(seed)).machines
    } catch (error) {
      if (!(error instanceof Error)) throw error
      broken.push(error.message)
    }
  }
  expect(broken).toEqual([])
  expect(machines).toBeGreaterThan(2 * LIVES)
  proves(['M2', 'M3', 'M7'], { level: 2, cases: LIVES })
})
