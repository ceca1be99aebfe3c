import type { KeyName } from '../sign-in/connected-keys.ts'
import type { Profile } from './profile.ts'
import type { ProfileMonitor } from './profile-monitor.ts'

/** The profiles that are connected, and what one of them means for the others on its API key. */
export class ConnectedProfiles {
  readonly #monitors = new Map<string, ProfileMonitor>()
  /** Stopped, with an answer that may still come. */
  readonly #ending: ProfileMonitor[] = []

  get(id: string): ProfileMonitor | undefined {
    return this.#monitors.get(id)
  }

  ids(): Iterable<string> {
    return this.#monitors.keys()
  }

  all(): Iterable<ProfileMonitor> {
    return this.#monitors.values()
  }

  withKey(key: KeyName): readonly ProfileMonitor[] {
    return [...this.all()].filter((monitor) => monitor.hasKeyOf(key))
  }

  add(monitor: ProfileMonitor): void {
    this.#monitors.set(monitor.profile.id, monitor)
  }

  remove(id: string): void {
    this.#monitors.get(id)?.stop()
    this.#monitors.delete(id)
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
    for (const monitor of this.all()) {
      monitor.stop()
      this.#ending.push(monitor)
    }
    this.#monitors.clear()
  }

  /** Ends when no answer that may bring a token is on its way. */
  async idle(): Promise<void> {
    await Promise.all([...this.#ending, ...this.all()].map((monitor) => monitor.idle()))
  }

  #othersWithKeyOf(profile: Profile): readonly ProfileMonitor[] {
    return this.withKey(profile).filter((other) => other.profile.id !== profile.id)
  }
}
