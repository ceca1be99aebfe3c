/**
 * The answer of the store. `taken`: another run holds the lease. `unknown`: no answer in time, so the lease
 * may have been written or not.
 */
export type LeaseAnswer = 'held' | 'taken' | 'unknown'

/**
 * Port to the store of a desk's lease. At most one run holds the lease. It expires `LEASE_TTL_MS` after it
 * was written last, and a store may also lose it at any time.
 *
 * No call throws. Each resolves within `LEASE_ANSWER_MS`.
 */
export interface LeaseStore {
  /** Takes the lease if no run holds it. `held` also if this run holds it already. */
  create(): Promise<LeaseAnswer>
  /** Renews the lease of this run. `taken` also if the lease was lost. */
  renew(): Promise<LeaseAnswer>
  /** Gives the lease up, if this run holds it. */
  release(): Promise<void>
}

/** Time after its last write at which a lease expires, in milliseconds. */
export const LEASE_TTL_MS = 6_000
/** Longest time that a store takes for an answer, in milliseconds. */
export const LEASE_ANSWER_MS = 1_500
