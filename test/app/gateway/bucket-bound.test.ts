import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BucketBound, type Refused } from '../../../app/gateway/bucket-bound.ts'
import { longest, MAX_CLOCK_ERROR } from '../../../app/quota/window-model.ts'
import type { RateReading } from '../../../app/service/headers.ts'
import { chanceFrom } from '../quota/chance.ts'
import { ReferenceService } from '../quota/reference-service.ts'

const RULE = { limit: 320, periodSeconds: 300 } as const
const PER_MS = RULE.limit / (RULE.periodSeconds * 1000)
/** The refill that is certain on a clock that may be fast. */
const CERTAIN_PER_MS = PER_MS * (1 - MAX_CLOCK_ERROR)
const rate = (remaining: number, resetSeconds?: number): RateReading => ({
  ...RULE,
  remaining,
  ...(resetSeconds !== undefined && { resetSeconds }),
})

/** Sends a request and applies its response, at these two times. */
function ask(
  bound: BucketBound,
  [sentAtMs, atMs]: readonly [sentAtMs: number, atMs: number],
  reading?: RateReading,
  refused: Refused = 'no',
): boolean {
  bound.sent(-1, sentAtMs)
  return bound.answered(-1, refused, reading, atMs)
}

/** A bound after one request from 0 to `atMs`. */
function boundAfter(reading: RateReading, atMs = 100): BucketBound {
  const bound = new BucketBound()
  ask(bound, [0, atMs], reading)
  return bound
}

describe('before the first header', () => {
  test('one request may go at a time', () => {
    const bound = new BucketBound()
    expect(bound.allows(1, 0)).toBe(true)
    bound.sent(1, 0)
    expect(bound.allows(1, 10)).toBe(false)
    expect(bound.reachesAtMs(1, 10)).toBeUndefined()
    bound.answered(1, 'no', undefined, 20)
    expect(bound.allows(1, 20)).toBe(true)
    expect(bound.low(20)).toBeUndefined()
    expect(bound.reading(20)).toBeUndefined()
  })

  test('a header without limit and period has no effect unless the size is known', () => {
    const bound = new BucketBound()
    ask(bound, [0, 10], { remaining: 5 })
    expect(bound.low(10)).toBeUndefined()
    const sized = new BucketBound(RULE)
    ask(sized, [0, 10], { remaining: 5 })
    expect(sized.low(10)).toBe(5)
  })
})

