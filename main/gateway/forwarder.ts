import type { ServerResponse } from 'node:http'
import type { Decision, UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { patienceMsOf, sameAsOf } from '../../app/gateway/request-fields.ts'
import { Scheduler } from '../../app/gateway/scheduler.ts'
import type { Ledger, Ticket } from '../../app/quota/ledger.ts'
import { categoryOf } from '../../app/service/categories.ts'
import { observe } from '../../app/service/headers.ts'
import { senderOf } from '../../app/service/sender.ts'
import { streamKindOf } from '../../app/service/stream-kinds.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { hostOf } from '../api/client.ts'
import type { OwnOutcome, OwnTurn } from '../api/own-turn.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { Reachability } from '../monitor/reachability.ts'
import type { Timeline } from '../monitor/timeline.ts'
import type { ForwardAnswer, ForwardHttp } from '../network/forward-http.ts'
import type { Clock } from '../ports/ports.ts'
import type { Access } from '../tokens/keeper.ts'
import { relay } from './answer-relay.ts'
import { GATEWAY_NAME, type Problem, sendProblem } from './problem.ts'
import { ProgramUse } from './program-use.ts'
import type { Program } from './programs.ts'

export interface ForwarderDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly baseUrl: string
  readonly tap: QuotaTap
  readonly ledger: Pick<Ledger, 'categoryOf' | 'sizeOf'>
  readonly slots: Pick<SlotLedger, 'taken' | 'released' | 'observed'>
  readonly reachability: Pick<Reachability, 'answered' | 'failed'>
  readonly access: () => Promise<Access>
  readonly usable: () => Access
  readonly rejected: (token: string) => Promise<void>
  readonly forward: ForwardHttp
  /** Called when numbers of a program changed. */
  readonly changed: () => void
}

/** The request of a program, as the door admitted it. */
export interface AdmittedRequest {
  readonly program: Program
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** As received, undecoded. */
  readonly pathAndQuery: string
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
  readonly contentType: string | undefined
  readonly prefer: string | undefined
  readonly body: Buffer | undefined
  readonly reply: ServerResponse
}

/** What a program does on this key now. */
export interface ProgramNow {
  readonly use: ProgramUse
  /** When each of its waiting requests came, by category. */
  readonly waiting: readonly { readonly category: string; readonly sinceMs: number }[]
}

/** Until the status line of an answer. */
const FIRST_BYTE_MS = 30_000
/** A 429 is small; no more of it is read to learn which quota refused. */
const MAX_REFUSAL_BYTES = 64 << 10
const REFUSAL_TIMEOUT_MS = 5_000
/** The longest sleep of the wake-up timer. */
const MAX_WAIT_MS = 60_000

/** The name of Headroom itself among the programs of the scheduler; no program's id is empty. */
const OWN_PROGRAM = ''
const OWN_PATIENCE_MS = 5_000

interface Call extends AdmittedRequest {
  readonly id: number
  upstream: Upstream
}

/** A request upstream, and the calls that its answer is for. */
interface Upstream {
  readonly id: number
  readonly request: AdmittedRequest
  /** Its category, else its path. */
  readonly endpoint: string
  /** The category of its stream slot; absent where it opens no stream. */
  readonly stream: string | undefined
  readonly calls: Map<number, Call>
  flight: Flight | undefined
  /** The access token that the service answered 401 to, until there is another one. */
  refusedToken: string | undefined
  /** Why there was no token when its turn came. */
  unsentWhy: string | undefined
}

/** One sending of a request upstream. */
interface Flight {
  readonly token: string
  readonly ticket: Ticket
  abort: () => void
  answer?: ForwardAnswer
  begun?: { readonly bytes: Buffer; readonly isWhole: boolean }
  hasSlot: boolean
}

/**
 * Forwards the requests of programs on one connected key: does what the scheduler decides, with the key's access token, and
 * tells the quota tap of each request and answer, so that it counts as own.
 */
