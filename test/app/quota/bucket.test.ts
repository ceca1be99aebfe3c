import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import type { RateReading } from '../../../app/service/headers.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { ReferenceService, type Rule } from './reference-service.ts'

let nextId = 0

/** One request, counted at once and answered `lastedMs` later. */
function ask(bucket: Bucket, service: ReferenceService, atMs: number, lastedMs = 0): RateReading {
  nextId += 1
  bucket.sent(nextId, atMs)
  const accepted = service.spend(atMs)
  const rate = service.headers(atMs)
  bucket.answered({ id: nextId, receivedAtMs: atMs + lastedMs, rejected: !accepted, rate })
  return rate
}

const POSITIONS = { limit: 320, periodSeconds: 300 }
const rolling: Rule = { ...POSITIONS, window: 'rolling' }
const fixed: Rule = { ...POSITIONS, window: 'fixed' }

/** A reference service that is full at `atMs`. */
const full = (rule: Rule, atMs = 0) => new ReferenceService(rule, rule.limit, atMs)

test('before any header a bucket matches the table', () => {
  const bucket = new Bucket(320, 300, 0)
  expect(bucket.estimate(0)).toMatchObject({ low: 320, high: 320, point: 320, slopePerSecond: 0 })
  expect(bucket.seen).toBeUndefined()
  expect(bucket.model).toBe('rolling')
})

test('recognises a fixed window from the first header whose Reset the rolling rule excludes', () => {
  const seeds = lawRuns(1_000)
  for (let seed = 0; seed < seeds; seed += 1) {
    const chance = chanceFrom(seed)
    const service = full(fixed)
    const bucket = new Bucket(320, 300, 0)
    for (let at = 0, probe = 0; probe < 20; probe += 1) {
      const lastedMs = 400 * chance()
      const rate = ask(bucket, service, at, lastedMs)
      const spent = 320 - (rate.remaining ?? 0)
      const rollingReset = Math.ceil((spent * 300) / 320)
      const isBeyond = Math.abs((rate.resetSeconds ?? 0) - rollingReset) > 2.5 + lastedMs / 1000
      if (isBeyond && bucket.model !== 'fixed') expect.fail(`seed ${seed}: not seen at probe ${probe}`)
      if (bucket.model === 'fixed') expect(bucket.estimate(at + lastedMs).point).toBe(rate.remaining)
      at += lastedMs + 20_000 * chance()
    }
    expect(bucket.model).toBe('fixed')
  }
  proves('Q3', { level: 2, cases: seeds })
})

test('never takes a rolling interval for fixed windows, whatever the jitter', () => {
  const seeds = lawRuns(1_000)
  for (let seed = 0; seed < seeds; seed += 1) {
    const chance = chanceFrom(seed)
    const service = new ReferenceService(rolling, 320 * chance(), 0)
    const bucket = new Bucket(320, 300, 0)
    for (let at = 0, probe = 0; probe < 30; probe += 1) {
      const lastedMs = 3_000 * chance()
      ask(bucket, service, at, lastedMs)
      if (bucket.model !== 'rolling') expect.fail(`seed ${seed}: fixed at probe ${probe}`)
      at += lastedMs + (chance() < 0.1 ? 700_000 : 10_000) * chance()
    }
  }
  proves('Q3', { level: 2, cases: seeds })
})

test('both sides of the tolerance: 1 s beyond the rounded Reset still rolls, 2 s does not', () => {
  const verdict = (resetSeconds: number) => {
    const bucket = new Bucket(320, 300, 0)
    bucket.sent(1, 0)
    bucket.answered({
      id: 1,
      receivedAtMs: 0,
      rejected: false,
      rate: { limit: 320, periodSeconds: 300, remaining: 160, resetSeconds },
    })
    return bucket.model
  }
  expect(verdict(150)).toBe('rolling')
  expect(verdict(151)).toBe('rolling')
  expect(verdict(152)).toBe('fixed')
  expect(verdict(148)).toBe('rolling')
  expect(verdict(147)).toBe('fixed')
})

