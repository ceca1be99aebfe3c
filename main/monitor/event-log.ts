import type { LoggedEvent, MonitorEvent } from '../../app/contract/events.ts'

const MAX_KEPT = 500

/** The latest events of all profiles, numbered, oldest first. */
export class EventLog {
  #events: LoggedEvent[] = []
  #seq = 0

  add(event: MonitorEvent, profile: string, atMs: number): LoggedEvent {
    this.#seq += 1
    const logged: LoggedEvent = { ...event, seq: this.#seq, at: Math.round(atMs), profile }
    this.#events.push(logged)
    if (this.#events.length > 2 * MAX_KEPT) this.#events = this.#events.slice(-MAX_KEPT)
    return logged
  }

  after(seq: number): readonly LoggedEvent[] {
    return this.#events.filter((event) => event.seq > seq).slice(-MAX_KEPT)
  }
}
