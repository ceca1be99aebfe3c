import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { Exchange, type ExchangeDeps, type ExchangeSlot } from '../api/exchange.ts'
import type { ForwardAnswer, ForwardFailure, ForwardHttp } from '../network/forward-http.ts'
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
  /** Told of a throw while one answer was handled; that request has then failed, and nothing else. */
  readonly defect: (cause: unknown) => void
}

/** What is sent, with what token. */
export interface Outgoing {
  readonly request: Omit<AdmittedRequest, 'program' | 'patienceMs' | 'reply'>
  readonly token: string
  /** The category of its stream slot; absent where it opens no stream. */
  readonly stream: string | undefined
  /** The bucket of a header that came with it. */
  readonly bucket: () => string
}

/** Until the status line of an answer. */
const FIRST_BYTE_MS = 30_000
const UNANSWERED = { 'not-sent': 'not-sent', cut: 'lost', broken: 'lost', timeout: 'hung-up' } as const
/** An error is small: so much of it is read, for so long, before it is passed on. */
const MAX_ERROR_BYTES = 64 << 10
const ERROR_TIMEOUT_MS = 5_000

/**
 * One exchange of a program's request with the service, on a connection that may be used again.
 *
 * The body of an answer is left to its reader, but for that of an error: it may repeat the access token, that of a 429 says
 * what quota refused, and that of a 401 is kept while the token is refreshed.
 */
export class Sending {
  readonly removal: TokenRemoval
  readonly #deps: SendingDeps
  readonly #outgoing: Outgoing
  readonly #settled: (outcome: UpstreamOutcome) => void
  readonly #exchange: Exchange
  #answer: ForwardAnswer | undefined
  #begun: Begun | undefined
  /** Its outcome is not wanted any more. */
  #isAbandoned = false
  #isSettled = false
  #abort: () => void = () => {}

  /** Counts the request as sent; `start` sends it. `settled` is called once, unless it is abandoned before. */
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
    this.#exchange.failed(this.#answer === undefined ? 'hung-up' : 'lost')
    this.#abort()
  }

  /** The stream has ended. */
  freeSlot(): void {
    this.#exchange.freeSlot()
  }

  #failed(how: ForwardFailure, why: string): void {
    // A reused connection may have been closed meanwhile, which says nothing about the host.
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
    // Errors of the body are the relay's matter once it reads; until then they end it.
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
    const sender = this.#exchange.judge(status, headers)
    // Passed on as it came, but it says nothing of quotas.
    if (sender.kind === 'other') {
      this.#settle({ kind: 'answer' })
      return
    }
    const { reading, refused } = this.#exchange.answered(body)
    const { rate } = reading
    const quota = rate === undefined ? {} : { rate, bucket: this.#outgoing.bucket() }
    if (status === 401) this.#settle({ kind: 'unauthorized', ...quota })
    else if (refused === 'rate' || refused === 'unsaid')
      this.#settle({ kind: 'rate-limited', of: refused, ...quota })
    else this.#settle({ kind: 'answer', ...quota })
  }
}
