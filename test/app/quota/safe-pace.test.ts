import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyAtWith, type PacedRow, safePace } from '../../../app/quota/safe-pace.ts'

const HORIZON_SECONDS = 7_200

const row = (more: Partial<PacedRow> = {}): PacedRow => ({
  model: 'rolling',
  limit: 320,
  period: 300,
  low: 100,
  use: { total: 0.6, own: 0.1, elsewhere: 0.5, elsewhereLow: 0.4, elsewhereHigh: 0.54 },
  ...more,
})

const rolling = fc
  .record({
    limit: fc.integer({ min: 10, max: 1_000 }),
    period: fc.constantFrom(60, 300, 900),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    others: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ limit, period, share, others }) => {
    const elsewhereHigh = (others * limit) / period
    const low = Math.floor(limit * share)
    const use = { total: elsewhereHigh, own: 0, elsewhere: elsewhereHigh / 2, elsewhereHigh }
    return row({ limit, period, low, use })
  })

/** The lowest level, in requests, of a quota that starts at `low` and is used at that pace after a burst. */
function lowest(
  { model, limit, period, low, use }: PacedRow,
  everySeconds: number | null,
  burst: number,
  seconds: number,
): number {
  const refill = model === 'rolling' ? limit / period : 0
  const others = use?.elsewhereHigh ?? 0
  let level = low - burst
  let least = level
  const step = everySeconds ?? seconds
  for (let at = step; at <= seconds; at += step) {
    level = Math.min(limit, level + (refill - others) * step) - (everySeconds === null ? 0 : 1)
    least = Math.min(least, level)
  }
  return least
}

test('others at the high end never empty it at the safe pace, after its burst', () => {
  fc.assert(
    fc.property(rolling, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), (one, set) => {
      const { everySeconds, burst } = safePace(one, 0, { reserve: set })
      expect(burst).toBeGreaterThanOrEqual(0)
      expect(lowest(one, everySeconds, 0, HORIZON_SECONDS)).toBeGreaterThan(-1e-6)
      const reserve = Math.min(one.low, set ?? 0.06 * one.limit)
      expect(lowest(one, everySeconds, burst, HORIZON_SECONDS)).toBeGreaterThan(reserve - 1e-6)
    }),
    { numRuns: 1_000 },
  )
})

test('a pace a tenth faster empties it', () => {
  fc.assert(
    fc.property(rolling, (one) => {
      const { everySeconds } = safePace(one, 0)
      if (everySeconds === null) return
      const faster = everySeconds / 1.1
      // Each request uses 1.1 times what refills until the next one, so the level falls by 1/11 per request.
      const seconds = (one.low * 11 + 22) * faster
      expect(lowest(one, faster, 0, seconds)).toBeLessThan(0)
    }),
    { numRuns: 1_000 },
  )
})

test('a fixed window lasts to its end at the safe pace, or after the burst, and not at a tenth more', () => {
  const fixed = fc.record({
    low: fc.integer({ min: 1, max: 320 }),
    secondsLeft: fc.integer({ min: 1, max: 300 }),
    others: fc.double({ min: 0, max: 2, noNaN: true }),
  })
  fc.assert(
    fc.property(fixed, ({ low, secondsLeft, others }) => {
      const use = { total: others, own: 0, elsewhere: others }
      const one = row({ model: 'fixed', low, use, windowEndsAt: secondsLeft * 1_000 })
      const { everySeconds, burst } = safePace(one, 0)
      expect(low - burst - others * secondsLeft).toBeGreaterThan(
        burst > 0 ? 20 - 1e-6 : Number.NEGATIVE_INFINITY,
      )
      if (everySeconds === null) return
      const left = (pace: number) => low - others * secondsLeft - secondsLeft / pace
      expect(left(everySeconds)).toBeGreaterThan(-1e-6)
      // If almost nothing is left, a difference of a tenth is lost in rounding.
      if (low - others * secondsLeft > 1e-6) expect(left(everySeconds / 1.1)).toBeLessThan(0)
    }),
    { numRuns: 1_000 },
  )
})

