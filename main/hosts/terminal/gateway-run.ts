import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { ControlServerDeps } from '../../control/control-server.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { GivenProgram } from '../../gateway/given-programs.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import { categoryNumbers } from './category-flags.ts'
import { numberFlag, type ParsedFlag } from './flag-values.ts'

/** The gateway of a `headroom gateway` run. */
export interface GatewayRun {
  /** 0: any free port. */
  readonly port: number
  /** Requests reserved for more urgent classes, by category. */
  readonly reserve: Readonly<Record<string, number>>
  /** The programs of `HEADROOM_GATEWAY_KEYS`. */
  readonly given: readonly GivenProgram[]
}

/**
 * Creates the gateway of a run, not yet serving. `dataFolder`: where its programs are stored; absent: in
 * memory only.
 */
export type CreateGateway = (
  run: GatewayRun,
  monitor: Pick<MonitorSurface, 'profiles' | 'withProfile' | 'subscribe' | 'snapshot'>,
  dataFolder: string | undefined,
) => Pick<Gateway, 'start' | 'stop' | 'summary'> & ControlServerDeps['gateway']

const MAX_RESERVE = 10_000
const requests = numberFlag({ atLeast: 0, atMost: MAX_RESERVE, unit: 'requests' })

/** Parses `--reserve 'Positions=20'`: reserved requests per category. */
export const reserveFlag = (text: string): ParsedFlag<Readonly<Record<string, number>>> =>
  categoryNumbers(
    text,
    CURRENT_REQUEST_QUOTAS.map(({ category }) => category),
    requests,
  )
