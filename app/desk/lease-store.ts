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
