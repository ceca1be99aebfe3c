import { expect, test } from 'vitest'
import { SteppedClock } from '../stepped-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { killedWriter, writerWithin } from './killed-writer.ts'
import { reportOn, startedStore } from './started-store.ts'

/** `node test/bench/kill-history.ts` does 200. */
const ROUNDS = 6

test.skipIf(process.platform === 'win32')(
  'when the system accepts no more bytes, that is reported, and earlier entries stay',
  async () => {
    const folder = temporaryFolder()
    const text = await writerWithin(folder, 400)
    expect(text).toBe('writing\nproblem: Disk full. History is paused; monitoring continues.\n')
    const { store, problems } = startedStore(folder, new SteppedClock(Date.now()))
    expect(reportOn(store, Date.now() - 600_000, Date.now(), 'key-1')?.requests[0]?.own).toBeGreaterThan(0)
    expect(problems).toEqual([])
  },
  60_000,
)

test('a process killed during a write loses at most the last second and damages nothing', async () => {
  const folder = temporaryFolder()
  let samples = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const killed = await killedWriter(folder, 700 + round * 137)
    expect(killed.integrity).toBe('ok')
    // A process without processor time adds its last sample late, and writes that sample late, too.
    expect(killed.lostMs).toBeLessThanOrEqual(1_000 + 2 * killed.lateMs)
    samples += killed.samples
  }
  expect(samples).toBeGreaterThan(0)
  const { store, problems } = startedStore(folder, new SteppedClock(Date.now() + 120_000))
  const own = reportOn(store, Date.now() - 600_000, Date.now() + 60_000, 'key-1')?.requests[0]?.own
  expect(own).toBeGreaterThanOrEqual(samples)
  expect(problems).toEqual([])
}, 60_000)
