import type { ServerResponse } from 'node:http'
import type { MonitorEvent } from '../../app/contract/events.ts'
import { bucketOptions } from '../../app/gateway/bucket-queue.ts'
import type { Decision, UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { sameAsOf } from '../../app/gateway/request-fields.ts'
import { Scheduler } from '../../app/gateway/scheduler.ts'
import type { DeskTurns, JoinQueue, Turns } from '../../app/gateway/turns.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import { categoryOf, pathOf } from '../../app/service/categories.ts'
import { streamKindOf } from '../../app/service/stream-kinds.ts'
import { tokenAfter401 } from '../api/exchange.ts'
import { within } from '../network/deadline.ts'
import type { Access, Bearer } from '../tokens/keeper.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { type Relay, relay } from './answer-relay.ts'
import type { AdmittedOrder, ForwarderOrders, OpenOrder } from './order-lane.ts'
import { Permits } from './permits.ts'
import { type Problem, sendProblem } from './problem.ts'
import { ProgramUse, shownCategory } from './program-use.ts'
import type { Program } from './programs.ts'
import {
  abandoned,
  CUT_OFF,
  FAILURES,
  noToken,
  pausedFor,
  problemOf,
  type QueueRefusal,
  unavailable,
} from './refusals.ts'
import { Sending, type SendingDeps } from './sending.ts'
import { type SharingDeps, StreamHub } from './stream-hub.ts'

export interface ForwarderDeps extends SendingDeps, Bearer {
  /** Sends orders. Absent if no orders are admitted. */
  readonly orders?: ForwarderOrders
  readonly ledger: Pick<Ledger, 'categoryOf' | 'sizeOf' | 'reserveOf'>
  readonly event: (event: MonitorEvent) => void
  /** When a program's pause ends, on the timeline. `undefined` if it is not paused. */
  readonly pausedUntilMs: (program: Program) => number | undefined
  /** Called when a program's numbers changed. */
  readonly changed: () => void
  /** The streams of the key, which programs share. */
  readonly sharing: SharingDeps
}

/** A request that waits in the queue. Times are milliseconds on the timeline. */
export interface WaitingNow {
  readonly category: string
  readonly sinceMs: number
  /** When the request's maximum wait ends. */
  readonly untilMs: number
  /**
   * When the request is expected to be sent. Absent while the request waits for a stream slot, because other
   * clients can free a slot at any time.
   */
  readonly turnAtMs?: number
}

/** Current activity of a program on this key. */
export interface ProgramNow {
  readonly use: ProgramUse
  /** The program's requests that wait in the queue. */
  readonly waiting: readonly WaitingNow[]
}

/** Maximum delay of the wake-up timer in milliseconds. */
const MAX_WAIT_MS = 60_000

const REFUSAL_REPORT_MS = 60_000

/**
 * A request waits at least this long for a token refresh, even if its maximum wait is shorter. Milliseconds.
 */
const MIN_TOKEN_WAIT_MS = 1_000

interface Call extends AdmittedRequest {
  readonly id: number
  upstream: Upstream
}

/** An upstream request, and the calls that its response serves. */
interface Upstream {
  readonly id: number
  readonly request: AdmittedRequest
  /** The request's category, or its path if the category is unknown. */
  readonly endpoint: string
  /** The category whose stream slot the request takes. Absent if the request opens no stream. */
  readonly stream: string | undefined
  readonly calls: Map<number, Call>
  sending: Sending | undefined
  /** Whether a 401 is held back until a token refresh has ended. */
  isRefreshing: boolean
  /** The response to send if there was no access token when the request was due. */
  unsent: Problem | undefined
}

/**
 * Forwards programs' requests on one connected key: carries out the scheduler's decisions with the key's
 * access token.
 */
export class Forwarder {
  /** Permits for requests that other parts of Headroom send. */
  readonly permits: Permits
  readonly #deps: ForwarderDeps
  readonly #scheduler: Scheduler
  /** Decides when requests are sent: the gateway's scheduler, or the key's desk. */
  #turns: Turns
  #desk: DeskTurns | undefined
  /** Requests that wait for an access token before they are queued. */
  readonly #arriving = new Set<AdmittedRequest>()
  readonly #calls = new Map<number, Call>()
  readonly #upstreams = new Map<number, Upstream>()
  /** Replies that are being written, with the ids of their programs. */
  readonly #replies = new Map<ServerResponse, string>()
  /** Streams that are relayed and not shared. */
  readonly #streams = new Map<number, Relay>()
  readonly #uses = new Map<string, ProgramUse>()
  readonly #hub: StreamHub
  readonly #openOrders = new Set<OpenOrder>()
  /** When a declined request was last reported, by program and category. */
  readonly #refusalsReportedAtMs = new Map<string, number>()
  #nextId = 1
  #cancelWake: () => void = () => {}
  /** Why new requests are declined. `undefined` while requests are accepted. */
  #closed: string | undefined

  constructor(deps: ForwarderDeps) {
    this.#deps = deps
    this.#hub = new StreamHub({
      ...deps.sharing,
      clock: deps.clock,
      secrets: deps.secrets,
      timeline: deps.timeline,
      turn: (path) => this.permits.forStream(path),
      roomAtMs: (path) => this.permits.roomAtMs(path),
      countsOf: (program) => this.#countsOf(program),
      noToken: () => {
        const access = deps.usable()
        return access.kind === 'none'
          ? noToken(access, this.#now())
          : unavailable('the access token was just renewed')
      },
      refuse: (request, problem) => this.#refuse(request, problem),
      forwarded: (program, category) =>
        this.#countsOf(program).forwarded(shownCategory(this.#bucketOf(category)), this.#now()),
      changed: () => deps.changed(),
      defect: deps.defect,
    })
    this.#scheduler = new Scheduler((bucket) =>
      bucketOptions(deps.ledger.sizeOf(bucket), () => deps.ledger.reserveOf(bucket)),
    )
    this.#turns = this.#scheduler
    this.permits = new Permits({
      turns: () => this.#turns,
      scheduler: this.#scheduler,
      newId: () => this.#nextId++,
      bucketOf: (endpoint) => this.#bucketOf(endpoint),
      now: () => this.#now(),
      apply: (decisions) => this.#apply(decisions),
    })
  }

  /**
   * From now on, a desk decides when requests are sent. With `undefined`, the gateway's own scheduler
   * decides.
   */
  setDesk(join: JoinQueue | undefined): void {
    this.#endDesk()
    if (join !== undefined) {
      this.#desk = join({
        scheduler: this.#scheduler,
        now: () => this.#now(),
        apply: (decisions) => this.#apply(decisions),
      })
      this.#turns = this.#desk
    }
    this.#apply(this.#turns.due(this.#now()))
  }

  /** Serves a request. Queues it, then forwards it or sends an error. */
  async serve(admitted: AdmittedRequest): Promise<void> {
    const { reply, maxWaitMs } = admitted
    const cameAtMs = this.#now()
    this.#seen(admitted.program)
    this.#arriving.add(admitted)
    const access = await this.#accessFor(admitted).finally(() => this.#arriving.delete(admitted))
    const request = { ...admitted, maxWaitMs: Math.max(0, maxWaitMs - (this.#now() - cameAtMs)) }
    if (reply.destroyed || reply.writableEnded) return
    const obstacle = this.#obstacle(request.program)
    if (obstacle !== undefined) return this.#refuse(request, obstacle)
    if (access.kind === 'none') return this.#refuse(request, noToken(access, this.#now()))
    if (!this.#hub.serve(request)) this.#offer(request)
  }

  /** Hands an order to the order lane. Orders are not queued. */
  serveOrder(order: AdmittedOrder): void {
    const { orders } = this.#deps
    if (orders === undefined) throw new Error('an order was admitted without a lane for it')
    this.#seen(order.program)
    const open = orders.serve(order, {
      ...this.#deps,
      ...orders,
      obstacle: (program) => this.#obstacle(program),
      acquire: (program, endpoint) => this.#acquireForOrder(program, endpoint),
      bucketOf: (endpoint) => this.#bucketOf(endpoint),
      refuse: (refused, problem) => this.#refuse(refused, problem),
    })
    this.#openOrders.add(open)
    void open.done.then(() => {
      this.#openOrders.delete(open)
      this.#deps.changed()
      this.#checkIdle()
    })
  }

  #acquireForOrder(program: Program, endpoint: string): Problem | ((outcome: UpstreamOutcome) => void) {
    const id = this.#nextId++
    const refusal = this.#turns.goAtOnce(id, this.#bucketOf(endpoint), this.#now())
    if (refusal !== undefined) return problemOf(refusal, undefined)
    return (outcome) => {
      const use = this.#countsOf(program)
      if (outcome.kind === 'rate-limited') use.rejected += 1
      else if (outcome.kind === 'answer' || outcome.kind === 'unauthorized')
        use.forwarded(shownCategory(this.#bucketOf(endpoint)), this.#now())
      this.#apply(this.#turns.answered(id, outcome, this.#now()))
    }
  }

  #seen(program: Program): void {
    const use = this.#countsOf(program)
    use.class = program.class
    use.lastSeenAtMs = this.#now()
  }

  /** Why this program's requests can't be sent now, apart from the access token. */
  #obstacle(program: Program): Problem | undefined {
    if (this.#closed !== undefined) return unavailable(this.#closed)
    const pausedUntilMs = this.#deps.pausedUntilMs(program)
    return pausedUntilMs === undefined ? undefined : pausedFor(pausedUntilMs - this.#now())
  }

  /** This program's use since the gateway was turned on, and its waiting requests. */
  nowOf(program: Program): ProgramNow {
    const waiting = this.#scheduler
      .waiting()
      .filter(({ program: id }) => id === program.id)
      .map(({ request, bucket, sinceMs, untilMs }) => {
        const turnAtMs = this.#turns.turnAtMs(request)
        const category = shownCategory(bucket)
        return { category, sinceMs, untilMs, ...(turnAtMs !== undefined && { turnAtMs }) }
      })
    return { use: this.#countsOf(program), waiting: [...waiting, ...this.#hub.waitingOf(program)] }
  }

  /**
   * The rate of critical programs' requests to the bucket, per second, while a less urgent request waits for
   * the bucket. Otherwise `undefined`.
   */
  criticalWhileHeld(bucket: string): number | undefined {
    if (!this.#scheduler.hasWaiting) return undefined
    const isHeld = this.#scheduler
      .waiting()
      .some((waiting) => waiting.bucket === bucket && waiting.class !== 'critical')
    if (!isHeld) return undefined
    return [...this.#uses.values()]
      .flatMap((use) => (use.class === 'critical' ? use.byCategory(this.#now()) : []))
      .reduce((sum, { category, perSecond }) => sum + (category === bucket ? perSecond : 0), 0)
  }

  /** Whether any program's request is queued. If so, Headroom's own checks wait too. */
  get hasWaiting(): boolean {
    return this.#scheduler.hasWaiting
  }

  /** Ends all requests and open streams of a program immediately. */
  cut(program: Program): void {
    for (const call of [...this.#calls.values()]) {
      if (call.program.id !== program.id) continue
      sendProblem(call.reply, CUT_OFF)
      this.#drop(call)
    }
    this.#refuseArriving(CUT_OFF, program)
    for (const [reply, of] of [...this.#replies]) if (of === program.id) reply.destroy()
    this.#hub.cut(program)
    this.#uses.delete(program.id)
  }

  /** Answers the waiting requests of a paused program. Sent requests and open streams continue. */
  pause(program: Program, untilMs: number): void {
    const problem = pausedFor(untilMs - this.#now())
    this.#refuseArriving(problem, program)
    this.#hub.refuseWaitingOf(program, problem)
    for (const { request, program: id } of this.#scheduler.waiting()) {
      // If a queued request is not in `#calls`, it is going to open a shared stream. It stays queued, because
      // other programs may wait for the same stream.
      const call = id === program.id ? this.#calls.get(request) : undefined
      if (call === undefined) continue
      this.#refuse(call, problem)
      this.#drop(call)
    }
    this.#deps.changed()
  }

  /** Ends waiting requests with 503, because the key cannot be used. Sent requests continue. */
  refuseWaiting(why: string): void {
    this.#refuseArriving(unavailable(why))
    this.#hub.refuseWaiting(why)
    this.#apply(this.#turns.refuseWaiting(this.#now()), why)
  }

  /** Answers the requests that wait for an access token: those of one program, or all. */
  #refuseArriving(problem: Problem, program?: Program): void {
    for (const request of this.#arriving) {
      if (program !== undefined && request.program.id !== program.id) continue
      this.#arriving.delete(request)
      this.#refuse(request, problem)
    }
  }

  /**
   * Stops accepting requests, and answers the waiting ones with `why`. Resolves when all sent requests have
   * ended.
   */
  async drain(why: string): Promise<void> {
    this.#closed = why
    this.refuseWaiting(why)
    const readersEnded = this.#hub.end(why)
    for (const stream of [...this.#streams.values()]) stream.goAway()
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
      this.#checkIdle()
    })
    await readersEnded
  }

  /** Ends everything immediately. Unanswered requests are answered with `why`. */
  stop(why: string): void {
    this.#closed ??= why
    this.refuseWaiting(this.#closed)
    void this.#hub.end(this.#closed)
    for (const stream of [...this.#streams.values()]) stream.goAway()
    this.#cancelWake()
    for (const order of [...this.#openOrders]) order.abandon(this.#closed)
    for (const call of [...this.#calls.values()]) {
      const problem = call.upstream.sending === undefined ? unavailable : abandoned
      sendProblem(call.reply, problem(this.#closed))
      this.#drop(call)
    }
    for (const reply of [...this.#replies.keys()]) reply.destroy()
    this.#endDesk()
  }

  #endDesk(): void {
    this.#desk?.leave()
    this.#desk = undefined
    this.#turns = this.#scheduler
  }

  /** Records a time span whose length is uncertain. See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.#scheduler.markClockUncertain(fromMs, toMs)
    this.#hub.markClockUncertain(fromMs, toMs)
    this.#apply([])
  }

  /** Counts of unfinished requests and of requests upstream. Both are 0 when idle. */
  get open(): { readonly requests: number; readonly upstreams: number } {
    return {
      requests:
        this.#arriving.size + this.#calls.size + this.#replies.size + this.#hub.size + this.#openOrders.size,
      upstreams: Math.max(this.#upstreams.size, this.#scheduler.openUpstreams),
    }
  }

  #onIdle: () => void = () => {}

  #checkIdle(): void {
    const open = this.#calls.size + this.#upstreams.size + this.#replies.size + this.#openOrders.size
    if (open === 0) this.#onIdle()
  }

  #now(): number {
    return this.#deps.timeline.now()
  }

  #offer(request: AdmittedRequest): void {
    const { program, method, pathAndQuery, maxWaitMs, reply } = request
    const path = pathOf(pathAndQuery)
    const category = categoryOf(method === 'HEAD' ? 'GET' : method, path)
    const endpoint = category ?? path
    const isStream = category !== undefined && streamKindOf(category) !== undefined
    const id = this.#nextId++
    const upstream: Upstream = {
      id,
      request,
      endpoint,
      stream: isStream ? category : undefined,
      calls: new Map(),
      sending: undefined,
      isRefreshing: false,
      unsent: undefined,
    }
    const call: Call = { ...request, id, upstream }
    upstream.calls.set(id, call)
    this.#upstreams.set(id, upstream)
    this.#calls.set(id, call)
    reply.on('close', () => this.#drop(call))
    // A stream can't be shared like a response, because a later caller would miss its beginning.
    const sameAs = isStream || request.isAlone ? undefined : sameAsOf(request)
    this.#apply(
      this.#turns.offer(
        {
          id,
          program: program.id,
          class: program.class,
          weight: program.weight,
          bucket: this.#bucketOf(endpoint),
          maxWaitMs,
          ...(sameAs !== undefined && { sameAs }),
        },
        this.#now(),
      ),
    )
  }

  #bucketOf(endpoint: string): string {
    return this.#deps.ledger.categoryOf(endpoint) ?? endpoint
  }

  /**
   * Carries out decisions and sets the timer for the next one. Requests that are declined as unavailable get
   * `why` as the reason.
   */
  #apply(decisions: readonly Decision[], why?: string): void {
    for (const decision of decisions) this.#do(decision, why)
    this.#arm()
    this.#deps.changed()
    this.#checkIdle()
  }

  #arm(): void {
    this.#cancelWake()
    this.#cancelWake = () => {}
    const wakeAtMs = this.#scheduler.nextWakeAtMs
    if (wakeAtMs === undefined) return
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(0, wakeAtMs - this.#now()))
    this.#cancelWake = this.#deps.clock.after(Math.ceil(waitMs), () =>
      this.#apply(this.#turns.due(this.#now())),
    )
  }

  #do(decision: Decision, why: string | undefined): void {
    switch (decision.kind) {
      case 'send':
        if (!this.permits.grant(decision)) this.#send(decision.upstream)
        return
      case 'wait':
      case 'join':
        this.#share(decision.request, decision.upstream)
        return
      case 'refuse': {
        this.permits.refuse(decision, why)
        const call = this.#calls.get(decision.request)
        if (call === undefined) return
        if (decision.why !== 'unavailable') this.#reportRefusal(call, decision)
        this.#refuse(call, problemOf(decision, why))
        this.#forget(call)
        return
      }
      case 'answer':
        this.#answer(decision.upstream, decision.requests)
        return
      case 'refresh':
        void this.#refresh(decision.upstream).catch((cause: unknown) => {
          this.#deps.defect(cause)
          this.#apply(this.#turns.refreshed(decision.upstream, false, this.#now()))
        })
        return
      case 'fail':
        for (const id of decision.requests) {
          const call = this.#calls.get(id)
          if (call === undefined) continue
          sendProblem(call.reply, call.upstream.unsent ?? FAILURES[decision.why])
          this.#forget(call)
        }
        return
      case 'abandon':
        this.#abandon(decision.upstream)
        return
    }
  }

  #share(id: number, upstreamId: number): void {
    const call = this.#calls.get(id)
    const upstream = this.#upstreams.get(upstreamId)
    if (call === undefined || upstream === undefined || call.upstream === upstream) return
    const former = call.upstream
    former.calls.delete(id)
    if (former.calls.size === 0) this.#upstreams.delete(former.id)
    call.upstream = upstream
    upstream.calls.set(id, call)
  }

  #send(id: number): void {
    const upstream = this.#upstreams.get(id)
    const access = this.#deps.usable()
    if (upstream === undefined || access.kind === 'token') this.#sendWith(id, access)
    // The token may have expired while the request waited.
    else
      this.#accessFor(upstream.request).then(
        (next) => {
          // A desk's turn may have lapsed while this request waited for the token.
          const putBack = this.#desk?.lapsed(id, this.#now())
          if (putBack === undefined) this.#sendWith(id, next)
          else this.#apply(putBack)
        },
        (cause: unknown) => {
          this.#deps.defect(cause)
          this.#settleSoon(id, { kind: 'not-sent' })
        },
      )
  }

  /**
   * Gets an access token. Waits at most as long as the caller would wait in the queue, but at least
   * `MIN_TOKEN_WAIT_MS`.
   */
  async #accessFor({ maxWaitMs }: AdmittedRequest): Promise<Access> {
    const { usable, access, clock } = this.#deps
    if (usable().kind === 'none') await within(clock, Math.max(MIN_TOKEN_WAIT_MS, maxWaitMs), access())
    return usable()
  }

  #sendWith(id: number, access: Access): void {
    const upstream = this.#upstreams.get(id)
    if (upstream !== undefined && access.kind === 'token') {
      this.#start(upstream, access.value)
      return
    }
    if (upstream !== undefined && access.kind === 'none') upstream.unsent = noToken(access, this.#now())
    // Settled later, because the scheduler is still handling the current event.
    this.#settleSoon(id, { kind: 'not-sent' })
  }

  #start(upstream: Upstream, token: string): void {
    const { request, stream, endpoint } = upstream
    const bucket = () => this.#bucketOf(endpoint)
    const sending = new Sending({ request, token, stream, bucket }, this.#deps, (outcome) => {
      if (sending.answer === undefined) upstream.sending = undefined
      this.#settle(upstream.id, outcome)
    })
    upstream.sending = sending
    sending.start()
  }

  #settle(id: number, outcome: UpstreamOutcome): void {
    const decisions = this.#turns.answered(id, outcome, this.#now())
    const upstream = this.#upstreams.get(id)
    if (outcome.kind === 'rate-limited' && upstream !== undefined)
      this.#countsOf(upstream.request.program).rejected += 1
    const isDecided = (kind: 'answer' | 'refresh') =>
      decisions.some((decision) => decision.kind === kind && decision.upstream === id)
    const isPassedOn = isDecided('answer')
    if (upstream !== undefined) {
      const { request, sending } = upstream
      if (outcome.kind === 'unauthorized' && isPassedOn && sending !== undefined) {
        void this.#deps.rejected(sending.token, request.pathAndQuery)
      }
      upstream.isRefreshing = isDecided('refresh')
      // A response that is neither relayed nor kept for a token refresh is discarded unread.
      if (!isPassedOn && !upstream.isRefreshing) discard(upstream)
    }
    this.#apply(decisions)
    if (upstream !== undefined) this.#forgetIdle(upstream)
  }

  #settleSoon(id: number, outcome: UpstreamOutcome): void {
    this.#deps.clock.after(0, () => this.#settle(id, outcome))
  }

  /**
   * Gets another token after a 401, with one refresh for all requests that need it. Without a new token,
   * relays the 401.
   */
  async #refresh(id: number): Promise<void> {
    const upstream = this.#upstreams.get(id)
    const refused = upstream?.sending?.token
    if (upstream === undefined || refused === undefined) return
    const gotToken = await this.#tokenFor(upstream, refused)
    upstream.isRefreshing = false
    if (gotToken) discard(upstream)
    this.#apply(this.#turns.refreshed(id, gotToken, this.#now()))
    this.#forgetIdle(upstream)
  }

  /**
   * Whether another token arrives while at least one call still waits. A call waits until its maximum wait
   * ends, or for `MIN_TOKEN_WAIT_MS` if that is longer. Calls that join during the wait are included.
   */
  async #tokenFor({ request, calls }: Upstream, refused: string): Promise<boolean> {
    const fromMs = this.#now()
    let gotToken: boolean | undefined
    const refreshed = tokenAfter401(this.#deps, refused, request.pathAndQuery).then((token) => {
      gotToken = token !== undefined
    })
    const leftMs = () => {
      const waitsMs = [...calls.values()].map(({ maxWaitMs }) => maxWaitMs)
      return fromMs + Math.max(MIN_TOKEN_WAIT_MS, ...waitsMs) - this.#now()
    }
    while (gotToken === undefined && leftMs() > 0) await within(this.#deps.clock, leftMs(), refreshed)
    return gotToken === true
  }

  #answer(id: number, requests: readonly number[]): void {
    const upstream = this.#upstreams.get(id)
    const sending = upstream?.sending
    const answer = sending?.answer
    const calls = requests.flatMap((request) => this.#calls.get(request) ?? [])
    if (upstream === undefined || sending === undefined || answer === undefined) return
    const [first] = calls
    const isStream = upstream.stream !== undefined && answer.status === 200
    const uses = calls.map((call) => ({ call, use: this.#countsOf(call.program) }))
    for (const { call, use } of uses) {
      this.#forget(call)
      this.#replying(call)
      if (isStream) use.streams += 1
      if (call !== first) use.coalesced += 1
      else if (answer.status !== 429) {
        use.forwarded(shownCategory(this.#bucketOf(upstream.endpoint)), this.#now())
      }
    }
    // After a 429, some calls may return to the queue. `sending` is cleared, because their next attempt is a
    // new exchange.
    upstream.sending = undefined
    let hasEnded = false
    const relayed = relay({
      answer,
      ...(sending.begun !== undefined && { begun: sending.begun }),
      removal: sending.removal,
      readers: calls.map((call) => ({ reply: call.reply, isCoalesced: call !== first })),
      abort: () => sending.abort(),
      ended: () => {
        sending.freeSlot()
        this.#streams.delete(id)
        hasEnded = true
        if (isStream) for (const { use } of uses) use.streams -= 1
        this.#deps.changed()
        this.#checkIdle()
      },
      isEndless: isStream,
      clock: this.#deps.clock,
      defect: this.#deps.defect,
    })
    if (isStream && !hasEnded) this.#streams.set(id, relayed)
  }

  /** Records a reply until its reader has it, perhaps long after the service sent the last byte. */
  #replying({ reply, program }: Call): void {
    this.#replies.set(reply, program.id)
    reply.once('close', () => {
      this.#replies.delete(reply)
      this.#checkIdle()
    })
  }

  /**
   * Abandons an upstream request that no longer serves any call. If it was sent, the service may count it. A
   * request that still waits for a token was not sent.
   */
  #abandon(id: number): void {
    const upstream = this.#upstreams.get(id)
    const sending = upstream?.sending
    this.#upstreams.delete(id)
    sending?.abandon()
    if (upstream !== undefined) upstream.sending = undefined
    this.#settleSoon(id, { kind: sending === undefined ? 'not-sent' : 'cut' })
  }

  #drop(call: Call): void {
    if (!this.#calls.delete(call.id)) return
    call.upstream.calls.delete(call.id)
    this.#apply(this.#turns.drop(call.id, this.#now()))
    this.#forgetIdle(call.upstream)
  }

  /** Removes a call that has been answered, or is about to be. */
  #forget(call: Call): void {
    this.#calls.delete(call.id)
    call.upstream.calls.delete(call.id)
    this.#forgetIdle(call.upstream)
  }

  #forgetIdle(upstream: Upstream): void {
    if (upstream.calls.size > 0) return
    if (upstream.isRefreshing) discard(upstream)
    if (upstream.sending === undefined && this.#upstreams.delete(upstream.id)) this.#checkIdle()
  }

  /** Reports a declined request, at most once per `REFUSAL_REPORT_MS` for each program and category. */
  #reportRefusal({ program, upstream }: Call, { retryAfterSeconds }: QueueRefusal): void {
    const now = this.#now()
    const category = shownCategory(this.#bucketOf(upstream.endpoint))
    const told = `${program.id} ${category}`
    if (now - (this.#refusalsReportedAtMs.get(told) ?? Number.NEGATIVE_INFINITY) < REFUSAL_REPORT_MS) return
    this.#refusalsReportedAtMs.set(told, now)
    this.#deps.event({
      kind: 'program-refused',
      program: program.name,
      category,
      ...(retryAfterSeconds !== undefined && { retryAt: Math.round(now + retryAfterSeconds * 1000) }),
    })
  }

  #refuse(request: Pick<AdmittedRequest, 'program' | 'reply'>, problem: Problem): void {
    this.#countsOf(request.program).refused += 1
    sendProblem(request.reply, problem)
  }

  #countsOf({ id }: Program): ProgramUse {
    const known = this.#uses.get(id)
    if (known !== undefined) return known
    const use = new ProgramUse()
    this.#uses.set(id, use)
    return use
  }
}

/** Ends a sent request that no longer serves any caller. */
function discard(upstream: Upstream): void {
  upstream.sending?.discard()
  upstream.sending = undefined
}
