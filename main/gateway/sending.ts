import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import { observe } from '../../app/service/headers.ts'
import { senderOf } from '../../app/service/sender.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import type { QuotaTap } from '../api/quota-tap.ts'
import type { ForwardAnswer, ForwardFailure, ForwardHttp } from '../network/forward-http.ts'
import type { Reachability } from '../network/reachability.ts'
import type { Clock } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { GATEWAY_NAME } from './problem.ts'
import { type Begun, type BegunAnswer, TokenRemoval, textOf } from './token-removal.ts'

export interface SendingDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly baseUrl: string
  /** The host of `baseUrl`. */
  readonly host: string
  readonly tap: QuotaTap
  readonly slots: Pick<SlotLedger, 'taken' | 'released' | 'observed'>
  readonly reachability: Pick<Reachability, 'answered' | 'failed'>
  readonly forward: ForwardHttp
  /** Told of a throw while one answer was handled; that request has then failed, and nothing else. */
  readonly defect: (cause: unknown) => void
}

/** What is sent, with what token. */
export interface Outgoing {
  readonly request: Omit<AdmittedRequest, 'program' | 'prefer' | 'reply'>
  readonly token: string
  /** The category of its stream slot; absent where it opens no stream. */
  readonly stream: string | undefined
  /** The bucket of a header that came with it. */
  readonly bucket: () => string
}

/** Until the status line of an answer. */
const FIRST_BYTE_MS = 30_000
/** An error is small: so much of it is read, for so long, before it is passed on. */
const MAX_ERROR_BYTES = 64 << 10
const ERROR_TIMEOUT_MS = 5_000

/**
 * One sending of a request upstream with the key's access token, and the head of its answer.
 *
 * Tells the quota tap of both, so that it counts as own, and takes and frees the slot of a stream. The body of an answer is left to
 * its reader, but for that of an error: it may repeat the access token, that of a 429 says what quota refused, and that of a 401 is
 * kept while the token is refreshed.
 */
export class Sending {
  readonly token: string
  readonly removal: TokenRemoval
  readonly #deps: SendingDeps
  readonly #outgoing: Outgoing
  readonly #settled: (outcome: UpstreamOutcome) => void
  readonly #ticket: Ticket
  #answer: ForwardAnswer | undefined
  #begun: Begun | undefined
  #hasSlot = false
  /** Its outcome is not wanted any more. */
  #isAbandoned = false
  #isSettled = false
  #abort: () => void = () => {}

  /** Counts the request as sent; `start` sends it. `settled` is called once, unless it is abandoned before. */
  constructor(outgoing: Outgoing, deps: SendingDeps, settled: (outcome: UpstreamOutcome) => void) {
    const { request, token, stream } = outgoing
    this.token = token
    this.removal = new TokenRemoval(token)
    this.#deps = deps
    this.#outgoing = outgoing
    this.#settled = settled
    this.#ticket = deps.tap.sent(request.method === 'HEAD' ? 'GET' : request.method, request.pathAndQuery)
    if (stream === undefined) return
    deps.slots.taken(stream)
    this.#hasSlot = true
  }

  /** The answer, once its head is there. */
  get answer(): ForwardAnswer | undefined {
    return this.#answer
  }

  /** What was read of the answer's body, if anything. */
  get begun(): Begun | undefined {
    return this.#begun
  }

