import type { Refill, ShareStart } from '../gateway/bucket-share.ts'
import { LEASE_TTL_MS } from './queue-ports.ts'

/** A gateway works alone if it has received no `dispatch` for this long. Milliseconds. */
export const ALONE_AFTER_MS = 1_000
/** After this time without a sign of life, a member's part of the quota is free again. Milliseconds. */
export const PART_LASTS_MS = 60_000
/**
 * After this time since a dispatcher's last message, every request that it granted has reached the service or
 * can't be sent any more. A running dispatcher sets a silent member's share aside within `ALONE_AFTER_MS`, a
 * grant is valid for 1.5 s, and a request reaches the service within 1.5 s. Milliseconds.
 */
export const SETTLED_AFTER_MS = 4_000
/** All members' allowances together equal the refill in this time. Milliseconds. */
const ALLOWANCE_MS = 2_000
/** The part of a bucket for a gateway that has never received a `dispatch`. */
const UNKNOWN_FRACTION = 1 / 2

/**
 * A member is late when this many `dispatch` messages are unserved. Each served one makes up for `SERVED` of
 * an unserved one, so a link on which up to a quarter of the replies are late is still used.
 */
const MAX_UNSERVED = 4
const SERVED = 1 / 3
/** Of the `dispatch` messages that follow each other within this time, one counts. Milliseconds. */
const COUNTED_EVERY_MS = 300
/**
 * How long a late member works alone before it takes turns again. Shorter than `PART_LASTS_MS`, so that its
 * part stays set aside. Milliseconds.
 */
const LATE_FOR_MS = 45_000

/**
 * Detects that a member's replies reach the dispatcher too late, although each `dispatch` arrives. The
 * dispatcher then sets the member's part aside again and again and grants it nothing, so the member works
 * alone for a while: it ignores each `dispatch`.
 */
export class Lateness {
  #unserved = 0
  #countedMs = Number.NEGATIVE_INFINITY
  #aloneUntilMs = Number.NEGATIVE_INFINITY
  #isLate = false

  /** Whether the member was late, and has not been served steadily since. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Whether the member ignores its dispatcher at `nowMs`. */
  isAlone(nowMs: number): boolean {
    return nowMs < this.#aloneUntilMs
  }

  /** Records a `dispatch`. `isServed`: whether the dispatcher has the member's newest join. */
  received(isServed: boolean, nowMs: number): void {
    if (nowMs - this.#countedMs < COUNTED_EVERY_MS) return
    this.#countedMs = nowMs
    this.#unserved = isServed ? Math.max(0, this.#unserved - SERVED) : this.#unserved + 1
    if (this.#unserved === 0) this.#isLate = false
    if (this.#unserved < MAX_UNSERVED) return
    this.#isLate = true
    this.#aloneUntilMs = nowMs + LATE_FOR_MS
    // The next trial ends sooner.
    this.#unserved = MAX_UNSERVED / 2
  }

  /** Tries again at once, because the dispatcher or the connection is another one. */
  tryAgain(): void {
    this.#aloneUntilMs = Number.NEGATIVE_INFINITY
  }
}

/** Requests that a member may send when it begins to work alone. `fraction`: the member's part. */
export const aloneAllowance = ({ meanPerMs }: Pick<Refill, 'meanPerMs'>, fraction: number): number =>
  Math.max(1, meanPerMs * ALLOWANCE_MS * fraction)

/** A member's knowledge of its desk. Times in milliseconds on the monotonic clock. */
export interface Standpoint {
  /** Number of members. `undefined` if this member has never received a `dispatch`. */
  readonly members: number | undefined
  /** The member's confirmed part of each quota. 0 before the first confirmation. */
  readonly fraction: number
  /** Whether the dispatcher reserves an allowance for this member. */
  readonly hasAllowance: boolean
  /** When the last received `dispatch` was sent. */
  readonly heardMs: number
  /**
   * When this run last noticed that it had slept or been frozen. During that time, another machine may have
   * joined and used the quotas.
   */
  readonly stoodStillMs: number
  /** Buckets with a part that a silent member may be using. */
  readonly split: ReadonlySet<string>
  /** Buckets without an allowance. */
  readonly scarce: ReadonlySet<string>
}

/** A member's share of a bucket: the unused requests, and the requests sent since the bucket was split. */
export interface ShareLeft {
  readonly tokens: number
  readonly sent: number
}

/** Whether a member is the only one of its desk, and the levels that it knows are still valid. */
export const isWhole = ({ members, fraction, heardMs, stoodStillMs }: Standpoint): boolean =>
  members === 1 && fraction === 1 && stoodStillMs < heardMs

/**
 * Whether this run was asleep or frozen for longer than a lease lasts. Meanwhile, all members that knew this
 * run's part may have ended. A new run may then have taken the lease and used up each quota.
 */
const mayBeUnknown = ({ heardMs, stoodStillMs }: Standpoint): boolean => stoodStillMs - heardMs > LEASE_TTL_MS

/** Whether a member may still use its allowance. */
export const hasAllowance = (from: Standpoint, nowMs: number): boolean =>
  from.hasAllowance && nowMs - from.heardMs <= PART_LASTS_MS && !mayBeUnknown(from)

/** The part of each quota that a member uses alone, from 0 to 1. */
export function aloneFraction({ members, fraction, heardMs }: Standpoint, nowMs: number): number {
  if (members === undefined) return UNKNOWN_FRACTION
  // A new member has no part until the dispatcher has announced it to all others. After `PART_LASTS_MS` of
  // silence, the dispatcher will no longer do so, so the member takes a part.
  const isForgotten = nowMs - heardMs > PART_LASTS_MS
  return fraction === 0 && isForgotten ? 1 / (members + 1) : fraction
}

/**
 * The share of a bucket with which a member begins to work alone. `left`: the member's unused share, if it
 * dispatched and no other member replied. See `BucketShare`.
 */
export function aloneShare(
  from: Standpoint,
  {
    bucket,
    refill,
    left,
  }: { readonly bucket: string; readonly refill: Refill; readonly left?: ShareLeft | undefined },
  nowMs: number,
): ShareStart {
  const fraction = aloneFraction(from, nowMs)
  if (left !== undefined) {
    const tokens = mayBeUnknown(from) ? Math.min(0, left.tokens) : left.tokens
    return { ...left, fraction, tokens, settledFromMs: nowMs }
  }
  const settlesAfterMs = from.split.has(bucket) ? PART_LASTS_MS : SETTLED_AFTER_MS
  return {
    fraction,
    tokens: hasAllowance(from, nowMs) && !from.scarce.has(bucket) ? aloneAllowance(refill, fraction) : 0,
    settledFromMs: Math.max(from.heardMs + settlesAfterMs, from.stoodStillMs + ALONE_AFTER_MS),
  }
}
