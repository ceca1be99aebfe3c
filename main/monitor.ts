import type { Outcome } from '../app/contract/contract.ts'
import type { LoggedEvent } from '../app/contract/events.ts'
import type { Snapshot } from '../app/contract/snapshot.ts'
import type { StreamRequest } from '../app/service/streams.ts'
import type { Clock, Http, Log, Random } from './ports/ports.ts'
import type { Profile } from './profile.ts'

export interface MonitorPorts {
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
  readonly log: Log
}

export interface MonitorListener {
  /** Something in the profile's snapshot changed. Not throttled: publishers throttle. */
  changed(profile: string): void
  event(event: LoggedEvent): void
  removed(profile: string): void
}

/** The composition root of what the app does, whatever the host. */
export interface MonitorSurface {
  connect(profile: Profile): void
  disconnect(profile: string): Outcome
  /** As of now: every number is computed for the moment of the call. */
  snapshot(profile: string): Snapshot | undefined
  profiles(): readonly string[]
  events(after: number): readonly LoggedEvent[]
  openStream(profile: string, request: StreamRequest): Outcome<{ readonly stream: string }>
  closeStream(profile: string, stream: string): Outcome
  revoke(profile: string): Promise<Outcome>
  tryNow(profile: string): Outcome
  subscribe(listener: MonitorListener): () => void
  /** Closes every stream and timer. */
  stop(): void
}
