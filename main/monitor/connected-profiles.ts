import type { Profile } from '../ports/profile.ts'
import type { KeyName } from '../sign-in/corrected-secrets.ts'
import type { ProfileSession } from './profile-session.ts'

/**
 * The sessions of the connected profiles. A sign-in or revocation of one profile also affects other profiles
 * with the same API key.
 */
export class ConnectedProfiles {
  readonly #sessions = new Map<string, ProfileSession>()
  /** Stopped sessions that still wait for a response. */
  readonly #ending: ProfileSession[] = []

  get(id: string): ProfileSession | undefined {
    return this.#sessions.get(id)
  }

  get size(): number {
    return this.#sessions.size
  }

  ids(): Iterable<string> {
    return this.#sessions.keys()
  }

  all(): Iterable<ProfileSession> {
    return this.#sessions.values()
  }

  withKey(key: KeyName): readonly ProfileSession[] {
    return [...this.all()].filter((session) => session.hasKeyOf(key))
  }

  add(session: ProfileSession): void {
    this.#sessions.set(session.profile.id, session)
  }

  remove(id: string): void {
    this.#sessions.get(id)?.stop()
    this.#sessions.delete(id)
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
    for (const session of this.all()) {
      session.stop()
      this.#ending.push(session)
    }
    this.#sessions.clear()
  }

  /** Resolves when no pending response can contain a token. */
  async idle(): Promise<void> {
    await Promise.all([...this.#ending, ...this.all()].map((session) => session.idle()))
  }

  #othersWithKeyOf(profile: Profile): readonly ProfileSession[] {
    return this.withKey(profile).filter((other) => other.profile.id !== profile.id)
  }
}
