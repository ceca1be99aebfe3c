import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { part } from '../../thorough.ts'
import { liveQueue, type QueueTrouble } from './queue-lives.ts'

/** Sixty take six seconds, a thousand three minutes. Ten thousand, by hand, take half an hour. */
const LIVES = Number(process.env['HEADROOM_QUEUE_LIVES'] ?? (part() === 'quick' ? 60 : 1_000))

/** Lives that once broke a law. */
const BROKEN_ONCE = {
  'a lease vanished twice within seconds': 107_119,
  'a new dispatcher learned late of a frozen member’s part': 102_731,
  'a member that had worked alone with a guessed part handed it in as its own': 103_937,
  'a lease vanished while its holder, unknown to the next one, was cut off': 103_784,
  'a dispatcher did not charge what its own machine had sent alone': 105_451,
  'a dispatcher promised itself an allowance without knowing what others had used': 103_473,
}

test.each(Object.entries(BROKEN_ONCE))('%s: the laws of the queue hold', async (_, seed) => {
  expect((await liveQueue(seed)).accepted).toBeGreaterThan(50)
})

test('many lives of a desk’s queue keep its laws, whatever goes wrong', { timeout: 7_200_000 }, async () => {
  const troubles = new Set<QueueTrouble>()
  let accepted = 0
  for (let seed = 100_000; seed < 100_000 + LIVES; seed += 1) {
    const life = await liveQueue(seed, { hasLags: seed % 2 === 1 })
    accepted += life.accepted
    for (const trouble of Object.keys(life.troubles)) troubles.add(trouble as QueueTrouble)
  }
  expect(troubles.size).toBe(13)
  expect(accepted).toBeGreaterThan(50 * LIVES)
  proves(['M2', 'M3', 'M7'], { level: 2, cases: LIVES })
})
