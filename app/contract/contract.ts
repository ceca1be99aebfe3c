import { z } from 'zod/mini'
import { alertsContract } from './alerts.ts'
import { deskContract } from './desk.ts'
import { eventsContract } from './events.ts'
import { gatewayContract } from './gateway.ts'
import { historyContract } from './history.ts'
import { keysContract } from './keys.ts'
import { ordersContract } from './orders.ts'
import { quotasContract } from './quotas.ts'
import { settingsContract } from './settings.ts'
import { signInContract } from './sign-in.ts'
import { snapshotContract } from './snapshot.ts'
import { streamsContract } from './streams.ts'
import { updatesContract } from './updates.ts'
import { windowsContract } from './windows.ts'

// Without this setting, zod would try to use 'unsafe-eval', which a window's CSP forbids.
z.config({ jitless: true })

/** All commands and pushes between main and a window. */
export const contract = {
  ...snapshotContract,
  ...eventsContract,
  ...quotasContract,
  ...streamsContract,
  ...keysContract,
  ...signInContract,
  ...settingsContract,
  ...historyContract,
  ...alertsContract,
  ...windowsContract,
  ...updatesContract,
  ...gatewayContract,
  ...ordersContract,
  ...deskContract,
} as const

export type AppContract = typeof contract
