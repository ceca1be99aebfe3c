import { Bucket } from '../../../app/quota/bucket.ts'
import type { LearnedQuota } from '../../../app/quota/learned.ts'
import type { RateReading } from '../../../app/service/headers.ts'
import { ReferenceService, type Rule } from './reference-service.ts'

/** The traffic between one simulated client and one reference service. Times in milliseconds. */
export interface Traffic {
  readonly rule: Rule
  /** The level of the service at the start. */
  readonly level: number
  readonly forMs: number
  readonly chance: () => number
  /** The pause before the next own request. */
  readonly pauseMs: (nowMs: number) => number
  /** The latency of one direction, drawn twice for each request. So two requests may overtake each other. */
  readonly latencyMs: () => number
  /** The share of requests whose answer never comes; half of them did count. */
  readonly lossShare?: number
  /** The share of requests that never leave. */
  readonly notSentShare?: number
  /** Requests per second by others, evenly from `elsewhereFromMs` on. */
  readonly elsewherePerSecond?: number
  readonly elsewhereFromMs?: number
  readonly elsewhereUntilMs?: number
  /** How many requests others make at each of these moments, one after the other. 1 if absent. */
  readonly elsewhereBurst?: number
  /** What an earlier run learned. */
  readonly learned?: LearnedQuota
}

export interface Witness {
  /** Called just after the service counted an own request; `remaining` is what its header will say. */
  readonly counted?: (bucket: Bucket, remaining: number, nowMs: number) => void
  /** Called after each change, and once between two changes. */
  readonly moment?: (bucket: Bucket, level: number, nowMs: number) => void
  readonly answered?: (
    bucket: Bucket,
    elsewhere: number,
    nowMs: number,
    level: number,
    rate: RateReading,
  ) => void
}

const LOST_AFTER_MS = 4_000

/** Plays `traffic` in virtual time against a fresh bucket, which it returns. */
export function play(traffic: Traffic, witness: Witness): Bucket {
  const { rule, chance } = traffic
  const service = new ReferenceService(rule, traffic.level, 0)
  const bucket = new Bucket(rule.limit, rule.periodSeconds, 0)
  if (traffic.learned) bucket.restore(traffic.learned)
  const queue: { atMs: number; act: (nowMs: number) => void }[] = []
  const at = (atMs: number, act: (nowMs: number) => void) => queue.push({ atMs, act })
  let hasHeader = false
  let id = 0

  const answerFrom = (own: number, nowMs: number): void => {
    const accepted = service.spend(nowMs)
    const rate = service.headers(nowMs)
    if (hasHeader) witness.counted?.(bucket, rate.remaining, nowMs)
    at(nowMs + traffic.latencyMs(), (receivedAtMs) => {
      const elsewhere = bucket.answered({ id: own, receivedAtMs, rejected: !accepted, rate })
      hasHeader = true
      witness.answered?.(bucket, elsewhere, receivedAtMs, service.level(receivedAtMs), rate)
    })
  }
  const send = (nowMs: number): void => {
    id += 1
    const own = id
    bucket.sent(own, nowMs)
    const fate = chance()
    const lost = traffic.lossShare ?? 0
    if (fate < lost) {
      if (fate < lost / 2) at(nowMs + traffic.latencyMs(), (then) => void service.spend(then))
      at(nowMs + LOST_AFTER_MS, (then) => bucket.lost(own, then))
    } else if (fate < lost + (traffic.notSentShare ?? 0)) {
      at(nowMs + traffic.latencyMs(), (then) => bucket.notSent(own, then))
    } else at(nowMs + traffic.latencyMs(), (then) => answerFrom(own, then))
    at(nowMs + traffic.pauseMs(nowMs), send)
  }
  const byOthers = (nowMs: number): void => {
    if (nowMs >= (traffic.elsewhereUntilMs ?? Number.POSITIVE_INFINITY)) return
    for (let count = 0; count < (traffic.elsewhereBurst ?? 1); count += 1) service.spend(nowMs)
    at(nowMs + 1000 / (traffic.elsewherePerSecond ?? 1), byOthers)
  }
  at(traffic.pauseMs(0), send)
  if (traffic.elsewherePerSecond) at(traffic.elsewhereFromMs ?? 0, byOthers)

  for (let last = 0; ; ) {
    const next = queue.reduce((first, event) => (event.atMs < first.atMs ? event : first))
    queue.splice(queue.indexOf(next), 1)
    if (next.atMs > traffic.forMs) return bucket
    if (hasHeader && witness.moment) {
      const between = last + (next.atMs - last) * chance()
      witness.moment(bucket, service.level(between), between)
    }
    next.act(next.atMs)
    if (hasHeader) witness.moment?.(bucket, service.level(next.atMs), next.atMs)
    last = next.atMs
  }
}
