import type { ProgramClass } from '../contract/programs.ts'
import type { RateReading } from '../service/headers.ts'
import { type BucketSize, RESET_STEP_MS } from './bucket-bound.ts'
import { BucketQueue, type Forecast } from './bucket-queue.ts'
import type { Decision, FailureReason, OfferedRequest, RefusalReason, UpstreamOutcome } from './decisions.ts'
import { type Request, Upstream } from './upstream.ts'
import { WaitingRequests } from './waiting-requests.ts'

/** What is known of a bucket beforehand. */
export interface BucketOptions {
  /** For headers that name no limit or period. */
  readonly size?: BucketSize
  /** Requests kept back for the classes before, instead of 6 % of the limit. */
  readonly reserve?: number
}

/** One request that waits for its turn. */
export interface WaitingRequest {
  readonly request: number
  readonly program: string
  readonly class: ProgramClass
  readonly bucket: string
  readonly sinceMs: number
  /** When its patience ends. */
  readonly untilMs: number
}

/** A request that was cut may reach the service so long after. */
const ON_ITS_WAY_MS = 2_000
/** A wake-up may come so late without costing a request its turn; later, the machine slept. */
const MAX_LATE_MS = 250
/** Paths without end must not fill the memory. */
const MAX_BUCKETS = 1024

/**
 * Which request of which program goes upstream when: bounds per bucket, classes, fair shares, patience, shared requests and
 * the resends that are allowed.
 *
 * It does nothing by itself. Each event returns what is to be done at once, in that order, and `nextWakeAtMs` is when `due`
 * has something to say without an event. One scheduler serves one API key and user: buckets are theirs (service 8.1).
 *
 * A turn is computed from the queue as it stands, and from how fast requests came lately that go before it: those of classes
 * before, of programs that are behind their share, and of programs outside. How many more of them come is chance, so no rule
 * tells every late request at once, and fewer that are refused though they could have gone are more that queue in vain: the bench
 * "Turns" compares them with a rule that is told the true rates of others. A request is therefore refused at once only if it comes
 * too late even beside as few others as can be hoped for (`BucketQueue.mayGoBy`): fewer than 1 of 100 could have gone. What waits
 * in vain (5 to 12 of 100 beside others; none without) is refused when its patience ends, or a header shows that it would. It gets a second more, by which later
 * headers may show less than was known (Reset is in whole seconds), so that none is refused for a rounding.
 *
 * Times are milliseconds on one clock; one that goes back stands still until it is passed again.
 */
export class Scheduler {
  readonly #optionsOf: (bucket: string) => BucketOptions
  readonly #forecast: Forecast
  readonly #buckets = new Map<string, BucketQueue<Upstream>>()
  readonly #upstreams = new Map<number, Upstream>()
  readonly #upstreamOf = new Map<number, Upstream>()
  readonly #shared = new Map<string, Upstream>()
  /** Those whose upstream request waits. */
  readonly #waiting = new WaitingRequests<Request>()
  #nowMs = Number.NEGATIVE_INFINITY
  #order = 0

  constructor(optionsOf: (bucket: string) => BucketOptions = () => ({}), forecast: Forecast = {}) {
    this.#optionsOf = optionsOf
    this.#forecast = forecast
  }