  start(): void {
    const { baseUrl, forward } = this.#deps
    const { method, pathAndQuery, accept, acceptEncoding, contentType, body } = this.#outgoing.request
    this.#abort = forward(
      {
        method,
        origin: baseUrl,
        pathAndQuery,
        headers: {
          authorization: `Bearer ${this.token}`,
          via: `1.1 ${GATEWAY_NAME}`,
          ...(accept !== undefined && { accept }),
          ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
          ...(contentType !== undefined && { 'content-type': contentType }),
        },
        ...(body !== undefined && { body }),
        timeoutMs: FIRST_BYTE_MS,
      },
      {
        answered: (answer) => this.#contain(() => this.#answered(answer)),
        failed: (how, why) => this.#contain(() => this.#failed(how, why)),
      },
    )
  }

  /** Ends it upstream, and nothing else. */
  abort(): void {
    this.#abort()
  }

  /** Its answer is not passed on: ends it, and frees its slot. */
  discard(): void {
    this.#abort()
    this.freeSlot()
  }

  /** No call is left that its answer is for. It may have been counted. */
  abandon(): void {
    this.#isAbandoned = true
    if (this.#answer === undefined) this.#deps.tap.hungUp(this.#ticket)
    else this.#deps.tap.lost(this.#ticket)
    this.freeSlot()
    this.#abort()
  }

  /** The stream has ended. */
  freeSlot(): void {
    const { stream } = this.#outgoing
    if (stream === undefined || !this.#hasSlot) return
    this.#hasSlot = false
    const closedAtMs = this.#answer?.status === 200 ? this.#deps.timeline.now() : undefined
    this.#deps.slots.released(stream, closedAtMs)
  }

  #failed(how: ForwardFailure, why: string): void {
    const { tap, reachability, host } = this.#deps
    if (how === 'not-sent') tap.notSent(this.#ticket)
    else if (how === 'cut' || how === 'broken') tap.lost(this.#ticket)
    else tap.hungUp(this.#ticket)
    // A reused connection may have been closed meanwhile, which says nothing about the host.
    if (how !== 'cut') reachability.failed(host, why)
    this.freeSlot()
    this.#settle({ kind: how })
  }

  #settle(outcome: UpstreamOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settled(outcome)
  }

  #contain(run: () => void): void {
    try {
      run()
    } catch (cause) {
      this.#deps.defect(cause)
      this.#deps.tap.lost(this.#ticket)
      this.discard()
      this.#settle({ kind: 'broken' })
    }
  }

  #answered(answer: ForwardAnswer): void {
    this.#answer = answer
    // Errors of the body are the relay's matter once it reads; until then they end it.
    answer.body.on('error', () => {})
    if (answer.status < 400) {
      this.#judge(answer)
      return
    }
    const parts: Buffer[] = []
    let bytes = 0
    const done = (rest: Begun['rest']) => {
      cancel()
      answer.body.off('data', read)
      answer.body.off('end', ended)
      answer.body.off('close', ended)
      if (rest === 'to-come') answer.body.pause()
      this.#contain(() => this.#readError({ answer, begun: { bytes: Buffer.concat(parts), rest } }))
    }
    const read = (part: Buffer) => {
      parts.push(part)
      bytes += part.length
      if (bytes >= MAX_ERROR_BYTES) done('to-come')
    }
    const ended = () => done(answer.body.complete ? 'none' : 'cut')
    const cancel = this.#deps.clock.after(ERROR_TIMEOUT_MS, () => done('to-come'))
    answer.body.on('data', read)
    answer.body.on('end', ended)
    answer.body.on('close', ended)
  }

  #readError(read: Required<BegunAnswer>): void {
    const { answer, begun } = this.removal.fromError(read)
    answer.body.on('error', () => {})
    this.#answer = answer
    this.#begun = begun
    this.#judge(answer, answer.status === 429 ? textOf(read) : '')
  }

  /** Counts an answer, and says what became of the request. */
  #judge({ status, headers }: ForwardAnswer, body = ''): void {
    // Abandoned while its error was read: counted already.
    if (this.#isAbandoned) return
    const { tap, reachability, slots, timeline, baseUrl, host } = this.#deps
    const { stream, bucket } = this.#outgoing
    const observation = observe(status, headers)
    const sender = senderOf(observation, baseUrl)
    if (sender.kind === 'other') {
      // Passed on as it came, but it says nothing of quotas.
      tap.notTheService(this.#ticket, status, sender.why)
      reachability.failed(host, sender.why)
      this.freeSlot()
      this.#settle({ kind: 'answer' })
      return
    }
    reachability.answered(host)
    const { reading, refused } = tap.answered(this.#ticket, observation, body)
    if (stream !== undefined) {
      if (reading.concurrency !== undefined) slots.observed(stream, reading.concurrency, 0, timeline.now())
      if (status !== 200) this.freeSlot()
    }
    const { rate } = reading
    const quota = rate === undefined ? {} : { rate, bucket: bucket() }
    if (status === 401) this.#settle({ kind: 'unauthorized', ...quota })
    else if (refused === 'rate' || refused === 'unsaid')
      this.#settle({ kind: 'rate-limited', of: refused, ...quota })
    else this.#settle({ kind: 'answer', ...quota })
  }
}
