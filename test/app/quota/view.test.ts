import { describe, expect, test } from 'vitest'
import { LOW_THRESHOLD } from '../../../app/contract/units.ts'
import { Bucket } from '../../../app/quota/bucket.ts'
import { RowState } from '../../../app/quota/state.ts'
import { verdictOf } from '../../../app/quota/verdict.ts'
import { viewOf } from '../../../app/quota/view.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { ReferenceService, type Rule } from './reference-service.ts'
import { play } from './traffic.ts'

const rowOf = (bucket: Bucket, nowMs: number, untilMs?: number) =>
  viewOf(
    'Positions',
    'positions',
    bucket,
    { hold: untilMs === undefined ? undefined : { untilMs, refusals: 1 }, state: new RowState() },
    nowMs,
  )

/** A bucket of 320 in 300 s whose only header showed `remaining`. */
function seeing(remaining: number): Bucket {
  const bucket = new Bucket(320, 300, 0)
  bucket.sent(1, 0)
  const resetSeconds = Math.ceil(((320 - remaining - 0.5) * 300) / 320)
  bucket.answered({ id: 1, receivedAtMs: 0, rejected: false, rate: { remaining, resetSeconds } })
  return bucket
}

/** A bucket of 500 in 300 s at `remaining`, out of which others take `perSecond`. */
function drained(perSecond: number, remaining: number): { bucket: Bucket; nowMs: number } {
  const bucket = new Bucket(500, 300, 0)
  let level = remaining + (perSecond - 500 / 300) * 120
  for (let at = 0; at <= 120_000; at += 10_000) {
    bucket.sent(at, at)
    const rate = {
      limit: 500,
      periodSeconds: 300,
      remaining: Math.floor(level),
      resetSeconds: Math.ceil((500 - level) * 0.6),
    }
    bucket.answered({ id: at, receivedAtMs: at, rejected: false, rate })
    level -= (perSecond - 500 / 300) * 10
  }
  return { bucket, nowMs: 120_000 }
}

test('no pace is safe before headers show others’ use, and after a 429 it is zero', () => {
  const bucket = new Bucket(320, 300, 0)
  bucket.sent(1, 0)
  bucket.answered({ id: 1, receivedAtMs: 0, rejected: false, rate: { remaining: 200, resetSeconds: 112 } })
  expect(rowOf(bucket, 100).use).toBeNull()
  expect(rowOf(bucket, 100).safe).toBeUndefined()
  expect(rowOf(bucket, 100, 60_000).safe).toEqual({ everySeconds: null, burst: 0 })
  const known = drained(1, 300)
  expect(rowOf(known.bucket, known.nowMs).safe?.everySeconds).toBeGreaterThan(300 / 500)
})

test('after a 429 others get at most the refill, however much they took before', () => {
  const { bucket, nowMs } = drained(4, 20)
  expect(rowOf(bucket, nowMs).use?.elsewhere).toBeGreaterThan(3)
  const { own, elsewhere, elsewhereLow, elsewhereHigh } = rowOf(bucket, nowMs, nowMs + 60_000).use!
  expect([elsewhere, elsewhereHigh]).toEqual([500 / 300, 500 / 300])
  expect(elsewhereLow).toBe(500 / 300 - own)
})

test('others get at most the refill of an empty row, and the time to empty follows the requested rate', () => {
  const [some, none] = [drained(4, 8), drained(4, 0.5)].map(({ bucket, nowMs }) => rowOf(bucket, nowMs))
  expect(some!.use?.elsewhere).toBeGreaterThan(3)
  expect(some!.emptyFrom).toBeLessThanOrEqual(some!.emptyAt!)
  expect(some!.emptyTo).toBeGreaterThanOrEqual(some!.emptyAt!)
  expect(none!.use).toMatchObject({ elsewhere: 500 / 300, elsewhereHigh: 500 / 300 })
})

test('the range of others’ use holds the rate that is shown', { timeout: 60_000 }, () => {
  for (const perSecond of [0, 0.5, 1, 1.8, 2.2, 4, 12]) {
    for (const level of [0.5, 2, 9, 40, 200]) {
      const { bucket, nowMs } = drained(perSecond, level)
      for (const later of [0, 30_000, 300_000]) {
        const { elsewhere, elsewhereLow, elsewhereHigh } = rowOf(bucket, nowMs + later).use!
        expect(elsewhereLow).toBeLessThanOrEqual(elsewhere)
        expect(elsewhereHigh).toBeGreaterThanOrEqual(elsewhere)
      }
    }
  }
})

