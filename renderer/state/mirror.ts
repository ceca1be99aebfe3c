import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Link, LinkSource, WindowApi } from '../api/window-api.ts'
import type { WindowClock } from '../api/window-clock.ts'
import {
  EMPTY_MIRROR,
  lastSeq,
  type MirrorState,
  withAllSnapshots,
  withEvents,
  withoutProfile,
  withPushedSnapshot,
} from './mirror-state.ts'
import { shared } from './shared.ts'

export type MirrorStore = StoreApi<MirrorState>

type MirrorApi = Pick<
  WindowApi,
  | 'hello'
  | 'snapshots'
  | 'events'
  | 'alerts'
  | 'snapshotChanged'
  | 'eventHappened'
  | 'profileRemoved'
  | 'alertsChanged'
  | 'setVisible'
>

export interface MirrorPorts {
  readonly api: MirrorApi
  readonly link: LinkSource
  readonly clock: WindowClock
}

/**
 * Interval at which whole snapshots are requested, in milliseconds. A response bounds the clock skew from
 * both sides, but a push only from one side.
 */
const ASK_AGAIN_MS = 20_000
const ASK_AFTER_FAILURE_MS = 2000

/**
 * Keeps a store in sync with main's state. Subscribes, fetches once, and drops older revisions.
 *
 * Fetches again when the link reconnects, when the window becomes visible, and at an interval.
 */
export class Mirror {
  readonly store: MirrorStore = createStore<MirrorState>(() => EMPTY_MIRROR)
  readonly #ports: MirrorPorts
  /** Profiles that were pushed or removed during a request. */
  #heardOf = new Set<string>()
  #removed = new Set<string>()
  #alertsHeard = false
  #asking = 0
  #visible = true
  #cancelAsk: () => void = () => {}
  readonly #stops: (() => void)[] = []

  constructor(ports: MirrorPorts) {
    this.#ports = ports
  }

  start(): void {
    const { api, link, clock } = this.#ports
    this.#stops.push(
      api.snapshotChanged((snapshot) => {
        this.#heardOf.add(snapshot.profile.id)
        this.#change((state) => withPushedSnapshot(state, snapshot, clock.wallMs()))
      }),
      api.eventHappened((event) => this.#change((state) => withEvents(state, [event]))),
      api.profileRemoved(({ profile }) => {
        this.#heardOf.delete(profile)
        this.#removed.add(profile)
        this.#change((state) => withoutProfile(state, profile))
      }),
      api.alertsChanged((alerts) => {
        this.#alertsHeard = true
        this.#change((state) => ({ ...state, alerts }))
      }),
      link.subscribe((now) => this.#linkChanged(now)),
    )
    this.#linkChanged(link.current())
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop()
    this.#cancelAsk()
    this.#asking += 1
  }

  /**
   * Records whether the page is visible. A hidden window gets no snapshots, so it fetches the latest ones
   * when it becomes visible.
   */
  visibilityChanged(visible: boolean): void {
    this.#visible = visible
    if (this.store.getState().link.kind !== 'live') return
    this.#tellVisible()
    if (visible) void this.#ask()
  }

  #tellVisible(): void {
    this.#ports.api.setVisible({ visible: this.#visible }).catch(() => {
      // Nothing to do, because the link reports a lost host.
    })
  }

  #linkChanged(link: Link): void {
    const before = this.store.getState().link
    // A new process counts revisions and events from the start, so the old state does not apply to it.
    if (link.kind === 'no-session') this.store.setState({ ...EMPTY_MIRROR, link })
    else this.#change((state) => ({ ...state, link }))
    if (link.kind === 'live') {
      // The host treats a window that reconnects as new and visible. So a hidden window reports that it is
      // hidden.
      if (!this.#visible) this.#tellVisible()
      void this.#ask()
    } else if (before.kind === 'live') {
      this.#asking += 1
      this.#cancelAsk()
    }
  }

  async #ask(): Promise<void> {
    const { api, clock } = this.#ports
    this.#cancelAsk()
    this.#asking += 1
    const asking = this.#asking
    this.#heardOf = new Set()
    this.#removed = new Set()
    const askedMs = clock.wallMs()
    try {
      const answered = await api.snapshots()
      const receivedMs = clock.wallMs()
      if (asking !== this.#asking) return
      const meanwhile = { heardOf: this.#heardOf, removed: this.#removed }
      this.#change((state) => withAllSnapshots(state, answered, { askedMs, receivedMs }, meanwhile))
      this.#alertsHeard = false
      const [events, hello, answeredAlerts] = await Promise.all([
        api.events({ after: lastSeq(this.store.getState()) }),
        this.store.getState().hello ?? api.hello(),
        api.alerts(),
      ])
      if (asking !== this.#asking) return
      // A push during the request is newer than the response.
      const alerts = this.#alertsHeard ? this.store.getState().alerts : answeredAlerts
      this.#change((state) => withEvents({ ...state, hello, alerts: shared(state.alerts, alerts) }, events))
      this.#askIn(ASK_AGAIN_MS)
    } catch {
      // The link reports the error, so this only schedules another request.
      if (asking === this.#asking) this.#askIn(ASK_AFTER_FAILURE_MS)
    }
  }

  #askIn(ms: number): void {
    this.#cancelAsk = this.#ports.clock.after(ms, () => {
      if (this.store.getState().link.kind === 'live') void this.#ask()
    })
  }

  #change(next: (state: MirrorState) => MirrorState): void {
    this.store.setState(next, true)
  }
}
