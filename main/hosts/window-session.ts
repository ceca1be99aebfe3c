import type { alertsContract } from '../../app/contract/alerts.ts'
import type { AppContract } from '../../app/contract/contract.ts'
import type { deskContract } from '../../app/contract/desk.ts'
import type { gatewayContract } from '../../app/contract/gateway.ts'
import type { historyContract } from '../../app/contract/history.ts'
import type { Feature, Handlers, Pushes } from '../../app/contract/ipc.ts'
import type { keysContract } from '../../app/contract/keys.ts'
import type { ordersContract } from '../../app/contract/orders.ts'
import type { CommandError } from '../../app/contract/outcome.ts'
import type { quotasContract } from '../../app/contract/quotas.ts'
import type { settingsContract } from '../../app/contract/settings.ts'
import type { signInContract } from '../../app/contract/sign-in.ts'
import type { streamsContract } from '../../app/contract/streams.ts'
import type { Hello } from '../../app/contract/windows.ts'
import { type MonitorSurface, snapshotsOf } from '../monitor/monitor-surface.ts'
import type { Clock } from '../ports/ports.ts'
import type { AdmittedWindows } from './admitted-windows.ts'
import { Publisher } from './snapshot-publisher.ts'

/** One open window: the handlers of its commands. */
export interface WindowSession {
  readonly handlers: Handlers<AppContract>
  close(): void
}

/** Opens one session for each window of a host. The session sends data to the window through `pushes`. */
export interface Windows {
  /** `id`: the window's id in the list of admitted windows. Absent if not listed. */
  open(pushes: Pushes<AppContract>, id?: string): WindowSession
}

/** The features that all windows have in common. */
export interface AppFeatures {
  readonly quotas: Feature<typeof quotasContract>
  readonly streams: Feature<typeof streamsContract>
  readonly keys: Feature<typeof keysContract>
  readonly signIn: Feature<typeof signInContract>
  readonly settings: Feature<typeof settingsContract>
  readonly history: Feature<typeof historyContract>
  readonly alerts: Feature<typeof alertsContract>
  readonly gateway: Feature<typeof gatewayContract>
  readonly orders: Feature<typeof ordersContract>
  readonly desk: Feature<typeof deskContract>
}

export interface WindowsDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'snapshot' | 'events' | 'subscribe'>
  readonly clock: Clock
  readonly hello: () => Hello
  readonly features: AppFeatures
  /** Tracks which windows are visible. Absent if nothing depends on visibility. */
  readonly attention?: Attention
  /** Absent if the host admits windows without a code. */
  readonly admitted?: AdmittedWindows
}

/** Opens a session for each window. All windows show the same monitor. */
export function openWindows(deps: WindowsDeps): Windows {
  const { monitor, attention, clock, hello, features, admitted } = deps
  return {
    open: (pushes, id) => {
      const publisher = new Publisher(clock, (profile) => monitor.snapshot(profile), pushes.snapshotChanged)
      publisher.keepFresh(monitor.profiles())
      const unsubscribe = monitor.subscribe({
        changed: (profile) => publisher.changed(profile),
        event: pushes.eventHappened,
        removed: (profile) => {
          publisher.removed(profile)
          pushes.profileRemoved({ profile })
        },
      })
      const seat = attention?.take()
      const unfollow = Object.values(features).flatMap(({ follow }) => follow?.(pushes) ?? [])
      return {
        handlers: {
          hello,
          setVisible: ({ visible }) => {
            seat?.setVisible(visible)
            publisher.setVisible(visible)
          },
          windows: () => admitted?.list(id) ?? [],
          endWindow: ({ window }) => admitted?.end(window, id) ?? NO_SUCH_WINDOW,
          snapshots: () => snapshotsOf(monitor),
          events: ({ after }) => monitor.events(after),
          ...features.quotas.handlers,
          ...features.streams.handlers,
          ...features.keys.handlers,
          ...features.signIn.handlers,
          ...features.settings.handlers,
          ...features.history.handlers,
          ...features.alerts.handlers,
          ...features.gateway.handlers,
          ...features.orders.handlers,
          ...features.desk.handlers,
          // The desktop host replaces these two handlers if it has a feed of newer versions.
          updates: () => ({ kind: 'no-feed' }),
          setCheckForUpdates: () => ({ kind: 'no-feed' }),
        },
        close: () => {
          seat?.leave()
          unsubscribe()
          for (const stop of unfollow) stop()
          publisher.stop()
        },
      }
    },
  }
}

const NO_SUCH_WINDOW: CommandError = {
  ok: false,
  code: 'unknown-window',
  message: 'No such window.',
}

/** Whether at least one window is open and visible. */
export class Attention {
  readonly #visible = new Set<object>()

  get attended(): boolean {
    return this.#visible.size > 0
  }

  /** Registers an open window. It counts as visible until `setVisible(false)`. */
  take() {
    const seat = {}
    this.#visible.add(seat)
    return {
      setVisible: (visible: boolean) => {
        if (visible) this.#visible.add(seat)
        else this.#visible.delete(seat)
      },
      leave: () => void this.#visible.delete(seat),
    }
  }
}
