import type { MemberStanding } from './queue-messages.ts'

/** A member's request that its dispatcher knows. */
export interface AskedRequest {
  /** Id in the dispatcher's scheduler. */
  readonly turn: number
  attempt: number
  /** The number of the message with its grant. `undefined` while it waits. */
  grant: number | undefined
  grantedMs: number
}

/**
 * A member at its dispatcher.
 *
 * - `joining`: it has not replied in this epoch yet.
 * - `heard`: it replies. It takes turns from this dispatcher alone.
 * - `silent`: it may work alone. Its part of each quota is set aside.
 */
export class Seat {
  readonly id: string
  state: 'joining' | 'heard' | 'silent' = 'joining'
  /** By the member's id of the request. */
  readonly requests = new Map<number, AskedRequest>()
  /** Requests that were sent without a grant, and their ids in the dispatcher's scheduler. */
  readonly used = new Map<number, number>()
  /** Number of `grant` messages so far. */
  grants = 0
  /** When the last `dispatch` was sent that the member replied to. */
  repliedMs: number
  /** Whether the member's allowance and part are confirmed by each `dispatch`. */
  isEntitled = false
  /** The largest part of each quota that the member may use alone, as far as is known. From 0 to 1. */
  fraction = 0
  /** Since when it has not been heard. Only while it is not `heard`. */
  silentSinceMs: number
  /** The number of the first `dispatch` since then that confirmed its part. */
  confirmedBy = Number.POSITIVE_INFINITY
  /** When the probable turns of its requests were sent last. */
  turnsSentMs = Number.NEGATIVE_INFINITY
  /** What the member handed in when it joined this epoch last. `undefined` before that. */
  handedIn: HandedIn | undefined
  joinedMs = 0

  constructor(id: string, nowMs: number) {
    this.id = id
    this.repliedMs = nowMs
    this.silentSinceMs = nowMs
  }
}

/** What a member hands in when it begins to take turns from a dispatcher. */
export type HandedIn = NonNullable<MemberStanding['handsIn']>