test('after a 429 that others caused, they use the refill, at least what own requests leave of it', () => {
  const { bucket, nowMs } = drained(0.2, 20)
  const use = (standing: object) =>
    viewOf('Positions', 'positions', bucket, { state: new RowState(), hold: undefined, ...standing }, nowMs)
      .use
  const hold = { untilMs: nowMs + 60_000, refusals: 2 }
  const whole = { elsewhere: 500 / 300, elsewhereHigh: 500 / 300 }
  for (const cause of [{ hold: { ...hold, byOthers: true } }, { hold, nextTryAtMs: nowMs + 20_000 }]) {
    expect(use(cause)).toMatchObject(whole)
    expect(use(cause)!.elsewhereLow).toBeCloseTo(500 / 300 - use(cause)!.own, 9)
  }
  expect(use({ hold })?.elsewhereLow).toBeLessThan(1)
})

test('promises ten minutes only once headers show others’ use well enough', () => {
  // A quota of 500 in 300 s, full at first. The second header shows that `missing` requests are missing.
  const after = (missing: number) => {
    const bucket = new Bucket(500, 300, 0)
    const see = (id: number, remaining: number, atMs: number) => {
      bucket.sent(id, atMs)
      const resetSeconds = Math.ceil((500 - remaining) * 0.6)
      const rate = { limit: 500, periodSeconds: 300, remaining, resetSeconds }
      bucket.answered({ id, receivedAtMs: atMs, rejected: false, rate })
    }
    see(1, 497, 0)
    if (missing > 0) see(2, 500 - missing, 6_000)
    return bucket
  }
  const said = (bucket: Bucket, nowMs: number) => [
    rowOf(bucket, nowMs).state,
    verdictOf([rowOf(bucket, nowMs)], { reachable: true }).kind,
  ]
  expect(said(after(0), 4_000)).toEqual(['ok', 'unknown'])
  expect(said(after(4), 30_000)).toEqual(['ok', 'unknown'])
  expect(said(after(20), 30_000)).toEqual(['running-out', 'runs-out'])
  const quiet = seeing(319)
  quiet.sent(2, 10_000)
  const rate = { limit: 320, periodSeconds: 300, remaining: 319, resetSeconds: 1 }
  quiet.answered({ id: 2, receivedAtMs: 10_000, rejected: false, rate })
  expect(verdictOf([rowOf(quiet, 30_000)], { reachable: true }).kind).toBe('lasts')
})

/**
 * The states of a row that nobody else uses, each quarter of a second, from its first request on. Requests at
 * `seconds`, in ascending order.
 */
function statesAlone(rule: Rule, seconds: readonly number[]): ReadonlySet<string> {
  const service = new ReferenceService(rule, rule.limit, 0)
  const bucket = new Bucket(rule.limit, rule.periodSeconds, 0)
  const state = new RowState()
  const states = new Set<string>()
  const endMs = 1000 * ((seconds.at(-1) ?? 0) + 200)
  let next = 0
  for (let nowMs = 1000 * (seconds[0] ?? 0); nowMs < endMs; nowMs += 250) {
    for (; (seconds[next] ?? Number.POSITIVE_INFINITY) * 1000 <= nowMs; next += 1) {
      const sentAtMs = 1000 * (seconds[next] ?? 0)
      bucket.sent(next, sentAtMs)
      service.spend(sentAtMs)
      const rate = service.headers(sentAtMs)
      bucket.answered({ id: next, receivedAtMs: sentAtMs, rejected: false, rate })
    }
    states.add(viewOf('Accounts', undefined, bucket, { hold: undefined, state }, nowMs).state)
  }
  return states
}

/** Times of the lookups of an order, in seconds after its outcome became unknown: `LOOKUP_AT_MS`. */
const LOOKUPS = [1, 5, 15, 30, 60]

test.each([
  ['at the start', 0, [0.5]],
  ['20 s after the start', 20, [0.5]],
  ['of two orders, a minute after the start', 60, [0.04]],
  ['of three orders, long after the start', 3600, [0.04, 0.08]],
] as const)('no row is watched because of lookups as its first requests, %s', (_, from, more) => {
  const seconds = LOOKUPS.flatMap((at) => [0, ...more].map((later) => from + at + later))
  for (const window of ['rolling', 'fixed'] as const)
    for (const [limit, periodSeconds] of [
      [320, 300],
      [250, 300],
      [90, 60],
    ] as const)
      for (const own of [seconds, seconds.slice(0, 2)]) {
        const states = statesAlone({ limit, periodSeconds, window }, own)
        expect([...states].filter((state) => state !== 'ok' && state !== 'not-checked')).toEqual([])
      }
})

