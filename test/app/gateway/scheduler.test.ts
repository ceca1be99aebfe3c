import { beforeEach, describe, expect, test } from 'vitest'
import { levelOf } from '../../../app/gateway/bucket-queue.ts'
import type { Decision, OfferedRequest, UpstreamOutcome } from '../../../app/gateway/decisions.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import { MAX_WAITING } from '../../../app/gateway/waiting-requests.ts'
import type { RateReading } from '../../../app/service/headers.ts'

const RULE = { limit: 320, periodSeconds: 300 } as const
const SECONDS_PER_REQUEST = 0.9375
const POSITIONS = 'Positions'

/** Quota headers with this many requests left, and without a Reset. */
const rate = (remaining: number): RateReading => ({ ...RULE, remaining })
const answer = (remaining?: number): UpstreamOutcome => ({
  kind: 'answer',
  ...(remaining !== undefined && { rate: rate(remaining) }),
})

let scheduler: Scheduler
let nextId: number

beforeEach(() => {
  scheduler = new Scheduler()
  nextId = 1
})

const request = (more: Partial<OfferedRequest> = {}): OfferedRequest => ({
  id: nextId++,
  program: 'bot',
  class: 'normal',
  weight: 1,
  bucket: POSITIONS,
  maxWaitMs: 30_000,
  ...more,
})
const offer = (more: Partial<OfferedRequest> = {}, nowMs = 0): readonly Decision[] =>
  scheduler.offer(request(more), nowMs)
/** Applies a header that shows at 0 ms how many requests are left. */
function left(remaining: number, bucket = POSITIONS): void {
  const id = nextId++
  scheduler.passed(id, bucket, 0)
  scheduler.answered(id, answer(remaining), 0)
}
const kinds = (decisions: readonly Decision[]) => decisions.map((decision) => decision.kind)
const send = (upstream: number, isResend = false, requests = [upstream]): Decision => ({
  kind: 'send',
  upstream,
  requests,
  isResend,
})

