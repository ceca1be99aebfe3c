import {
  type ConcurrencyReading,
  type HttpHeaders,
  type Observation,
  observe,
} from '../../app/service/headers.ts'
import { type Sender, senderOf, senderOfAnswer } from '../../app/service/sender.ts'
import type { SlotLedger } from '../../app/streams/slots.ts'
import { acceptsToken } from '../../app/tokens/rejections.ts'
import { codingsNamed, textIn } from '../network/content-codings.ts'
import type { Reachability } from '../network/reachability.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Bearer } from '../tokens/keeper.ts'
import { type OwnOutcome, outcomeOf, type Permit } from './permit.ts'
import type { QuotaTap, Tapped } from './quota-tap.ts'

export interface ExchangeDeps extends Pick<Bearer, 'accepted'> {
  readonly secrets: Pick<Secrets, 'clean'>
  readonly baseUrl: string
  readonly host: string
  readonly tap: Pick<QuotaTap, 'sent' | 'answered' | 'notSent' | 'lost' | 'hungUp' | 'notTheService'>
  readonly reachability: Pick<Reachability, 'answered' | 'failed'>
}

/** The slot of a stream. A stream occupies a slot from its request until its end. */
export interface ExchangeSlot {
  readonly category: string
  readonly slots: Pick<SlotLedger, 'taken' | 'released' | 'observed'>
  readonly now: () => number
  /** Number of own connections in the category that have no response yet. */
  readonly opening?: (category: string) => number
}

export interface ExchangeStart {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly token: string
  readonly slot?: ExchangeSlot | undefined
  /** Permit of this request. Called once, with the outcome. */
  readonly turn?: Permit | undefined
}

/**
 * Why a request got no response.
 *
 * - `not-sent`: no byte can have reached the service.
 * - `lost`: the request may have reached the service.
 * - `hung-up`: this app aborted the request, which may still reach the service.
 */
export type Unanswered = 'not-sent' | 'lost' | 'hung-up'

/** Maximum number of characters of a raw error body that are searched for the name of its quota. */
const MAX_READ_LENGTH = 64 << 10

/**
 * One request to the service and its response head. All senders and connections follow the same steps:
 *
 * 1. Creation: the quota tap counts the request, and its slot is taken.
 * 2. `judge`: decides whether the service itself responded. Any other response ends the exchange.
 * 3. `answered`: reads quotas and slots and records whether the token was accepted. The slot is released
 *    unless a stream is open.
 * 4. `failed` replaces steps 2 and 3 if there was no response.
 *
 * The slot is released exactly once, however the exchange ends.
 */
export class Exchange {
  readonly token: string
  readonly #deps: ExchangeDeps
  readonly #path: string
  readonly #slot: ExchangeSlot | undefined
  readonly #ticket: ReturnType<QuotaTap['sent']>
  #turn: Permit | undefined
  #observation = observe(0, {})
  #isReached = false
  #hasSlot = false
  #isOpen = false

  constructor({ method, path, token, slot, turn }: ExchangeStart, deps: ExchangeDeps) {
    this.token = token
    this.#deps = deps
    this.#path = path
    this.#slot = slot
    this.#turn = turn
    this.#ticket = deps.tap.sent(method, path)
    if (slot === undefined) return
    slot.slots.taken(slot.category)
    this.#hasSlot = true
  }

  /** Status and headers of the response, set by `judge`. */
  get observation(): Observation {
    return this.#observation
  }

