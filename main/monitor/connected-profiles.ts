import type { Profile } from '../ports/profile.ts'
import type { KeyName } from '../sign-in/corrected-secrets.ts'
import type { ProfileSession } from './profile-session.ts'

/**
 * The sessions of the connected profiles. A sign-in or revocation of one profile also affects other profiles
 * with the same API key.
 */
export class ConnectedProfiles extends Map<string, ProfileSession> {
  /** Stopped sessions that still wait for a response. */
  readonly #ending: ProfileSession[] = []

  withKey(key: KeyName): readonly ProfileSession[] {
    return [...this.values()].filter((session) => session.hasKeyOf(key))
  }

  /** Stops and removes a session. */
  override delete(id: string): boolean {
    this.get(id)?.stop()
    return super.delete(id)
  }

  /**
   * Stops the retries of earlier revocations of this API key. A late revocation would also end the new
   * sign-in.
   */
  signedIn(profile: Profile): void {
    for (const other of this.#othersWithKeyOf(profile)) other.suspendRevocationRetry()
  }

  /**
   * Marks the other sign-ins with the same API key as revoked, because a revocation ends them all (service
   * 4.2).
   */
  revoked(id: string): void {
    const profile = this.get(id)?.profile
    if (profile === undefined) return
    for (const other of this.#othersWithKeyOf(profile)) other.revokedElsewhere()
  }

  stop(): void {
    for (const session of this.values()) {
      session.stop()
      this.#ending.push(session)
    }
    this.clear()
  }

  /** Resolves when no pending response can contain a token. */
  async idle(): Promise<void> {
    await Promise.all([...this.#ending, ...this.values()].map((session) => session.idle()))
  }

  #othersWithKeyOf(profile: Profile): readonly ProfileSession[] {
    return this.withKey(profile).filter((other) => other.profile.id !== profile.id)
  }
}