describe('when a request goes', () => {
  test('a class has room once the level exceeds the reserve for more urgent classes', () => {
    expect(scheduler.roomAtMs(POSITIONS, 'normal', 0)).toBeUndefined()
    left(0)
    const stepMs = SECONDS_PER_REQUEST * 1000
    const at = (own: 'critical' | 'normal' | 'background') => scheduler.roomAtMs(POSITIONS, own, 0) ?? 0
    for (const own of ['critical', 'normal', 'background'] as const) {
      const dueMs = levelOf(own, 320) * stepMs
      expect(at(own)).toBeGreaterThanOrEqual(dueMs)
      expect(at(own)).toBeLessThan(dueMs * 1.001 + 2)
    }
  })

  test('an own request that skips the queue counts as in flight', () => {
    scheduler.passed(100, POSITIONS, 0)
    expect(kinds(offer())).toEqual(['wait'])
    expect(scheduler.answered(100, answer(300), 100)).toEqual([send(1)])
  })

  test('before the first header one request goes at a time, then as many as it allows', () => {
    expect(offer()).toEqual([send(1)])
    expect(kinds(offer())).toEqual(['wait'])
    expect(kinds(offer())).toEqual(['wait'])
    expect(scheduler.nextWakeAtMs).toBe(31_000)
    expect(scheduler.answered(1, answer(300), 100)).toEqual([
      { kind: 'answer', upstream: 1, requests: [1] },
      send(2),
      send(3),
    ])
  })

  test('each class leaves a reserve to more urgent ones: 6 % of the limit, or as configured', () => {
    expect(['critical', 'normal', 'background'].map((name) => levelOf(name as 'normal', 320))).toEqual([
      1, 21, 41,
    ])
    expect(['critical', 'normal', 'background'].map((name) => levelOf(name as 'normal', 320, 5))).toEqual([
      1, 6, 11,
    ])
    // A full bucket is open to each class, however small it is.
    expect(['critical', 'normal', 'background'].map((name) => levelOf(name as 'normal', 2))).toEqual([
      1, 2, 2,
    ])
    left(25)
    expect(kinds(offer({ class: 'background' }))).toEqual(['wait'])
    expect(kinds(offer())).toEqual(['send'])
    for (let i = 0; i < 4; i += 1) expect(kinds(offer())).toEqual(['send'])
    expect(kinds(offer())).toEqual(['wait'])
    expect(kinds(offer({ class: 'critical' }))).toEqual(['send'])
  })

  test('a burst of a more urgent class does not count as a lasting rate', () => {
    scheduler = new Scheduler(() => ({ reserve: 159 }))
    for (let i = 0; i < 20; i += 1) {
      expect(offer({ program: 'critical', class: 'critical' }, 40 * i)).toEqual([send(i + 1)])
      scheduler.answered(i + 1, answer(319 - i), 40 * i + 10)
    }
    expect(kinds(offer({ class: 'background', maxWaitMs: 22_000 }, 1_000))).toEqual(['wait'])
    expect(scheduler.turnAtMs(21)).toSatisfy((ms: number) => ms > 18_000 && ms < 22_000)
    const [refused] = offer({ class: 'background', maxWaitMs: 10_000 }, 1_000)
    expect(refused).toMatchObject({ kind: 'refuse', retryAfterSeconds: 20 })
  })

  test('a more urgent class beyond the refill declines no request whose turn comes in time', () => {
    scheduler = new Scheduler(() => ({ reserve: 159 }))
    for (let i = 0; i < 120; i += 1) {
      expect(offer({ program: 'critical', class: 'critical' }, 500 * i)).toEqual([send(i + 1)])
      scheduler.answered(i + 1, answer(319 - Math.floor(i / 2)), 500 * i + 10)
    }
    const patient = offer({ class: 'background', maxWaitMs: 900_000 }, 60_000)
    expect(kinds(patient)).toEqual(['wait'])
    expect(kinds(offer({ class: 'background', maxWaitMs: 10_000 }, 60_000))).toEqual(['refuse'])
  })

  test('a reserve can be set for a bucket', () => {
    scheduler = new Scheduler((bucket) => (bucket === POSITIONS ? { reserve: 0 } : {}))
    left(2)
    expect(kinds(offer({ class: 'background' }))).toEqual(['send'])
    expect(kinds(offer({ class: 'background' }))).toEqual(['send'])
    expect(kinds(offer({ class: 'background' }))).toEqual(['wait'])
  })

  test('a request goes when its level is reached, at the predicted time', () => {
    left(20)
    const [waits] = offer()
    // The bound begins to grow 1 ms after the header.
    expect(waits).toEqual({ kind: 'wait', request: 2, upstream: 2 })
    expect(scheduler.turnAtMs(2)).toBe(1 + SECONDS_PER_REQUEST * 1000)
    expect(scheduler.nextWakeAtMs).toBe(940)
    expect(scheduler.due(939)).toEqual([])
    expect(scheduler.due(940)).toEqual([send(2)])
    expect(scheduler.nextWakeAtMs).toBeUndefined()
  })

  test('a request whose turn has come goes before a new one, even after a late wake-up', () => {
    left(20)
    offer()
    expect(kinds(offer({ program: 'late' }, 940))).toEqual(['send', 'wait'])
  })

  test('a program’s backlog does not delay other programs behind it', () => {
    left(20)
    for (let i = 0; i < 5; i += 1) offer({ program: 'scanner', maxWaitMs: 300_000 })
    expect(kinds(offer({ program: 'notes' }))).toEqual(['wait'])
    expect(scheduler.turnAtMs(7)).toBe(1 + 2 * SECONDS_PER_REQUEST * 1000)
  })

  test('buckets are independent', () => {
    left(0)
    left(300, 'Accounts')
    expect(kinds(offer())).toEqual(['wait'])
    expect(kinds(offer({ bucket: 'Accounts' }))).toEqual(['send'])
  })

  test('time stops while the clock runs backwards', () => {
    left(20)
    offer({}, 500)
    expect(scheduler.due(100)).toEqual([])
    expect(scheduler.due(940)).toEqual([send(2)])
  })
})