for (const pauseMs of [700, 5_000, 20_000, 100_000]) {
  test(`follows a change from fixed windows to a rolling interval, checking every ${pauseMs / 1000} s`, () => {
    const idles = [0, 40_000, 301_000, 1_000_000]
    for (const idleMs of idles) {
      const before = full(fixed)
      const bucket = new Bucket(320, 300, 0)
      let at = 0
      for (let probe = 0; probe < 10; probe += 1, at += pauseMs) ask(bucket, before, at, 50)
      expect(bucket.model).toBe('fixed')
      at += idleMs
      const after = new ReferenceService(rolling, 200, at)
      for (let probe = 0; probe < 12; probe += 1, at += pauseMs) ask(bucket, after, at, 50)
      expect(bucket.model, `after ${idleMs} ms of idling`).toBe('rolling')
      const { low, high } = bucket.estimate(at)
      expect(low).toBeLessThanOrEqual(after.level(at))
      expect(high).toBeGreaterThanOrEqual(after.level(at))
    }
    proves('Q3', { level: 2, cases: idles.length })
  })

  test(`follows a change from a rolling interval to fixed windows, checking every ${pauseMs / 1000} s`, () => {
    const before = new ReferenceService(rolling, 200, 0)
    const bucket = new Bucket(320, 300, 0)
    let at = 0
    for (let probe = 0; probe < 10; probe += 1, at += pauseMs) ask(bucket, before, at, 50)
    expect(bucket.model).toBe('rolling')
    const after = full(fixed, at)
    const rate = ask(bucket, after, at, 50)
    expect(rate).toMatchObject({ remaining: 319, resetSeconds: 300 })
    expect(bucket.model).toBe('fixed')
    expect(bucket.estimate(at + 50)).toMatchObject({ low: 319, high: 319 })
    proves('Q3', { level: 2, cases: 1 })
  })
}

test('finding fixed windows is no evidence of use by others', () => {
  const service = full(fixed)
  const bucket = new Bucket(320, 300, 0)
  const found: number[] = []
  for (let at = 0; at < 30_000; at += 2_000) {
    nextId += 1
    bucket.sent(nextId, at)
    service.spend(at)
    // Reset is missing at first, so the headers look like those of a rolling interval.
    const { resetSeconds, ...rest } = service.headers(at)
    const rate = at < 20_000 ? rest : { ...rest, resetSeconds }
    found.push(bucket.answered({ id: nextId, receivedAtMs: at, rejected: false, rate }))
  }
  expect(bucket.model).toBe('fixed')
  expect(found.at(-1)).toBe(0)
  expect(bucket.others(30_000)?.perSecond).toBe(0)
})

test('a fixed window stays flat until it ends and is full from then on', () => {
  const service = full(fixed)
  const bucket = new Bucket(320, 300, 0)
  for (let spent = 0; spent < 100; spent += 1) ask(bucket, service, 0)
  expect(bucket.estimate(298_900)).toMatchObject({ high: 220, point: 220 })
  expect(bucket.estimate(300_100)).toMatchObject({ high: 320, point: 320 })
  expect(bucket.windowEndsAtMs).toBeCloseTo(300_000, -1)
})

test('a header’s limit and period override the table', () => {
  const bucket = new Bucket(320, 300, 0)
  const service = new ReferenceService({ limit: 251, periodSeconds: 60, window: 'rolling' }, 100, 0)
  ask(bucket, service, 0)
  expect(bucket.limit).toBe(251)
  expect(bucket.periodMs).toBe(60_000)
  expect(bucket.estimate(0).low).toBeGreaterThanOrEqual(99)
  expect(bucket.estimate(0).high).toBeLessThanOrEqual(100.01)
  expect(bucket.estimate(12_000).point).toBeCloseTo(99.25 + 50.2, 0)
})

