import type { Refill, ShareStart } from '../gateway/bucket-share.ts'
import { LEASE_TTL_MS } from './lease-store.ts'

/** A gateway works alone if it has not heard a dispatcher for this time. Milliseconds. */
export const ALONE_AFTER_MS = 1_000
/** After this time without a sign of life, a member's part of the quota is free again. Milliseconds. */
export const PART_LASTS_MS = 60_000
/**
 * Time after the last sign of a dispatcher at which its grants have reached the service. A dispatcher that
 * still works sets a silent member's share aside within `ALONE_AFTER_MS`. Earlier grants hold for 1.5 s, and
 * the network takes up to 1.5 s.
 */
export const SETTLED_AFTER_MS = 4_000
/** The allowances of all members together are the refill of this time. Milliseconds. */
const ALLOWANCE_MS = 2_000
/** The part of a bucket for a gateway that has never heard its desk. */
const UNKNOWN_FRACTION = 1 / 2

/** How many requests a member may send at the beginning of its work alone. `fraction`: its part. */
export const aloneAllowance = ({ meanPerMs }: Pick<Refill, 'meanPerMs'>, fraction: number): number =>
  Math.max(1, meanPerMs * ALLOWANCE_MS * fraction)

/** What a member knows of its desk. Times in milliseconds on the monotonic clock. */
export interface Standpoint {
  /** Number of members. `undefined` if this member never heard a dispatcher. */
  readonly members: number | undefined
  /** The member's part of each quota, as a dispatcher confirmed. 0 if none did. */
  readonly fraction: number
  /** Whether the dispatcher reserves an allowance for this member. */
  readonly hasAllowance: boolean
  /** When the dispatcher was heard last. */
  readonly heardMs: number
  /**
   * When this run stood still last. Meanwhile, another machine may have joined and used the quotas.
   */
  readonly stoodStillMs: number
  /** Buckets of which another silent member may use a part that its own claim does not show. */
  readonly split: ReadonlySet<string>
  /** Buckets without an allowance. */
  readonly scarce: ReadonlySet<string>
}

/** A share: the requests that are left, and the requests sent since the bucket was split. */
export interface ShareLeft {
  readonly tokens: number
  readonly sent: number
}

/** Whether a member is the only one of its desk, and its levels are still valid. */
export const isWhole = ({ members, fraction, heardMs, stoodStillMs }: Standpoint): boolean =>
  members === 1 && fraction === 1 && stoodStillMs < heardMs

/**
 * Whether this run stood still for longer than a lease lasts. Meanwhile, all members that set its part aside
 * may have ended. A new run may then have taken the lease, and used up each quota.
 */
const mayBeUnknown = ({ heardMs, stoodStillMs }: Standpoint): boolean => stoodStillMs - heardMs > LEASE_TTL_MS

/** Whether a member may still use its allowance. */
export const hasAllowance = (from: Standpoint, nowMs: number): boolean =>
  from.hasAllowance && nowMs - from.heardMs <= PART_LASTS_MS && !mayBeUnknown(from)

/** The part of each quota that a member uses alone, from 0 to 1. */
export function aloneFraction({ members, fraction, heardMs }: Standpoint, nowMs: number): number {
  if (members === undefined) return UNKNOWN_FRACTION
  // A new member has no part until all others know of it. A dispatcher that is gone for long won't tell them.
  const isForgotten = nowMs - heardMs > PART_LASTS_MS
  return fraction === 0 && isForgotten ? 1 / (members + 1) : fraction
}

/**
 * The share of a bucket with which a member begins to work alone. `left`: what this member had left as the
 * dispatcher of no other member. See `BucketShare`.
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
