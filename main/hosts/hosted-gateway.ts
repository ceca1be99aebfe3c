import { Gateway, type GatewayDeps } from '../gateway/gateway.ts'
import type { GivenProgram } from '../gateway/given-programs.ts'
import { Programs } from '../gateway/programs.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import { type MonitoredOrdersDeps, monitoredOrders } from '../orders/monitored-orders.ts'

interface HostedGatewayDeps
  extends Omit<MonitoredOrdersDeps, 'monitor' | 'programs'>,
    Pick<GatewayDeps, 'forward' | 'secrets' | 'reserve'> {
  readonly monitor: MonitorSurface
  /** Programs for this run of the app only, with keys that a person chose. */
  readonly given: readonly GivenProgram[]
}

/** Creates the gateway of a host, which does not serve yet, and its orders. */
export function hostedGateway({ given, ...deps }: HostedGatewayDeps) {
  const programs = new Programs({ ...deps, given, keyMark: (id) => deps.monitor.keyMark(id) })
  const orders = monitoredOrders({ ...deps, programs })
  const gateway = new Gateway({ ...deps, programs, orders, userId: process.getuid?.() })
  return { gateway, orders }
}

/** The gateway of `headroom gateway`. */
export interface GatewayRun extends Pick<HostedGatewayDeps, 'given'> {
  /** 0 means any free port. */
  readonly port: number
  /** Requests reserved for more urgent classes, by category. */
  readonly reserve: Readonly<Record<string, number>>
}

/** Creates a run's gateway. Without a `home`, its programs and orders are only in memory. */
export type CreateGateway = (
  run: GatewayRun,
  monitor: MonitorSurface,
  home: Pick<HostedGatewayDeps, 'dataFolder' | 'isGone' | 'keysFor'> | undefined,
) => ReturnType<typeof hostedGateway>