test('two headers within a second show others’ use only if it is more than rounding', () => {
  const after = (missing: number, atMs: number) => {
    const bucket = seeing(319)
    bucket.sent(2, atMs)
    const rate = { limit: 320, periodSeconds: 300, remaining: 318 - missing, resetSeconds: 2 + missing }
    bucket.answered({ id: 2, receivedAtMs: atMs, rejected: false, rate })
    return rowOf(bucket, atMs)
  }
  expect([after(0, 999).use, after(0, 999).emptyChance]).toEqual([null, undefined])
  expect(after(0, 1000).use?.elsewhere).toBe(0)
  expect(after(4, 999).use?.elsewhere).toBeGreaterThan(1)
  expect(after(4, 999).emptyChance).toBeGreaterThan(0.3)
})

describe('the source of a number', () => {
  test('is the table, with no age, before a header', () => {
    const row = rowOf(new Bucket(320, 300, 0), 5_000)
    expect(row).toMatchObject({ source: 'default', verdict: 'not-seen', remaining: 320, use: null })
    expect(row).not.toHaveProperty('observedAt')
    expect(row).not.toHaveProperty('emptyAt')
  })
  test('is the header while it says the same, and modelled, with its age, from then on', () => {
    const bucket = seeing(100)
    expect(rowOf(bucket, 0)).toMatchObject({ source: 'header', remaining: 100, observedAt: 0, seen: 100 })
    expect(rowOf(bucket, 20_000)).toMatchObject({ source: 'modelled', observedAt: 0, seen: 100 })
  })
  test('stays modelled if the estimate returns to the header’s number', () => {
    const bucket = seeing(100)
    expect(rowOf(bucket, 19_999).source).toBe('modelled')
    for (let id = 2; id <= 22; id += 1) bucket.sent(id, 20_000)
    for (let id = 2; id <= 22; id += 1) bucket.answered({ id, receivedAtMs: 20_000, rejected: false })
    expect(rowOf(bucket, 20_000)).toMatchObject({ remaining: 100, source: 'modelled', seen: 100 })
  })
})

test('the next request and the full bucket are as far away as the refill implies', () => {
  const row = rowOf(seeing(100), 0)
  expect(row.nextAt).toBeGreaterThan(0)
  expect(row.nextAt).toBeLessThanOrEqual(938)
  expect(row.fullAt).toBeCloseTo((220 * 300_000) / 320, -4)
  const full = rowOf(seeing(320), 400_000)
  expect(full).not.toHaveProperty('nextAt')
  expect(full).not.toHaveProperty('fullAt')
})

describe('near the limit', () => {
  test('starts below a fifth of the limit', () => {
    expect(LOW_THRESHOLD).toBe(0.2)
    expect(rowOf(seeing(63), 0).verdict).toBe('near-limit')
    expect(rowOf(seeing(64), 0).verdict).toBe('lasts')
  })
  test('an empty bucket has run out', () => expect(rowOf(seeing(0), 0).verdict).toBe('runs-out'))
})

describe('blocked', () => {
  test('until the pause ends, not a millisecond longer', () => {
    expect(rowOf(seeing(0), 59_999, 60_000)).toMatchObject({ verdict: 'blocked', blockedUntil: 60_000 })
    const after = rowOf(seeing(0), 60_000, 60_000)
    expect(after.verdict).not.toBe('blocked')
    expect(after).not.toHaveProperty('blockedUntil')
  })
  test('even before any header', () =>
    expect(rowOf(new Bucket(320, 300, 0), 0, 60_000).verdict).toBe('blocked'))
  test('makes no forecast of a present end', () => {
    const { bucket, nowMs } = drained(4, 100)
    expect(rowOf(bucket, nowMs).verdict).toBe('runs-out')
    expect(rowOf(bucket, nowMs, nowMs + 1)).not.toHaveProperty('emptyAt')
  })
})

test('idle is a full bucket without use; one request less is not', () => {
  const bucket = seeing(319)
  expect(rowOf(bucket, 0).verdict).toBe('lasts')
  for (const id of [2, 3, 4, 5, 6, 7]) {
    const rate = { remaining: 319, resetSeconds: 1 }
    bucket.sent(id, id * 60_000)
    bucket.answered({ id, receivedAtMs: id * 60_000, rejected: false, rate })
  }
  expect(rowOf(bucket, 420_000).verdict).toBe('lasts')
  expect(rowOf(bucket, 450_000)).toMatchObject({ remaining: 320, verdict: 'idle' })
})

