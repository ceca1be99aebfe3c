import { PROGRAM_CLASSES, type ProgramClass } from '../contract/programs.ts'
import type { BucketQueue, Waiting } from './bucket-queue.ts'
import type { OfferedRequest } from './decisions.ts'
import type { Served } from './served-rates.ts'

/** A program's request that has not ended. */
export interface Request extends OfferedRequest {
  /** Order of arrival. */
  readonly order: number
  offeredAtMs: number
  /**
   * When the request's maximum wait ends. `deadlineMs` and `offeredAtMs` move by the length of a sleep or of
   * a clock change.
   */
  deadlineMs: number
}

/** Why a request is sent again. Each reason applies at most once. */
export type ResendReason = 'rate-limited' | 'unauthorized' | 'cut'

/**
 * - `waiting`: it waits for its turn in its bucket's queue.
 * - `sent`: it was sent and has no outcome yet.
 * - `refreshing`: it got a 401 and waits for another token.
 */
export type UpstreamState = 'waiting' | 'sent' | 'refreshing'

/**
 * An upstream request, and the requests that it serves: one request, several equal requests, or none after
 * all have left.
 *
 * The upstream request has the most urgent class of these requests. In the queue, it belongs to a program
 * that sent a request of that class.
 */
export class Upstream implements Waiting {
  readonly id: number
  readonly order: number
  readonly sameAs: string | undefined
  readonly requests = new Map<number, Request>()
  bucket: BucketQueue<Upstream>
  state: UpstreamState
  /** Reasons for which the request was resent. `undefined` if it never was. */
  #resent: Set<ResendReason> | undefined
  #placedAs: Served = { program: '', weight: 1, class: 'background' }

  /**
   * `request`: the first request that this upstream request serves. If absent, this is an own request of the
   * gateway, and it has already been sent.
   */
  constructor(id: number, bucket: BucketQueue<Upstream>, order: number, request?: Request) {
    this.id = id
    this.order = order
    this.bucket = bucket
    this.sameAs = request?.sameAs
    this.state = request === undefined ? 'sent' : 'waiting'
    if (request === undefined) return
    this.requests.set(request.id, request)
    this.#placedAs = request
  }

  /** Whether the next attempt is a resend. The service may have seen the request before. */
  get isResend(): boolean {
    return this.#resent !== undefined
  }

  get program(): string {
    return this.#placedAs.program
  }

  get weight(): number {
    return this.#placedAs.weight
  }

  get class(): ProgramClass {
    return this.#placedAs.class
  }

  get ids(): readonly number[] {
    return [...this.requests.keys()]
  }

  /**
   * Whether the request may be sent again for this reason. Each reason is allowed once, and this call uses it
   * up.
   */
  mayResendFor(reason: ResendReason): boolean {
    if (this.#resent?.has(reason)) return false
    this.#resent ??= new Set()
    this.#resent.add(reason)
    return true
  }

  /** Updates the place in the queue after a request joined or left. */
  placeAnew(): void {
    const requests = [...this.requests.values()]
    const highest = PROGRAM_CLASSES.find((name) => requests.some((request) => request.class === name))
    const urgent = requests.filter((request) => request.class === highest)
    const [first] = urgent
    const isPlaced =
      this.class === highest && urgent.some((request) => request.program === this.#placedAs.program)
    if (first === undefined || isPlaced) return
    this.bucket.remove(this)
    this.#placedAs = first
    this.bucket.add(this)
  }
}
