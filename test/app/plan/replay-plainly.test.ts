import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROGRAM_CLASSES } from '../../../app/contract/programs.ts'
import { BucketQueue, type Waiting } from '../../../app/gateway/bucket-queue.ts'
import type { Decision } from '../../../app/gateway/decisions.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import type { Plan } from '../../../app/plan/plan.ts'
import { plannedDay } from '../../../app/plan/planned-day.ts'
import { type Arrival, replay } from '../../../app/plan/replay.ts'
import { RollingBucket } from '../../../app/plan/rolling-bucket.ts'
import { proves } from '../../proof/proves.ts'
import { chanceFrom } from '../quota/chance.ts'

const LIMITS = { Positions: { limit: 40, periodSeconds: 60 }, Orders: { limit: 12, periodSeconds: 30 } }
const OPTIONS = { maxWaitMs: 20_000, stretchMs: 60_000 }
const TRIP_MS = 25

interface PlainEvent {
  readonly kind: 'reach' | 'answer'
  readonly atMs: number
  readonly id: number
  readonly isAccepted?: boolean
  readonly header?: ReturnType<RollingBucket['header']>
}

/**
 * When requests were sent or declined, computed naively: each step searches all coming events and asks the
 * scheduler again.
 */
function plainly(plan: Plan, arrivals: readonly Arrival[]) {
  const scheduler = new Scheduler()
  const buckets = new Map(Object.entries(LIMITS).map(([name, size]) => [name, new RollingBucket(size)]))
  const events: PlainEvent[] = []
  const waitsMs = new Map<string, number[]>()
  const refused = new Map<string, number>()
  let upstreamRefusals = 0
  const arrivalOf = (id: number) => arrivals[id]!
  const doAll = (decisions: readonly Decision[], nowMs: number) => {
    for (const decision of decisions) {
      if (decision.kind === 'send') {
        const { program, category, atMs } = arrivalOf(decision.upstream)
        const key = `${program} ${category}`
        if (!decision.isResend) waitsMs.set(key, [...(waitsMs.get(key) ?? []), nowMs - atMs])
        events.push({ kind: 'reach', atMs: nowMs + TRIP_MS, id: decision.upstream })
      }
      if (decision.kind === 'refuse') {
        const { program, category } = arrivalOf(decision.request)
        const key = `${program} ${category}`
        refused.set(key, (refused.get(key) ?? 0) + 1)
      }
    }
  }
  const runUntil = (endMs: number) => {
    for (;;) {
      // At equal times, requests come first, then answers, then the scheduler's own wake-ups.
      const next = [...events].sort((a, b) => a.atMs - b.atMs || (a.kind < b.kind ? 1 : -1))[0]
      const wakeMs = scheduler.nextWakeAtMs ?? Number.POSITIVE_INFINITY
      const nextMs = Math.min(next?.atMs ?? Number.POSITIVE_INFINITY, wakeMs)
      if (nextMs > endMs || nextMs === Number.POSITIVE_INFINITY) return
      if (next === undefined || next.atMs > nextMs) {
        doAll(scheduler.due(wakeMs), wakeMs)
        continue
      }
      events.splice(events.indexOf(next), 1)
      const { id, atMs, isAccepted = false } = next
      const bucket = buckets.get(arrivalOf(id).category)!
      if (next.kind === 'reach') {
        const isSpent = bucket.spend(atMs)
        if (!isSpent) upstreamRefusals += 1
        events.push({
          kind: 'answer',
          atMs: atMs + TRIP_MS,
          id,
          isAccepted: isSpent,
          header: bucket.header(atMs),
        })
      } else if (next.header !== undefined) {
        const { header: rate } = next
        doAll(
          scheduler.answered(
            id,
            isAccepted ? { kind: 'answer', rate } : { kind: 'rate-limited', of: 'rate', rate },
            atMs,
          ),
          atMs,
        )
      }
    }
  }
  const programs = new Map(plan.programs.map((program) => [program.name, program]))
  const met = new Set<string>()
  for (const [id, { atMs, program, category }] of arrivals.entries()) {
    if (!met.has(category)) {
      met.add(category)
      scheduler.passed(-1 - met.size, category, 0)
      const rate = buckets.get(category)!.header(0)
      scheduler.answered(-1 - met.size, { kind: 'answer', rate }, 0)
    }
    runUntil(atMs)
    const { class: own, weight } = programs.get(program)!
    doAll(
      scheduler.offer(
        { id, program, class: own, weight, bucket: category, maxWaitMs: OPTIONS.maxWaitMs },
        atMs,
      ),
      atMs,
    )
  }
  runUntil(Number.POSITIVE_INFINITY)
  return { waitsMs, refused, upstreamRefusals }
}

