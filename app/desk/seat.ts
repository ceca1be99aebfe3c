import { type Refill, ROUNDING, type ShareStart } from '../gateway/bucket-share.ts'
import { aloneAllowance } from './alone.ts'
import type { MemberStanding } from './queue-messages.ts'

/** The dispatcher's record of a member's request. */
export interface AskedRequest {
  /** Id in the dispatcher's scheduler. */
  readonly turn: number
  readonly attempt: number
  /** Number of the message with the grant. `undefined` while the request waits. */
  grant: number | undefined
  grantedMs: number
}

/**
 * The dispatcher's record of one member.
 *
 * - `joining`: the member has not replied in this epoch yet.
 * - `heard`: it replies, and takes turns only from this dispatcher.
 * - `silent`: it may work alone. Its part of each quota is set aside.
 */
export class Seat {
  readonly id: string
  state: 'joining' | 'heard' | 'silent' = 'joining'
  /** Requests for turns, by the member's own request ids. */
  readonly requests = new Map<number, AskedRequest>()
  /** Requests that were sent without a grant. Maps the member's own request ids to ids in the scheduler. */
  readonly used = new Map<number, number>()
  /** Number of `grant` messages so far. */
  grants = 0
  /** Sending time of the last `dispatch` that the member replied to. */
  repliedMs: number
  /** Whether each `dispatch` confirms the member's part and, if the member replies, an allowance. */
  isEntitled = false
  /** The largest part of each quota that the member may use alone, as far as is known. From 0 to 1. */
  fraction = 0
  /** When the member fell silent. Meaningless in the state `heard`. */
  silentSinceMs: number
  /** Number of the first `dispatch` that confirmed the member's part since its last join. */
  confirmedBy = Number.POSITIVE_INFINITY
  /** When the member was last sent the expected turns of its requests. */
  turnsSentMs = Number.NEGATIVE_INFINITY
  /** The shares from the last join in this epoch. `undefined` before the first join. */
  handedIn: HandedIn | undefined
  joinedMs = 0

  constructor(id: string, nowMs: number) {
    this.id = id
    this.repliedMs = nowMs
    this.silentSinceMs = nowMs
  }
}

/** The dispatcher's record of all members, by id. */
export class Seats extends Map<string, Seat> {
  /** Number of members that the quota is divided among, at least 1. */
  get members(): number {
    let members = 0
    for (const seat of this.values()) if (seat.isEntitled || seat.state === 'heard') members += 1
    return Math.max(1, members)
  }

  /** Members that reply and have no part yet. */
  get pending(): readonly Seat[] {
    return [...this.values()].filter((seat) => seat.state === 'heard' && !seat.isEntitled)
  }

  /** Whether the members that have a part leave enough room for the pending members' parts. */
  get hasRoom(): boolean {
    let used = 0
    for (const seat of this.values()) if (seat.isEntitled) used += seat.fraction
    return used + this.pending.length / this.members <= 1 + ROUNDING
  }

  /** Sum of the parts of all members that do not reply, other than `except`. */
  silentFraction(except?: Seat): number {
    let fraction = 0
    for (const seat of this.values()) if (seat !== except && seat.state !== 'heard') fraction += seat.fraction
    return fraction
  }
}

/** The shares that a member hands in when it begins to take turns from a dispatcher. */
export type HandedIn = NonNullable<MemberStanding['handsIn']>

/** The requests of a bucket that a member may use, according to the shares that it handed in. */
export const tokensIn = (
  { confirmed, tokens, hasAllowance }: HandedIn,
  bucket: string,
  refill: Refill,
): number => tokens[bucket] ?? (hasAllowance ? aloneAllowance(refill, confirmed) : 0)

/**
 * The requests that two claims on one bucket both include. Claims overlap if they come from dispatchers that
 * did not know of each other. If their counts of the overlap differ, the larger one is returned, to be safe.
 */
export function inBoth(one: Claim, other: Claim): number {
  const fraction = one.fraction + other.fraction - 1
  if (fraction < ROUNDING) return 0
  return Math.max((one.tokens * fraction) / one.fraction, (other.tokens * fraction) / other.fraction)
}

type Claim = Pick<ShareStart, 'fraction' | 'tokens'>
