import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BucketRule,
  bucketAt,
  fullBucket,
  readingOf,
  spend,
  type ThrottleBucket,
} from '../../../../main/simulator/rules/throttle.ts'

const QUOTES: BucketRule = { limit: 500, periodSeconds: 300, window: 'rolling' }
const POSITIONS: BucketRule = { limit: 320, periodSeconds: 300, window: 'rolling' }

function drained(rule: BucketRule, atMs: number): ThrottleBucket {
  let bucket = fullBucket(rule, atMs)
  for (let i = 0; i < rule.limit; i++) bucket = spend(rule, bucket, atMs).bucket
  return bucket
}

describe('rolling intervals (service 8.3.1 to 8.3.4)', () => {
  test('500 requests per 300 seconds refill one every 0.6 seconds', () => {
    const empty = drained(QUOTES, 0)
    expect(spend(QUOTES, empty, 0).accepted).toBe(false)
    expect(spend(QUOTES, empty, 599).accepted).toBe(false)
    expect(spend(QUOTES, empty, 600).accepted).toBe(true)
    expect(readingOf(QUOTES, empty, 1199).remaining).toBe(1)
    expect(readingOf(QUOTES, empty, 1200).remaining).toBe(2)
  })

  test('a wait of 100 seconds refills about 167 of 500 requests', () => {
    const level = bucketAt(QUOTES, drained(QUOTES, 0), 100_000)
    expect(level.kind === 'rolling' && level.level / 300_000).toBeCloseTo(166.67, 2)
    expect(readingOf(QUOTES, drained(QUOTES, 0), 100_000).remaining).toBe(166)
    expect(readingOf(QUOTES, drained(QUOTES, 0), 100_200).remaining).toBe(167)
  })

  test('Reset is the seconds to a full bucket, rounded up', () => {
    expect(readingOf(QUOTES, drained(QUOTES, 0), 0)).toEqual({ remaining: 0, resetSeconds: 300 })
    expect(readingOf(QUOTES, drained(QUOTES, 0), 1)).toEqual({ remaining: 0, resetSeconds: 300 })
    expect(readingOf(QUOTES, drained(QUOTES, 0), 1000)).toEqual({ remaining: 1, resetSeconds: 299 })
    expect(readingOf(QUOTES, drained(QUOTES, 0), 300_000)).toEqual({ remaining: 500, resetSeconds: 0 })
    const one = spend(QUOTES, fullBucket(QUOTES, 0), 0).bucket
    expect(readingOf(QUOTES, one, 0)).toEqual({ remaining: 499, resetSeconds: 1 })
  })

  test('the fraction of a request survives any number of polls', () => {
    let bucket = drained(POSITIONS, 0)
    for (let ms = 0; ms < 937; ms++) bucket = bucketAt(POSITIONS, bucket, ms)
    expect(spend(POSITIONS, bucket, 937).accepted).toBe(false)
    expect(spend(POSITIONS, bucket, 938).accepted).toBe(true)
  })

  test('a clock set back neither adds nor removes requests', () => {
    const empty = drained(QUOTES, 10_000)
    expect(bucketAt(QUOTES, empty, 0)).toEqual(empty)
  })
})

describe('fixed windows (service 8.3.5)', () => {
  const EARLIER: BucketRule = { limit: 250, periodSeconds: 300, window: 'fixed' }

  test('the last of 1 request plus 250 more fails', () => {
    let bucket = spend(EARLIER, fullBucket(EARLIER, 0), 5000).bucket
    const outcomes: boolean[] = []
    for (let i = 0; i < 250; i++) {
      const outcome = spend(EARLIER, bucket, 6000 + i)
      outcomes.push(outcome.accepted)
      bucket = outcome.bucket
    }
    expect(outcomes.filter(Boolean)).toHaveLength(249)
    expect(outcomes.at(-1)).toBe(false)
  })

  test('the window starts at the first request, never slides, and then the count returns to zero', () => {
    let bucket = spend(EARLIER, fullBucket(EARLIER, 0), 5000).bucket
    bucket = spend(EARLIER, bucket, 200_000).bucket
    expect(readingOf(EARLIER, bucket, 200_000)).toEqual({ remaining: 248, resetSeconds: 105 })
    expect(readingOf(EARLIER, bucket, 304_999)).toEqual({ remaining: 248, resetSeconds: 1 })
    expect(readingOf(EARLIER, bucket, 305_000)).toEqual({ remaining: 250, resetSeconds: 0 })
    bucket = spend(EARLIER, bucket, 400_000).bucket
    expect(readingOf(EARLIER, bucket, 400_000)).toEqual({ remaining: 249, resetSeconds: 300 })
  })
})

