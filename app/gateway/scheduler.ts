import type { ProgramClass } from '../contract/programs.ts'
import { wholeSeconds } from '../contract/units.ts'
import type { RateReading } from '../service/headers.ts'
import { RESET_STEP_MS } from './bucket-bound.ts'
import { type BucketOptions, BucketQueue, type Forecast } from './bucket-queue.ts'
import type { Decision, FailureReason, OfferedRequest, RefusalReason, UpstreamOutcome } from './decisions.ts'
import type { SharedBound } from './shared-bound.ts'
import { type Request, Upstream } from './upstream.ts'
import { WaitingRequests } from './waiting-requests.ts'

/** An upstream request that waits for its turn. Times on the scheduler's clock. */
export interface WaitingUpstream extends Pick<OfferedRequest, 'program' | 'class' | 'weight' | 'bucket'> {
  readonly id: number
  readonly sinceMs: number
  readonly untilMs: number
}

/** A request that waits for its turn. `untilMs`: when its maximum wait ends. */
export interface WaitingRequest extends Omit<WaitingUpstream, 'id' | 'weight'> {
  readonly request: number
}

/** Time for which a request may still reach the service after its connection closed. Milliseconds. */
const ON_ITS_WAY_MS = 2_000
/**
 * A waiting request may still be sent this long after its maximum wait ended, because a wake-up may be late.
 * After a longer delay, the machine is assumed to have slept. Milliseconds.
 */
const MAX_LATE_MS = 250
/** Maximum number of buckets. Without it, a program with requests for many paths could fill the memory. */
const MAX_BUCKETS = 1024

/**
 * Decides which program's request goes upstream next, and when. It applies bounds per bucket, classes, fair
 * shares, maximum waits, shared requests and resends.
 *
 * It performs no I/O. Each event returns the decisions to carry out immediately, in order. `due` is called at
 * `nextWakeAtMs` if no event comes first. A scheduler serves one API key and one user, because each such pair
 * has its own buckets (service 8.1).
 *
 * A request's turn is computed from the current queue and from the recent arrival rates of requests that are
 * sent before it. These requests come from more urgent classes, from programs below their share and from
 * outside the gateway.
 *
 * Arrivals are random, so no rule detects every late request in advance. A stricter rule would decline
 * requests that could have been sent in time. A looser rule would let more requests wait in vain. A new
 * request is declined only if it would be late even in an optimistic case (`BucketQueue.canMeet`).
 *
 * In the bench "Turns", fewer than 1 % of the declined requests could have been sent in time. With other
 * traffic, 5 to 12 % of the queued requests wait in vain. Without other traffic, no request waits in vain.
 * A request that waits in vain is declined when its maximum wait ends, or when a header shows that it would
 * be late.
 *
 * Reset is in whole seconds, so a later header may show a slightly lower level. Each request may wait one
 * extra second, so that this rounding does not cause it to be declined.
 *
 * Times are milliseconds on one clock. If the clock runs backwards, the scheduler's time does not change.
 */
export class Scheduler {
  /**
   * Whether only `grant` gives turns. Even then, the scheduler handles maximum waits, shared requests and
   * resends. Call `due` after a change.
   */
  isGranted = false
  readonly #optionsOf: (bucket: string) => BucketOptions
  readonly #forecast: Forecast
  readonly #buckets = new Map<string, BucketQueue<Upstream>>()
  readonly #upstreams = new Map<number, Upstream>()
  readonly #upstreamOf = new Map<number, Upstream>()
  readonly #shared = new Map<string, Upstream>()
  /** Requests whose upstream request waits in a queue. */
  readonly #waiting = new WaitingRequests<Request>()
  #nowMs = Number.NEGATIVE_INFINITY
  #order = 0
  #bucketMade: ((bucket: string, bound: SharedBound) => void) | undefined

  constructor(optionsOf: (bucket: string) => BucketOptions = () => ({}), forecast: Forecast = {}) {
    this.#optionsOf = optionsOf
    this.#forecast = forecast
  }

