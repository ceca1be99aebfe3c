import type { UpstreamOutcome } from '../../app/gateway/decisions.ts'
import { type OrderFacts, orderFactsOf, orderIdsIn } from '../../app/orders/order-facts.ts'
import type { JournalEntry } from '../../app/orders/ports.ts'
import { relay } from '../gateway/answer-relay.ts'
import { type AdmittedOrder, MAX_ORDER_BYTES, type OpenOrder, type OrderLine } from '../gateway/order-lane.ts'
import { type Problem, sendProblem } from '../gateway/problem.ts'
import { noToken, unavailable } from '../gateway/refusals.ts'
import { codingsNamed, decoded } from '../network/content-codings.ts'
import type { HashedEntry, Settlement } from './journal-file.ts'
import { endingOf } from './order-list.ts'
import { journalFailed, NOT_CONNECTED, outcomeUnknown, REFRESHING } from './order-refusals.ts'
import { OrderSending, type SendingResult, type WholeAnswer } from './order-sending.ts'

export interface OrderCallDeps {
  /** Why the switch or the program's limit forbids this order now. `undefined` if allowed. */
  readonly reasonAgainst: (order: AdmittedOrder, profile: string) => Problem | undefined
  /** Writes an order before it is sent. See `Journal.insert`. */
  readonly insert: (entry: PlainEntry, facts: OrderFacts) => Inserted
  /** Counts an order that is being sent. */
  readonly sent: (order: AdmittedOrder) => void
  /** Receives the outcome of an order that was sent. */
  readonly settle: (entry: HashedEntry, settlement: Settlement) => void
}

/** An entry before it is in the journal. */
export type PlainEntry = Omit<JournalEntry, 'id' | 'outcome' | 'isDismissed'>

export type Inserted =
  | { readonly ok: true; readonly entry: HashedEntry }
  | { readonly ok: false; readonly why: string }

/** An order that was sent, or may have been sent. `atMs` is monotonic. */
interface Sent {
  readonly entry: HashedEntry
  readonly atMs: number
  readonly hasConfirmId: boolean
}

/** The settlement of an order whose outcome must still be looked up. */
const UNKNOWN = { outcome: 'looking' } as const

/**
 * One order, from its arrival at the gateway until its outcome is in the journal.
 *
 * 1. Check everything that may forbid the order, and take one request of the order quota.
 * 2. Connect. Nothing of the order has been sent yet.
 * 3. Check everything again. Then write and flush the journal, and send the order.
 * 4. Relay the answer, or an error that the outcome is unknown. Then write the outcome into the journal.
 */
export class OrderCall implements OpenOrder {
  readonly done: Promise<void>
  readonly #order: AdmittedOrder
  readonly #line: OrderLine
  readonly #deps: OrderCallDeps
  #end: () => void = () => {}
  #sending: OrderSending | undefined
  /** Why the order was not sent, although the connection was made. */
  #heldBack: Problem | undefined
  #sent: Sent | undefined
  #isAnswered = false

