import type { Outcome } from '../../app/contract/outcome.ts'
import type { Profile } from '../ports/profile.ts'

/** An API key at its sign-in host, the unit that a revocation ends (service 4.2). */
export type KeyName = Pick<Profile, 'authUrl' | 'clientId'>

/** The connected keys, as sign-in needs them. Contains secrets, so it is not available to windows. */
export interface ConnectedKeys {
  profiles(): readonly string[]
  profile(id: string): Profile | undefined
  /** Whether its refresh token can no longer be used: ended, or revoked. */
  needsSignIn(id: string): boolean
  /** Sets new tokens for a connected key, which keeps its id, quotas and streams. */
  signedInAgain(profile: Profile): Outcome
  /**
   * Stores and tries another secret for the existing tokens; if accepted, it applies to every profile of the API key.
   */
  correctSecret(id: string, clientSecret: string): Promise<Outcome>
  /** Whether a revocation of this key was requested and is not confirmed. */
  isRevocationPending(key: KeyName): boolean
  /** Stops automatic retries of a revocation of this key. Resolves when none is in progress. */
  suspendRevocationRetry(key: KeyName): Promise<void>
}
