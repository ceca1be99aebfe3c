import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OwnRequestTimes } from '../../../app/gateway/own-request-times.ts'

test('a request is in flight until it is taken, which returns when it was sent', () => {
  const times = new OwnRequestTimes()
  times.sent(1, 10)
  times.sent(2, 20)
  expect(times.inFlight).toBe(2)
  expect([times.take(1), times.take(1)]).toEqual([10, undefined])
  expect(times.inFlight).toBe(1)
})

test('counts requests that ended at or after a time, even if reported late', () => {
  const times = new OwnRequestTimes()
  times.sent(1, 0)
  for (const endedAtMs of [10, 30, 20, 30]) times.ended(endedAtMs)
  expect([0, 10, 11, 20, 21, 30, 31].map((sinceMs) => times.endedSince(sinceMs))).toEqual([
    4, 4, 3, 3, 2, 2, 0,
  ])
})

test('keeps ends while a request in flight, or the caller, may ask for them', () => {
  const times = new OwnRequestTimes()
  times.sent(1, 100)
  times.ended(100)
  times.ended(200)
  expect(times.endedSince(100)).toBe(2)
  times.take(1)
  times.ended(300, 200)
  expect(times.endedSince(200)).toBe(2)
})

test('forgets ends that nobody can ask for', () => {
  const times = new OwnRequestTimes()
  for (const endedAtMs of [10, 20, 30]) times.ended(endedAtMs)
  expect(times.endedSince(0)).toBe(1)
  times.sent(1, 40)
  for (const endedAtMs of [50, 60]) times.ended(endedAtMs)
  expect(times.endedSince(0)).toBe(2)
})

const steps = fc.array(fc.record({ tookMs: fc.nat(40), lateMs: fc.nat(5) }), {
  minLength: 2_500,
  maxLength: 6_000,
})

test('counts exactly among thousands of ends those since the oldest request in flight', () => {
  fc.assert(
    fc.property(steps, (requests) => {
      const times = new OwnRequestTimes()
      const ends: number[] = []
      let oldestMs = 0
      for (const [id, { tookMs, lateMs }] of requests.entries()) {
        times.sent(id, id * 10)
        if (id < 4) continue
        oldestMs = times.take(id - 4)!
        const endedAtMs = oldestMs + Math.max(0, tookMs - lateMs)
        times.ended(endedAtMs, oldestMs)
        ends.push(endedAtMs)
        if (id % 97 !== 0) continue
        for (const sinceMs of [oldestMs, oldestMs + 10, oldestMs + 20])
          expect(times.endedSince(sinceMs)).toBe(ends.filter((atMs) => atMs >= sinceMs).length)
      }
    }),
    { numRuns: 5 },
  )
})
