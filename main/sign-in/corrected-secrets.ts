import { type Outcome, UNKNOWN_PROFILE } from '../../app/contract/outcome.ts'
import type { RefreshOutcome } from '../../app/tokens/refresh-grant.ts'
import type { Profile } from '../monitor/profile.ts'
import type { Saved } from '../storage/storage-error.ts'
import type { KeyName } from './connected-keys.ts'

/** A connected profile, as far as its secret goes. */
export interface SecretHolder {
  readonly profile: Profile
  /** Tries another secret now. */
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
 * Secrets that a person typed anew for one profile. A secret is the API key's (service 4.1): once the service has
 * taken it, every profile of that key goes on with it. Before that it may be a slip of the hand, and stays where it was
 * typed.
 */
export class CorrectedSecrets {
  readonly #deps: CorrectedSecretsDeps
  /** Profiles whose new secret the service has not taken yet. */
  readonly #untried = new Set<string>()

  constructor(deps: CorrectedSecretsDeps) {
    this.#deps = deps
  }

  /** A person typed one: stored, then tried. */
  async correct(id: string, clientSecret: string): Promise<Outcome> {
    const holder = this.#deps.holder(id)
    if (holder === undefined) return UNKNOWN_PROFILE
    const profile = { ...holder.profile, clientSecret }
    // Before it is sent: a token that rotates with it must open with it after a restart, too.
    const saved = this.#deps.keep(profile)
    if (!saved.ok) {
      const message = `The secret could not be kept: ${saved.why}. Nothing was changed; try again.`
      return { ok: false, code: 'not-kept', message }
    }
    this.drop(id)
    const outcome = correctionOutcome(await holder.correctSecret(profile))
    // Only now: a refresh that was on its way before says nothing of it.
    this.sends(id)
    if (outcome.ok) this.accepted(id)
    return outcome
  }

  /** From here on the profile sends a new secret. */
  sends(id: string): void {
    this.#untried.add(id)
  }

  /** Nothing more is expected of what was typed there. */
  drop(id: string): void {
    this.#untried.delete(id)
  }

  /** The service answered this profile with new tokens. */
  accepted(id: string): void {
    if (!this.#untried.delete(id)) return
    const { holder, withKey, keep, problem } = this.#deps
    const source = holder(id)?.profile
    const clientSecret = source?.clientSecret
    if (source === undefined || clientSecret === undefined) return
    for (const other of withKey(source)) {
      const former = other.profile.clientSecret
      // Without one it signed in by PKCE (service 5.7), and needs none.
      if (former === undefined || former === clientSecret) continue
      const profile = { ...other.profile, clientSecret }
      // Before it is sent, as where it was typed.
      const kept = keep(profile)
      if (kept.ok) other.takeSecret(profile)
      else
        problem(
          profile.id,
          `the secret corrected in “${source.name}” is not stored here: ${kept.why}; correct it here, too`,
        )
    }
  }
}

/** The answer to a corrected secret that was tried; it is stored in every case. */
function correctionOutcome(outcome: RefreshOutcome): Outcome {
  switch (outcome.kind) {
    case 'renewed':
      return { ok: true }
    case 'misconfigured':
      return {
        ok: false,
        code: 'not-accepted',
        message: 'The service does not accept this secret either. Check it, and the API key.',
      }
    case 'refused':
      return {
        ok: false,
        code: 'token-refused',
        message: 'The secret is kept, but the refresh token is of no use any more. Sign in.',
      }
    case 'later':
    case 'not-sent':
    case 'malformed':
    case 'unknown':
      return {
        ok: false,
        code: 'not-confirmed',
        message: `The secret is kept, and the service has not confirmed it: ${outcome.why}. Try again.`,
      }
  }
}