describe('from a header on', () => {
  test('it is the higher of Remaining and the level that Reset implies', () => {
    expect(boundAfter(rate(100)).low(100)).toBe(100)
    // The quota is full in 206 s. One request refills in 0.9375 s, so at most 219.73 are missing and at least
    // 100.27 are left.
    expect(boundAfter(rate(100, 206)).low(100)).toBeCloseTo(100.2667, 4)
  })

  test('it grows by limit / period, up to the limit', () => {
    const bound = boundAfter(rate(100))
    expect(bound.low(100 + 9375 + 1)).toBeCloseTo(100 + 9375 * CERTAIN_PER_MS, 6)
    expect(bound.low(10_000_000)).toBe(320)
  })

  test('allows a level in the millisecond in which it is reached, not earlier', () => {
    const bound = boundAfter(rate(0))
    const atMs = bound.reachesAtMs(1, 100)
    expect(atMs).toBe(1040)
    expect(bound.allows(1, 1039)).toBe(false)
    expect(bound.allows(1, 1040)).toBe(true)
  })

  test('allows a level at the predicted time, and not two milliseconds earlier, for any quota', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 604_800 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (limit, periodSeconds, left, wanted) => {
          const bound = boundAfter({ limit, periodSeconds, remaining: Math.floor(left * limit) })
          const level = Math.max(1, Math.ceil(wanted * limit))
          const atMs = bound.reachesAtMs(level, 100)!
          if (!bound.allows(level, atMs)) expect.fail(`not allowed at ${atMs}`)
          if (atMs > 101 && bound.allows(level, atMs - 2)) expect.fail(`allowed before ${atMs}`)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  test('subtracts requests in flight, and those that ended after the header’s own request was sent', () => {
    const bound = boundAfter(rate(100))
    bound.sent(1, 200)
    bound.sent(2, 210)
    expect(bound.low(210)).toBeLessThanOrEqual(98 + 110 * PER_MS)
    bound.answered(1, 'no', undefined, 300)
    expect(bound.inFlight).toBe(1)
    // Request 1 was answered after request 2 was sent, so the service may have counted it after request 2.
    // But no header has shown another program, so the 2 missing requests can only be these two.
    bound.answered(2, 'no', rate(98), 310)
    expect(bound.low(310)).toBeGreaterThanOrEqual(98)
    expect(bound.low(310)).toBeLessThan(98.3)
  })

  test('a request in flight while the bucket is full may be counted late', () => {
    const bound = boundAfter(rate(320))
    bound.sent(1, 200)
    expect(bound.low(60_000)).toBe(319)
    bound.answered(1, 'no', undefined, 60_000)
    expect(bound.low(60_000)).toBe(319)
    expect(bound.low(61_000)).toBe(320)
  })

  test('a header below the bound shows another program, and lowers the bound', () => {
    const bound = boundAfter(rate(100))
    expect(ask(bound, [200, 300], rate(60))).toBe(true)
    expect(bound.low(300)).toBe(60)
  })

  test('a late header from before another program’s use does not hide that use', () => {
    const bound = boundAfter(rate(100))
    bound.sent(1, 200)
    ask(bound, [201, 300], rate(0, 300), 'rate')
    // The service counted request 1 before the other program's requests.
    bound.answered(1, 'no', rate(98), 310)
    expect(bound.low(310)).toBeLessThan(0.1)
    ask(bound, [320, 330], rate(50))
    expect(bound.low(330)).toBe(50)
  })

  test('of two requests in one millisecond, the one answered first may be counted last', () => {
    const bound = boundAfter(rate(100))
    bound.sent(1, 200)
    ask(bound, [200, 200])
    bound.answered(1, 'rate', rate(50), 210)
    expect(bound.low(210)).toBe(49)
  })

  test('a request that never reached the service costs nothing', () => {
    const bound = boundAfter(rate(100))
    bound.sent(1, 200)
    expect(bound.notSent(1)).toBe(200)
    expect(bound.low(200)).toBeGreaterThanOrEqual(100)
    expect(bound.notSent(1)).toBeUndefined()
  })

  test('a lost request may be counted for a while, even in a full bucket', () => {
    const bound = boundAfter(rate(320))
    bound.sent(1, 1000)
    bound.lost(1, 1000, 2000)
    expect(bound.low(1000)).toBeCloseTo(320 - 2000 * CERTAIN_PER_MS - 1, 6)
  })

  test('limit and period may change at any time: the header overrides them and voids the bound', () => {
    const bound = boundAfter(rate(300))
    expect(ask(bound, [200, 300], { limit: 250, periodSeconds: 300, remaining: 240 })).toBe(true)
    expect(bound.limit).toBe(250)
    expect(bound.low(300)).toBe(240)
    expect(bound.low(10_000_000)).toBe(250)
  })

  test('nothing grows while the clock is uncertain', () => {
    const bound = boundAfter(rate(100))
    const before = bound.low(5_000)!
    bound.markClockUncertain(5_000, 3_605_000)
    expect(bound.low(3_605_000)).toBeCloseTo(before, 6)
  })
})

describe('after a 429', () => {
  test('it is recomputed from the 429’s own fields, and does not wait for Reset', () => {
    const bound = boundAfter(rate(100))
    expect(ask(bound, [200, 300], rate(0, 300), 'rate')).toBe(true)
    expect(bound.low(300)).toBe(0)
    expect(bound.reachesAtMs(1, 300)).toBe(300 + 1 + 939)
  })

  test('a 429 without fields pauses the bucket for 60 s, then twice as long, up to an hour', () => {
    const bound = boundAfter(rate(100))
    let nowMs = 200
    const waits: number[] = []
    for (let i = 0; i < 8; i += 1) {
      ask(bound, [nowMs, nowMs], undefined, 'unattributed')
      const nextMs = bound.reachesAtMs(1, nowMs)!
      waits.push((nextMs - nowMs) / 1000)
      nowMs = nextMs
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
    ask(bound, [nowMs, nowMs])
    ask(bound, [nowMs, nowMs], undefined, 'unattributed')
    expect(bound.reachesAtMs(1, nowMs)).toBe(nowMs + 60_000)
  })

  test('requests that get 429s together cause one pause', () => {
    const bound = boundAfter(rate(100))
    bound.sent(1, 200)
    bound.sent(2, 200)
    bound.answered(1, 'unattributed', undefined, 300)
    bound.answered(2, 'unattributed', undefined, 400)
    expect(bound.reachesAtMs(1, 400)).toBe(60_300)
  })

  test('a 429 that shows requests left is not trusted: the bucket pauses', () => {
    const bound = boundAfter(rate(100))
    ask(bound, [200, 300], rate(50), 'rate')
    expect(bound.allows(1, 300)).toBe(false)
    expect(bound.reachesAtMs(1, 300)).toBe(60_300)
  })

  test('a 429 that shows a full bucket is not trusted', () => {
    const bound = boundAfter(rate(100))
    ask(bound, [200, 300], rate(0, 0), 'rate')
    expect(bound.low(302)).toBeLessThan(0.01)
    expect(bound.reachesAtMs(1, 300)).toBe(300 + 1 + 939)
  })

  test('a bucket also pauses before the first header', () => {
    const bound = new BucketBound()
    ask(bound, [0, 100], undefined, 'rate')
    expect(bound.allows(1, 60_099)).toBe(false)
    expect(bound.allows(1, 60_100)).toBe(true)
    expect(bound.isForgettable(60_099)).toBe(false)
    expect(bound.isForgettable(60_100)).toBe(true)
  })
})

/** When a window has certainly ended on the own clock, after a header at `atMs`. */
const endOf = (resetSeconds: number, atMs = 100): number => Math.ceil(atMs + longest(resetSeconds * 1000) + 1)

const boundOfWindow = () => boundAfter(rate(200, 290))
const END = endOf(290)

describe('a fixed window', () => {
  test('does not grow, and is full when it has certainly ended', () => {
    const bound = boundOfWindow()
    expect(bound.low(200_000)).toBe(200)
    expect(bound.low(END - 1)).toBe(200)
    expect(bound.low(END)).toBe(320)
    expect(bound.reachesAtMs(201, 1000)).toBe(END)
  })

  test('own requests near its end may be in the next one', () => {
    const bound = boundOfWindow()
    ask(bound, [289_500, 289_600])
    bound.sent(2, 290_000)
    expect(bound.low(END)).toBe(318)
  })

  test('a next window without a header ends within a period', () => {
    const bound = boundOfWindow()
    bound.sent(1, 291_000)
    bound.lost(1, 291_000, 0)
    expect(bound.low(500_000)).toBe(319)
    expect(bound.low(endOf(300, 291_000))).toBe(320)
  })

  test('a late header of the previous window has no effect', () => {
    const bound = boundOfWindow()
    bound.sent(1, 289_000)
    ask(bound, [290_300, 290_400], rate(319, 300))
    bound.answered(1, 'no', rate(3, 2), 290_500)
    expect(bound.low(290_500)).toBeGreaterThanOrEqual(318)
  })

  test('closes when it has ended unused: the next one begins with a request', () => {
    const bound = boundOfWindow()
    bound.advance(END)
    expect(bound.reading(END)).toEqual({ ...RULE, remaining: 320, resetSeconds: 0 })
  })

  test('differs from a rolling interval at any time by more than the request took', () => {
    const bound = new BucketBound()
    ask(bound, [10_000_000, 10_000_100], rate(200, 290))
    expect(bound.low(10_200_000)).toBe(200)
  })

  test('ends at the time that all of its headers show, each rounded to a second', () => {
    const bound = boundOfWindow()
    ask(bound, [1_000, 3_000], rate(199, 289))
    expect(bound.reachesAtMs(201, 3_000)).toBe(END)
    ask(bound, [4_500, 4_600], rate(198, 285))
    expect(bound.reachesAtMs(201, 4_600)).toBe(endOf(285, 4_600))
  })

  test('is followed by a window of one period, as its first header shows', () => {
    const bound = boundOfWindow()
    ask(bound, [291_000, 291_100], rate(100, 300))
    expect(bound.reachesAtMs(200, 291_100)).toBe(endOf(300, 291_100))
  })

  test('may have ended from its earliest end on: a lower header then shows no other program', () => {
    const lower = (sentAtMs: number, nowMs: number, resetSeconds: number) => {
      const bound = boundOfWindow()
      return ask(bound, [sentAtMs, nowMs], rate(150, resetSeconds))
    }
    expect(lower(287_700, 288_825, 2)).toBe(true)
    expect(lower(287_700, 288_826, 2)).toBe(false)
    expect(lower(289_000, 289_100, 1)).toBe(false)
  })

  test('is recognised by its header, even without its end', () => {
    const bound = boundOfWindow()
    bound.advance(END)
    ask(bound, [300_000, 300_100], rate(310))
    expect(bound.low(300_100)).toBe(310)
  })

  test('a late header of a window before the first known one is ignored', () => {
    const bound = new BucketBound()
    bound.sent(1, 0)
    expect(ask(bound, [1_100, 1_200], rate(319, 300))).toBe(true)
    bound.answered(1, 'no', rate(5, 1), 1_300)
    expect(bound.low(1_300)).toBeGreaterThanOrEqual(317)
    expect(bound.reading(1_300)?.resetSeconds).toBe(301)
  })

  test('a bucket mistaken for fixed grows again once a header fits only a rolling interval', () => {
    const bound = boundOfWindow()
    expect(ask(bound, [10_000, 10_100], rate(199, 114))).toBe(true)
    expect(bound.low(10_101 + 93_750)).toBeGreaterThan(298)
  })

  test('turns beyond one window’s requests come in later windows', () => {
    const bound = boundAfter(rate(0, 290))
    expect(bound.turnAtMs(1, 0, 1000)).toBeCloseTo(END, 6)
    expect(bound.turnAtMs(1, 319, 1000)).toBeCloseTo(END, 6)
    expect(bound.turnAtMs(1, 320, 1000)).toBeCloseTo(END + 300_000, 6)
  })
})

describe('the fields for a 429', () => {
  test('of a rolling bucket: what is certainly left, and when it is full', () => {
    const bound = boundAfter(rate(100))
    // The quota is full after 220 × 0.9375 s = 206.25 s, rounded up.
    expect(bound.reading(100)).toEqual({ ...RULE, remaining: 100, resetSeconds: 207 })
    expect(bound.reading(1_100)).toEqual({ ...RULE, remaining: 101, resetSeconds: 206 })
    expect(bound.reading(10_000_000)).toEqual({ ...RULE, remaining: 320, resetSeconds: 0 })
  })

  test('never less than nothing left', () => {
    const bound = boundAfter(rate(1))
    for (const id of [1, 2, 3]) bound.sent(id, 100)
    expect(bound.reading(100)).toEqual({ ...RULE, remaining: 0, resetSeconds: 302 })
  })

  test('of a fixed window: when it has certainly ended', () => {
    const bound = boundOfWindow()
    expect(bound.reading(END - 289_000 + 1)).toEqual({ ...RULE, remaining: 200, resetSeconds: 289 })
    expect(bound.reading(END - 289_000 - 1)?.resetSeconds).toBe(290)
    expect(bound.reading(400_000)).toEqual({ ...RULE, remaining: 320, resetSeconds: 0 })
  })
})

describe('the time of a turn', () => {
  test('at once before the first header, and where the level is reached', () => {
    expect(new BucketBound().turnAtMs(1, 5, 100)).toBe(100)
    const bound = boundAfter(rate(3))
    expect([bound.turnAtMs(1, 2, 100), bound.turnAtMs(3, 0, 100)]).toEqual([100, 100])
  })

  test('is when as many have refilled as it needs plus those ahead and in flight', () => {
    const bound = boundAfter(rate(0))
    expect(bound.turnAtMs(1, 2, 100)).toBeCloseTo(101 + 3 / PER_MS, 6)
    expect(bound.turnAtMs(5, 0.5, 100)).toBeCloseTo(101 + 5.5 / PER_MS, 6)
    expect(bound.turnAtMs(1, 2, 1_000)).toBeLessThan(101 + 3 / PER_MS + 1)
    bound.sent(1, 100)
    expect(bound.turnAtMs(1, 2, 100)).toBeCloseTo(101 + 4 / PER_MS, 6)
  })

  test('is delayed by later requests, which take at most nine tenths of the refill', () => {
    const bound = boundAfter(rate(0))
    expect(bound.turnAtMs(1, 2, 100, PER_MS / 2)).toBeCloseTo(101 + 3 / (PER_MS / 2), 6)
    expect(bound.turnAtMs(1, 2, 100, 5 * PER_MS)).toBeCloseTo(101 + 3 / (PER_MS / 10), 6)
  })

  test('is not before a pause has ended', () => {
    const bound = boundAfter(rate(3))
    ask(bound, [200, 300], undefined, 'unattributed')
    expect([bound.turnAtMs(1, 0, 400), bound.reachesAtMs(1, 400)]).toEqual([60_300, 60_300])
    expect([bound.isHeld(60_299), bound.isHeld(60_300)]).toEqual([true, false])
  })

  test('is unknown if only a response can free requests in flight', () => {
    const bound = boundAfter(rate(0))
    bound.sent(1, 100)
    expect(bound.reachesAtMs(319, 100)).toBe(Math.ceil(101 + 320 / CERTAIN_PER_MS))
    expect(bound.reachesAtMs(320, 100)).toBeUndefined()
  })
})

describe('the rate of others', () => {
  test('is 0 until a header shows it, and again a period after the last one that did', () => {
    const bound = boundAfter(rate(100))
    expect(ask(bound, [200, 300], rate(99))).toBe(false)
    expect(bound.othersPerMs(300)).toBe(0)
    expect(ask(bound, [400, 500], rate(60))).toBe(true)
    expect(bound.othersPerMs(500)).toBeGreaterThan(0)
    expect(bound.othersPerMs(300_500)).toBeGreaterThan(0)
    expect(bound.othersPerMs(300_501)).toBe(0)
  })

  test('does not count in a fixed window, which refills nothing', () => {
    const bound = boundOfWindow()
    expect(ask(bound, [200, 300], rate(100, 290))).toBe(true)
    expect(bound.othersPerMs(300)).toBe(0)
  })
})

test('a success sent before a pause does not end the series of pauses', () => {
  const bound = boundAfter(rate(100))
  bound.sent(1, 200)
  bound.sent(2, 200)
  bound.answered(1, 'unattributed', undefined, 300)
  bound.answered(2, 'no', undefined, 400)
  ask(bound, [60_300, 60_300], undefined, 'unattributed')
  expect(bound.reachesAtMs(1, 60_300)).toBe(60_300 + 120_000)
})

test('a late response to a lost request costs one, and a second loss nothing', () => {
  const bound = boundAfter(rate(320))
  bound.sent(1, 1_000)
  bound.lost(1, 1_000, 2_000)
  const low = bound.low(1_000)!
  bound.lost(1, 1_000, 2_000)
  expect(bound.low(1_000)).toBe(low)
})

test('an unknown bucket can be forgotten once no request is in flight', () => {
  const bound = new BucketBound()
  expect(bound.isForgettable(0)).toBe(true)
  bound.sent(1, 0)
  expect(bound.isForgettable(0)).toBe(false)
  bound.answered(1, 'no', undefined, 10)
  expect(bound.isForgettable(10)).toBe(true)
  expect(boundAfter(rate(1)).isForgettable(100)).toBe(false)
})

describe('a clock that is uncertain', () => {
  test('delays the end of a window by up to the uncertain span', () => {
    const bound = boundOfWindow()
    bound.markClockUncertain(1_000, 101_000)
    expect(bound.reachesAtMs(201, 101_000)).toBe(END + 100_000)
  })

  test('delays it by at most a period from then', () => {
    const bound = boundAfter(rate(200, 300))
    ask(bound, [100, 100], rate(100, 300))
    bound.markClockUncertain(100, 1_000_100)
    expect(bound.reachesAtMs(201, 1_000_100)).toBe(Math.ceil(1_000_100 + longest(300_000)))
  })

  test('leaves a window that has ended as it was', () => {
    const bound = boundOfWindow()
    bound.markClockUncertain(END, 500_000)
    expect(bound.low(500_000)).toBe(320)
  })
})

/** Bursts of own requests on a key that no other program uses, on a clock that is too fast or too slow. */
test.each(['rolling', 'fixed'] as const)(
  'alone on a %s bucket, the bound never exceeds the level',
  (window) => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 3, max: 400 }),
        fc.integer({ min: 10, max: 400 }),
        fc.double({ min: -MAX_CLOCK_ERROR, max: MAX_CLOCK_ERROR, noNaN: true }),
        (seed, limit, periodSeconds, clockError) => {
          const onOwnClock = (ms: number) => ms * (1 + clockError)
          const chance = chanceFrom(seed)
          const service = new ReferenceService({ limit, periodSeconds, window }, limit, 0)
          const bound = new BucketBound()
          const flights: {
            id: number
            countMs: number
            answerMs: number
            reading?: RateReading
            counted: boolean
          }[] = []
          let nowMs = 0
          for (let id = 0; id < 120; id += 1) {
            nowMs += chance() < 0.3 ? chance() * periodSeconds * 300 : chance() * 200
            for (;;) {
              const next = flights
                .map((one) => ({ one, atMs: one.counted ? one.answerMs : one.countMs }))
                .sort((a, b) => a.atMs - b.atMs)[0]
              if (next === undefined || next.atMs > nowMs) break
              if (!next.one.counted) {
                if (!service.spend(next.atMs)) expect.fail('refused')
                next.one.counted = true
                next.one.reading = service.headers(next.atMs)
              } else {
                // The first response always has a header, which reveals a fixed window. A fifth of the later
                // responses have none.
                const reading = next.one.id === 0 || chance() < 0.8 ? next.one.reading : undefined
                bound.answered(next.one.id, 'no', reading, onOwnClock(next.atMs))
                flights.splice(flights.indexOf(next.one), 1)
              }
            }
            const uncounted = flights.filter((one) => !one.counted).length
            const low = bound.low(onOwnClock(nowMs))
            // A step of the service's clock may be longer on the own clock.
            const most = service.level(nowMs) - uncounted + 1e-4
            if (low !== undefined && low > most) expect.fail(`bound ${low}, level ${most}`)
            if (!bound.allows(1, onOwnClock(nowMs))) continue
            bound.sent(id, onOwnClock(nowMs))
            const countMs = nowMs + chance() * 300
            flights.push({ id, countMs, answerMs: countMs + chance() * 300, counted: false })
          }
        },
      ),
      { numRuns: 500 },
    )
  },
)