describe('longest waits', () => {
  test('a request whose turn is too late is declined at once, with a retry time', () => {
    left(0)
    expect(offer({ maxWaitMs: 19_000 })).toEqual([
      {
        kind: 'refuse',
        request: 2,
        why: 'too-late',
        // 21 requests have to refill, which takes 19.7 s.
        retryAfterSeconds: 20,
        rate: { ...RULE, remaining: 0, resetSeconds: 300 },
      },
    ])
    expect([scheduler.openUpstreams, scheduler.upstreamOf(2)]).toEqual([0, undefined])
    expect(kinds(offer({ maxWaitMs: 19_701 }))).toEqual(['wait'])
  })

  test('without a wait it goes now or never', () => {
    left(21)
    expect(kinds(offer({ maxWaitMs: 0 }))).toEqual(['send'])
    expect(kinds(offer({ maxWaitMs: 0 }))).toEqual(['refuse'])
  })

  test('an overtaken request is declined when its longest wait ends, at most a second later', () => {
    left(20)
    offer({ maxWaitMs: 1000 })
    offer({ class: 'critical' })
    offer({ class: 'critical' })
    expect(scheduler.nextWakeAtMs).toBe(2000)
    expect(scheduler.due(1999)).toEqual([])
    expect(scheduler.due(2000)).toMatchObject([{ kind: 'refuse', request: 2, why: 'too-late' }])
  })

  test('after sleep, requests whose wait has ended are declined, not sent', () => {
    left(20)
    offer()
    expect(scheduler.due(3_600_000)).toMatchObject([{ kind: 'refuse', request: 2, why: 'too-late' }])
  })

  const HOUR_MS = 3_600_000
  test.each<[string, () => readonly Decision[]]>([
    ['another one is offered', () => offer({ program: 'scanner' }, HOUR_MS)],
    ['an equal one is offered', () => offer({ program: 'scanner', sameAs: 'x' }, HOUR_MS)],
    ['an answer comes', () => scheduler.answered(3, answer(300), HOUR_MS)],
    ['a token comes', () => scheduler.refreshed(4, true, HOUR_MS)],
    ['no token comes', () => scheduler.refreshed(4, false, HOUR_MS)],
    ['another one goes away', () => scheduler.drop(6, HOUR_MS)],
    ['one that was sent goes away', () => scheduler.drop(3, HOUR_MS)],
  ])('after sleep, requests whose wait has ended are not sent if %s first', (_, happens) => {
    left(22)
    offer({ sameAs: 'y' })
    offer({ class: 'critical' })
    offer({ class: 'critical' })
    scheduler.answered(4, { kind: 'unauthorized' }, 0)
    expect(kinds(offer({ sameAs: 'x' }))).toEqual(['wait'])
    offer({ program: 'notes', maxWaitMs: 2 * HOUR_MS })
    const decisions = happens()
    expect(decisions).toMatchObject([
      { kind: 'refuse', request: 5, why: 'too-late' },
      ...Array(decisions.length - 1).fill({}),
    ])
    const sent = decisions.flatMap((one) => (one.kind === 'send' ? one.requests : []))
    expect(sent).not.toContain(5)
  })

  test('when the bound is recomputed, requests that can no longer be in time are declined', () => {
    left(25)
    for (let i = 0; i < 5; i += 1) offer()
    expect(kinds(offer({ maxWaitMs: 10_000 }))).toEqual(['wait'])
    const decisions = scheduler.answered(2, answer(0), 100)
    expect(decisions).toMatchObject([
      { kind: 'answer', requests: [2] },
      { kind: 'refuse', request: 7, why: 'too-late' },
    ])
  })
})