test('a changed limit voids the bounds, and does not look like use by others', () => {
  const bucket = new Bucket(320, 300, 0)
  const before = new ReferenceService(rolling, 300, 0)
  ask(bucket, before, 0)
  ask(bucket, before, 5_000)
  const after = new ReferenceService({ limit: 250, periodSeconds: 300, window: 'rolling' }, 40, 10_000)
  bucket.sent(-1, 10_000)
  after.spend(10_000)
  const rate = after.headers(10_000)
  expect(bucket.answered({ id: -1, receivedAtMs: 10_000, rejected: false, rate })).toBe(0)
  expect(bucket.limit).toBe(250)
  const { low, high } = bucket.estimate(10_000)
  expect([Math.floor(low), Math.ceil(high)]).toEqual([39, 40])
})

test('trusts a Remaining beyond the expected maximum', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, new ReferenceService(rolling, 10, 0), 0)
  ask(bucket, new ReferenceService(rolling, 300, 1_000), 1_000)
  expect(Math.floor(bucket.estimate(1_000).low)).toBe(299)
})

test('a 429 with headers costs nothing and shows the level', () => {
  const bucket = new Bucket(30, 60, 0)
  const service = new ReferenceService({ limit: 30, periodSeconds: 60, window: 'rolling' }, 1.2, 0)
  ask(bucket, service, 0)
  ask(bucket, service, 0)
  expect(bucket.rejected).toBe(1)
  const { low, high } = bucket.estimate(0)
  expect(low).toBeLessThanOrEqual(0.2)
  expect(high).toBeGreaterThanOrEqual(0.2)
  expect(high).toBeLessThanOrEqual(1)
})

test('a 429 without headers shows an empty bucket', () => {
  const bucket = new Bucket(30, 60, 0)
  bucket.sent(1, 0)
  bucket.answered({ id: 1, receivedAtMs: 200, rejected: true })
  const { low, high } = bucket.estimate(200)
  expect(low).toBe(0)
  expect(high).toBeLessThan(1.2)
  expect(bucket.seen?.remaining).toBe(0)
})

test('requests in flight lower the lower bound at once, the upper one only once counted', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, new ReferenceService(rolling, 101, 0), 0)
  for (let id = 1_000_000; id < 1_000_010; id += 1) bucket.sent(id, 0)
  const { low, high } = bucket.estimate(0)
  expect(low).toBeCloseTo(90, 0)
  expect(high).toBeGreaterThanOrEqual(100)
  for (let id = 1_000_000; id < 1_000_010; id += 1) bucket.notSent(id, 0)
  expect(bucket.estimate(0).low).toBeCloseTo(100, 0)
  expect(bucket.inFlight).toBe(0)
})

test('a request that was never sent costs nothing, even next to one that found the bucket empty', () => {
  const bucket = new Bucket(30, 60, 0)
  bucket.sent(1, 0)
  bucket.sent(2, 0)
  bucket.answered({ id: 1, receivedAtMs: 0, rejected: true, rate: { remaining: 0, resetSeconds: 60 } })
  bucket.notSent(2, 0)
  expect(bucket.estimate(0).low).toBeLessThan(1)
})

test('a lost response allows both: the request counted, or it did not', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, new ReferenceService(rolling, 101, 0), 0)
  const before = bucket.estimate(0)
  bucket.sent(-5, 0)
  bucket.lost(-5, 0)
  const { low, high } = bucket.estimate(0)
  expect(low).toBeCloseTo(before.low - 1, 9)
  expect(high).toBe(before.high)
})

test('an aborted request may count later, in a bucket that is full again, and does not look like others', () => {
  const bucket = new Bucket(320, 300, 0)
  const service = full(rolling)
  ask(bucket, service, 0)
  bucket.sent(-5, 10_000)
  bucket.lost(-5, 10_100, 2_000)
  service.spend(11_000)
  for (const atMs of [11_000, 11_300, 11_900, 20_000]) {
    const { low, high } = bucket.estimate(atMs)
    expect(low).toBeLessThanOrEqual(service.level(atMs))
    expect(high).toBeGreaterThanOrEqual(service.level(atMs))
  }
  expect(bucket.estimate(20_000)).toMatchObject({ high: 320, point: 320 })
})