export class Forwarder {
  readonly #deps: ForwarderDeps
  readonly #scheduler: Scheduler
  readonly #calls = new Map<number, Call>()
  readonly #upstreams = new Map<number, Upstream>()
  /** The replies that are being written. */
  readonly #relayed = new Map<ServerResponse, { readonly program: string; readonly isStream: boolean }>()
  readonly #uses = new Map<string, ProgramUse>()
  /** Own checks that wait for their turn. */
  readonly #own = new Map<number, (hasTurn: boolean) => void>()
  #nextId = 1
  #cancelWake: () => void = () => {}
  /** Set while no request is taken: why not. */
  #closed: string | undefined

  constructor(deps: ForwarderDeps) {
    this.#deps = deps
    this.#scheduler = new Scheduler((bucket) => {
      const size = deps.ledger.sizeOf(bucket)
      return size === undefined ? {} : { size: { limit: size.limit, periodSeconds: size.periodMs / 1000 } }
    })
  }

  /** Answers a request: passes it on when its turn comes, or says why not. */
  async serve(request: AdmittedRequest): Promise<void> {
    const { reply, program } = request
    this.#countsOf(program).lastSeenAtMs = this.#deps.timeline.now()
    if (this.#deps.usable().kind === 'none') await this.#deps.access()
    const access = this.#deps.usable()
    if (reply.destroyed || reply.writableEnded) return
    if (this.#closed !== undefined) return this.#refuse(request, unavailable(this.#closed))
    if (access.kind === 'none') return this.#refuse(request, unavailable(wordsOfNoToken(access.why)))
    this.#offer(request)
  }

  /** Uses of this program since the gateway was turned on, and its requests that wait. */
  nowOf(program: Program): ProgramNow {
    const waiting = this.#scheduler
      .waiting()
      .filter(({ program: id }) => id === program.id)
      .map(({ bucket, sinceMs }) => ({ category: bucket, sinceMs }))
    return { use: this.#countsOf(program), waiting }
  }

  /** Whether any program waits for its turn: Headroom's own checks then wait too. */
  get hasWaiting(): boolean {
    return this.#scheduler.waiting().length > 0
  }

  /**
   * Waits for the turn of one of Headroom's own checks, which are of the class `background`. Resolves to a function to tell
   * its outcome, or to `undefined` where there is no room within `OWN_PATIENCE_MS`.
   */
  ownTurn(method: string, path: string): Promise<OwnTurn | undefined> {
    const id = this.#nextId++
    const endpoint = categoryOf(method, path) ?? path
    return new Promise((resolve) => {
      this.#own.set(id, (hasTurn) => {
        this.#own.delete(id)
        resolve(hasTurn ? (outcome) => this.#ownSettled(id, endpoint, outcome) : undefined)
      })
      this.#apply(
        this.#scheduler.offer(
          {
            id,
            program: OWN_PROGRAM,
            class: 'background',
            weight: 1,
            bucket: this.#bucketOf(endpoint),
            patienceMs: OWN_PATIENCE_MS,
          },
          this.#now(),
        ),
      )
    })
  }

  #ownSettled(id: number, endpoint: string, outcome: OwnOutcome): void {
    const now = this.#now()
    const rate = 'rate' in outcome ? outcome.rate : undefined
    const bucket = rate && { bucket: this.#bucketOf(endpoint) }
    // Checks have a schedule of their own: the scheduler's repetition is not wanted.
    this.#apply([
      ...this.#scheduler.answered(id, { ...outcome, ...bucket }, now),
      ...this.#scheduler.drop(id, now),
    ])
  }

  /** Ends everything of a program at once, open streams included. */
  cut(program: Program): void {
    for (const call of [...this.#calls.values()]) {
      if (call.program.id !== program.id) continue
      sendProblem(call.reply, CUT_OFF)
      this.#drop(call)
    }
    for (const [reply, relayed] of [...this.#relayed]) if (relayed.program === program.id) reply.destroy()
    this.#uses.delete(program.id)
  }

  /** Ends the requests that wait with 503: the key cannot be used. Those already sent go on. */
  refuseWaiting(why: string): void {
    this.#apply(this.#scheduler.refuseWaiting(this.#now()), why)
  }

  /** Takes no further requests and ends those that wait. Resolves when those already sent have ended. */
  async drain(why: string): Promise<void> {
    this.#closed = why
    this.refuseWaiting(why)
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
      this.#checkIdle()
    })
  }

  /** Ends everything at once. */
  stop(): void {
    this.#closed ??= 'the gateway was turned off'
    this.refuseWaiting(this.#closed)
    this.#cancelWake()
    for (const call of [...this.#calls.values()]) {
      sendProblem(call.reply, unavailable(this.#closed))
      this.#drop(call)
    }
    for (const reply of [...this.#relayed.keys()]) reply.destroy()
  }

  /** See `Timeline`: it is not known whether the time between the two moments has passed. */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.#scheduler.markClockUncertain(fromMs, toMs)
    this.#apply([])
  }

  /** Requests that have not ended, and requests upstream: none when all is done. */
  get open(): { readonly requests: number; readonly upstreams: number } {
    return {
      requests: this.#calls.size + this.#relayed.size,
      upstreams: Math.max(this.#upstreams.size, this.#scheduler.open.upstreams),
    }
  }

  #onIdle: () => void = () => {}

  #checkIdle(): void {
    // Streams do not end by themselves.
    const isAnswering = [...this.#relayed.values()].some(({ isStream }) => !isStream)
    if (this.#calls.size === 0 && this.#upstreams.size === 0 && !isAnswering) this.#onIdle()
  }

  #now(): number {
    return this.#deps.timeline.now()
  }

  #offer(request: AdmittedRequest): void {
    const { program, method, pathAndQuery, accept, acceptEncoding, prefer, reply } = request
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
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
      flight: undefined,
      refusedToken: undefined,
      unsentWhy: undefined,
    }
    const call: Call = { ...request, id, upstream }
    upstream.calls.set(id, call)
    this.#upstreams.set(id, upstream)
    this.#calls.set(id, call)
    reply.on('close', () => this.#drop(call))
    // A stream has no end, so what follows would not be the answer to a later caller.
    const sameAs = isStream ? undefined : sameAsOf({ method, pathAndQuery, accept, acceptEncoding })
    this.#apply(
      this.#scheduler.offer(
        {
          id,
          program: program.id,
          class: program.class,
          weight: program.weight,
          bucket: this.#bucketOf(endpoint),
          patienceMs: patienceMsOf(prefer),
          ...(sameAs !== undefined && { sameAs }),
        },
        this.#now(),
      ),
    )
  }

  #bucketOf(endpoint: string): string {
    return this.#deps.ledger.categoryOf(endpoint) ?? endpoint
  }

  /** Does what was decided, then sleeps until there is something to do. `why`: of a refusal as unavailable. */
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
      this.#apply(this.#scheduler.due(this.#now())),
    )
  }

  #do(decision: Decision, why: string | undefined): void {
    switch (decision.kind) {
      case 'send': {
        const own = this.#own.get(decision.upstream)
        if (own === undefined) this.#send(decision.upstream)
        else own(true)
        return
      }
      case 'wait':
      case 'join':
        this.#share(decision.request, decision.upstream)
        return
      case 'refuse': {
        this.#own.get(decision.request)?.(false)
        const call = this.#calls.get(decision.request)
        if (call === undefined) return
        this.#refuse(call, problemOf(decision, why))
        this.#forget(call)
        return
      }
      case 'answer':
        this.#answer(decision.upstream, decision.requests)
        return
      case 'refresh':
        void this.#refresh(decision.upstream)
        return
      case 'fail':
        for (const id of decision.requests) {
          const call = this.#calls.get(id)
          if (call === undefined) continue
          const { unsentWhy } = call.upstream
          const problem = unsentWhy === undefined ? FAILURES[decision.why] : unavailable(unsentWhy)
          sendProblem(call.reply, problem)
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
    // Told after this decision: others of the same event come before.
    if (upstream === undefined || access.kind === 'none') {
      if (upstream !== undefined && access.kind === 'none') upstream.unsentWhy = wordsOfNoToken(access.why)
      this.#settleSoon(id, { kind: 'not-sent' })
      return
    }
    const { method, pathAndQuery, accept, acceptEncoding, contentType, body } = upstream.request
    const flight: Flight = {
      token: access.value,
      ticket: this.#deps.tap.sent(method === 'HEAD' ? 'GET' : method, pathAndQuery),
      abort: () => {},
      hasSlot: false,
    }
    upstream.flight = flight
    if (upstream.stream !== undefined) {
      this.#deps.slots.taken(upstream.stream)
      flight.hasSlot = true
    }
    flight.abort = this.#deps.forward(
      {
        method,
        origin: this.#deps.baseUrl,
        pathAndQuery,
        headers: {
          authorization: `Bearer ${access.value}`,
          via: `1.1 ${GATEWAY_NAME}`,
          ...(accept !== undefined && { accept }),
          ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
          ...(contentType !== undefined && { 'content-type': contentType }),
        },
        ...(body !== undefined && { body }),
        timeoutMs: FIRST_BYTE_MS,
      },
      {
        answered: (answer) => this.#answered(upstream, flight, answer),
        failed: (how, why) => this.#failed(upstream, flight, how, why),
      },
    )
  }

  #failed(upstream: Upstream, flight: Flight, how: 'not-sent' | 'cut' | 'timeout', why: string): void {
    const { tap, reachability, baseUrl } = this.#deps
    if (how === 'not-sent') tap.notSent(flight.ticket)
    else if (how === 'cut') tap.lost(flight.ticket)
    else tap.hungUp(flight.ticket)
    // A reused connection may have been closed meanwhile, which says nothing about the host.
    if (how !== 'cut') reachability.failed(hostOf(baseUrl), why)
    this.#freeSlot(upstream, flight)
    upstream.flight = undefined
    this.#settle(upstream.id, { kind: how })
  }

  #answered(upstream: Upstream, flight: Flight, answer: ForwardAnswer): void {
    flight.answer = answer
    // Errors of the body are the relay's matter once it reads; until then they end it.
    answer.body.on('error', () => {})
    if (answer.status !== 429) {
      this.#judge(upstream, flight, answer)
      return
    }
    const parts: Buffer[] = []
    let bytes = 0
    const done = (isWhole: boolean) => {
      cancel()
      answer.body.off('data', read)
      answer.body.off('end', ended)
      answer.body.off('close', closed)
      if (!isWhole) answer.body.pause()
      flight.begun = { bytes: Buffer.concat(parts), isWhole }
      this.#judge(upstream, flight, answer)
    }
    const read = (part: Buffer) => {
      parts.push(part)
      bytes += part.length
      if (bytes >= MAX_REFUSAL_BYTES) done(false)
    }
    const ended = () => done(true)
    const closed = () => done(true)
    const cancel = this.#deps.clock.after(REFUSAL_TIMEOUT_MS, () => done(false))
    answer.body.on('data', read)
    answer.body.on('end', ended)
    answer.body.on('close', closed)
  }

  /** Counts an answer, and tells the scheduler. */
  #judge(upstream: Upstream, flight: Flight, { status, headers }: ForwardAnswer): void {
    // Abandoned while its 429 was read: counted already.
    if (upstream.flight !== flight) return
    const { tap, reachability, slots, baseUrl } = this.#deps
    const observation = observe(status, headers)
    const sender = senderOf(observation, baseUrl)
    if (sender.kind === 'other') {
      // Passed on as it came, but it says nothing of quotas.
      tap.notTheService(flight.ticket, status, sender.why)
      reachability.failed(hostOf(baseUrl), sender.why)
      this.#freeSlot(upstream, flight)
      this.#settle(upstream.id, { kind: 'answer' })
      return
    }
    reachability.answered(hostOf(baseUrl))
    const { reading, refused } = tap.answered(
      flight.ticket,
      observation,
      flight.begun?.bytes.toString('utf8') ?? '',
    )
    if (upstream.stream !== undefined) {
      if (reading.concurrency !== undefined)
        slots.observed(upstream.stream, reading.concurrency, 0, this.#now())
      if (status !== 200) this.#freeSlot(upstream, flight)
    }
    const { rate } = reading
    const quota = {
      ...(rate !== undefined && { rate }),
      ...(rate !== undefined && { bucket: this.#bucketOf(upstream.endpoint) }),
    }
    if (status === 401) this.#settle(upstream.id, { kind: 'unauthorized', ...quota })
    else if (refused === 'rate' || refused === 'unsaid')
      this.#settle(upstream.id, { kind: 'rate-limited', of: refused, ...quota })
    else this.#settle(upstream.id, { kind: 'answer', ...quota })
  }

  #settle(id: number, outcome: UpstreamOutcome): void {
    const decisions = this.#scheduler.answered(id, outcome, this.#now())
    const upstream = this.#upstreams.get(id)
    const isPassedOn = decisions.some((decision) => decision.kind === 'answer' && decision.upstream === id)
    // What is not passed on is not read.
    if (!isPassedOn && upstream?.flight !== undefined) {
      if (outcome.kind === 'unauthorized') upstream.refusedToken = upstream.flight.token
      upstream.flight.abort()
      this.#freeSlot(upstream, upstream.flight)
      upstream.flight = undefined
    }
    this.#apply(decisions)
    if (upstream !== undefined) this.#forgetIdle(upstream)
  }

  #settleSoon(id: number, outcome: UpstreamOutcome): void {
    this.#deps.clock.after(0, () => this.#settle(id, outcome))
  }

  /** A 401: another token, once for all that wait for it. */
  async #refresh(id: number): Promise<void> {
    const refused = this.#upstreams.get(id)?.refusedToken
    if (refused === undefined) return
    await this.#deps.rejected(refused)
    await this.#deps.access()
    const access = this.#deps.usable()
    const gotToken = access.kind === 'token' && access.value !== refused
    const why =
      access.kind === 'none' ? wordsOfNoToken(access.why) : 'the service accepts no token of this key'
    this.#apply(this.#scheduler.refreshed(id, gotToken, this.#now()), why)
  }

  #answer(id: number, requests: readonly number[]): void {
    const upstream = this.#upstreams.get(id)
    const flight = upstream?.flight
    const answer = flight?.answer
    const calls = requests.flatMap((request) => this.#calls.get(request) ?? [])
    if (upstream === undefined || flight === undefined || answer === undefined) return
    const [first] = calls
    const isStream = upstream.stream !== undefined && answer.status === 200
    const uses = calls.map((call) => this.#countsOf(call.program))
    for (const [i, call] of calls.entries()) {
      const use = uses[i]
      this.#forget(call)
      this.#relayed.set(call.reply, { program: call.program.id, isStream })
      if (use === undefined) continue
      if (isStream) use.streams += 1
      if (call !== first) use.coalesced += 1
      else if (answer.status !== 429) use.forwarded(this.#bucketOf(upstream.endpoint), this.#now())
    }
    // Others may go on to wait for their turn after a 429; the next sending makes another flight.
    upstream.flight = undefined
    relay({
      answer,
      ...(flight.begun !== undefined && { begun: flight.begun }),
      token: flight.token,
      readers: calls.map((call) => ({ reply: call.reply, isCoalesced: call !== first })),
      abort: flight.abort,
      ended: () => {
        this.#freeSlot(upstream, flight)
        for (const { reply } of calls) this.#relayed.delete(reply)
        if (isStream) for (const use of uses) use.streams -= 1
        this.#deps.changed()
        this.#checkIdle()
      },
    })
  }

  /** No call is left that its answer is for. It may have been counted. */
  #abandon(id: number): void {
    const upstream = this.#upstreams.get(id)
    this.#upstreams.delete(id)
    const flight = upstream?.flight
    if (upstream !== undefined && flight !== undefined) {
      upstream.flight = undefined
      if (flight.answer === undefined) this.#deps.tap.hungUp(flight.ticket)
      else this.#deps.tap.lost(flight.ticket)
      this.#freeSlot(upstream, flight)
      flight.abort()
    }
    this.#settleSoon(id, { kind: 'cut' })
  }

  #freeSlot({ stream }: Upstream, flight: Flight): void {
    if (stream === undefined || !flight.hasSlot) return
    flight.hasSlot = false
    this.#deps.slots.released(stream, flight.answer?.status === 200 ? this.#now() : undefined)
  }

  /** The caller went away. */
  #drop(call: Call): void {
    if (!this.#calls.delete(call.id)) return
    this.#detach(call)
    this.#apply(this.#scheduler.drop(call.id, this.#now()))
    this.#forgetIdle(call.upstream)
  }

  /** The call has its answer, or gets it now. */
  #forget(call: Call): void {
    this.#calls.delete(call.id)
    this.#detach(call)
    this.#forgetIdle(call.upstream)
  }

  #detach(call: Call): void {
    call.upstream.calls.delete(call.id)
  }

  #forgetIdle(upstream: Upstream): void {
    if (upstream.calls.size === 0 && upstream.flight === undefined) this.#upstreams.delete(upstream.id)
  }

  #refuse(request: AdmittedRequest, problem: Problem): void {
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

