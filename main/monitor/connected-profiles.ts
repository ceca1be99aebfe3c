import type { KeyName } from '../sign-in/connected-keys.ts'
import type { Profile } from './profile.ts'
import type { ProfileSession } from './profile-session.ts'

/** The profiles that are connected, and what one of them means for the others on its API key. */
export class ConnectedProfiles {
  readonly #sessions = new Map<string, ProfileSession>()
  /** Stopped, with an answer that may still come. */
  readonly #ending: ProfileSession[] = []

  get(id: string): ProfileSession | undefined {
    return this.#sessions.get(id)
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

  /** A sign-in with this profile is newer than those: a late retry of their revocations would end it. */
  signedIn(profile: Profile): void {
    for (const other of this.#othersWithKeyOf(profile)) other.suspendRevocationRetry()
  }

  /** A revocation ends every sign-in on its API key (service 4.2), and none of them may go on reading "valid". */
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

  /** Ends when no answer that may bring a token is on its way. */
  async idle(): Promise<void> {
    await Promise.all([...this.#ending, ...this.all()].map((session) => session.idle()))
  }

  #othersWithKeyOf(profile: Profile): readonly ProfileSession[] {
    return this.withKey(profile).filter((other) => other.profile.id !== profile.id)
  }
}
