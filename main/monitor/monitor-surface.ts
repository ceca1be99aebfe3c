import type { LoggedEvent } from '../../app/contract/events.ts'
import type { History } from '../../app/contract/history.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import type { RowDetails } from '../../app/contract/quotas.ts'
import type { CurrentKeySettings } from '../../app/contract/settings.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Thresholds } from '../../app/quota/thresholds.ts'
import type { StreamRequest } from '../../app/service/streams.ts'
import type { WhenFull } from '../streams/streams.ts'
import type { profileWith } from './key-settings.ts'
import type { Profile } from './profile.ts'

export type SettingsChange = Parameters<typeof profileWith>[1]

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
  events(after: number): readonly LoggedEvent[]
  history(profile: string, category: string, fromMs: number, toMs: number, points: number): History
  openStream(
    profile: string,
    request: StreamRequest,
    whenFull?: WhenFull,
  ): Outcome<{ readonly stream: string }>
  closeStream(profile: string, stream: string): Outcome
  restartStream(profile: string, stream: string): Outcome<{ readonly stream: string }>
  pinStream(profile: string, stream: string, pinned: boolean): Outcome
  revoke(profile: string): Promise<Outcome>
  tryNow(profile: string): Outcome
  /** Looks at one category now, if its quota allows. */
  checkNow(profile: string, category: string): Promise<Outcome>
  rowDetails(profile: string, category: string): Outcome<{ readonly details: RowDetails }>
  keySettings(profile: string): Outcome<CurrentKeySettings>
  /** Holds at once, and is stored with the key; what is not stored does not hold. */
  setKeySettings(profile: string, change: SettingsChange): Outcome<CurrentKeySettings>
  /** Under which share of its limit each row of the profile is low. */
  setThresholds(profile: string, thresholds: Thresholds): void
  subscribe(listener: MonitorListener): () => void
  /** The machine is about to sleep. */
  sleep(): void
  /** After the machine slept: every deadline is decided again. */
  wake(): void
  /** Closes every stream and timer. */
  stop(): void
}
