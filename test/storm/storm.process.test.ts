import { expect, test } from 'vitest'
import { SHORT_FAULTS } from './faults.ts'
import { isBroken } from './judge.ts'
import { storm } from './storm.ts'
import { stormTable } from './table.ts'

/** A minute of `npm run storm`: the same processes and rules, and four of its faults. */
const SLOT_SECONDS = 15

test('a minute of faults on a busy gateway loses nothing', async ({ signal }) => {
  const { verdicts, skipped } = await storm({
    faults: SHORT_FAULTS,
    slots: SHORT_FAULTS.length,
    slotSeconds: SLOT_SECONDS,
    seed: 1,
    say: () => {},
    signal,
  })
  expect(skipped).toEqual([])
  expect(verdicts.map(({ fault }) => fault)).toEqual(['status 099', 'resets', 'garbage', 'kill -9'])
  expect(verdicts.some(isBroken), stormTable(verdicts)).toBe(false)
  // A storm in which programs do nothing would prove nothing.
  for (const { figures } of verdicts) {
    expect(figures.requests).toBeGreaterThan(200)
    expect(figures.byService).toBeGreaterThan(0)
  }
}, 300_000)