  /** Accepts a program's request, and sends, shares, queues or declines it immediately. */
  offer(offered: OfferedRequest, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const overslept = this.#overslept(now)
    const order = offered.order ?? this.#order++
    const request: Request = { ...offered, order, offeredAtMs: now, deadlineMs: now + offered.maxWaitMs }
    const shared = offered.sameAs === undefined ? undefined : this.#shared.get(offered.sameAs)
    const bucket = shared?.bucket ?? this.#bucket(offered.bucket)
    // Requests whose turn has already come are sent before the new one, even after a late wake-up.
    const decisions = this.#pump(bucket, now, overslept)
    if (shared !== undefined) return [...decisions, ...this.#join(shared, request, now)]
    const upstream = new Upstream(request.id, bucket, order, request)
    this.#upstreams.set(upstream.id, upstream)
    this.#upstreamOf.set(request.id, upstream)
    if (upstream.sameAs !== undefined) this.#shared.set(upstream.sameAs, upstream)
    if (!this.isGranted && bucket.passes(upstream, now)) {
      decisions.push(this.#send(upstream, now))
      return decisions
    }
    bucket.add(upstream)
    this.#waiting.add(request)
    return [...decisions, ...this.#pump(bucket, now), ...this.#judgeNew(upstream, request, now)]
  }

  /**
   * Records an own request that skipped the queue, such as one that opens a stream. Its `id` must differ from
   * all offered ids. The caller must report its outcome to `answered`.
   */
  passed(id: number, bucketName: string, nowMs: number, when: 'now' | 'earlier' = 'now'): void {
    const now = this.#passed(nowMs)
    const bucket = this.#bucket(bucketName)
    this.#upstreams.set(id, new Upstream(id, bucket, this.#order++))
    if (when === 'now') bucket.bound.sent(id, now)
    else bucket.bound.sentEarlier(id, now)
  }

  /**
   * Decides whether a request that must not wait, such as an order, may be sent now. Such a request precedes
   * all waiting requests and may use the reserve.
   *
   * Returns `undefined` if it may be sent. The caller must then report its outcome to `answered`. Before the
   * bucket's first header, the result is always `undefined`.
   */
  goAtOnce(id: number, bucketName: string, nowMs: number): Extract<Decision, { kind: 'refuse' }> | undefined {
    const now = this.#passed(nowMs)
    const { bound } = this.#bucket(bucketName)
    if (bound.limit === undefined || bound.allows(1, now)) {
      this.passed(id, bucketName, now)
      return undefined
    }
    const rate = bound.reading(now)
    const waitMs = (bound.reachesAtMs(1, now) ?? now + (rate?.resetSeconds ?? 0) * 1000) - now
    const retryAfterSeconds = wholeSeconds(waitMs)
    return { kind: 'refuse', request: id, why: 'empty', retryAfterSeconds, ...(rate && { rate }) }
  }

  /** Handles the outcome of a sent request. An unknown id changes nothing. */
  answered(id: number, outcome: UpstreamOutcome, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'sent') return []
    const moved = 'bucket' in outcome ? this.#moved(upstream, outcome.bucket) : []
    const isAnew = countIn(upstream, outcome, now)
    const overslept = this.#overslept(now)
    const own = this.#decide(upstream, outcome, now)
    const late = isAnew && !this.isGranted ? this.#refuseLate(upstream.bucket, now) : []
    const { bucket } = upstream
    const decisions = [...overslept, ...own, ...late]
    for (const one of moved) this.#pump(one, now, decisions)
    this.#pump(bucket, now, decisions)
    if (bucket.size === 0 && bucket.bound.isForgettable(now)) this.#buckets.delete(bucket.name)
    return decisions
  }

  /** Handles the result of a `refresh`. Without a newer token, the 401 is relayed. */
  refreshed(id: number, gotToken: boolean, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'refreshing') return []
    const overslept = this.#overslept(now)
    if (!gotToken) return [...overslept, ...this.#pass(upstream)]
    const again = this.#again(upstream, 'too-late', now)
    return this.#pump(upstream.bucket, now, [...overslept, ...again])
  }

  /** Drops a request whose program disconnected or cancelled it. */
  drop(request: number, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreamOf.get(request)
    if (upstream === undefined) return []
    const left = this.#leave(upstream, request)
    const overslept = this.#overslept(now)
    return left === 'abandoned'
      ? [...overslept, { kind: 'abandon', upstream: upstream.id }]
      : this.#pump(upstream.bucket, now, overslept)
  }

  /**
   * Declines all waiting requests as `unavailable`, because sign-in is needed or the gateway stops. Sent
   * requests continue.
   */
  refuseWaiting(nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    return this.#waiting.all().map((request) => this.#refuse(request, 'unavailable', undefined, now))
  }

  /** The decisions that are due at `nowMs` even without an event. */
  due(nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const decisions = this.#overslept(now)
    for (const bucket of this.#buckets.values()) this.#pump(bucket, now, decisions)
    decisions.push(...this.#expire(now, now))
    return decisions
  }

  /** When to call `due`, as a whole millisecond. May be in the past. `undefined` while nothing waits. */
  get nextWakeAtMs(): number | undefined {
    const { first } = this.#waiting
    if (first === undefined) return undefined
    let wakeAtMs = endOfPatienceMs(first)
    if (this.isGranted) return Math.ceil(wakeAtMs)
    for (const bucket of this.#buckets.values()) {
      wakeAtMs = Math.min(wakeAtMs, bucket.dueAtMs(this.#nowMs) ?? Number.POSITIVE_INFINITY)
    }
    return Math.ceil(wakeAtMs)
  }

  /**
   * Handles a span whose real length is unknown, because the machine slept or the clock was set. Quotas do
   * not refill during the span, and waits are extended by its length.
   */
  markClockUncertain(fromMs: number, toMs: number): void {
    for (const { requests } of this.#upstreams.values()) {
      for (const request of requests.values()) {
        request.offeredAtMs += toMs - fromMs
        request.deadlineMs += toMs - fromMs
      }
    }
    for (const { bound } of this.#buckets.values()) bound.markClockUncertain(fromMs, toMs)
  }

  waiting(): readonly WaitingRequest[] {
    return this.#waiting.all().map(({ id, program, class: own, bucket, offeredAtMs, deadlineMs }) => ({
      request: id,
      program,
      class: own,
      bucket: this.#upstreamOf.get(id)?.bucket.name ?? bucket,
      sinceMs: offeredAtMs,
      untilMs: deadlineMs,
    }))
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /**
   * When a waiting request has its turn, if no other request joins or leaves. `undefined` if it is not
   * waiting.
   */
  turnAtMs(request: number): number | undefined {
    const upstream = this.#upstreamOf.get(request)
    return upstream?.state === 'waiting' ? upstream.bucket.turnOf(upstream, this.#nowMs) : undefined
  }

  /** The bounds of all buckets, by name. */
  *bounds(): Generator<readonly [bucket: string, bound: SharedBound]> {
    for (const [name, { bound }] of this.#buckets) yield [name, bound]
  }

  /** The bound of a bucket. `undefined` if no such bucket exists. */
  boundOf(bucket: string): SharedBound | undefined {
    return this.#buckets.get(bucket)?.bound
  }

  /** Creates a bucket if it does not exist yet. */
  know(bucket: string): void {
    this.#bucket(bucket)
  }

  /** Sets the function that is called for each new bucket. */
  onBucket(made: ((bucket: string, bound: SharedBound) => void) | undefined): void {
    this.#bucketMade = made
  }

  /** The upstream requests that wait for their turns, each with its requests' latest deadline. */
  *waitingUpstreams(): Generator<WaitingUpstream> {
    const seen = new Set<Upstream>()
    for (const { id } of this.#waiting.all()) {
      const upstream = this.#upstreamOf.get(id)
      if (upstream === undefined || seen.has(upstream)) continue
      seen.add(upstream)
      const requests = [...upstream.requests.values()]
      yield {
        id: upstream.id,
        program: upstream.program,
        class: upstream.class,
        weight: upstream.weight,
        bucket: upstream.bucket.name,
        sinceMs: Math.min(...requests.map(({ offeredAtMs }) => offeredAtMs)),
        untilMs: Math.max(...requests.map(({ deadlineMs }) => deadlineMs)),
      }
    }
  }

  /** The upstream request that serves a request. */
  upstreamOf(request: number): number | undefined {
    return this.#upstreamOf.get(request)?.id
  }

  /** The upstream requests that were sent and have no outcome yet. */
  *sentUpstreams(): Generator<{ readonly id: number; readonly bucket: string }> {
    for (const { id, state, bucket } of this.#upstreams.values())
      if (state === 'sent') yield { id, bucket: bucket.name }
  }

  /** Sends a waiting upstream request, because a desk granted its turn. */
  grant(id: number, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'waiting') return []
    upstream.bucket.granted(upstream, now)
    for (const request of upstream.requests.values()) this.#waiting.delete(request)
    return [this.#send(upstream, now)]
  }

  /** Declines the requests of a waiting upstream request, because a dispatcher declined it. */
  decline(
    id: number,
    refusal: Omit<Extract<Decision, { kind: 'refuse' }>, 'kind' | 'request'>,
    nowMs: number,
  ): readonly Decision[] {
    this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'waiting') return []
    return [...upstream.requests.keys()].map((request): Decision => {
      this.#leave(upstream, request)
      return { kind: 'refuse', request, ...refusal }
    })
  }

  /**
   * Puts a request back into the queue. Its turn lapsed before it was sent, because it waited for an access
   * token.
   */
  putBack(id: number, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'sent' || upstream.requests.size === 0) return []
    upstream.bucket.bound.notSent(id)
    return this.#pump(upstream.bucket, now, [...this.#again(upstream, 'too-late', now)])
  }

  /** Number of unfinished upstream requests. */
  get openUpstreams(): number {
    return this.#upstreams.size
  }

  /** The quota headers for a bucket, computed from its bound. `undefined` before its first header. */
  rateOf(bucket: string, nowMs: number): RateReading | undefined {
    return this.#buckets.get(bucket)?.bound.reading(Math.max(nowMs, this.#nowMs))
  }

  /** The earliest time at which a request of this class could be sent to a bucket. `undefined` if unknown. */
  roomAtMs(bucket: string, own: ProgramClass, nowMs: number): number | undefined {
    return this.#buckets.get(bucket)?.roomAtMs(own, Math.max(nowMs, this.#nowMs))
  }

  #passed(nowMs: number): number {
    this.#nowMs = Math.max(this.#nowMs, nowMs)
    return this.#nowMs
  }

  #bucket(name: string): BucketQueue<Upstream> {
    const known = this.#buckets.get(name)
    if (known !== undefined) return known
    if (this.#buckets.size >= MAX_BUCKETS) this.#forgetOne()
    const bucket = new BucketQueue<Upstream>(name, this.#optionsOf(name), this.#forecast)
    this.#buckets.set(name, bucket)
    this.#bucketMade?.(name, bucket.bound)
    return bucket
  }

  #forgetOne(): void {
    for (const [name, { size, bound }] of this.#buckets) {
      if (size > 0 || bound.inFlight > 0 || bound.isHeld(this.#nowMs)) continue
      this.#buckets.delete(name)
      return
    }
  }

  #join(upstream: Upstream, request: Request, now: number): readonly Decision[] {
    upstream.requests.set(request.id, request)
    this.#upstreamOf.set(request.id, upstream)
    if (upstream.state !== 'waiting') return [{ kind: 'join', request: request.id, upstream: upstream.id }]
    this.#waiting.add(request)
    upstream.placeAnew()
    return [...this.#pump(upstream.bucket, now), ...this.#judgeNew(upstream, request, now)]
  }

  /** Queues or declines a request that was just added, unless it was already sent. */
  #judgeNew(upstream: Upstream, request: Request, now: number): readonly Decision[] {
    if (upstream.state !== 'waiting') return []
    const { bucket } = upstream
    if (!this.isGranted && !bucket.canMeet(upstream, request.deadlineMs, now))
      return [this.#refuse(request, 'too-late', bucket.turnOf(upstream, now), now)]
    const waits: Decision = { kind: 'wait', request: request.id, upstream: upstream.id }
    const tooMany = this.#waiting.oneTooMany(request.program)
    if (tooMany === undefined) return [waits]
    const refusal = this.#refuse(tooMany, 'queue-full', undefined, now)
    return tooMany === request ? [refusal] : [refusal, waits]
  }

  /** Sends every request that may be sent now. Appends to `decisions`. */
  #pump(bucket: BucketQueue<Upstream>, now: number, decisions: Decision[] = []): Decision[] {
    if (this.isGranted) return decisions
    for (let next = bucket.take(now); next !== undefined; next = bucket.take(now)) {
      for (const request of next.requests.values()) this.#waiting.delete(request)
      decisions.push(this.#send(next, now))
    }
    return decisions
  }

  #send(upstream: Upstream, now: number): Decision {
    const { id, ids, isResend } = upstream
    upstream.state = 'sent'
    upstream.bucket.bound.sent(id, now)
    return { kind: 'send', upstream: id, requests: ids, isResend }
  }

  #decide(upstream: Upstream, outcome: UpstreamOutcome, now: number): readonly Decision[] {
    if (upstream.requests.size === 0) {
      this.#finish(upstream)
      return []
    }
    switch (outcome.kind) {
      case 'answer':
        return this.#pass(upstream)
      case 'rate-limited':
        return upstream.mayResendFor('rate-limited')
          ? this.#again(upstream, 'answer', now)
          : this.#pass(upstream)
      case 'unauthorized':
        if (!upstream.mayResendFor('unauthorized')) return this.#pass(upstream)
        upstream.state = 'refreshing'
        return [{ kind: 'refresh', upstream: upstream.id }]
      case 'cut':
        return upstream.mayResendFor('cut')
          ? this.#again(upstream, 'too-late', now)
          : this.#fail(upstream, outcome.kind)
      case 'broken':
      case 'timeout':
      case 'not-sent':
        return this.#fail(upstream, outcome.kind)
    }
  }

  #pass(upstream: Upstream): readonly Decision[] {
    const requests = upstream.ids
    this.#finish(upstream)
    return [{ kind: 'answer', upstream: upstream.id, requests }]
  }

  #fail(upstream: Upstream, why: FailureReason): readonly Decision[] {
    const requests = upstream.ids
    this.#finish(upstream)
    return [{ kind: 'fail', upstream: upstream.id, requests, why }]
  }

  /**
   * Puts an upstream request back in its former place in the queue. Several programs' requests may wait for
   * the same upstream request. A request that can no longer meet its deadline stops waiting. `others`:
   * whether such a request gets the upstream response or is declined as too late.
   */
  #again(upstream: Upstream, others: 'answer' | 'too-late', now: number): readonly Decision[] {
    upstream.state = 'waiting'
    upstream.bucket = this.#bucket(upstream.bucket.name)
    upstream.bucket.add(upstream)
    for (const request of upstream.requests.values()) this.#waiting.add(request)
    const late: Request[] = []
    let turnAtMs = upstream.bucket.turnOf(upstream, now)
    // The request that leaves may have been the most urgent one. The remaining requests may then have a later
    // turn, so the turn is computed again.
    for (;;) {
      const leaving = [...upstream.requests.values()].filter(
        ({ deadlineMs }) => !upstream.bucket.canMeet(upstream, deadlineMs, now),
      )
      // A request that can be sent now is not late, however long the refresh of the token took.
      if (leaving.length === 0 || turnAtMs <= now) break
      late.push(...leaving)
      for (const { id } of leaving) this.#leave(upstream, id)
      if (upstream.requests.size === 0) break
      turnAtMs = upstream.bucket.turnOf(upstream, now)
    }
    const waits = upstream.ids.map((request): Decision => ({ kind: 'wait', request, upstream: upstream.id }))
    const requests = late.map(({ id }) => id)
    if (others === 'too-late') {
      return [...late.map((request) => this.#refusal(request, 'too-late', turnAtMs, now)), ...waits]
    }
    return requests.length === 0 ? waits : [{ kind: 'answer', upstream: upstream.id, requests }, ...waits]
  }

  /**
   * Called after the bound was recomputed. Declines requests whose turn now comes after their maximum wait.
   */
  #refuseLate(bucket: BucketQueue<Upstream>, now: number): readonly Decision[] {
    const late: { request: Request; atMs: number }[] = []
    let ahead = 0
    for (const upstream of bucket.inOrder()) {
      const requests = [...upstream.requests.values()]
      const leaving = requests.filter(
        (request) => !bucket.canMeet(upstream, endOfPatienceMs(request), now, ahead),
      )
      if (leaving.length > 0) {
        const atMs = bucket.turnOf(upstream, now)
        late.push(...leaving.map((request) => ({ request, atMs })))
      }
      if (leaving.length < requests.length) ahead += 1
    }
    return late.map(({ request, atMs }) => this.#refuse(request, 'too-late', atMs, now))
  }

  /**
   * Called for each event, before any request is sent. Declines requests whose maximum wait ended while the
   * machine slept.
   */
  #overslept(now: number): Decision[] {
    return this.#expire(now - MAX_LATE_MS, now)
  }

  /** Declines requests whose maximum wait ended at or before `endedAtMs`. */
  #expire(endedAtMs: number, now: number): Decision[] {
    const decisions: Decision[] = []
    for (let { first } = this.#waiting; first !== undefined; first = this.#waiting.first) {
      if (endOfPatienceMs(first) > endedAtMs) break
      const upstream = this.#upstreamOf.get(first.id)
      decisions.push(this.#refuse(first, 'too-late', upstream?.bucket.turnOf(upstream, now), now))
    }
    return decisions
  }

  #refuse(request: Request, why: RefusalReason, turnAtMs: number | undefined, now: number): Decision {
    const upstream = this.#upstreamOf.get(request.id)
    const atMs = why === 'queue-full' && upstream ? upstream.bucket.turnOf(upstream, now) : turnAtMs
    const decision = this.#refusal(request, why, atMs, now)
    if (upstream !== undefined) this.#leave(upstream, request.id)
    return decision
  }

  #refusal(request: Request, why: RefusalReason, turnAtMs: number | undefined, now: number): Decision {
    const rate = this.rateOf(this.#upstreamOf.get(request.id)?.bucket.name ?? request.bucket, now)
    const seconds = turnAtMs === undefined ? undefined : wholeSeconds(turnAtMs - now)
    return {
      kind: 'refuse',
      request: request.id,
      why,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      ...(rate && { rate }),
    }
  }

  /**
   * Removes a request from its upstream request. `abandoned`: the upstream request was already sent and
   * serves no other request.
   */
  #leave(upstream: Upstream, id: number): 'left' | 'abandoned' {
    const request = upstream.requests.get(id)
    upstream.requests.delete(id)
    this.#upstreamOf.delete(id)
    if (request !== undefined) this.#waiting.delete(request)
    if (upstream.requests.size > 0) {
      if (upstream.state === 'waiting') upstream.placeAnew()
      return 'left'
    }
    switch (upstream.state) {
      case 'waiting':
        upstream.bucket.remove(upstream)
        this.#finish(upstream)
        return 'left'
      case 'refreshing':
        this.#finish(upstream)
        return 'left'
      case 'sent':
        // The upstream request may be aborted, so later requests must not share it.
        this.#unshare(upstream)
        return 'abandoned'
    }
  }

  #finish(upstream: Upstream): void {
    for (const id of upstream.requests.keys()) this.#upstreamOf.delete(id)
    this.#upstreams.delete(upstream.id)
    this.#unshare(upstream)
  }

