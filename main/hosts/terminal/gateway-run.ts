import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { ControlServerDeps } from '../../control/control-server.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { GivenProgram } from '../../gateway/given-programs.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Orders } from '../../orders/orders.ts'
import { categoryNumbers } from './category-flags.ts'
import { numberFlag, type ParsedFlag } from './flag-values.ts'

export interface GatewayRun {
  /** 0 means any free port. */
  readonly port: number
  /** Requests reserved for more urgent classes, by category. */
  readonly reserve: Readonly<Record<string, number>>
  /** The programs of `HEADROOM_GATEWAY_KEYS`. */
  readonly given: readonly GivenProgram[]
}

export type GatewayMonitor = Pick<
  MonitorSurface,
  'profiles' | 'keyMark' | 'withProfile' | 'subscribe' | 'snapshot' | 'attachOrders'
>

/** The gateway of a run, and its orders. */
export interface ServedGateway {
  readonly gateway: Pick<Gateway, 'start' | 'stop' | 'summary'> & NonNullable<ControlServerDeps['gateway']>
  readonly orders: NonNullable<ControlServerDeps['orders']> & Pick<Orders, 'stop'>
}

/** Where a gateway stores its programs and orders. */
export interface GatewayHome {
  readonly dataFolder: string
  readonly isGone: (profile: string) => boolean
  readonly keysFor: (purpose: string) => readonly Uint8Array[]
}

/** Creates a run's gateway, which does not serve yet. Without a `home`, its programs are only in memory. */
export type CreateGateway = (
  run: GatewayRun,
  monitor: GatewayMonitor,
  home: GatewayHome | undefined,
) => ServedGateway

const MAX_RESERVE = 10_000
const requests = numberFlag({ atLeast: 0, atMost: MAX_RESERVE, unit: 'requests' })

/** Parses `--reserve 'Positions=20'`: reserved requests per category. */
export const reserveFlag = (text: string): ParsedFlag<Readonly<Record<string, number>>> =>
  categoryNumbers(
    text,
    CURRENT_REQUEST_QUOTAS.map(({ category }) => category),
    requests,
  )
