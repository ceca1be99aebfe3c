import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Timeline } from '../../main/timeline.ts'
import { proves } from '../proof/proves.ts'
import { VirtualClock } from '../simulation/virtual-clock.ts'

const HOUR_MS = 3_600_000

test('starts at the wall clock and follows the monotonic one', async () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  expect(timeline.now()).toBe(clock.wallMs())
  await clock.advance(12_345)
  expect(timeline.now()).toBe(clock.wallMs())
})

test('sleep is taken over: the service lived through it', async () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  clock.sleep(HOUR_MS)
  expect(timeline.now()).toBe(clock.wallMs())
})

test('a wall clock set back undoes nothing', async () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const before = timeline.now()
  clock.jumpWall(-HOUR_MS)
  await clock.advance(1_000)
  expect(timeline.now()).toBe(before + 1_000)
})

test('sleep after the wall clock was set back is still sleep', async () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const before = timeline.now()
  clock.jumpWall(-24 * HOUR_MS)
  timeline.now()
  clock.sleep(HOUR_MS)
  expect(timeline.now()).toBe(before + HOUR_MS)
})

test('corrections of up to two seconds are not followed', () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const before = timeline.now()
  clock.jumpWall(2_000)
  expect(timeline.now()).toBe(before)
  clock.jumpWall(1)
  expect(timeline.now()).toBe(before + 2_001)
})

test('never goes back and never falls behind what the monotonic clock counted', async () => {
  const runs = 100
  const step = fc.oneof(
    fc.record({ kind: fc.constant('run' as const), ms: fc.integer({ min: 0, max: HOUR_MS }) }),
    fc.record({ kind: fc.constant('sleep' as const), ms: fc.integer({ min: 0, max: 100 * HOUR_MS }) }),
    fc.record({
      kind: fc.constant('jump' as const),
      ms: fc.integer({ min: -48 * HOUR_MS, max: 48 * HOUR_MS }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = new VirtualClock()
      const timeline = new Timeline(clock)
      let last = timeline.now()
      let counted = clock.monotonicMs()
      for (const { kind, ms } of steps) {
        if (kind === 'run') await clock.advance(ms)
        else if (kind === 'sleep') clock.sleep(ms)
        else clock.jumpWall(ms)
        const now = timeline.now()
        expect(now - last).toBeGreaterThanOrEqual(clock.monotonicMs() - counted)
        last = now
        counted = clock.monotonicMs()
      }
    }),
    { numRuns: runs },
  )
  proves('T9', { level: 2, cases: runs })
})