  #unshare({ sameAs, id }: Upstream): void {
    if (sameAs !== undefined && this.#shared.get(sameAs)?.id === id) this.#shared.delete(sameAs)
  }

  /**
   * Moves a request to the bucket that its response names, because that bucket counted it. If the former
   * bucket has had no header, its waiting requests move too. Returns the buckets to check again.
   */
  #moved(upstream: Upstream, name: string | undefined): readonly BucketQueue<Upstream>[] {
    const from = upstream.bucket
    if (name === undefined || name === from.name) return []
    const to = this.#bucket(name)
    const sentAtMs = from.bound.notSent(upstream.id)
    if (sentAtMs !== undefined) to.bound.sent(upstream.id, sentAtMs)
    upstream.bucket = to
    if (from.bound.limit !== undefined) return [from]
    for (const waiting of [...from.inOrder()]) {
      from.remove(waiting)
      waiting.bucket = to
      to.add(waiting)
    }
    if (from.bound.isForgettable(this.#nowMs)) this.#buckets.delete(from.name)
    return []
  }
}

const endOfPatienceMs = ({ deadlineMs }: Request): number => deadlineMs + RESET_STEP_MS

/** Applies an outcome to its request's bucket. Returns true if the bound was recomputed. */
function countIn({ id, bucket }: Upstream, outcome: UpstreamOutcome, now: number): boolean {
  const { bound } = bucket
  switch (outcome.kind) {
    case 'answer':
    case 'unauthorized':
      return bound.answered(id, 'no', outcome.rate, now)
    case 'rate-limited':
      return bound.answered(id, outcome.of, outcome.rate, now)
    case 'cut':
    case 'broken':
    case 'timeout':
      bound.lost(id, now, ON_ITS_WAY_MS)
      return false
    case 'not-sent':
      bound.notSent(id)
      return false
  }
}
