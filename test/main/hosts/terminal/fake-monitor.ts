import type { LoggedEvent, MonitorEvent } from '../../../../app/contract/events.ts'
import type { History, UsualLoad } from '../../../../app/contract/history.ts'
import type { Thresholds } from '../../../../app/contract/units.ts'
import type { RecentHistory } from '../../../../app/history/recent.ts'
import type { MonitorListener, MonitorSurface } from '../../../../main/monitor/monitor-surface.ts'
import type { ProfileSession } from '../../../../main/monitor/profile-session.ts'
import type { Profile } from '../../../../main/ports/profile.ts'
import { exampleSnapshot } from './example-snapshot.ts'

/** Records its calls, and returns the test's values. */
export class FakeMonitor implements MonitorSurface {
  readonly connected: Profile[] = []
  /** The last minutes of every row, as a session has them in memory. */
  recent: History = { points: [], rejectedAt: [] }
  recentOf: RecentHistory['query'] = () => this.recent
  readonly #listeners = new Set<MonitorListener>()
  readonly #nowMs: () => number
  stopped = false
  readonly thresholds = new Map<string, Thresholds>()
  /** The usual loads of each row today. */
  readonly loads = new Map<string, readonly UsualLoad[]>()
  readonly historyFailures = new Map<string, object | undefined>()
  #seq = 0
  #revision = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get listening(): number {
    return this.#listeners.size
  }

  change(): void {
    this.#revision += 1
    for (const listener of this.#listeners) listener.changed(this.#id())
  }

  tell(event: MonitorEvent): void {
    this.#seq += 1
    const logged: LoggedEvent = { ...event, seq: this.#seq, at: this.#nowMs(), profile: this.#id() }
    for (const listener of this.#listeners) listener.event(logged)
  }

  connect(profile: Profile): void {
    this.connected.push(profile)
  }

  snapshot() {
    return exampleSnapshot({ at: this.#nowMs(), revision: this.#revision })
  }

  profiles() {
    return this.connected.map((profile) => profile.id)
  }

  keyMark(id: string) {
    return id
  }

  subscribe(listener: MonitorListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  stop(): void {
    this.stopped = true
  }

  readonly #sessions = new Map<string, ProfileSession>()

  withProfile<R>(profile: string, run: (session: ProfileSession) => R): R {
    const session = this.#sessions.get(profile) ?? this.#session(profile)
    this.#sessions.set(profile, session)
    return run(session)
  }

  /** Gives each profile a new session, as the monitor does after its clock was set back far. */
  startAnew(): void {
    this.#sessions.clear()
    this.thresholds.clear()
  }

  /** A session that stores thresholds, has no events, and accepts every command. */
  #session(profile: string): ProfileSession {
    const session = {
      parts: {
        history: { query: this.recentOf, lowestHeader: () => undefined },
        ledger: {
          expect: (category: string, loads: readonly UsualLoad[]) => void this.loads.set(category, loads),
        },
      },
      setThresholds: (thresholds: Thresholds) => void this.thresholds.set(profile, thresholds),
      historyFailing: (failure: object | undefined) => void this.historyFailures.set(profile, failure),
      revoke: async () => ({ ok: true }),
      tryNow: () => {},
    }
    return session as unknown as ProfileSession
  }

  disconnect = () => ({ ok: true }) as const
  attachOrders(): void {}
  setOrders = () => ({ ok: true }) as const
  events = () => []
  sleep(): void {}
  wake(): void {}

  #id(): string {
    return this.connected[0]?.id ?? ''
  }
}