const unavailable = (why: string): Problem => ({
  status: 503,
  detail: `Not sent: ${why}.`,
  proxyError: 'destination_unavailable',
})

const CUT_OFF: Problem = {
  status: 401,
  detail: 'This program was cut off in Headroom.',
  proxyError: 'http_request_denied',
  headers: { 'www-authenticate': `Bearer realm="${GATEWAY_NAME}"` },
}

const FAILURES: Readonly<Record<'cut' | 'timeout' | 'not-sent', Problem>> = {
  cut: {
    status: 502,
    detail: 'The connection to the service ended twice before an answer; the request may have been counted.',
    proxyError: 'connection_terminated',
  },
  timeout: {
    status: 504,
    detail: 'The service did not answer in 30 seconds; the request may have been counted.',
    proxyError: 'http_response_timeout',
  },
  'not-sent': {
    status: 503,
    detail: 'The service cannot be reached now; the request was not sent.',
    proxyError: 'destination_unavailable',
  },
}

function wordsOfNoToken(why: string): string {
  switch (why) {
    case 'sign-in-required':
      return 'this key needs a sign-in in Headroom'
    case 'revoked':
    case 'revoking':
    case 'revoke-unconfirmed':
      return 'the tokens of this key were revoked'
    default:
      return 'Headroom has no access token of this key now'
  }
}

function problemOf(
  { why, retryAfterSeconds, rate }: Extract<Decision, { kind: 'refuse' }>,
  unavailableWhy: string | undefined,
): Problem {
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  if (why === 'unavailable') {
    return { ...unavailable(unavailableWhy ?? 'the key cannot be used now'), headers: retry }
  }
  const fields = {
    'x-ratelimit-limit': rate?.limit,
    'x-ratelimit-period': rate?.periodSeconds,
    'x-ratelimit-remaining': rate?.remaining,
    'x-ratelimit-reset': rate?.resetSeconds,
  }
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  const turn = retryAfterSeconds === undefined ? '' : `; its turn comes in about ${retryAfterSeconds} s`
  const detail =
    why === 'queue-full'
      ? `Not sent: the queue is full${turn}.`
      : `Not sent: this quota has no room within the patience of the request${turn}.`
  return {
    status: 429,
    detail,
    proxyError: 'http_request_denied',
    error: 'TooManyRequests',
    message: why === 'queue-full' ? 'queue full' : 'Rate quota exceeded',
    headers: { ...retry, ...Object.fromEntries(known) },
  }
}