  /** A program asks. Its request is sent, shared, waits, or is refused at once. */
  offer(offered: OfferedRequest, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const overslept = this.#overslept(now)
    const order = this.#order++
    const request: Request = { ...offered, order, offeredAtMs: now, deadlineMs: now + offered.patienceMs }
    const shared = offered.sameAs === undefined ? undefined : this.#shared.get(offered.sameAs)
    const bucket = shared?.bucket ?? this.#bucket(offered.bucket)
    // A request whose turn has come goes first, also where its wake-up is late.
    const decisions = this.#pump(bucket, now, overslept)
    if (shared !== undefined) return [...decisions, ...this.#join(shared, request, now)]
    const upstream = new Upstream(request.id, bucket, order, request)
    this.#upstreams.set(upstream.id, upstream)
    this.#upstreamOf.set(request.id, upstream)
    if (upstream.sameAs !== undefined) this.#shared.set(upstream.sameAs, upstream)
    if (bucket.passes(upstream, now)) {
      decisions.push(this.#send(upstream, now))
      return decisions
    }
    bucket.add(upstream)
    this.#waiting.add(request)
    return [...decisions, ...this.#pump(bucket, now), ...this.#judgeNew(upstream, request, now)]
  }

  /**
   * An own request that does not wait, such as one that opens a stream, went out. Tell what became of it by `answered`. Its id
   * is none that was offered.
   */
  passed(id: number, bucketName: string, nowMs: number): void {
    const now = this.#passed(nowMs)
    const bucket = this.#bucket(bucketName)
    this.#upstreams.set(id, new Upstream(id, bucket, this.#order++))
    bucket.bound.sent(id, now)
  }

  /** What became of a request that was sent. One that is not known any more changes nothing. */
  answered(id: number, outcome: UpstreamOutcome, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'sent') return []
    const moved = 'bucket' in outcome ? this.#moved(upstream, outcome.bucket) : []
    const isAnew = countIn(upstream, outcome, now)
    const overslept = this.#overslept(now)
    const own = this.#decide(upstream, outcome, now)
    const late = isAnew ? this.#refuseLate(upstream.bucket, now) : []
    const { bucket } = upstream
    const decisions = [...overslept, ...own, ...late]
    for (const one of moved) this.#pump(one, now, decisions)
    this.#pump(bucket, now, decisions)
    if (bucket.size === 0 && bucket.bound.isForgettable(now)) this.#buckets.delete(bucket.name)
    return decisions
  }

  /** Whether a `refresh` brought another token. Without one the 401 is passed on. */
  refreshed(id: number, gotToken: boolean, nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const upstream = this.#upstreams.get(id)
    if (upstream?.state !== 'refreshing') return []
    const overslept = this.#overslept(now)
    if (!gotToken) return [...overslept, ...this.#pass(upstream)]
    const again = this.#again(upstream, 'too-late', now)
    return this.#pump(upstream.bucket, now, [...overslept, ...again])
  }

  /** The program went away, or its request is not wanted any more. */
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

  /** All requests of a program are dropped: it was cut off. */
  dropProgram(program: string, nowMs: number): readonly Decision[] {
    const requests = [...this.#upstreamOf].flatMap(([id, { requests }]) =>
      requests.get(id)?.program === program ? [id] : [],
    )
    return requests.flatMap((id) => this.drop(id, nowMs))
  }

  /** Refuses all that wait, as `unavailable`: sign-in is needed, or the gateway ends. Those that were sent go on. */
  refuseWaiting(nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    return this.#waiting.all().map((request) => this.#refuse(request, 'unavailable', undefined, now))
  }

  /** What is to be done at `nowMs` without an event. */
  due(nowMs: number): readonly Decision[] {
    const now = this.#passed(nowMs)
    const decisions = this.#overslept(now)
    for (const bucket of this.#buckets.values()) this.#pump(bucket, now, decisions)
    decisions.push(...this.#expire(now, now))
    return decisions
  }

  /** When to call `due`, as a whole millisecond that may be over; `undefined` as long as none waits. */
  get nextWakeAtMs(): number | undefined {
    const { first } = this.#waiting
    if (first === undefined) return undefined
    let wakeAtMs = endOfPatienceMs(first)
    for (const bucket of this.#buckets.values()) {
      wakeAtMs = Math.min(wakeAtMs, bucket.dueAtMs(this.#nowMs) ?? Number.POSITIVE_INFINITY)
    }
    return Math.ceil(wakeAtMs)
  }

  /** Between the two moments time may not have passed: no quota grew, and no wait counts. */
  markClockUncertain(fromMs: number, toMs: number): void {
    for (const { requests } of this.#upstreams.values()) {
      for (const request of requests.values()) {
        request.offeredAtMs += toMs - fromMs
        request.deadlineMs += toMs - fromMs
      }
    }
    for (const { bound } of this.#buckets.values()) bound.markClockUncertain(fromMs, toMs)
  }

  /** Who waits, for what, since when. */
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

  /** Whether any request waits. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** When the turn of a request comes that waits, if none comes or goes meanwhile; `undefined` if it does not wait. */
  turnAtMs(request: number): number | undefined {
    const upstream = this.#upstreamOf.get(request)
    return upstream?.state === 'waiting' ? upstream.bucket.turnOf(upstream, this.#nowMs) : undefined
  }

  /** Requests that have not ended, and requests upstream: 0 and 0 when all is done. */
  get open(): { readonly requests: number; readonly upstreams: number } {
    return { requests: this.#upstreamOf.size, upstreams: this.#upstreams.size }
  }

  /** The quota fields of a bucket as the bound has them; `undefined` before its first header. */
  rateOf(bucket: string, nowMs: number): RateReading | undefined {
    return this.#buckets.get(bucket)?.bound.reading(Math.max(nowMs, this.#nowMs))
  }

  /** When a request of this class could go from a bucket at the earliest; `undefined` where that is not known. */
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
    return bucket
  }

  #forgetOne(): void {
    for (const [name, { size, bound }] of this.#buckets) {
      if (size > 0 || bound.inFlight > 0 || bound.isHeld(this.#nowMs)) continue
      this.#buckets.delete(name)
      return
    }
  }

  /** A request equal to one that waits or is upstream takes part in that. */
  #join(upstream: Upstream, request: Request, now: number): readonly Decision[] {
    upstream.requests.set(request.id, request)
    this.#upstreamOf.set(request.id, upstream)
    if (upstream.state !== 'waiting') return [{ kind: 'join', request: request.id, upstream: upstream.id }]
    this.#waiting.add(request)
    upstream.placeAnew()
    return [...this.#pump(upstream.bucket, now), ...this.#judgeNew(upstream, request, now)]
  }

  /** What becomes of a request that was just added and may have been sent. */
  #judgeNew(upstream: Upstream, request: Request, now: number): readonly Decision[] {
    if (upstream.state !== 'waiting') return []
    const turnAtMs = upstream.bucket.turnOf(upstream, now)
    if (!upstream.bucket.mayGoBy(upstream, request.deadlineMs, now))
      return [this.#refuse(request, 'too-late', turnAtMs, now)]
    const waits: Decision = { kind: 'wait', request: request.id, upstream: upstream.id, turnAtMs }
    const tooMany = this.#waiting.oneTooMany(request.program)
    if (tooMany === undefined) return [waits]
    const refusal = this.#refuse(tooMany, 'queue-full', undefined, now)
    return tooMany === request ? [refusal] : [refusal, waits]
  }

  /** Sends what may go; its decisions are added to `decisions`. */
  #pump(bucket: BucketQueue<Upstream>, now: number, decisions: Decision[] = []): Decision[] {
    for (let next = bucket.take(now); next !== undefined; next = bucket.take(now)) {
      for (const request of next.requests.values()) this.#waiting.delete(request)
      decisions.push(this.#send(next, now))
    }
    return decisions
  }

  #send(upstream: Upstream, now: number): Decision {
    const { id, ids, wasSent: isResend } = upstream
    upstream.state = 'sent'
    upstream.wasSent = true
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

  /** Queues it again, in its former place; those that it would come too late for are answered or refused. */
  #again(upstream: Upstream, others: 'answer' | 'too-late', now: number): readonly Decision[] {
    upstream.state = 'waiting'
    upstream.bucket = this.#bucket(upstream.bucket.name)
    upstream.bucket.add(upstream)
    for (const request of upstream.requests.values()) this.#waiting.add(request)
    const late: Request[] = []
    let turnAtMs = upstream.bucket.turnOf(upstream, now)
    // One that leaves may take its class along, and the turn of the others comes later.
    for (;;) {
      const leaving = [...upstream.requests.values()].filter(
        ({ deadlineMs }) => !upstream.bucket.mayGoBy(upstream, deadlineMs, now),
      )
      // What can go now is not late, however long its refresh took.
      if (leaving.length === 0 || turnAtMs <= now) break
      late.push(...leaving)
      for (const { id } of leaving) this.#leave(upstream, id)
      if (upstream.requests.size === 0) break
      turnAtMs = upstream.bucket.turnOf(upstream, now)
    }
    const waits = upstream.ids.map(
      (request): Decision => ({ kind: 'wait', request, upstream: upstream.id, turnAtMs }),
    )
    const requests = late.map(({ id }) => id)
    if (others === 'too-late') {
      return [...late.map((request) => this.#refusal(request, 'too-late', turnAtMs, now)), ...waits]
    }
    return requests.length === 0 ? waits : [{ kind: 'answer', upstream: upstream.id, requests }, ...waits]
  }

  /** After the bound was computed anew: refuses those whose turn now comes after their patience. */
  #refuseLate(bucket: BucketQueue<Upstream>, now: number): readonly Decision[] {
    const late: { request: Request; atMs: number }[] = []
    let ahead = 0
    for (const upstream of bucket.inOrder()) {
      const requests = [...upstream.requests.values()]
      const leaving = requests.filter(
        (request) => !bucket.mayGoBy(upstream, endOfPatienceMs(request), now, ahead),
      )
      if (leaving.length > 0) {
        const atMs = bucket.turnOf(upstream, now)
        late.push(...leaving.map((request) => ({ request, atMs })))
      }
      if (leaving.length < requests.length) ahead += 1
    }
    return late.map(({ request, atMs }) => this.#refuse(request, 'too-late', atMs, now))
  }

  /** Refuses those whose patience was over while the machine slept, before an event sends what waits. */
  #overslept(now: number): Decision[] {
    return this.#expire(now - MAX_LATE_MS, now)
  }

  /** Refuses those whose patience ended at `endedAtMs`. */
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
    const seconds = turnAtMs === undefined ? undefined : Math.max(1, Math.ceil((turnAtMs - now) / 1000))
    return {
      kind: 'refuse',
      request: request.id,
      why,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      ...(rate && { rate }),
    }
  }

  /** Takes one request out of what it is part of. `abandoned`: it was the last one of a request that was sent. */
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
        // A later equal request is not served by what may be aborted.
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
   * The header named another bucket than was thought: the request was counted there. What waits in a bucket without a
   * header goes there too. Returns the buckets to look at again.
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

/** Charges an outcome to its bucket. True if its bound was computed anew. */
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
