import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { isAboutOrders } from '../../app/orders/order-facts.ts'
import { parseJson } from '../../app/service/json.ts'
import { Exchange } from '../api/exchange.ts'
import type { Relayed } from '../gateway/answer-relay.ts'
import type { AdmittedOrder, OrderLine } from '../gateway/order-lane.ts'
import { UNANSWERED, upstreamOutcome, upstreamRequest } from '../gateway/sending.ts'
import { TokenRemoval } from '../gateway/token-removal.ts'
import { codingsNamed, textIn } from '../network/content-codings.ts'
import type { ForwardAnswer, ForwardFailure } from '../network/forward-http.ts'
import type { LossCause } from './order-refusals.ts'

export type SendingResult =
  /** No byte of the order left this computer. */
  | { readonly kind: 'not-sent' }
  /** The order was sent, but no complete answer arrived. */
  | { readonly kind: 'lost'; readonly how: LossCause }
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The body as text, decoded if possible. */
      readonly text: string
      /** Whether the answer shows what the service did with the order. */
      readonly isConclusive: boolean
    }

/**
 * A whole answer. `begun` is its body, absent if the access token must be removed from the body during
 * relaying.
 */
export type WholeAnswer = Pick<Relayed, 'answer' | 'begun' | 'removal'>

export interface SendingHooks {
  /** Called after connecting, just before the first byte is sent. */
  readonly mayGo: () => boolean
  /** Relays a whole answer. Called before anything else is done with the answer. */
  readonly passOn: (whole: WholeAnswer) => void
  /** Called with the outcome, so that the order counts against the order quota. */
  readonly counted: (outcome: UpstreamOutcome) => void
  readonly settled: (result: SendingResult) => void
}

/**
 * Timeout of each step in milliseconds. The steps are: connect, get the status line, get the rest of the
 * answer.
 */
const TIMEOUT_MS = 10_000
/** Maximum time since the last answer on a reused connection. Milliseconds. */
const MAX_IDLE_MS = 5_000
const MAX_ANSWER_BYTES = 4 << 20
/**
 * Whether a status leaves the outcome of the order open, because it may come from a proxy in front of the
 * service.
 */
const isInconclusive = (status: number): boolean =>
  (status >= 300 && status < 400) || status === 408 || status >= 500
/** Statuses of answers without a body, and so without a length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

/** Sends an order once. Reads the whole answer before relaying any of it. */
export class OrderSending {
  readonly #line: OrderLine
  readonly #order: AdmittedOrder
  readonly #hooks: SendingHooks
  readonly #exchange: Exchange
  readonly #removal: TokenRemoval
  #abort: () => void = () => {}
  #cancelDeadline: () => void = () => {}
  #isSettled = false
  /** Whether the order was not sent, although the connection was made. */
  #isHeldBack = false

  constructor(order: AdmittedOrder, token: string, line: OrderLine, hooks: SendingHooks) {
    this.#order = order
    this.#line = line
    this.#hooks = hooks
    this.#removal = new TokenRemoval(token)
    const { method, order: path } = order
    this.#exchange = new Exchange({ method, path: path.endpoint, token }, line)
  }

  start(): void {
    this.#abort = this.#line.forward(
      {
        ...upstreamRequest(this.#order, this.#exchange.token, this.#line),
        timeoutMs: TIMEOUT_MS,
        once: { maxIdleMs: MAX_IDLE_MS, mayGo: () => this.#mayGo() },
      },
      {
        answered: (answer) => this.#contain(() => this.#answered(answer)),
        failed: (how, why) => this.#contain(() => this.#failed(how, why)),
      },
    )
  }

  /** Ends the attempt now. A sent order may still arrive. */
  abandon(how: LossCause = 'abandoned'): void {
    this.#abort()
    this.#lost('hung-up', how)
  }

  #mayGo(): boolean {
    this.#isHeldBack = !this.#hooks.mayGo()
    return !this.#isHeldBack
  }

  #failed(how: ForwardFailure, why: string): void {
    if (this.#isSettled) return
    // If Headroom held the order back or the connection was cut, that is not the host's fault.
    this.#exchange.failed(UNANSWERED[how], how === 'cut' || this.#isHeldBack ? undefined : why)
    this.#settle(
      how === 'not-sent' ? { kind: how } : { kind: 'lost', how: how === 'timeout' ? 'timeout' : 'cut' },
      () => ({ kind: how }),
    )
  }

  #answered(answer: ForwardAnswer): void {
    const parts: Buffer[] = []
    let bytes = 0
    const { body } = answer
    this.#cancelDeadline = this.#line.clock.after(TIMEOUT_MS, () => this.abandon('slow'))
    // After an error, the `close` event reports the failure.
    body.on('error', () => {})
    body.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > MAX_ANSWER_BYTES) this.abandon('too-long')
      else parts.push(part)
    })
    body.on('end', () => {
      if (body.complete) this.#contain(() => this.#whole(answer, Buffer.concat(parts)))
    })
    body.on('close', () => this.#lost('lost', 'cut'))
  }

  #whole(answer: ForwardAnswer, bytes: Buffer): void {
    if (this.#isSettled) return
    const { status, headers } = answer
    const text = textIn(bytes, codingsNamed(headers['content-encoding'] ?? ''))
    // Without a length, a broken connection looks like the end of the body. Such a body counts as complete
    // only if it is JSON.
    const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    if (!isFramed && !BODILESS.has(status) && parseJson(text) === undefined) {
      this.#lost('lost', 'cut')
      return
    }
    const read = { answer, begun: { bytes, rest: 'none' as const } }
    const passed = status < 300 ? read : this.#removal.fromError(read)
    this.#hooks.passOn({ ...passed, removal: this.#removal })
    const sender = this.#exchange.judge(status, headers, text)
    const isConclusive =
      sender.kind !== 'other' && !isInconclusive(status) && this.#isAboutOrder(status, text)
    this.#settle({ kind: 'answered', status, text, isConclusive }, () =>
      sender.kind === 'other'
        ? { kind: 'answer' }
        : upstreamOutcome(status, this.#exchange.answered(status === 429 ? text : ''), () =>
            this.#line.bucketOf(this.#order.order.endpoint),
          ),
    )
  }

  /** Whether an answer refers to the order. A 2xx answer to a new order must contain an ID or an error. */
  #isAboutOrder(status: number, text: string): boolean {
    return this.#order.method !== 'POST' || status >= 300 || isAboutOrders(text)
  }

  #lost(as: 'lost' | 'hung-up', how: LossCause): void {
    if (this.#isSettled) return
    this.#exchange.failed(as)
    this.#settle({ kind: 'lost', how }, () => ({ kind: 'cut' }))
  }

  /** Reports the result before counting the outcome, because counting takes longer. */
  #settle(result: SendingResult, outcome: () => UpstreamOutcome): void {
    this.#isSettled = true
    this.#cancelDeadline()
    try {
      this.#hooks.settled(result)
    } finally {
      this.#hooks.counted(outcome())
    }
  }

  /** Runs `run`. If `run` throws, which is a bug, the order counts as lost. */
  #contain(run: () => void): void {
    try {
      run()
    } catch (cause) {
      this.#line.defect(cause)
      this.#abort()
      this.#lost('lost', 'cut')
    }
  }
}