describe('the safe pace of one row', () => {
  test('is the refill minus others’ highest use; the burst leaves the reserve', () => {
    expect(safePace(row(), 0)).toEqual({ everySeconds: 1 / (320 / 300 - 0.54), burst: 80 })
  })
  test('is zero if others use the whole refill, and there is no burst below the reserve', () => {
    const use = { total: 1.25, own: 0, elsewhere: 1.25, elsewhereHigh: 1.3 }
    expect(safePace(row({ use, low: 19 }), 0)).toEqual({ everySeconds: null, burst: 0 })
  })
  test('is zero during the wait after a 429', () => {
    expect(safePace(row({ blockedUntil: 40_000 }), 0)).toEqual({ everySeconds: null, burst: 0 })
  })
  test('is the refill if no use is known', () => {
    expect(safePace(row({ use: null }), 0)).toMatchObject({ everySeconds: 300 / 320 })
  })
  test.each([
    ['has ended', { windowEndsAt: 1_000 }],
    ['is unknown', {}],
  ])('spreads the level over a whole period if the fixed window %s', (_, known) => {
    const use = { total: 0.5, own: 0, elsewhere: 0.5, elsewhereHigh: 0.5 }
    const one = row({ model: 'fixed', low: 320, use, ...known })
    expect(safePace(one, 1_000)).toEqual({ everySeconds: 1 / (320 / 300 - 0.5), burst: 150 })
    // Nothing refills before the next window ends.
    expect(emptyAtWith(one, 1, 1_000)).toBe(1_000 + (320 / 1.5) * 1000)
  })
})

describe('the safe pace of a part of the quota', () => {
  const idle = { total: 0, own: 0, elsewhere: 0 }
  test('is within the part’s tokens, its share of the reserve, and its share of the refill', () => {
    const one = row({ low: 320, use: idle })
    expect(safePace(one, 0)).toEqual({ everySeconds: 300 / 320, burst: 300 })
    expect(safePace(one, 0, { part: { fraction: 1 / 2, tokens: 160 } })).toEqual({
      everySeconds: 600 / 320,
      burst: 150,
    })
    expect(safePace(one, 0, { part: { fraction: 1 / 2, tokens: 31.5 } }).burst).toBe(21)
    expect(safePace(one, 0, { part: { fraction: 1 / 2, tokens: -3 } }).burst).toBe(0)
  })
  test('is that share of the lower bound before the part was used', () => {
    expect(safePace(row({ low: 320, use: idle }), 0, { part: { fraction: 1 / 4 } }).burst).toBe(75)
    expect(safePace(row({ low: 320, use: idle }), 0, { part: { fraction: 0 } })).toEqual({
      everySeconds: null,
      burst: 0,
    })
  })
  test('is limited by others as that of the whole quota', () => {
    const whole = safePace(row(), 0)
    expect(safePace(row(), 0, { part: { fraction: 0.9, tokens: 288 } })).toEqual(whole)
    expect(safePace(row(), 0, { part: { fraction: 1 } })).toEqual(whole)
  })
  test('spreads its tokens over the rest of a fixed window', () => {
    const one = row({ model: 'fixed', low: 200, use: idle, windowEndsAt: 100_000 })
    expect(safePace(one, 0, { part: { fraction: 1 / 2, tokens: 50 } })).toEqual({
      everySeconds: 2,
      burst: 40,
    })
  })
})

describe('a higher rate', () => {
  test('lasts up to the refill, and empties it sooner the more is added', () => {
    const spare = 320 / 300 - 0.1 - 0.54
    expect(emptyAtWith(row(), spare - 0.001, 0)).toBe('lasts')
    expect(emptyAtWith(row(), spare + 0.5, 0)).toBeCloseTo(200_000, 3)
    expect(emptyAtWith(row(), spare + 1, 0)).toBeCloseTo(100_000, 3)
  })
  test('is unknown without others’ use', () => {
    expect(emptyAtWith(row({ use: null }), 0.5, 0)).toBe('not-known')
    expect(emptyAtWith(row({ use: null }), 0, 0)).toBe('not-known')
  })
  test('a fixed window lasts if its end comes first', () => {
    const fixed = row({ model: 'fixed', windowEndsAt: 100_000 })
    expect(emptyAtWith(fixed, 0.3, 0)).toBe('lasts')
    expect(emptyAtWith(fixed, 0.61, 0)).toBeCloseTo(80_000, 3)
  })
  test('a fixed window lasts that would be empty just as it ends', () => {
    const use = { total: 0.75, own: 0.25, elsewhere: 0.5 }
    const fixed = row({ model: 'fixed', windowEndsAt: 100_000, use })
    expect(emptyAtWith(fixed, 0.25, 0)).toBe('lasts')
    expect(emptyAtWith({ ...fixed, windowEndsAt: 100_001 }, 0.25, 0)).toBe(100_000)
  })
})
