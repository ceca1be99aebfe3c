import type { Announcer } from '../../alerts/announcer.ts'
import { startControlServer } from '../../control/control-server.ts'
import { socketOf } from '../../control/data-folder-socket.ts'
import { HistoryService } from '../../history/history-service.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Clock, Log } from '../../ports/ports.ts'

export interface WatchHistoryDeps {
  readonly monitor: Pick<MonitorSurface, 'subscribe' | 'profiles' | 'snapshot' | 'events' | 'withProfile'>
  readonly announcer: Announcer
  /** Held by the caller; without one nothing is kept, and no other command can ask. */
  readonly dataFolder: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  /** What is wrong with the history file, once an episode. */
  readonly problem: (sentence: string) => void
}

/** What `watch` remembers and speaks up about; with a data folder it keeps history and can be asked, as the app can. */
export function watchHistory(deps: WatchHistoryDeps): { close(): Promise<void> } {
  const { dataFolder, environment, ...rest } = deps
  const history = new HistoryService({ ...rest, ...(dataFolder !== undefined && { dataFolder }) })
  const control =
    dataFolder === undefined
      ? undefined
      : startControlServer({ ...deps, path: socketOf(dataFolder, environment), userId: process.getuid?.() })
  return {
    close: async () => {
      await (await control)?.close()
      history.close()
    },
  }
}
