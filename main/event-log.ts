import type { LoggedEvent, MonitorEvent } from '../app/contract/events.ts'

const MOST_KEPT = 500

/** The latest events of all profiles, numbered, oldest first. */
export class EventLog {
  #events: LoggedEvent[] = []
  #seq = 0

  add(event: MonitorEvent, profile: string, atMs: number): LoggedEvent {
    this.#seq += 1
    const logged: LoggedEvent = { ...event, seq: this.#seq, at: Math.round(atMs), profile }
    this.#events.push(logged)
    if (this.#events.length > 2 * MOST_KEPT) this.#events = this.#events.slice(-MOST_KEPT)
    return logged
  }

  after(seq: number): readonly LoggedEvent[] {
    return this.#events.filter((event) => event.seq > seq).slice(-MOST_KEPT)
  }
}
