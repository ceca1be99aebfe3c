import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { GivenProgram } from '../../gateway/given-programs.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { hostedGateway } from '../hosted-gateway.ts'
import { categoryNumbers } from './category-flags.ts'
import { numberFlag, type ParsedFlag } from './flag-values.ts'
import type { WatchVault } from './watch-vault.ts'

export interface GatewayRun {
  /** 0 means any free port. */
  readonly port: number
  /** Requests reserved for more urgent classes, by category. */
  readonly reserve: Readonly<Record<string, number>>
  /** The programs of `HEADROOM_GATEWAY_KEYS`. */
  readonly given: readonly GivenProgram[]
}

/** Creates a run's gateway. Without a `home`, its programs and orders are only in memory. */
export type CreateGateway = (
  run: GatewayRun,
  monitor: MonitorSurface,
  home: Pick<WatchVault, 'dataFolder' | 'isGone' | 'keysFor'> | undefined,
) => ReturnType<typeof hostedGateway>

const MAX_RESERVE = 10_000
const requests = numberFlag({ atLeast: 0, atMost: MAX_RESERVE, unit: 'requests' })

/** Parses `--reserve 'Positions=20'`: reserved requests per category. */
export const reserveFlag = (text: string): ParsedFlag<Readonly<Record<string, number>>> =>
  categoryNumbers(
    text,
    CURRENT_REQUEST_QUOTAS.map(({ category }) => category),
    requests,
  )