describe('how many may wait', () => {
  test('64 per program: the newest is declined', () => {
    scheduler = new Scheduler(() => ({ size: { limit: 10_000, periodSeconds: 10 } }))
    offer({ program: 'other' })
    for (let i = 0; i < MAX_WAITING.perProgram; i += 1) expect(kinds(offer())).toEqual(['wait'])
    expect(offer()).toMatchObject([{ kind: 'refuse', why: 'queue-full' }])
    expect(kinds(offer({ program: 'third' }))).toEqual(['wait'])
    expect(scheduler.waiting()).toHaveLength(MAX_WAITING.perProgram + 1)
  })

  test('512 in all: the newest of the program with the most is declined, never a critical one', () => {
    offer({ program: 'first' })
    const most = [...Array(60)].map(() => offer({ program: 'most' }))
    expect(most.flatMap(kinds).every((kind) => kind === 'wait')).toBe(true)
    const newest = nextId - 1
    for (let i = 0; i < 62; i += 1) offer({ program: 'guard', class: 'critical' })
    for (let i = 0; i < MAX_WAITING.all - 122; i += 1) offer({ program: `p${i % 8}` })
    expect(scheduler.waiting()).toHaveLength(MAX_WAITING.all)
    expect(offer({ program: 'small' })).toMatchObject([
      { kind: 'refuse', request: newest, why: 'queue-full' },
      { kind: 'wait' },
    ])
    expect(scheduler.waiting()).toHaveLength(MAX_WAITING.all)
  })

  test('a critical one replaces another of its program', () => {
    offer({ program: 'first' })
    for (let i = 0; i < MAX_WAITING.perProgram; i += 1) offer()
    expect(offer({ class: 'critical' })).toMatchObject([
      { kind: 'refuse', request: MAX_WAITING.perProgram + 1, why: 'queue-full' },
      { kind: 'wait' },
    ])
  })
})

describe('equal requests', () => {
  const same = { sameAs: 'GET /v3/brokerage/accounts' }

  test('share one that is upstream, until it has a response', () => {
    left(300)
    expect(offer(same)).toEqual([send(2)])
    expect(offer({ ...same, program: 'notes' })).toEqual([{ kind: 'join', request: 3, upstream: 2 }])
    expect(scheduler.answered(2, answer(299), 100)).toEqual([
      { kind: 'answer', upstream: 2, requests: [2, 3] },
    ])
    expect(offer(same, 100)).toEqual([send(4)])
  })

  test('others do not', () => {
    left(300)
    offer(same)
    expect(kinds(offer({ sameAs: 'GET /v3/brokerage/accounts?x' }))).toEqual(['send'])
    expect(kinds(offer())).toEqual(['send'])
  })

  test('share a waiting one, which then waits in the higher class of the two', () => {
    left(20)
    offer({ ...same, class: 'background', maxWaitMs: 60_000 })
    const [joined] = offer({ ...same, program: 'notes' })
    expect(joined).toEqual({ kind: 'wait', request: 3, upstream: 2 })
    expect(scheduler.turnAtMs(3)).toBe(938.5)
    expect(offer({ ...same, program: 'guard', class: 'critical' })).toEqual([send(2, false, [2, 3, 4])])
  })

  test('when the one of the higher class leaves, the other waits as before', () => {
    left(0)
    offer({ ...same, class: 'normal' })
    offer({ ...same, program: 'guard', class: 'critical' })
    expect(scheduler.nextWakeAtMs).toBe(940)
    expect(scheduler.drop(3, 10)).toEqual([])
    expect(scheduler.nextWakeAtMs).toBe(19_701)
    expect(scheduler.due(19_701)).toEqual([send(2)])
  })

  test('when the first one leaves, the others continue', () => {
    left(20)
    offer(same)
    offer({ ...same, program: 'notes' })
    scheduler.drop(2, 10)
    expect(scheduler.due(940)).toEqual([send(2, false, [3])])
    expect(scheduler.answered(2, answer(20), 1000)).toMatchObject([{ kind: 'answer', requests: [3] }])
    expect([scheduler.openUpstreams, scheduler.upstreamOf(2)]).toEqual([0, undefined])
  })

  test('are each reported while they wait, and declined when their own longest wait ends', () => {
    left(0)
    offer(same)
    offer({ ...same, program: 'notes', maxWaitMs: 20_000 })
    expect(scheduler.waiting().map(({ request: id }) => id)).toEqual([3, 2])
    scheduler.passed(9, POSITIONS, 10)
    expect(scheduler.due(21_250)).toMatchObject([{ kind: 'refuse', request: 3 }, send(2)])
  })

  test('each keep their own longest wait', () => {
    left(0)
    offer(same)
    expect(offer({ ...same, program: 'notes', maxWaitMs: 1000 })).toMatchObject([
      { kind: 'refuse', request: 3, why: 'too-late' },
    ])
    expect(scheduler.due(19_701)).toEqual([send(2)])
  })
})

