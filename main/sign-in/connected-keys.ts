import type { Outcome } from '../../app/contract/outcome.ts'
import type { Profile } from '../monitor/profile.ts'

/** An API key at its sign-in host: what a revocation ends as a whole (service 4.2). */
export type KeyName = Pick<Profile, 'authUrl' | 'clientId'>

/** What signing in has to know of the connected keys. There are secrets in it, so no window gets it. */
export interface ConnectedKeys {
  profiles(): readonly string[]
  profile(id: string): Profile | undefined
  /** Whether its refresh token is of no use any more: ended, or revoked. */
  needsSignIn(id: string): boolean
  /** New tokens for a connected key, which keeps its id, its quotas and its streams. */
  signedInAgain(profile: Profile): Outcome
  /** Another secret for the tokens that are there: stored, tried, and then that of every profile of the API key. */
  correctSecret(id: string, clientSecret: string): Promise<Outcome>
  /** Whether a revocation of this key was asked for and not confirmed. */
  isRevocationPending(key: KeyName): boolean
  /** Resolves when no revocation of this key is under way; none is tried again by itself from then on. */
  suspendRevocationRetry(key: KeyName): Promise<void>
}