const plan: fc.Arbitrary<Plan> = fc
  .array(
    fc.record({
      class: fc.constantFrom(...PROGRAM_CLASSES),
      weight: fc.constantFrom(1, 2, 5),
      requests: fc.uniqueArray(
        fc.record({
          category: fc.constantFrom(...Object.keys(LIMITS)),
          perSecond: fc.double({ min: 0.02, max: 0.5, noNaN: true }),
          burst: fc.integer({ min: 1, max: 30 }),
        }),
        { selector: ({ category }) => category, minLength: 1 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((programs) => ({
    programs: programs.map((program, at) => ({ ...program, name: `program ${at}`, streams: [] })),
    limits: LIMITS,
    reserves: {},
  }))

test('a replayed day equals a replay that checks everything in each step', () => {
  let waited = 0
  let refused = 0
  fc.assert(
    fc.property(plan, fc.integer(), (one, seed) => {
      const arrivals = plannedDay(one, 300_000, chanceFrom(seed))
      const day = replay(one, arrivals, OPTIONS)
      const expected = plainly(one, arrivals)
      expect(day.upstreamRefusals).toBe(expected.upstreamRefusals)
      for (const { program, category, sent, ...waits } of day.waits) {
        const key = `${program} ${category}`
        const inOrder = (expected.waitsMs.get(key) ?? []).toSorted((a, b) => a - b)
        expect(sent).toBe(inOrder.length)
        expect(waits.refused).toBe(expected.refused.get(key) ?? 0)
        const at = (share: number) => (inOrder[Math.ceil(inOrder.length * share) - 1] ?? 0) / 1000
        expect([waits.p99Seconds, waits.worstSeconds]).toEqual([at(0.99), at(1)])
        if (waits.worstSeconds > 0) waited += 1
        refused += waits.refused
      }
      const all = day.waits.reduce((sum, one) => sum + one.sent + one.refused, 0)
      expect(all).toBe(arrivals.length)
    }),
    { numRuns: 100 },
  )
  expect(waited).toBeGreaterThan(50)
  expect(refused).toBeGreaterThan(50)
  proves('L2', { level: 2, cases: 100 })
})

interface Asked extends Waiting {
  readonly atMs: number
}

/**
 * Runs the requests `asked` through a queue and sends each when it may be sent. `send` decides whether a
 * request may go at once. Returns when each was sent, and the predicted turn of each one that had to wait.
 */
function sentBy(asked: readonly Asked[], send: (queue: BucketQueue<Asked>, one: Asked) => boolean) {
  const queue = new BucketQueue<Asked>('Positions', {})
  queue.bound.sent(-1, 0)
  queue.bound.answered(-1, 'no', { limit: 12, periodSeconds: 30, remaining: 11, resetSeconds: 3 }, 0)
  const sent: (readonly [order: number, atMs: number, turnMs?: number])[] = []
  const noted = (one: Asked, nowMs: number) => {
    queue.bound.sent(one.order, nowMs)
    queue.bound.answered(one.order, 'no', undefined, nowMs)
    sent.push([one.order, nowMs])
  }
  const pump = (nowMs: number) => {
    for (let next = queue.take(nowMs); next !== undefined; next = queue.take(nowMs)) noted(next, nowMs)
  }
  for (const one of asked) {
    pump(one.atMs)
    if (send(queue, one)) noted(one, one.atMs)
    else {
      queue.add(one)
      pump(one.atMs)
      const waits = [...queue.inOrder()].includes(one)
      if (waits) sent.push([one.order, one.atMs, queue.turnOf(one, one.atMs)])
    }
    expect(queue.size).toBe([...queue.inOrder()].length)
  }
  pump(1_000_000)
  return sent
}

const asked = fc
  .array(
    fc.record({
      afterMs: fc.nat(4000),
      program: fc.constantFrom('a', 'b', 'c'),
      class: fc.constantFrom(...PROGRAM_CLASSES),
      weight: fc.constantFrom(1, 2),
    }),
    { maxLength: 80 },
  )
  .map((all) => {
    let atMs = 0
    return all.map(({ afterMs, ...one }, order): Asked => {
      atMs += afterMs
      return { ...one, order, atMs }
    })
  })

test('a passing request goes when it would if queued, and leaves the same behind', () => {
  fc.assert(
    fc.property(asked, (all) => {
      expect(sentBy(all, (queue, one) => queue.passes(one, one.atMs))).toEqual(sentBy(all, () => false))
    }),
    { numRuns: 300 },
  )
})

test('while one waits, no later one passes, even if both could go', () => {
  const queue = new BucketQueue<Asked>('Positions', {})
  queue.bound.sent(-1, 0)
  queue.bound.answered(-1, 'no', { limit: 12, periodSeconds: 30, remaining: 0, resetSeconds: 30 }, 0)
  const one = (order: number): Asked => ({ order, atMs: 0, program: 'bot', weight: 1, class: 'normal' })
  expect(queue.passes(one(1), 0)).toBe(false)
  queue.add(one(1))
  expect(queue.passes(one(2), 30_000)).toBe(false)
  expect(queue.take(30_000)?.order).toBe(1)
  expect(queue.passes(one(2), 30_000)).toBe(true)
})
