import type { Feature } from '../../../app/contract/ipc.ts'
import type { ordersContract } from '../../../app/contract/orders.ts'
import type { CommandError } from '../../../app/contract/outcome.ts'
import type { OrdersSurface } from '../../../app/orders/ports.ts'
import type { OrderSwitches } from '../../sign-in/order-switches.ts'

export function orderCommands(
  switches: Pick<OrderSwitches, 'allow' | 'stop'>,
  orders?: Pick<OrdersSurface, 'dismiss' | 'entries'>,
): Feature<typeof ordersContract> {
  return {
    handlers: {
      allowOrders: ({ profile, ending }) => switches.allow(profile, ending),
      stopOrders: ({ profile }) => switches.stop(profile),
      dismissOrder: ({ id }) => (orders?.dismiss(id) ? { ok: true } : noneUnknown(id)),
      orderJournal: ({ profile, fromMs, toMs }) => {
        const entries = orders?.entries(fromMs, toMs)?.filter((entry) => entry.profile === profile)
        return entries === undefined ? UNREADABLE : { ok: true, entries }
      },
    },
  }
}

/** The error for an order to dismiss that has no unknown outcome. With the ID `all`, no order has one. */
export const noneUnknown = (id: string): CommandError => ({
  ok: false,
  code: 'not-unknown',
  message:
    id === 'all' ? 'No order has an unknown outcome.' : 'No order with an unknown outcome has this ID.',
})

const UNREADABLE: CommandError = {
  ok: false,
  code: 'no-journal',
  message: 'The journal of orders can’t be read.',
}
