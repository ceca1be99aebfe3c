import { describe, expect, test } from 'vitest'
import { rollingAllows, rollingShows } from '../../../app/quota/window-model.ts'

describe('the level after a header of a rolling interval', () => {
  test('is a fraction above Remaining, which Reset narrows if a request refills in over a second', () => {
    // 30 in 60 s: one request refills in 2 s, so a second of Reset is worth half a request.
    expect(rollingShows(30, 60, 10, 40)).toEqual({ least: 10, most: 10.5 })
    expect(rollingShows(30, 60, 10, 39)).toEqual({ least: 10.5, most: 11 })
  })

  test('is the fraction alone without Reset, if a request refills in under a second, and at the limit', () => {
    expect(rollingShows(30, 60, 10, undefined)).toEqual({ least: 10, most: 11 })
    expect(rollingShows(500, 300, 100, 240)).toEqual({ least: 100, most: 101 })
    expect(rollingShows(30, 60, 30, undefined)).toEqual({ least: 30, most: 30 })
    expect(rollingShows(30, 60, 29, 1)).toEqual({ least: 29.5, most: 30 })
  })

  test('is Remaining if Reset contradicts it by more than the rounding of a clock', () => {
    expect(rollingShows(30, 60, 10, 37)).toEqual({ least: 10, most: 11 })
    expect(rollingShows(30, 60, 10, 42)).toEqual({ least: 10, most: 11 })
    // A Reset of 38 s means 11 to 11.5 requests, which touches the 10 to 11 of Remaining. A Reset of 41 s
    // means 9.5 to 10.
    expect(rollingShows(30, 60, 10, 38)).toEqual({ least: 11, most: 11 })
    expect(rollingShows(30, 60, 10, 41)).toEqual({ least: 10, most: 10 })
    // 1,000 in 20,000 s: a twentieth of a request refills in the tolerance of one second.
    expect(rollingShows(1_000, 20_000, 10, 19_779)).toEqual({ least: 11, most: 11 })
    expect(rollingShows(1_000, 20_000, 10, 19_778)).toEqual({ least: 10, most: 11 })
    expect(rollingShows(1_000, 20_000, 10, 19_801)).toEqual({ least: 10, most: expect.closeTo(10, 9) })
    expect(rollingShows(1_000, 20_000, 10, 19_804)).toEqual({ least: 10, most: 11 })
  })
})

describe('a rolling interval allows a Reset', () => {
  const allowed = (remaining: number, seconds: readonly number[], lasted = 0) =>
    seconds.map((resetSeconds) => rollingAllows(500, 300, remaining, resetSeconds, lasted))

  test('that is the time to full, give or take a second', () => {
    // 399 to 400 missing requests refill in 239.4 to 240 s.
    expect(allowed(100, [237, 238, 241, 242])).toEqual([false, true, true, false])
    expect(allowed(500, [0, 1, 2])).toEqual([true, true, false])
    expect(allowed(0, [297, 298, 301, 302])).toEqual([false, true, true, false])
  })

  test('that is off by as long as the request was in flight', () => {
    expect(allowed(100, [234, 235, 244, 245], 3)).toEqual([false, true, true, false])
  })
})