test('a header that includes an aborted request accuses nobody', () => {
  const bucket = new Bucket(500, 300, 0)
  const service = full({ limit: 500, periodSeconds: 300, window: 'rolling' })
  ask(bucket, service, 0)
  bucket.sent(-5, 10_000)
  bucket.lost(-5, 10_100, 2_000)
  for (const id of [-5, -6]) expect(service.spend(11_000), String(id)).toBe(true)
  bucket.sent(-6, 11_000)
  const rate = service.headers(11_000)
  expect(rate.remaining).toBe(498)
  expect(bucket.answered({ id: -6, receivedAtMs: 11_050, rejected: false, rate })).toBe(0)
})

test('a response from the previous window shows nothing about the present one', () => {
  const bucket = new Bucket(320, 300, 0)
  const service = full(fixed)
  for (let spent = 0; spent < 300; spent += 1) ask(bucket, service, 0)
  bucket.sent(-1, 299_500)
  service.spend(299_900)
  const old = service.headers(299_900)
  bucket.sent(-2, 299_600)
  service.spend(300_100)
  const young = service.headers(300_100)
  bucket.answered({ id: -2, receivedAtMs: 300_200, rejected: false, rate: young })
  bucket.answered({ id: -1, receivedAtMs: 302_500, rejected: false, rate: old })
  expect(bucket.estimate(302_500).high).toBe(319)
  // Another program may have made one request meanwhile.
  expect(bucket.estimate(302_500).low).toBeGreaterThanOrEqual(317)
  expect(bucket.windowEndsAtMs).toBeGreaterThan(599_000)
})

test('the last seen value is that of the last sent request, not of the last response', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, new ReferenceService(rolling, 100, 0), 0)
  bucket.sent(-1, 1_000)
  bucket.sent(-2, 1_100)
  const rate = (remaining: number) => ({ remaining, resetSeconds: Math.ceil((319.9 - remaining) * 0.9375) })
  bucket.answered({ id: -2, receivedAtMs: 1_200, rejected: false, rate: rate(98) })
  bucket.answered({ id: -1, receivedAtMs: 1_300, rejected: false, rate: rate(99) })
  expect(bucket.seen).toEqual({ remaining: 98, atMs: 1_200 })
})

test('a fixed window with an unknown end lasts at most a period: no bucket stays empty', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, full(fixed), 0)
  expect(bucket.model).toBe('fixed')
  bucket.sent(-1, 400_000)
  bucket.answered({ id: -1, receivedAtMs: 400_100, rejected: true })
  expect(bucket.estimate(400_100).low).toBe(0)
  expect(bucket.estimate(699_000).low).toBe(0)
  expect(bucket.estimate(700_200).point).toBe(320)
})

test('a bucket of another size is judged again, as rolling at first', () => {
  const bucket = new Bucket(320, 300, 0)
  ask(bucket, full(fixed), 0)
  bucket.sent(-1, 1_000)
  bucket.answered({ id: -1, receivedAtMs: 1_000, rejected: false, rate: { limit: 250, remaining: 0 } })
  expect(bucket.model).toBe('rolling')
  expect(bucket.estimate(301_100).point).toBeGreaterThanOrEqual(250)
})

test('a clock that goes back changes nothing', () => {
  const bucket = new Bucket(320, 300, 0)
  const service = new ReferenceService(rolling, 100, 10_000)
  ask(bucket, service, 10_000)
  const before = bucket.estimate(10_000)
  expect(bucket.estimate(5_000)).toEqual(before)
  bucket.sent(-1, 2_000)
  bucket.notSent(-1, 1_000)
  expect(bucket.estimate(10_000)).toEqual(before)
  expect(bucket.estimate(20_000).point).toBeGreaterThan(before.point + 10)
})

test('after a year of idling a bucket is full, and headers count as usual', () => {
  const bucket = new Bucket(320, 300, 0)
  const service = new ReferenceService(rolling, 5, 0)
  ask(bucket, service, 0)
  const year = 365 * 86_400_000
  expect(bucket.estimate(year)).toMatchObject({ low: 319, high: 320, point: 320, slopePerSecond: 0 })
  ask(bucket, service, year)
  expect(Math.floor(bucket.estimate(year).low)).toBe(319)
})