  /** Decides from the head and body who responded. Ends the exchange unless the service itself responded. */
  judge(status: number, headers: HttpHeaders, body?: string): Sender {
    const { baseUrl, secrets } = this.#deps
    this.#observation = withoutSecrets(observe(status, headers), secrets)
    const sender =
      body === undefined
        ? senderOf(this.#observation, baseUrl)
        : senderOfAnswer(this.#observation, baseUrl, body)
    if (sender.kind === 'other') this.notTheService(secrets.clean(sender.why))
    else if (sender.kind === 'service') this.#reached()
    return sender
  }

  /** Ends the exchange because something other than the service responded, such as a captive portal. */
  notTheService(why: string): void {
    const { tap, reachability, host } = this.#deps
    tap.notTheService(this.#ticket, this.#observation.status, why)
    reachability.failed(host, why)
    this.#settle({ kind: 'timeout' })
    this.freeSlot()
  }

  /** Handles the service's response. The `body` of a 429 shows which quota rejected the request. */
  answered(body: string | Buffer = ''): Tapped {
    const { tap, accepted } = this.#deps
    const { status, headers } = this.#observation
    const codings = () => codingsNamed(headers['content-encoding'] ?? '')
    const text = typeof body === 'string' ? body : textIn(body, codings()).slice(0, MAX_READ_LENGTH)
    this.#reached()
    const tapped = tap.answered(this.#ticket, this.#observation, text)
    if (acceptsToken(status)) accepted(this.token, this.#path)
    this.#settle(outcomeOf(tapped))
    if (status === 200) this.#isOpen = true
    else this.freeSlot()
    // If the service rejects a stream for lack of a slot, no slot is left, even if no header says so.
    const noneLeft = tapped.refused === 'concurrency' ? { remaining: 0 } : undefined
    this.#observed(tapped.reading.concurrency ?? noneLeft)
    return tapped
  }

  /** Ends the exchange because no response arrived. `why` is the problem to report for the host, if any. */
  failed(how: Unanswered, why?: string): void {
    const { tap, reachability, host } = this.#deps
    if (how === 'not-sent') tap.notSent(this.#ticket)
    else if (how === 'hung-up') tap.hungUp(this.#ticket)
    else tap.lost(this.#ticket)
    if (why !== undefined) reachability.failed(host, why)
    this.#settle({ kind: how === 'not-sent' ? 'not-sent' : 'timeout' })
    this.freeSlot()
  }

  /** Call this when the stream has ended or its response is not needed. */
  freeSlot(): void {
    if (this.#slot === undefined || !this.#hasSlot) return
    const { slots, category, now } = this.#slot
    this.#hasSlot = false
    slots.released(category, this.#isOpen ? now() : undefined)
  }

  #reached(): void {
    if (this.#isReached) return
    this.#isReached = true
    this.#deps.reachability.answered(this.#deps.host)
  }

  #observed(reading: ConcurrencyReading | undefined): void {
    if (this.#slot === undefined || reading === undefined) return
    const { slots, category, now, opening } = this.#slot
    slots.observed(category, reading, opening?.(category) ?? 0, now())
  }

  #settle(outcome: OwnOutcome): void {
    this.#turn?.(outcome)
    this.#turn = undefined
  }
}

/**
 * Removes secrets from the names in quota headers and from the request id. A service or proxy may repeat part
 * of a token there, and these texts are shown and stored. The other values in quota headers are numbers.
 */
function withoutSecrets(seen: Observation, secrets: Pick<Secrets, 'clean'>): Observation {
  const { rate, concurrency, requestId } = seen
  const named = <T extends { readonly resource?: string }>(reading: T): T =>
    reading.resource === undefined ? reading : { ...reading, resource: secrets.clean(reading.resource) }
  return {
    ...seen,
    ...(rate && { rate: named(rate) }),
    ...(concurrency && { concurrency: named(concurrency) }),
    ...(requestId !== undefined && { requestId: secrets.clean(requestId) }),
  }
}

/** Refreshes after a 401. Returns a new token, or `undefined` if the rejected token was not replaced. */
export async function tokenAfter401(
  { rejected, access, usable }: Bearer,
  token: string,
  path: string,
): Promise<string | undefined> {
  await rejected(token, path)
  await access()
  const next = usable()
  return next.kind === 'token' && next.value !== token ? next.value : undefined
}
