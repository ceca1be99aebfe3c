import { alertCommands } from '../../../main/alerts/alerts.ts'
import { historyCommands } from '../../../main/history/history-commands.ts'
import type { HistoryService } from '../../../main/history/history-service.ts'
import type { AppFeatures } from '../../../main/hosts/window-session.ts'
import { keyCommands } from '../../../main/monitor/commands/keys.ts'
import { quotaCommands } from '../../../main/monitor/commands/quotas.ts'
import { settingsCommands } from '../../../main/monitor/commands/settings.ts'
import { streamCommands } from '../../../main/monitor/commands/streams.ts'
import type { MonitorSurface } from '../../../main/monitor/monitor-surface.ts'
import { MEMORY_PROFILE_STORE } from '../../../main/sign-in/profile-store.ts'
import { ShownTimes } from '../../../main/storage/shown-times.ts'
import { NO_DESKS } from '../desk/no-desks.ts'
import { NO_GATEWAY } from '../gateway/no-gateway.ts'
import { NO_ORDER_COMMANDS } from '../orders/no-order-commands.ts'
import { NO_SIGN_INS } from '../sign-in/no-sign-ins.ts'

const no = () => ({ ok: false, code: 'not-needed', message: 'no' }) as const

/** The features of an app whose keys are only in memory and are added only by the test. */
export const appFeatures = (monitor: MonitorSurface, history: HistoryService): AppFeatures => ({
  quotas: quotaCommands(monitor),
  streams: streamCommands(monitor),
  keys: keyCommands(monitor, {
    ...{ allowUnprotected: no, unlockKeys: no, showDataFolder: no },
    readAgain: () => {},
  }),
  signIn: NO_SIGN_INS,
  settings: settingsCommands(monitor, MEMORY_PROFILE_STORE, new ShownTimes(undefined, 0, () => {})),
  history: historyCommands(history),
  alerts: alertCommands(history.alerts),
  gateway: NO_GATEWAY,
  orders: NO_ORDER_COMMANDS,
  desk: NO_DESKS,
})