test('a bucket of one request empties, gives 429 and fills again', () => {
  const bucket = new Bucket(1, 60, 0)
  const service = new ReferenceService({ limit: 1, periodSeconds: 60, window: 'rolling' }, 1, 0)
  ask(bucket, service, 0)
  expect(bucket.estimate(0).low).toBe(0)
  expect(bucket.estimate(0).point).toBeCloseTo(0, 1)
  ask(bucket, service, 30_000)
  expect(bucket.rejected).toBe(1)
  expect(bucket.estimate(30_000).point).toBeCloseTo(0.5, 1)
  expect(bucket.estimate(61_000).point).toBe(1)
})

test('no order of calls and readings gives NaN or a number out of range', () => {
  const runs = lawRuns(2_000)
  const wild = fc.oneof(fc.integer({ min: 0, max: 700 }), fc.constantFrom(0, 1, 319, 320, 10_000_000))
  const reading = fc.record(
    {
      limit: fc.constantFrom(1, 2, 250, 320, 10_000_000),
      periodSeconds: fc.constantFrom(1, 60, 300, 604_800),
      remaining: wild,
      resetSeconds: wild,
    },
    { requiredKeys: [] },
  )
  const step = fc.record({
    call: fc.constantFrom('sent', 'answered', 'rejected', 'lost', 'notSent'),
    id: fc.integer({ min: 0, max: 5 }),
    atMs: fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.constantFrom(0, 1e15)),
    rate: fc.option(reading, { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const bucket = new Bucket(320, 300, 0)
      for (const { call, id, atMs, rate } of steps) {
        if (call === 'sent') bucket.sent(id, atMs)
        else if (call === 'lost') bucket.lost(id, atMs)
        else if (call === 'notSent') bucket.notSent(id, atMs)
        else {
          const found = bucket.answered({
            id,
            receivedAtMs: atMs,
            rejected: call === 'rejected',
            ...(rate && { rate }),
          })
          expect(Number.isInteger(found) && found >= 0).toBe(true)
        }
        for (const later of [0, 1, 20_000, 1e9]) {
          const { low, high, point, slopePerSecond } = bucket.estimate(atMs + later)
          if (!(low >= 0 && low <= point && point <= high && high <= bucket.limit)) {
            expect.fail(`low ${low}, point ${point}, high ${high} of ${bucket.limit}`)
          }
          expect(Number.isFinite(slopePerSecond)).toBe(true)
          expect(Number.isFinite(bucket.countedPerSecond(atMs + later))).toBe(true)
          expect(Number.isFinite(bucket.others(atMs + later)?.perSecond ?? 0)).toBe(true)
        }
      }
    }),
    { numRuns: runs },
  )
  proves('Q4', { level: 2, cases: runs })
})

test('without others, the level changes by the refill', () => {
  const bucket = new Bucket(320, 300, 0)
  bucket.sent(-1, 0)
  bucket.answered({ id: -1, receivedAtMs: 0, rejected: false, rate: { remaining: 100, resetSeconds: 206 } })
  expect(bucket.estimate(1_000).slopePerSecond).toBeCloseTo(320 / 300, 9)
})

test('forgets what it learned about others once a rolling interval proves to be a fixed window', () => {
  const bucket = new Bucket(320, 300, 0)
  const see = (into: Bucket, id: number, remaining: number, resetSeconds: number, atMs: number) => {
    into.sent(-id, atMs)
    into.answered({ id: -id, receivedAtMs: atMs, rejected: false, rate: { remaining, resetSeconds } })
  }
  // Others take 5 a second.
  for (const [id, remaining] of [320, 280, 240, 200].entries()) {
    see(bucket, id + 1, remaining, Math.ceil((320 - remaining) * 0.9375), id * 10_000)
  }
  expect(bucket.others(30_000)?.perSecondAtLeast).toBeGreaterThan(2)
  const anew = new Bucket(320, 300, 30_000)
  for (const one of [bucket, anew]) {
    see(one, 10, 300, 250, 40_000)
    see(one, 11, 299, 240, 50_000)
    expect(one.model).toBe('fixed')
  }
  const [after, fresh] = [bucket, anew].map((one) => one.others(50_000))
  expect(after?.perSecond).toBe(fresh?.perSecond)
  expect(after?.perSecondAtMost).toBe(fresh?.perSecondAtMost)
})

