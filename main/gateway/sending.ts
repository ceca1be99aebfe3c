import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { Exchange, type ExchangeDeps, type ExchangeSlot } from '../api/exchange.ts'
import type { Tapped } from '../api/quota-tap.ts'
import type { ForwardAnswer, ForwardFailure, ForwardHttp, ForwardRequest } from '../network/forward-http.ts'
import type { Clock } from '../ports/ports.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { GATEWAY_NAME } from './problem.ts'
import { type Begun, type BegunAnswer, TokenRemoval, textOf } from './token-removal.ts'

export interface SendingDeps extends ExchangeDeps {
  readonly clock: Clock
  readonly timeline: Timeline
  readonly slots: ExchangeSlot['slots']
  readonly forward: ForwardHttp
  /** Called with an exception that handling a response threw. Only that one request fails. */
  readonly defect: (cause: unknown) => void
}

/** A request to send, and its token. */
export interface Outgoing {
  readonly request: Omit<AdmittedRequest, 'program' | 'maxWaitMs' | 'reply'>
  readonly token: string
  /** The category of the slot that the stream takes. Absent if the request opens no stream. */
  readonly stream: string | undefined
  /** The bucket that the response's quota headers describe. */
  readonly bucket: () => string
}

/** Timeout for the status line of a response. */
const FIRST_BYTE_MS = 30_000
/** What each failure means for the quotas. */
export const UNANSWERED = { 'not-sent': 'not-sent', cut: 'lost', broken: 'lost', timeout: 'hung-up' } as const
/**
 * Maximum number of bytes of an error body that are read before the error is relayed. `ERROR_TIMEOUT_MS`
 * limits the time.
 */
const MAX_ERROR_BYTES = 64 << 10
const ERROR_TIMEOUT_MS = 5_000

/**
 * One exchange with the service for a program's request, on a reusable connection.
 *
 * Usually the caller reads the response body. An error body is read here first, for three reasons: it may
 * repeat the access token, a 429 names its quota in the body, and a 401 is kept while the token is refreshed.
 */
export class Sending {
  readonly removal: TokenRemoval
  readonly #deps: SendingDeps
  readonly #outgoing: Outgoing
  readonly #settled: (outcome: UpstreamOutcome) => void
  readonly #exchange: Exchange
  #answer: ForwardAnswer | undefined
  #begun: Begun | undefined
  /** Whether the outcome of the request is no longer needed. */
  #isAbandoned = false
  #isSettled = false
  #abort: () => void = () => {}

  /**
   * Counts the request as sent before `start` sends it. `settled` is called once, unless the request is
   * abandoned.
   */
  constructor(outgoing: Outgoing, deps: SendingDeps, settled: (outcome: UpstreamOutcome) => void) {
    const { request, token, stream } = outgoing
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const { slots, timeline } = deps
    const slot = stream === undefined ? undefined : { category: stream, slots, now: () => timeline.now() }
    this.removal = new TokenRemoval(token)
    this.#deps = deps
    this.#outgoing = outgoing
    this.#settled = settled
    this.#exchange = new Exchange({ method, path: request.pathAndQuery, token, slot }, deps)
  }

  get token(): string {
    return this.#exchange.token
  }

  /** The response, once its head has arrived. */
  get answer(): ForwardAnswer | undefined {
    return this.#answer
  }

  /** The part of the body that was read, if any. */
  get begun(): Begun | undefined {
    return this.#begun
  }

