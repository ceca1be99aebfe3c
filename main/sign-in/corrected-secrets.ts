import { type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import type { Profile } from '../ports/profile.ts'
import type { Saved } from '../storage/storage-error.ts'

export interface SecretHolder {
  readonly profile: Profile
  correctSecret(profile: Profile): Promise<RefreshOutcome>
  /** Uses another secret from now on. */
  takeSecret(profile: Profile): void
}

export interface CorrectedSecretsDeps {
  readonly holder: (id: string) => SecretHolder | undefined
  readonly withKey: (key: KeyName) => readonly SecretHolder[]
  readonly keep: (profile: Profile) => Saved
  readonly problem: (id: string, what: string) => void
}

/**
 * Client secrets that a person corrected for one profile. A secret belongs to the API key (service 4.1), so
 * every profile of the key adopts it. The other profiles wait until the service has accepted the secret,
 * because it may be mistyped.
 */
export class CorrectedSecrets {
  readonly #deps: CorrectedSecretsDeps
  /** Profiles whose new secret the service has not accepted yet. */
  readonly #untried = new Set<string>()

  constructor(deps: CorrectedSecretsDeps) {
    this.#deps = deps
  }

  /** Stores a corrected secret, then tries it. */
  async correct(id: string, clientSecret: string): Promise<Outcome> {
    const holder = this.#deps.holder(id)
    if (holder === undefined) return UNKNOWN_PROFILE
    const profile = { ...holder.profile, clientSecret }
    // The secret is stored before it is sent. If the service then rotates the token, the new token works only
    // with this secret, even after a restart.
    const saved = this.#deps.keep(profile)
    if (!saved.ok) {
      const message = `Saving the secret failed: ${saved.why}. Nothing was changed. Try again.`
      return { ok: false, code: 'not-kept', message }
    }
    this.drop(id)
    const outcome = correctionOutcome(await holder.correctSecret(profile))
    // The secret is marked as new only after the attempt. During the attempt, an earlier refresh may still
    // succeed with the old secret, which shows nothing about the new secret.
    this.sends(id)
    if (outcome.ok) this.accepted(id)
    return outcome
  }

  /** Marks the profile's secret as new and not yet accepted. */
  sends(id: string): void {
    this.#untried.add(id)
  }

  /** Removes the profile's mark, for example because the profile was disconnected. */
  drop(id: string): void {
    this.#untried.delete(id)
  }

  /**
   * Records that the service issued new tokens to this profile. If the profile used a corrected secret, the
   * service has accepted it, so the API key's other profiles get the secret too.
   */
  accepted(id: string): void {
    if (!this.#untried.delete(id)) return
    const { holder, withKey, keep, problem } = this.#deps
    const source = holder(id)?.profile
    const clientSecret = source?.clientSecret
    if (source === undefined || clientSecret === undefined) return
    for (const other of withKey(source)) {
      const former = other.profile.clientSecret
      // If a profile has no secret, it signed in with PKCE (service 5.7) and needs none.
      if (former === undefined || former === clientSecret) continue
      const profile = { ...other.profile, clientSecret }
      // The secret is stored before it is sent, as in `correct`.
      const kept = keep(profile)
      if (kept.ok) other.takeSecret(profile)
      else
        problem(
          profile.id,
          `can't save the corrected secret of “${source.name}” for this key: ${kept.why}; correct it here`,
        )
    }
  }
}

/** The outcome of trying a corrected secret. The secret stays stored in any case. */
function correctionOutcome(outcome: RefreshOutcome): Outcome {
  switch (outcome.kind) {
    case 'renewed':
      return { ok: true }
    case 'misconfigured':
      return {
        ok: false,
        code: 'not-accepted',
        message: 'The service rejected this secret too. Check it and the API key.',
      }
    case 'refused':
      return {
        ok: false,
        code: 'token-refused',
        message: 'Secret saved. The refresh token no longer works: sign in.',
      }
    case 'later':
    case 'not-sent':
    case 'malformed':
    case 'unknown':
      return {
        ok: false,
        code: 'not-confirmed',
        message: `Secret saved, not yet confirmed: ${outcome.why}. Try again.`,
      }
  }
}

/**
 * Identifies an API key and its sign-in host. If such a key is revoked, all its sign-ins end (service 4.2).
 */
export type KeyName = Pick<Profile, 'authUrl' | 'clientId'>

/** The connected keys for sign-ins, including secrets. App windows have no access. */
export interface ConnectedKeys {
  profiles(): readonly string[]
  profile(id: string): Profile | undefined
  /** Whether the refresh token ended or was revoked. */
  needsSignIn(id: string): boolean
  /** Sets new tokens for a connected key, which keeps its id, quotas and streams. */
  signedInAgain(profile: Profile): Outcome
  /**
   * Stores and tries another secret for the existing tokens. A secret that the service accepts applies to
   * every profile of the API key.
   */
  correctSecret(id: string, clientSecret: string): Promise<Outcome>
  /** Whether a revocation of this key was requested and is not confirmed. */
  isRevocationPending(key: KeyName): boolean
  /** Stops automatic retries of a revocation of this key. Resolves when no revocation is in progress. */
  suspendRevocationRetry(key: KeyName): Promise<void>
}