  constructor(order: AdmittedOrder, line: OrderLine, deps: OrderCallDeps) {
    this.#order = order
    this.#line = line
    this.#deps = deps
    this.done = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  start(): void {
    const { program, order } = this.#order
    const against = this.#reasonAgainst()
    if (against !== undefined) {
      this.#refuse(against)
      return
    }
    const access = this.#line.usable()
    if (access.kind === 'none') {
      // Gets a token for the next order. This order does not wait.
      void this.#line.access()
      this.#refuse(noToken(access, this.#line.timeline.now()))
      return
    }
    const permit = this.#line.acquire(program, order.endpoint)
    if (typeof permit !== 'function') {
      this.#refuse(permit)
      return
    }
    this.#sending = new OrderSending(this.#order, access.value, this.#line, {
      mayGo: () => this.#mayGo(access.value),
      passOn: (whole) => this.#passOn(whole),
      counted: (outcome) => this.#counted(permit, outcome, access.value),
      settled: (result) => this.#settled(result),
    })
    this.#sending.start()
  }

  abandon(why: string): void {
    if (this.#sending === undefined || this.#isAnswered) return
    this.#heldBack ??= unavailable(why)
    this.#sending.abandon()
  }

  #reasonAgainst(): Problem | undefined {
    const { isRefreshing, obstacle, profile } = this.#line
    const { program } = this.#order
    const against = this.#deps.reasonAgainst(this.#order, profile) ?? obstacle(program)
    return against ?? (isRefreshing() ? REFRESHING : undefined)
  }

  /** Decides at the last moment whether to send the order. If true, the order is in the journal. */
  #mayGo(token: string): boolean {
    try {
      const against = this.#lastReasonAgainst(token)
      if (against === undefined) return true
      this.#heldBack = against
    } catch (cause) {
      this.#line.defect(cause)
      this.#heldBack = journalFailed('the order journal failed; see the log')
    }
    return false
  }

  #lastReasonAgainst(token: string): Problem | undefined {
    const { reply, program, method, order } = this.#order
    const { profile, usable, timeline } = this.#line
    if (reply.destroyed) return NOT_CONNECTED
    const access = usable()
    const against = this.#reasonAgainst()
    if (against !== undefined) return against
    if (access.kind !== 'token' || access.value !== token) return REFRESHING
    const facts = orderFactsOf(order.kind, bodyTextOf(this.#order), order.orderId)
    const plain = {
      profile,
      atMs: Math.round(timeline.now()),
      program: program.name,
      method,
      kind: order.kind,
      accountEnding: endingOf(facts.account ?? ''),
      orderIds: order.orderId === undefined ? [] : [order.orderId],
    }
    const inserted = this.#deps.insert(plain, facts)
    if (!inserted.ok) return journalFailed(inserted.why)
    const { hasConfirmId } = facts
    this.#sent = { entry: inserted.entry, atMs: this.#line.clock.monotonicMs(), hasConfirmId }
    this.#deps.sent(this.#order)
    return undefined
  }

  #counted(permit: (outcome: UpstreamOutcome) => void, outcome: UpstreamOutcome, token: string): void {
    permit(outcome)
    // Renews the token, so that the program can send the order again. Headroom never repeats an order.
    if (outcome.kind === 'unauthorized') void this.#line.rejected(token, this.#order.order.endpoint)
  }

  #settled(result: SendingResult): void {
    this.#isAnswered = true
    const sent = this.#sent
    if (result.kind === 'not-sent' || sent === undefined) {
      this.#refuse(this.#heldBack ?? NOT_CONNECTED)
      return
    }
    const { entry, atMs, hasConfirmId } = sent
    if (result.kind === 'lost') {
      const lost = { how: result.how, journalId: entry.id, hasConfirmId }
      sendProblem(this.#order.reply, outcomeUnknown(lost))
      this.#close(entry, UNKNOWN)
      return
    }
    const { status, text, isConclusive } = result
    const named = orderIdsIn(text)
    const { orderId } = this.#order.order
    this.#close(entry, {
      ...(isConclusive ? { outcome: 'answered' } : UNKNOWN),
      status,
      latencyMs: Math.max(0, Math.round(this.#line.clock.monotonicMs() - atMs)),
      // The order ID in the answer is stored only for a new order. The entry of a replace or cancel request
      // already has it.
      ...(named.length > 0 && orderId === undefined && { orderIds: named }),
    })
  }

  #passOn(whole: WholeAnswer): void {
    const { clock, defect } = this.#line
    relay({
      ...whole,
      readers: [{ reply: this.#order.reply, isCoalesced: false }],
      abort: () => {},
      ended: () => {},
      isEndless: false,
      clock,
      defect,
    })
  }

  /** Writes the outcome into the journal, after the answer was passed to the caller. */
  #close(entry: HashedEntry, settlement: Settlement): void {
    this.#line.clock.after(0, () => {
      try {
        this.#deps.settle(entry, settlement)
      } finally {
        this.#end()
      }
    })
  }

  #refuse(problem: Problem): void {
    this.#isAnswered = true
    this.#line.refuse(this.#order, problem)
    this.#end()
  }
}

/** The body of an order as text, decoded. Empty if it can't be read. */
function bodyTextOf({ body = Buffer.alloc(0), contentEncoding = '' }: AdmittedOrder): string {
  const plain = decoded(body, codingsNamed(contentEncoding), MAX_ORDER_BYTES)
  return typeof plain === 'string' ? '' : plain.toString('utf8')
}