test('a bound is a number whatever headers say', () => {
  const reading = fc.record(
    {
      limit: fc.constantFrom(1, 2, 30, 320, 10_000_000),
      periodSeconds: fc.constantFrom(1, 60, 300, 604_800),
      remaining: fc.nat(10_000_000),
      resetSeconds: fc.nat(1_300_000),
    },
    { requiredKeys: [] },
  )
  const step = fc.record({
    what: fc.constantFrom('answer', 'rate', 'unattributed', 'lost', 'not-sent', 'clock' as const),
    gapMs: fc.oneof(fc.nat(2000), fc.nat(10_000_000)),
    lastsMs: fc.nat(40_000),
    reading: fc.option(reading, { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const bound = new BucketBound()
      let nowMs = 0
      for (const [id, { what, gapMs, lastsMs, reading }] of steps.entries()) {
        nowMs += gapMs
        bound.sent(id, nowMs)
        nowMs += lastsMs
        if (what === 'lost') bound.lost(id, nowMs, 2000)
        else if (what === 'not-sent') bound.notSent(id)
        else if (what === 'clock') bound.markClockUncertain(nowMs - lastsMs, nowMs)
        else bound.answered(id, what === 'answer' ? 'no' : what, reading as RateReading | undefined, nowMs)
        const low = bound.low(nowMs)
        if (low === undefined) continue
        const turnAtMs = bound.turnAtMs(1, 3, nowMs)
        const isSound = [
          Number.isFinite(low) && low <= bound.limit!,
          (bound.reachesAtMs(1, nowMs) ?? nowMs) >= nowMs,
          Number.isFinite(turnAtMs) && turnAtMs >= nowMs,
          Object.values(bound.reading(nowMs)!).every((value) => Number.isFinite(value) && value >= 0),
        ]
        if (isSound.includes(false)) expect.fail(`low ${low}, turn ${turnAtMs} at ${nowMs}: ${isSound}`)
      }
    }),
    { numRuns: 2_000 },
  )
})