  start(): void {
    this.#abort = this.#deps.forward(
      { ...upstreamRequest(this.#outgoing.request, this.token, this.#deps), timeoutMs: FIRST_BYTE_MS },
      {
        answered: (answer) => this.#contain(() => this.#answered(answer)),
        failed: (how, why) => this.#contain(() => this.#failed(how, why)),
      },
    )
  }

  /** Aborts the upstream request without other effects. */
  abort(): void {
    this.#abort()
  }

  /** Ends a response that is not relayed, and frees the request's slot. */
  discard(): void {
    this.#abort()
    this.freeSlot()
  }

  /** Abandons the request: no caller still waits for its response. The service may have counted it. */
  abandon(): void {
    this.#isAbandoned = true
    this.#exchange.failed(this.#answer === undefined ? 'hung-up' : 'lost')
    this.#abort()
  }

  /** Frees the slot of a stream that has ended. */
  freeSlot(): void {
    this.#exchange.freeSlot()
  }

  #failed(how: ForwardFailure, why: string): void {
    // A reused connection may have been closed before the request was sent. This does not show that the host
    // is unreachable, so no reason is passed on.
    this.#exchange.failed(UNANSWERED[how], how === 'cut' ? undefined : why)
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
      this.#exchange.failed('lost')
      this.#abort()
      this.#settle({ kind: 'broken' })
    }
  }

  #answered(answer: ForwardAnswer): void {
    this.#answer = answer
    // Ignores errors of the body until the relay reads it and handles them.
    answer.body.on('error', () => {})
    if (answer.status < 300) {
      this.#judge(answer)
      return
    }
    const parts: Buffer[] = []
    let bytes = 0
    const done = (rest: Begun['rest']) => {
      cancel()
      answer.body.off('data', read)
      answer.body.off('end', ended)
      answer.body.off('close', closed)
      if (rest === 'to-come') answer.body.pause()
      this.#contain(() => this.#readError({ answer, begun: { bytes: Buffer.concat(parts), rest } }))
    }
    const read = (part: Buffer) => {
      parts.push(part)
      bytes += part.length
      if (bytes >= MAX_ERROR_BYTES) done('to-come')
    }
    const ended = () => done(answer.body.complete ? 'none' : 'cut')
    const closed = () => done('cut')
    const cancel = this.#deps.clock.after(ERROR_TIMEOUT_MS, () => done('to-come'))
    answer.body.on('data', read)
    answer.body.on('end', ended)
    answer.body.on('close', closed)
  }

  #readError(read: Required<BegunAnswer>): void {
    const { answer, begun } = this.removal.fromError(read)
    answer.body.on('error', () => {})
    this.#answer = answer
    this.#begun = begun
    this.#judge(answer, answer.status === 429 ? textOf(read) : '')
  }

  /** Counts a response and determines the request's outcome. */
  #judge({ status, headers }: ForwardAnswer, body = ''): void {
    // The request was abandoned and counted while its error was read.
    if (this.#isAbandoned) return
    const sender = this.#exchange.judge(status, headers)
    // A response from an intermediary is relayed unchanged, but shows nothing about quotas.
    if (sender.kind === 'other') {
      this.#settle({ kind: 'answer' })
      return
    }
    this.#settle(upstreamOutcome(status, this.#exchange.answered(body), this.#outgoing.bucket))
  }
}

/** A program's request with the headers that are sent to the service, without a timeout. */
export function upstreamRequest(
  request: Omit<Outgoing['request'], 'method' | 'isAlone'> & Pick<ForwardRequest, 'method'>,
  token: string,
  { baseUrl }: Pick<SendingDeps, 'baseUrl'>,
): Omit<ForwardRequest, 'timeoutMs'> {
  const { method, pathAndQuery, accept, acceptEncoding, contentType, contentEncoding, body } = request
  return {
    method,
    origin: baseUrl,
    pathAndQuery,
    headers: {
      authorization: `Bearer ${token}`,
      via: `1.1 ${GATEWAY_NAME}`,
      ...(accept !== undefined && { accept }),
      ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
    },
    ...(body !== undefined && { body }),
  }
}

/** The outcome of an answered request. `bucket`: the bucket that the quota headers describe. */
export function upstreamOutcome(
  status: number,
  { reading: { rate }, refused }: Tapped,
  bucket: () => string,
): UpstreamOutcome {
  const quota = rate === undefined ? {} : { rate, bucket: bucket() }
  if (status === 401) return { kind: 'unauthorized', ...quota }
  if (refused === 'rate' || refused === 'unattributed') return { kind: 'rate-limited', of: refused, ...quota }
  return { kind: 'answer', ...quota }
}
