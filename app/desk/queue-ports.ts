import type { BucketOptions } from '../gateway/bucket-queue.ts'
import type { QueueMessage } from './queue-messages.ts'

/** The clocks of a machine. During sleep, they drift apart, because a monotonic clock may stop. */
export interface Clocks {
  wallMs(): number
  monotonicMs(): number
}

/** What a desk's queue needs from the run that contains it. */
export interface DeskQueuePorts {
  /** The id of this member. */
  readonly self: string
  /** `after` runs something later, and returns a function that cancels it. */
  readonly clock: Clocks & { after(ms: number, run: () => void): () => void }
  /** A random number from 0 to 1. */
  readonly random: () => number
  readonly send: (to: string, message: QueueMessage) => void
  readonly broadcast: (message: QueueMessage) => void
  readonly store: LeaseStore
  /** The settings of a bucket, as far as this machine knows them. */
  readonly optionsOf: (bucket: string) => BucketOptions
  /** Called when `summary` changed. */
  readonly changed: () => void
}

/** Maximum time between one dispatcher and the next if the server is reachable. Milliseconds. */
export const TAKE_OVER_MS = 8_000

export interface QueueSummary {
  /** The id of this member's dispatcher. While a late member works alone, the one that it ignores. */
  readonly dispatcher: string | undefined
  /**
   * - `granted`: the dispatcher decides about turns.
   * - `starting`: this run waits for its first `dispatch`, for at most `TAKE_OVER_MS`.
   * - `alone`: no `dispatch` arrives, or `isLate`. This machine uses its own share of each quota.
   */
  readonly mode: 'granted' | 'starting' | 'alone'
  /** Whether this machine's messages reach the dispatcher too late. See `Lateness`. */
  readonly isLate: boolean
  /** Number of members that share the quota. Absent until this machine has received a `dispatch`. */
  readonly members?: number
  /** The part of each quota that this machine may use, from 0 to 1. Absent unless it works alone. */
  readonly share?: number
  /** When this machine began to work alone, on the monotonic clock. */
  readonly aloneSinceMs?: number
}

/**
 * The answer of the store. `taken`: another run holds the lease. `unknown`: there was no answer in time, and
 * the lease may or may not have been written.
 */
export type LeaseAnswer = 'held' | 'taken' | 'unknown'

/**
 * Port to the store of a desk's lease. At most one run holds the lease. The lease expires `LEASE_TTL_MS`
 * after it was last written, and the store may lose it at any time.
 *
 * No call throws. Each resolves within `LEASE_ANSWER_MS`.
 */
export interface LeaseStore {
  /** Takes the lease, unless another run holds it. */
  create(): Promise<LeaseAnswer>
  /** Renews this run's lease. If the lease was lost, the answer is `taken` too. */
  renew(): Promise<LeaseAnswer>
  /** Releases the lease, if this run holds it. */
  release(): Promise<void>
}

/** Time from the last write of a lease to its expiry, in milliseconds. */
export const LEASE_TTL_MS = 6_000
/** Maximum time in which a store answers, in milliseconds. */
export const LEASE_ANSWER_MS = 1_500