test('forgets what it learned about others when a header shows another size', () => {
  const see = (into: Bucket, id: number, atMs: number, rate: RateReading) => {
    into.sent(-id, atMs)
    into.answered({ id: -id, receivedAtMs: atMs, rejected: false, rate })
  }
  const bucket = new Bucket(320, 300, 0)
  // Others take 5 a second.
  for (const [id, remaining] of [320, 280, 240, 200].entries())
    see(bucket, id + 1, id * 10_000, { remaining, resetSeconds: Math.ceil((320 - remaining) * 0.9375) })
  expect(bucket.others(30_000)?.perSecondAtLeast).toBeGreaterThan(2)
  const anew = new Bucket(320, 300, 30_000)
  const size = { limit: 250, periodSeconds: 300 }
  for (const one of [bucket, anew]) {
    see(one, 10, 40_000, { ...size, remaining: 100, resetSeconds: 180 })
    see(one, 11, 50_000, { ...size, remaining: 107, resetSeconds: 172 })
  }
  const [after, fresh] = [bucket, anew].map((one) => {
    // The emptying chances are left out. Own requests from before the change still count in them, so they
    // differ.
    const { emptyChance: _, emptyChanceByPresent: __, ...of } = one.others(60_000) ?? expect.fail('none')
    return of
  })
  expect(after).toEqual(fresh)
})

test('others’ use of a fixed window does not count in the next one', () => {
  const takenBy = (nowMs: number) => {
    const bucket = new Bucket(320, 300, 0)
    // Others take half a request a second.
    for (let id = 1; id <= 6; id += 1) {
      const atMs = (id - 1) * 20_000
      bucket.sent(-id, atMs)
      const rate = { remaining: 311 - 11 * id, resetSeconds: 310 - 20 * id }
      bucket.answered({ id: -id, receivedAtMs: atMs, rejected: false, rate })
    }
    return bucket.others(nowMs)?.taken ?? Number.NaN
  }
  expect(takenBy(280_000)).toBeGreaterThan(60)
  expect(takenBy(295_000)).toBeLessThan(20)
})

test('others who leave enough for a fixed window, and for the next one, hardly empty it', () => {
  const emptyBy = (perSecond: number, atMs: number) => {
    const bucket = new Bucket(320, 300, 0)
    for (let id = 1, sentMs = 0; sentMs <= atMs; id += 1, sentMs += 10_000) {
      bucket.sent(-id, sentMs)
      const remaining = 320 - id - Math.floor((perSecond * sentMs) / 1000)
      const rate = { remaining, resetSeconds: 300 - sentMs / 1000 }
      bucket.answered({ id: -id, receivedAtMs: sentMs, rejected: false, rate })
    }
    expect(bucket.model).toBe('fixed')
    return bucket.others(atMs)?.emptyChanceByPresent
  }
  // 28 are left with 10 s to go, and the next window lasts 300 s.
  expect(emptyBy(0.9, 290_000)).toBeLessThan(0.3)
  // 99 are left with 140 s to go.
  expect(emptyBy(1.28, 160_000)).toBeGreaterThan(0.7)
})

test('own use empties a quota too: at five a second it is likely to be empty within minutes', () => {
  const service = full(rolling)
  const bucket = new Bucket(320, 300, 0)
  for (let at = 0; at < 20_000; at += 200) ask(bucket, service, at)
  expect(bucket.others(20_000)?.emptyChance).toBeGreaterThan(0.9)
})

test('a header overrides the table, even in the period alone', () => {
  const bucket = new Bucket(320, 300, 0)
  bucket.sent(-1, 0)
  const rate = { limit: 320, periodSeconds: 600, remaining: 319, resetSeconds: 2 }
  bucket.answered({ id: -1, receivedAtMs: 0, rejected: false, rate })
  expect([bucket.limit, bucket.periodMs]).toEqual([320, 600_000])
})
