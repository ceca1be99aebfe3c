import type { History, Outcome, Refusal } from '../app/contract/contract.ts'
import type { LoggedEvent } from '../app/contract/events.ts'
import type { Snapshot } from '../app/contract/snapshot.ts'
import type { StreamRequest } from '../app/service/streams.ts'
import { EventLog } from './event-log.ts'
import type { Clock, Http, Log, Random } from './ports/ports.ts'
import type { Profile } from './profile.ts'
import { ProfileMonitor } from './profile-monitor.ts'
import { Timeline } from './timeline.ts'

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
  history(profile: string, category: string, fromMs: number, toMs: number, points: number): History
  openStream(profile: string, request: StreamRequest): Outcome<{ readonly stream: string }>
  closeStream(profile: string, stream: string): Outcome
  revoke(profile: string): Promise<Outcome>
  tryNow(profile: string): Outcome
  subscribe(listener: MonitorListener): () => void
  /** After the machine slept: every deadline is decided again. */
  wake(): void
  /** Closes every stream and timer. */
  stop(): void
}

const UNKNOWN_PROFILE: Refusal = {
  ok: false,
  code: 'unknown-profile',
  message: 'That key is not connected any more.',
}

export class Monitor implements MonitorSurface {
  readonly #ports: MonitorPorts
  readonly #timeline: Timeline
  readonly #log = new EventLog()
  readonly #profiles = new Map<string, ProfileMonitor>()
  readonly #listeners = new Set<MonitorListener>()

  constructor(ports: MonitorPorts) {
    this.#ports = ports
    this.#timeline = new Timeline(ports.clock)
  }

  connect(profile: Profile): void {
    const { clock, random, http } = this.#ports
    const { id } = profile
    // Its revisions start over: whoever mirrors it has to forget the former one first.
    if (this.#profiles.has(id)) this.disconnect(id)
    for (const other of this.#profiles.values()) {
      if (other.hasKeyOf(profile)) other.standDown()
    }
    const monitor = new ProfileMonitor(profile, {
      clock,
      random,
      http,
      timeline: this.#timeline,
      changed: () => this.#tell((listener) => listener.changed(id)),
      event: (event) => {
        const logged = this.#log.add(event, id, this.#timeline.now())
        this.#ports.log.note(event.kind, { ...event, profile: id })
        this.#tell((listener) => listener.event(logged))
      },
    })
    this.#profiles.set(id, monitor)
    monitor.start()
  }

  disconnect(profile: string): Outcome {
    const monitor = this.#profiles.get(profile)
    if (!monitor) return UNKNOWN_PROFILE
    monitor.stop()
    this.#profiles.delete(profile)
    this.#tell((listener) => listener.removed(profile))
    return { ok: true }
  }

  snapshot(profile: string): Snapshot | undefined {
    return this.#profiles.get(profile)?.snapshot()
  }

  profiles(): readonly string[] {
    return [...this.#profiles.keys()]
  }

  events(after: number): readonly LoggedEvent[] {
    return this.#log.after(after)
  }

  history(profile: string, category: string, fromMs: number, toMs: number, points: number): History {
    const monitor = this.#profiles.get(profile)
    return monitor?.history(category, fromMs, toMs, points) ?? { points: [], rejectedAt: [] }
  }

  openStream(profile: string, request: StreamRequest): Outcome<{ readonly stream: string }> {
    return this.#profiles.get(profile)?.openStream(request) ?? UNKNOWN_PROFILE
  }

  closeStream(profile: string, stream: string): Outcome {
    return this.#profiles.get(profile)?.closeStream(stream) ?? UNKNOWN_PROFILE
  }

  async revoke(profile: string): Promise<Outcome> {
    return (await this.#profiles.get(profile)?.revoke()) ?? UNKNOWN_PROFILE
  }

  tryNow(profile: string): Outcome {
    const monitor = this.#profiles.get(profile)
    monitor?.tryNow()
    return monitor ? { ok: true } : UNKNOWN_PROFILE
  }

  subscribe(listener: MonitorListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  wake(): void {
    for (const monitor of this.#profiles.values()) monitor.wake()
  }

  stop(): void {
    for (const monitor of this.#profiles.values()) monitor.stop()
    this.#profiles.clear()
  }

  #tell(say: (listener: MonitorListener) => void): void {
    for (const listener of this.#listeners) say(listener)
  }
}
