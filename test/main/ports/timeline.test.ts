import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Timeline } from '../../../main/ports/timeline.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

const HOUR_MS = 3_600_000

test('starts at the wall clock and follows the monotonic one', async () => {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  expect(timeline.now()).toBe(clock.wallMs())
  await clock.advance(12_345)
  expect(timeline.now()).toBe(clock.wallMs())
})

test('sleep counts as elapsed time, because the service ran through it', async () => {
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

test('a clock wrong by at most a day is not followed back; a larger correction is, and is reported', async () => {
  const clock = new VirtualClock()
  let told = 0
  const timeline = new Timeline(
    clock,
    () => {},
    () => (told += 1),
  )
  clock.jumpWall(400 * 24 * HOUR_MS)
  await clock.advance(70_000)
  expect(timeline.now()).toBe(clock.wallMs())
  clock.jumpWall(-24 * HOUR_MS)
  expect(timeline.now()).toBe(clock.wallMs() + 24 * HOUR_MS)
  expect(told).toBe(0)
  clock.jumpWall(-1)
  expect(timeline.now()).toBe(clock.wallMs())
  await clock.advance(10 * 60_000)
  clock.jumpWall(-375 * 24 * HOUR_MS)
  expect([timeline.now(), timeline.now()]).toEqual([clock.wallMs(), clock.wallMs()])
  expect(told).toBe(2)
  await clock.advance(1_000)
  clock.sleep(HOUR_MS)
  expect(timeline.now()).toBe(clock.wallMs())
})

test('sleep after the wall clock was set back still counts as sleep', async () => {
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

test('a gap is reported once, with both ends, because the clock may have been set', async () => {
  const clock = new VirtualClock()
  const gaps: (readonly number[])[] = []
  const timeline = new Timeline(clock, (fromMs, toMs) => gaps.push([fromMs, toMs, timeline.now()]))
  const startMs = timeline.now()
  await clock.advance(5_000)
  clock.jumpWall(HOUR_MS)
  await clock.advance(1_000)
  timeline.now()
  timeline.now()
  expect(gaps).toEqual([[startMs + 6_000, startMs + 6_000 + HOUR_MS, startMs + 6_000 + HOUR_MS]])
  clock.jumpWall(-HOUR_MS)
  timeline.now()
  expect(gaps).toHaveLength(1)
})

test('an announced sleep is no gap, but the next one is', () => {
  const clock = new VirtualClock()
  const gaps: number[] = []
  const timeline = new Timeline(clock, (fromMs, toMs) => gaps.push(toMs - fromMs))
  timeline.suspended()
  clock.sleep(HOUR_MS)
  expect(timeline.now()).toBe(clock.wallMs())
  timeline.resumed()
  expect(gaps).toEqual([])
  clock.jumpWall(HOUR_MS)
  timeline.now()
  expect(gaps).toEqual([HOUR_MS])
  // One sleep that is noticed only once it is over, and one that was too short to be noticed.
  timeline.suspended()
  clock.sleep(HOUR_MS)
  timeline.resumed()
  timeline.suspended()
  timeline.resumed()
  clock.jumpWall(HOUR_MS)
  timeline.now()
  expect(gaps).toEqual([HOUR_MS, HOUR_MS])
})

test('never goes back except by more than a day, and never falls behind the monotonic clock', async () => {
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
      let isSetBack = false
      let setBackAtMs = Number.NEGATIVE_INFINITY
      const timeline = new Timeline(
        clock,
        () => {},
        () => (isSetBack = true),
      )
      let last = timeline.now()
      let counted = clock.monotonicMs()
      for (const { kind, ms } of steps) {
        if (kind === 'run') await clock.advance(ms)
        else if (kind === 'sleep') clock.sleep(ms)
        else clock.jumpWall(ms)
        const now = timeline.now()
        if (isSetBack) {
          setBackAtMs = clock.monotonicMs()
          expect(now).toBe(clock.wallMs())
          expect(last + clock.monotonicMs() - counted - now).toBeGreaterThan(24 * HOUR_MS)
        } else expect(now - last).toBeGreaterThanOrEqual(clock.monotonicMs() - counted)
        if (clock.monotonicMs() - setBackAtMs >= 10 * 60_000 || isSetBack)
          expect(now - clock.wallMs()).toBeLessThanOrEqual(24 * HOUR_MS)
        isSetBack = false
        last = now
        counted = clock.monotonicMs()
      }
    }),
    { numRuns: runs },
  )
  proves('T9', { level: 2, cases: runs })
})