describe('departures', () => {
  test('a waiting request is dropped unsent', () => {
    left(20)
    offer()
    expect(scheduler.drop(2, 10)).toEqual([])
    expect(scheduler.due(60_000)).toEqual([])
    expect([scheduler.openUpstreams, scheduler.upstreamOf(2)]).toEqual([0, undefined])
  })

  test('a sent request’s response reaches nobody, but its outcome counts', () => {
    left(300)
    offer({ sameAs: 'x' })
    expect(scheduler.drop(2, 10)).toEqual([{ kind: 'abandon', upstream: 2 }])
    expect(kinds(offer({ sameAs: 'x' }, 10))).toEqual(['send'])
    expect(scheduler.openUpstreams).toBe(2)
    expect(scheduler.answered(2, { kind: 'cut' }, 20)).toEqual([])
    expect(scheduler.openUpstreams).toBe(1)
    expect(scheduler.drop(2, 30)).toEqual([])
  })

  test('all waiting requests can be declined when nothing can be sent', () => {
    left(21)
    offer()
    offer()
    const refused = scheduler.refuseWaiting(10)
    expect(refused).toMatchObject([{ kind: 'refuse', request: 3, why: 'unavailable' }])
    expect(refused[0]).not.toHaveProperty('retryAfterSeconds')
    expect([scheduler.openUpstreams, scheduler.upstreamOf(3)]).toEqual([1, undefined])
  })
})

