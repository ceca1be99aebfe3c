import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { liveQueue, type QueueTrouble } from './queue-lives.ts'

/** Two hundred take about forty seconds. */
const LIVES = 200

/** Lives that once broke a law: a lease vanished twice within seconds. */
const BROKEN_ONCE = [107_119]

test.each(BROKEN_ONCE)('life %i keeps the laws of a desk’s queue', async (seed) => {
  expect((await liveQueue(seed)).accepted).toBeGreaterThan(50)
})

test('two hundred lives of a desk’s queue keep its laws, whatever goes wrong', {
  timeout: 600_000,
}, async () => {
  const troubles = new Set<QueueTrouble>()
  let accepted = 0
  for (let seed = 0; seed < LIVES; seed += 1) {
    const life = await liveQueue(seed)
    accepted += life.accepted
    for (const trouble of Object.keys(life.troubles)) troubles.add(trouble as QueueTrouble)
  }
  expect(troubles.size).toBe(13)
  expect(accepted).toBeGreaterThan(50 * LIVES)
  proves(['M2', 'M3', 'M7'], { level: 2, cases: LIVES })
})
