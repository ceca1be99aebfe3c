import { randomBytes } from 'node:crypto'
import { Gateway } from '../../gateway/gateway.ts'
import { Programs } from '../../gateway/programs.ts'
import { nodeForwardHttp } from '../../network/forward-http.ts'
import { monitoredOrders } from '../../orders/monitored-orders.ts'
import { nodeClock } from '../../ports/node-clock.ts'
import type { Log } from '../../ports/ports.ts'
import type { Secrets } from '../../ports/redactor.ts'
import type { GatewayMonitor, GatewayRun, ServedGateway } from './gateway-run.ts'

interface GatewayPorts {
  /** The folder of stored programs. Without a folder, programs are only in memory. */
  readonly dataFolder: string | undefined
  /** See `VaultHandle.isGone`. */
  readonly isGone: (profile: string) => boolean
  /** See `Vault.keysFor`. */
  readonly keysFor: (purpose: string) => readonly Uint8Array[]
  readonly log: Log
  readonly secrets: Secrets
  /** Called with one sentence if the stored programs cannot be read. */
  readonly say: (line: string) => void
}

/** Creates the gateway of `headroom gateway`, and its orders. Both use the network of this process. */
export function createGateway(
  { given, reserve }: GatewayRun,
  monitor: GatewayMonitor,
  { dataFolder, isGone, keysFor, log, secrets, say }: GatewayPorts,
): ServedGateway {
  const clock = nodeClock
  const shared = { dataFolder, clock, randomBytes, problem: say }
  const keyMark = (id: string) => monitor.keyMark(id)
  const programs = new Programs({ ...shared, given, keyMark })
  const orders = monitoredOrders({ ...shared, monitor, programs, isGone, keysFor, log })
  const gateway = new Gateway({
    monitor,
    programs,
    orders,
    forward: nodeForwardHttp(process.env),
    clock,
    log,
    secrets,
    userId: process.getuid?.(),
    reserve,
  })
  return { gateway, orders }
}
