import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MINUTE_MS } from '../../../app/contract/units.ts'
import { MinuteBuilder, merged, type Rollup } from '../../../app/history/rollup.ts'
import { HOLD_MS, type Sample } from '../../../app/history/sample.ts'
import { START_MS, samples } from './arbitrary-samples.ts'

const sample = (atMs: number, changes: Partial<Sample> = {}): Sample => ({
  atMs: START_MS + atMs,
  remaining: 50,
  limit: 100,
  source: 'header',
  own: 0,
  elsewhere: 0,
  rejected: 0,
  ...changes,
})

const sum = (rollups: readonly Rollup[], of: (rollup: Rollup) => number) =>
  rollups.reduce((total, rollup) => total + of(rollup), 0)

/** All minutes of the samples. The last one is closed too. */
function allMinutes(all: readonly Sample[]): readonly Rollup[] {
  const builder = new MinuteBuilder()
  const closed = all.flatMap((one) => builder.add(one) ?? [])
  const last = builder.closeAt(Number.MAX_SAFE_INTEGER)
  return last ? [...closed, last] : closed
}

test('a minute stores the lowest and highest level, and which came first', () => {
  const builder = new MinuteBuilder()
  for (const [atMs, remaining] of [
    [0, 50],
    [1_000, 70],
    [2_000, 30],
    [3_000, 60],
  ] as const) {
    builder.add(sample(atMs, { remaining }))
  }
  expect(builder.closeAt(START_MS + MINUTE_MS)).toMatchObject({ low: 30, high: 70, lowFirst: false })
})

test('an estimate does not count as an extreme of a minute with a header', () => {
  const builder = new MinuteBuilder()
  builder.add(sample(0, { remaining: 0, source: 'modelled' }))
  builder.add(sample(1_000, { remaining: 3 }))
  builder.add(sample(2_000, { remaining: 9 }))
  builder.add(sample(3_000, { remaining: 90, source: 'modelled' }))
  const minute = builder.closeAt(START_MS + MINUTE_MS)
  expect(minute).toMatchObject({ low: 3, high: 9, lowFirst: true, source: 'header' })
})

test('a minute ends with its last millisecond, not earlier', () => {
  const builder = new MinuteBuilder()
  builder.add(sample(0))
  expect(builder.closeAt(START_MS + MINUTE_MS - 1)).toBeUndefined()
  expect(builder.closeAt(START_MS + MINUTE_MS)).toBeDefined()
  expect(builder.closeAt(START_MS + MINUTE_MS)).toBeUndefined()
})

test('a sample is valid until the next one, at most twelve seconds', () => {
  const builder = new MinuteBuilder()
  builder.add(sample(0, { remaining: 19 }))
  builder.add(sample(4_000, { remaining: 20 }))
  builder.add(sample(40_000, { remaining: 19 }))
  // Known: 0–16 s and 40–52 s. Below the low threshold: 0–4 s and 40–52 s.
  expect(builder.closeAt(START_MS + MINUTE_MS)).toMatchObject({ knownMs: 28_000, nearMs: 16_000 })
})

test('a sample across the end of a minute counts in both', () => {
  const builder = new MinuteBuilder()
  builder.add(sample(55_000, { remaining: 10 }))
  const first = builder.add(sample(62_000, { remaining: 90 }))
  expect(first).toMatchObject({ knownMs: 5_000, nearMs: 5_000 })
  expect(builder.openAt(START_MS + 62_000)).toMatchObject({ knownMs: 2_000, nearMs: 2_000 })
})

test('a level from the table alone is unknown', () => {
  const builder = new MinuteBuilder()
  builder.add(sample(0, { source: 'default', own: 1 }))
  expect(builder.closeAt(START_MS + MINUTE_MS)).toMatchObject({ knownMs: 0, own: 1, source: 'default' })
})

test('for any samples, no request is lost or counted twice, and no time is invented', () => {
  fc.assert(
    fc.property(samples(), (all) => {
      const minutes = allMinutes(all)
      for (const field of ['own', 'elsewhere', 'rejected'] as const) {
        expect(sum(minutes, (minute) => minute[field])).toBe(
          all.reduce((total, one) => total + one[field], 0),
        )
      }
      for (const { knownMs, nearMs, low, high } of minutes) {
        expect(nearMs).toBeGreaterThanOrEqual(0)
        expect(knownMs).toBeGreaterThanOrEqual(nearMs)
        expect(knownMs).toBeLessThanOrEqual(MINUTE_MS)
        expect(low).toBeLessThanOrEqual(high)
      }
      expect(minutes.map(({ atMs }) => atMs)).toEqual([
        ...new Set(all.map(({ atMs }) => Math.floor(atMs / MINUTE_MS) * MINUTE_MS)),
      ])
    }),
  )
})

test('closing on the clock gives the same minutes as closing on the next sample', () => {
  fc.assert(
    fc.property(samples(60), (all) => {
      const onClock = new MinuteBuilder()
      const minutes: Rollup[] = []
      for (const one of all) {
        const early = onClock.closeAt(one.atMs)
        if (early) minutes.push(early)
        const closed = onClock.add(one)
        if (closed) minutes.push(closed)
      }
      const last = onClock.closeAt(Number.MAX_SAFE_INTEGER)
      expect(last ? [...minutes, last] : minutes).toEqual(allMinutes(all))
    }),
  )
})

test('rebuilt from any moment on, the later minutes are the same', () => {
  fc.assert(
    fc.property(samples(80), fc.nat(20), (all, skip) => {
      const minutes = allMinutes(all)
      const from = minutes[Math.min(skip, minutes.length - 1)]
      if (!from) return
      // Starts `HOLD_MS` before the minute. An older sample is not valid any more when the minute begins.
      const again = allMinutes(all.filter(({ atMs }) => atMs >= from.atMs - HOLD_MS))
      expect(again.filter(({ atMs }) => atMs >= from.atMs)).toEqual(
        minutes.filter(({ atMs }) => atMs >= from.atMs),
      )
    }),
  )
})

test('merging gives the same result in any portions', () => {
  fc.assert(
    fc.property(samples(60), fc.nat(60), (all, at) => {
      const minutes = allMinutes(all)
      const [first, ...rest] = minutes
      if (!first) return
      const cut = 1 + (at % minutes.length)
      const left = minutes.slice(1, cut).reduce(merged, first)
      const [middle, ...right] = minutes.slice(cut)
      const whole = rest.reduce(merged, first)
      const parts = middle ? merged(left, right.reduce(merged, middle)) : left
      expect(parts).toEqual(whole)
    }),
  )
})