describe('resends', () => {
  const limited = (remaining?: number): UpstreamOutcome => ({
    kind: 'rate-limited',
    of: 'rate',
    ...(remaining !== undefined && { rate: rate(remaining) }),
  })

  test('after a 429 a request is queued again, once, if its longest wait allows', () => {
    left(100)
    offer()
    expect(scheduler.answered(2, limited(0), 100)).toMatchObject([{ kind: 'wait', request: 2, upstream: 2 }])
    const wakeAtMs = scheduler.nextWakeAtMs!
    expect(scheduler.due(wakeAtMs)).toEqual([send(2, true)])
    expect(scheduler.answered(2, limited(0), wakeAtMs + 100)).toEqual([
      { kind: 'answer', upstream: 2, requests: [2] },
    ])
  })

  test('requests whose longest wait does not allow it get the unchanged 429', () => {
    left(100)
    offer({ sameAs: 'x', maxWaitMs: 1000 })
    offer({ sameAs: 'x', program: 'notes' })
    expect(scheduler.answered(2, limited(0), 100)).toMatchObject([
      { kind: 'answer', upstream: 2, requests: [2] },
      { kind: 'wait', request: 3, upstream: 2 },
    ])
  })

  test('a 429 without fields pauses only its bucket, for 60 s', () => {
    left(100)
    left(100, 'Accounts')
    offer()
    expect(scheduler.answered(3, limited(), 100)).toMatchObject([{ kind: 'answer', requests: [3] }])
    expect(offer({}, 200)).toMatchObject([{ kind: 'refuse', why: 'too-late', retryAfterSeconds: 60 }])
    expect(kinds(offer({ bucket: 'Accounts' }, 200))).toEqual(['send'])
    expect(kinds(offer({ maxWaitMs: 61_000 }, 200))).toEqual(['wait'])
    expect(scheduler.nextWakeAtMs).toBe(60_100)
  })

  test('a resent request goes before later ones of its program', () => {
    left(22)
    offer()
    offer()
    offer({ maxWaitMs: 60_000 })
    scheduler.answered(2, limited(0), 100)
    expect(scheduler.due(scheduler.nextWakeAtMs!)).toEqual([send(2, true)])
  })

  test('after a 401 there is one refresh and one resend, then the 401 is relayed', () => {
    left(100)
    offer()
    expect(scheduler.answered(2, { kind: 'unauthorized' }, 100)).toEqual([{ kind: 'refresh', upstream: 2 }])
    expect(scheduler.refreshed(2, true, 200)).toMatchObject([{ kind: 'wait', request: 2 }, send(2, true)])
    expect(scheduler.answered(2, { kind: 'unauthorized' }, 300)).toMatchObject([{ kind: 'answer' }])
  })

  test('a request whose refresh outlasted its wait is sent anyway if it can go at once', () => {
    left(100)
    offer({ maxWaitMs: 1_000 })
    scheduler.answered(2, { kind: 'unauthorized' }, 100)
    expect(scheduler.refreshed(2, true, 5_000)).toMatchObject([{ kind: 'wait', request: 2 }, send(2, true)])
  })

  test('without another token the 401 is relayed', () => {
    left(100)
    offer({ sameAs: 'x' })
    offer({ sameAs: 'x', program: 'notes' })
    scheduler.answered(2, { kind: 'unauthorized' }, 100)
    expect(scheduler.refreshed(2, false, 200)).toEqual([{ kind: 'answer', upstream: 2, requests: [2, 3] }])
    expect([scheduler.openUpstreams, scheduler.upstreamOf(2)]).toEqual([0, undefined])
  })

  test('a lost connection before the response causes one resend; a second one fails', () => {
    left(100)
    offer()
    expect(scheduler.answered(2, { kind: 'cut' }, 100)).toMatchObject([
      { kind: 'wait', request: 2 },
      send(2, true),
    ])
    expect(scheduler.answered(2, { kind: 'cut' }, 200)).toEqual([
      { kind: 'fail', upstream: 2, requests: [2], why: 'cut' },
    ])
    // Both may have been counted.
    expect(scheduler.rateOf(POSITIONS, 200)?.remaining).toBe(98)
  })

  test('a request that was put back unsent is no resend, unless it was sent before', () => {
    scheduler.isGranted = true
    left(320)
    offer({ id: 100 })
    for (const isResend of [false, true]) {
      expect(scheduler.grant(100, 0)).toEqual([send(100, isResend)])
      expect(kinds(scheduler.putBack(100, 0))).toEqual(['wait'])
      expect(scheduler.grant(100, 0)).toEqual([send(100, isResend)])
      scheduler.answered(100, { kind: 'cut' }, 0)
    }
  })

  test('a request that times out fails, and one that never reached the service costs nothing', () => {
    left(100)
    offer()
    expect(scheduler.answered(2, { kind: 'timeout' }, 100)).toMatchObject([{ kind: 'fail', why: 'timeout' }])
    offer({}, 100)
    expect(scheduler.answered(3, { kind: 'not-sent' }, 100)).toMatchObject([
      { kind: 'fail', why: 'not-sent' },
    ])
    expect(scheduler.rateOf(POSITIONS, 100)?.remaining).toBe(99)
  })

  test('a repeated outcome changes nothing', () => {
    left(100)
    offer()
    scheduler.answered(2, answer(99), 100)
    expect(scheduler.answered(2, answer(0), 100)).toEqual([])
    expect(scheduler.rateOf(POSITIONS, 100)?.remaining).toBe(99)
  })
})

