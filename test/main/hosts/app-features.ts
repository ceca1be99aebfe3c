import type { gatewayContract } from '../../../app/contract/gateway.ts'
import type { Feature } from '../../../app/contract/ipc.ts'
import type { ordersContract } from '../../../app/contract/orders.ts'
import type { signInContract } from '../../../app/contract/sign-in.ts'
import { alertCommands } from '../../../main/alerts/alerts.ts'
import { type HistoryService, historyCommands } from '../../../main/history/history-service.ts'
import type { AppFeatures } from '../../../main/hosts/window-session.ts'
import { keyCommands } from '../../../main/monitor/commands/keys.ts'
import { quotaCommands } from '../../../main/monitor/commands/quotas.ts'
import { settingsCommands } from '../../../main/monitor/commands/settings.ts'
import { streamCommands } from '../../../main/monitor/commands/streams.ts'
import type { MonitorSurface } from '../../../main/monitor/monitor-surface.ts'
import { MEMORY_PROFILE_STORE } from '../../../main/sign-in/profile-store.ts'
import { ShownTimes } from '../../../main/storage/shown-times.ts'
import { NO_DESKS } from '../desk/no-desks.ts'

const no = () => ({ ok: false, code: 'no', message: 'no' }) as const

/** For tests in which no key is connected by a window. */
const NO_SIGN_INS: Feature<typeof signInContract> = {
  handlers: {
    connect: no,
    startSignIn: no,
    signInAgain: no,
    replaceToken: no,
    correctSecret: no,
    cancelSignIn: no,
  },
  follow: () => () => {},
}

/** The feature of an app whose orders no test changes. */
const NO_ORDER_COMMANDS: Feature<typeof ordersContract> = {
  handlers: {
    allowOrders: no,
    stopOrders: no,
    dismissOrder: no,
    orderJournal: no,
  },
}

/** The feature of an app without a gateway. */
const NO_GATEWAY: Feature<typeof gatewayContract> = {
  handlers: {
    gateway: () => ({ gateway: { state: 'off' }, programs: [], nextPort: 4791 }),
    setGateway: no,
    addProgram: no,
    cutProgram: no,
    pauseProgram: no,
    resumeProgram: no,
  },
}

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
