import { ConditionTracker } from '../../app/conditions/tracker.ts'
import type { KeyReport, LoggedEvent } from '../../app/contract/events.ts'

const MAX_KEPT = 500

/** The latest events of all profiles, numbered, oldest first. Events are created from reports. */
export class EventLog {
  readonly #trackers = new Map<string, ConditionTracker>()
  #events: LoggedEvent[] = []
  #seq = 0

  /** The event for a report. `undefined` if the report contains nothing new. */
  add(report: KeyReport, profile: string, atMs: number): LoggedEvent | undefined {
    const event = this.#trackerOf(profile).eventOf(report, atMs)
    if (event === undefined) return undefined
    this.#seq += 1
    const logged: LoggedEvent = { ...event, seq: this.#seq, at: Math.round(atMs), profile }
    this.#events.push(logged)
    if (this.#events.length > 2 * MAX_KEPT) this.#events = this.#events.slice(-MAX_KEPT)
    return logged
  }

  after(seq: number): readonly LoggedEvent[] {
    return this.#events.filter((event) => event.seq > seq).slice(-MAX_KEPT)
  }

  /** Call this when a profile's parts are created or removed. New parts report lasting conditions again. */
  forget(profile: string): void {
    this.#trackers.delete(profile)
  }

  #trackerOf(profile: string): ConditionTracker {
    const tracker = this.#trackers.get(profile) ?? new ConditionTracker()
    this.#trackers.set(profile, tracker)
    return tracker
  }
}