describe('the bucket that a header names', () => {
  test('counts the request, and requests without a header’s bucket move there', () => {
    offer({ bucket: '/v3/new' })
    offer({ bucket: '/v3/new' })
    offer({ bucket: '/v3/new' })
    const decisions = scheduler.answered(1, { kind: 'answer', rate: rate(21), bucket: 'new-things' }, 100)
    expect(kinds(decisions)).toEqual(['answer', 'send'])
    expect(scheduler.rateOf('new-things', 100)?.remaining).toBe(20)
    expect(scheduler.rateOf('/v3/new', 100)).toBeUndefined()
    expect(scheduler.waiting()).toMatchObject([{ request: 3, bucket: 'new-things' }])
  })

  test('moves waiting requests along, even if others are still in flight', () => {
    scheduler.passed(100, '/v3/new', 0)
    scheduler.passed(101, '/v3/new', 0)
    offer({ bucket: '/v3/new' })
    const decisions = scheduler.answered(100, { kind: 'answer', rate: rate(50), bucket: 'new-things' }, 100)
    expect(decisions).toEqual([send(1)])
    expect(scheduler.answered(101, { kind: 'answer' }, 200)).toEqual([])
    expect(scheduler.due(10_000)).toEqual([])
  })

  test('differs from the expected one: the charge moves to the right bucket', () => {
    left(100)
    left(50, 'Balances')
    offer()
    scheduler.answered(3, { kind: 'answer', rate: rate(49), bucket: 'Balances' }, 100)
    expect(scheduler.rateOf(POSITIONS, 100)?.remaining).toBe(100)
    expect(scheduler.rateOf('Balances', 100)?.remaining).toBe(49)
  })

  test('forgets paths without a quota, and remembers those with one', () => {
    const asked: string[] = []
    scheduler = new Scheduler((bucket) => {
      asked.push(bucket)
      return {}
    })
    const ask = (bucket: string, outcome: UpstreamOutcome) => {
      const id = nextId
      offer({ bucket })
      scheduler.answered(id, outcome, 0)
    }
    for (let i = 0; i < 2; i += 1) ask('/v3/none', answer())
    for (let i = 0; i < 2; i += 1) ask('/v3/one', answer(100))
    expect(asked).toEqual(['/v3/none', '/v3/none', '/v3/one'])
  })

  test('unlimited paths do not fill the memory', () => {
    for (let i = 0; i < 1_100; i += 1) left(100, `/v3/${i}`)
    expect(scheduler.rateOf('/v3/0', 0)).toBeUndefined()
    expect(scheduler.rateOf('/v3/1099', 0)?.remaining).toBe(100)
  })
})

test('nothing refills while it is uncertain whether time passed', () => {
  left(20)
  offer({ maxWaitMs: 300_000 })
  scheduler.markClockUncertain(100, 200_000)
  expect(scheduler.due(200_000)).toEqual([])
  expect(scheduler.nextWakeAtMs).toBe(200_840)
})

test('a clock set ahead ends no wait and lengthens none', () => {
  left(0)
  offer({ maxWaitMs: 300_000 })
  const [before] = scheduler.waiting()
  scheduler.markClockUncertain(100, 3_600_100)
  expect(scheduler.due(3_600_100)).toEqual([])
  expect(scheduler.waiting()).toEqual([
    { ...before, sinceMs: 3_600_000 + (before?.sinceMs ?? 0), untilMs: 3_600_000 + (before?.untilMs ?? 0) },
  ])
})
