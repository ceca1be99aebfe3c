import type { LoggedEvent } from '../../app/contract/events.ts'
import type { CommandError, Outcome } from '../../app/contract/outcome.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Profile } from './profile.ts'
import type { ProfileSession } from './profile-session.ts'

export interface MonitorListener {
  /** Something in the profile's snapshot changed. Not throttled: publishers throttle. */
  changed(profile: string): void
  event(event: LoggedEvent): void
  removed(profile: string): void
}

/** What the hosts may ask of the app, and what they are told. */
export interface MonitorSurface {
  connect(profile: Profile): void
  disconnect(profile: string): Outcome
  /** As of now: every number is computed for the moment of the call. */
  snapshot(profile: string): Snapshot | undefined
  profiles(): readonly string[]
  /** Events with a `seq` above `after`, oldest first, at most 500. */
  events(after: number): readonly LoggedEvent[]
  /** Runs on one connected key; an id that is not connected any more is answered as such. */
  withProfile<R>(id: string, run: (session: ProfileSession) => R): R | CommandError
  subscribe(listener: MonitorListener): () => void
  /** The machine is about to sleep. */
  sleep(): void
  /** After the machine slept: every deadline is decided again. */
  wake(): void
  /** Closes every stream and timer. */
  stop(): void
}
