import { NO_ORDERS } from '../../../app/contract/orders.ts'
import { ordersStatus } from '../../../app/status/orders-status.ts'
import { asked, type GatewayCommandDeps, somethingElse } from './gateway-commands.ts'
import type { OrdersFlags } from './orders-flags.ts'
import { EXIT_FAILURE, EXIT_OK } from './terminal.ts'

/** Prints whether orders may pass, how many passed today, and which outcomes are unknown, for each key. */
export async function orders({ data, json }: OrdersFlags, deps: GatewayCommandDeps): Promise<number> {
  const { terminal } = deps
  const answer = await asked({ do: 'status' }, data, deps)
  if (answer === undefined) return EXIT_FAILURE
  if (!('snapshots' in answer)) return somethingElse(deps)
  for (const { profile, orders: found = NO_ORDERS } of answer.snapshots) {
    if (json === true) terminal.out(JSON.stringify({ v: 1, type: 'orders', profile: profile.id, ...found }))
    else terminal.out(`${profile.name}: ${ordersStatus(found).text}`)
  }
  if (answer.snapshots.length === 0 && json !== true) terminal.out('no key is connected')
  return EXIT_OK
}
