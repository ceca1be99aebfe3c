import type { Alerts } from '../../alerts/alerts.ts'
import type { Announcer } from '../../alerts/announcer.ts'
import { type ControlServerDeps, startControlServer } from '../../control/control-server.ts'
import { socketOf } from '../../control/socket-path.ts'
import { HistoryService } from '../../history/history-service.ts'
import { type MonitorSurface, sessionOf } from '../../monitor/monitor-surface.ts'
import { OrderSwitches } from '../../sign-in/order-switches.ts'

export interface WatchHistoryDeps
  extends Pick<ControlServerDeps, 'clock' | 'log' | 'gateway' | 'orders' | 'desk'> {
  readonly monitor: Pick<
    MonitorSurface,
    'subscribe' | 'profiles' | 'snapshot' | 'events' | 'withProfile' | 'setOrders'
  >
  readonly announcer: Announcer
  /**
   * A folder that the caller has locked. Without a folder, no history is stored, and no command can query
   * this run of the app.
   */
  readonly dataFolder: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Called with a sentence about a problem of the history file. Not called again while the problem lasts. */
  readonly problem: (sentence: string) => void
}

export interface WatchHistory {
  readonly alerts: Pick<Alerts, 'snooze' | 'adoptSnooze'>
  close(): Promise<void>
}

/**
 * Starts the history and alerts of `watch`. With a data folder, also stores the history and answers other
 * commands, as the app does.
 */
export function watchHistory(deps: WatchHistoryDeps): WatchHistory {
  const { dataFolder, environment, ...rest } = deps
  const history = new HistoryService({ ...rest, ...(dataFolder !== undefined && { dataFolder }) })
  const control =
    dataFolder === undefined
      ? undefined
      : startControlServer({
          ...deps,
          ...(deps.orders && { switches: switchesOf(deps.monitor) }),
          path: socketOf(dataFolder, environment),
          userId: process.getuid?.(),
        })
  return {
    alerts: history.alerts,
    close: async () => {
      await (await control)?.close()
      history.close()
    },
  }
}

/** The switches that allow and stop orders. They can't start a sign-in, because `watch` has none. */
const switchesOf = (monitor: WatchHistoryDeps['monitor']) =>
  new OrderSwitches({
    profiles: () => monitor.profiles(),
    profile: (id) => sessionOf(monitor, id)?.profile,
    setOrders: (id, orders) => monitor.setOrders(id, orders),
  })