const rules = fc.record({
  limit: fc.integer({ min: 1, max: 600 }),
  periodSeconds: fc.constantFrom(1, 7, 60, 300),
  window: fc.constantFrom('rolling' as const, 'fixed' as const),
})
const gaps = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 400_000 })),
  {
    maxLength: 60,
  },
)

describe('any sequence of requests', () => {
  test('Remaining stays between 0 and the limit, and Reset between 0 and the period', () => {
    fc.assert(
      fc.property(rules, gaps, (rule, waits) => {
        let atMs = 0
        let bucket = fullBucket(rule, atMs)
        for (const wait of waits) {
          atMs += wait
          bucket = spend(rule, bucket, atMs).bucket
          const { remaining, resetSeconds } = readingOf(rule, bucket, atMs)
          expect(remaining).toBeGreaterThanOrEqual(0)
          expect(remaining).toBeLessThanOrEqual(rule.limit)
          expect(resetSeconds).toBeGreaterThanOrEqual(0)
          expect(resetSeconds).toBeLessThanOrEqual(rule.periodSeconds)
        }
      }),
    )
  })

  test('a rate-limited request costs nothing', () => {
    fc.assert(
      fc.property(rules, gaps, (rule, waits) => {
        let atMs = 0
        let bucket = drained(rule, atMs)
        for (const wait of waits) {
          atMs += wait
          const before = readingOf(rule, bucket, atMs)
          const outcome = spend(rule, bucket, atMs)
          bucket = outcome.bucket
          if (!outcome.accepted) {
            expect(before.remaining).toBe(0)
            expect(readingOf(rule, bucket, atMs)).toEqual(before)
          } else expect(readingOf(rule, bucket, atMs).remaining).toBe(before.remaining - 1)
        }
      }),
    )
  })

  test('a rolling bucket equals one that is filled millisecond by millisecond', () => {
    const short = fc.record({
      limit: fc.integer({ min: 1, max: 50 }),
      periodSeconds: fc.constantFrom(1, 3, 7),
    })
    const shortGaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 40 })
    fc.assert(
      fc.property(short, shortGaps, ({ limit, periodSeconds }, waits) => {
        const rule: BucketRule = { limit, periodSeconds, window: 'rolling' }
        // The reference stores the missing part in thousandths of a request's share, and advances millisecond
        // by millisecond.
        const whole = periodSeconds * 1000
        let missing = 0
        let atMs = 0
        let bucket = fullBucket(rule, 0)
        for (const wait of waits) {
          for (let ms = 0; ms < wait; ms++) missing = Math.max(0, missing - limit)
          atMs += wait
          const outcome = spend(rule, bucket, atMs)
          bucket = outcome.bucket
          const fits = limit * whole - missing >= whole
          if (fits) missing += whole
          expect(outcome.accepted).toBe(fits)
          expect(readingOf(rule, bucket, atMs)).toEqual({
            remaining: Math.floor((limit * whole - missing) / whole),
            resetSeconds: Math.ceil(missing / limit / 1000),
          })
        }
      }),
      { numRuns: 60 },
    )
  })

  test('no period ever accepts more than the limit plus the refill during it', () => {
    fc.assert(
      fc.property(rules, gaps, (rule, waits) => {
        let atMs = 0
        let accepted = 0
        let bucket = fullBucket(rule, 0)
        for (const wait of waits) {
          atMs += wait
          const outcome = spend(rule, bucket, atMs)
          bucket = outcome.bucket
          if (outcome.accepted) accepted += 1
        }
        const periods = atMs / (rule.periodSeconds * 1000)
        const most =
          rule.window === 'rolling' ? rule.limit * (1 + periods) : rule.limit * (1 + Math.floor(periods))
        expect(accepted).toBeLessThanOrEqual(most)
      }),
    )
  })
})
