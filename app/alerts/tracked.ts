import type { Alert } from '../contract/alerts.ts'
import { ARMED, type Episode } from './episode.ts'
import type { AlertKind } from './kinds.ts'

/** One condition of one profile, over time. */
export interface Tracked {
  readonly profile: string
  readonly kind: AlertKind
  readonly subject: string
  episode: Episode
  alert: Alert | undefined
}

/** All conditions that are followed. Looked up some thirty times a second for each profile, so without building keys. */
export class TrackedConditions {
  readonly #profiles = new Map<string, Map<AlertKind, Map<string, Tracked>>>()

  get(profile: string, kind: AlertKind, subject: string): Tracked | undefined {
    return this.#profiles.get(profile)?.get(kind)?.get(subject)
  }

  /** The entry of a condition, created at its first use. */
  for(profile: string, kind: AlertKind, subject: string): Tracked {
    const known = this.get(profile, kind, subject)
    if (known !== undefined) return known
    const tracked: Tracked = { profile, kind, subject, episode: ARMED, alert: undefined }
    const kinds = this.#profiles.get(profile) ?? new Map<AlertKind, Map<string, Tracked>>()
    const subjects = kinds.get(kind) ?? new Map<string, Tracked>()
    this.#profiles.set(profile, kinds.set(kind, subjects.set(subject, tracked)))
    return tracked
  }

  /** Entries deleted during the iteration are left out. */
  *of(profile: string): Generator<Tracked> {
    for (const subjects of this.#profiles.get(profile)?.values() ?? []) yield* subjects.values()
  }

  *all(): Generator<Tracked> {
    for (const profile of this.#profiles.keys()) yield* this.of(profile)
  }

  delete({ profile, kind, subject }: Tracked): void {
    this.#profiles.get(profile)?.get(kind)?.delete(subject)
  }
}