describe('runs out', () => {
  test('if use exceeds the refill', () => {
    const { bucket, nowMs } = drained(3, 250)
    const row = rowOf(bucket, nowMs)
    expect(row.verdict).toBe('runs-out')
    expect(row.emptyAt).toBeGreaterThan(nowMs)
  })
  test('not if use is below the refill, however empty the bucket', () => {
    const { bucket, nowMs } = drained(1, 50)
    expect(rowOf(bucket, nowMs)).toMatchObject({ verdict: 'near-limit' })
    expect(rowOf(bucket, nowMs)).not.toHaveProperty('emptyAt')
  })
  test('never on the evidence of a few requests, but on a few more', () => {
    // Others took a few requests within a second. At that rate, the bucket would be empty in a minute.
    const showing = (remaining: number) => {
      const bucket = seeing(319)
      bucket.sent(2, 1_000)
      const resetSeconds = Math.ceil(((320 - remaining - 0.5) * 300) / 320)
      bucket.answered({ id: 2, receivedAtMs: 1_000, rejected: false, rate: { remaining, resetSeconds } })
      return rowOf(bucket, 1_000)
    }
    expect(showing(312).use?.elsewhere).toBeGreaterThan(4)
    expect(showing(312)).not.toHaveProperty('emptyAt')
    expect(showing(308).emptyAt).toBeGreaterThan(1_000)
  })
  test('a fixed window refills nothing: it is empty once its requests are used', () => {
    const bucket = new Bucket(500, 300, 0)
    for (const [id, remaining] of [490, 450, 410].entries()) {
      const atMs = id * 10_000
      bucket.sent(id, atMs)
      const rate = { limit: 500, periodSeconds: 300, remaining, resetSeconds: 280 - id * 10 }
      bucket.answered({ id, receivedAtMs: atMs, rejected: false, rate })
    }
    const row = rowOf(bucket, 20_000)
    expect(row).toMatchObject({
      model: 'fixed',
      verdict: 'runs-out',
      windowEndsAt: expect.closeTo(280_000, -4),
    })
    expect(row.emptyAt).toBeCloseTo(20_000 + ((row.level ?? 0) / (row.use?.total ?? 0)) * 1_000, -1)
  })
  test('not without a second header to compare', () => {
    expect(rowOf(seeing(10), 0)).toMatchObject({ use: null, verdict: 'near-limit' })
  })
})

test('the floored numbers are in order: low ≤ remaining ≤ high ≤ limit', { timeout: 120_000 }, () => {
  for (let seed = 0; seed < lawRuns(300); seed += 1) {
    const chance = chanceFrom(seed)
    play(
      {
        rule: { limit: 30, periodSeconds: 60, window: seed % 2 ? 'fixed' : 'rolling' },
        level: 30,
        forMs: 100_000,
        chance,
        pauseMs: () => 4_000 * chance(),
        latencyMs: () => 1 + 900 * chance(),
        lossShare: 0.1,
        elsewherePerSecond: chance(),
      },
      {
        moment: (bucket, _level, nowMs) => {
          const row = rowOf(bucket, nowMs)
          if (
            !(row.low <= row.remaining && row.remaining <= row.high && row.high <= row.limit && row.low >= 0)
          ) {
            expect.fail(JSON.stringify(row))
          }
        },
      },
    )
  }
})

test('a row without a known resource has no field for it', () => {
  const row = viewOf('Positions', undefined, seeing(100), { hold: undefined, state: new RowState() }, 0)
  expect(row).not.toHaveProperty('resource')
  expect(rowOf(seeing(100), 0).resource).toBe('positions')
})

/**
 * A row of 320 in 300 s that own requests empty at 2/s. `held`: how many of these per second the gateway
 * delays.
 */
function ownRow(held: number) {
  const bucket = new Bucket(320, 300, 0)
  bucket.heldPerSecond = held
  for (let id = 0; id <= 120; id += 1) {
    bucket.sent(id, id * 500)
    const remaining = Math.floor(140 - id * 0.467)
    const rate = { remaining, resetSeconds: Math.ceil(((320 - remaining) * 300) / 320) }
    bucket.answered({ id, receivedAtMs: id * 500, rejected: false, rate })
  }
  return viewOf('Positions', 'positions', bucket, { hold: undefined, state: new RowState(), held }, 62_500)
}

test('requests delayed by the gateway empty no row; others’ or critical ones may', () => {
  const free = ownRow(0)
  expect(free.state).toBe('running-out')
  expect(free.emptyAt).toBeDefined()
  const held = ownRow(free.use?.own ?? 0)
  expect([held.emptyAt, held.emptyFrom, held.emptyTo]).toEqual([undefined, undefined, undefined])
  expect(held.use?.own).toBe(free.use?.own)
  expect(held.state).not.toBe('running-out')
  // Part of own use is a critical program's, which spends the reserve too.
  expect(ownRow(0.3).emptyAt).toBeGreaterThan(free.emptyAt ?? 0)
})
