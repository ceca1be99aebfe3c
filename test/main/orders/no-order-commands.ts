import type { Feature } from '../../../app/contract/ipc.ts'
import type { ordersContract } from '../../../app/contract/orders.ts'

const NONE = { ok: false, code: 'orders', message: 'There are no orders here.' } as const

/** The feature of an app whose orders no test changes. */
export const NO_ORDER_COMMANDS: Feature<typeof ordersContract> = {
  handlers: {
    allowOrders: () => NONE,
    stopOrders: () => NONE,
    dismissOrder: () => NONE,
    orderJournal: () => NONE,
  },
}
