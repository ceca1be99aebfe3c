import type { ProgramClass } from '../../../app/contract/programs.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import type { ProbeFlag, TrafficFlag } from './category-flags.ts'

/** The parsed flags of each command. */

export interface StartFlags {
  readonly host: 'auto' | 'desktop' | 'browser'
  readonly port: number
  readonly open: boolean
  readonly link: boolean
  readonly data?: string
  readonly simulate?: true
  /** The loopback port on which Prometheus metrics are served. */
  readonly metricsPort?: number
  /** The loopback port on which programs are served. */
  readonly gatewayPort?: number
}

export interface ProgramFlags {
  readonly data?: string
  readonly class: ProgramClass
  readonly weight: number
  /** Whether the program may send orders. */
  readonly orders?: true
  /** Maximum number of orders in any minute. */
  readonly maxOrders?: number
  /** The id of the key that the program uses. Absent if it uses the only key. */
  readonly profile?: string
  readonly json?: true
}

export interface ServiceFlags {
  readonly authUrl?: string
  readonly baseUrl?: string
  readonly clientId?: string
}

export interface WatchFlags extends ServiceFlags {
  readonly probe?: ProbeFlag
  /** The symbol for checks of categories that need one. */
  readonly probeSymbol?: string
  readonly trialAfterStep?: true
  readonly stream?: readonly StreamRequest[]
  /**
   * The folder in which the key is stored, sealed under HEADROOM_PASSPHRASE. Without a folder, the key is
   * only in memory.
   */
  readonly data?: string
  /** Duration in seconds. */
  readonly for?: number
  readonly json?: true
  /** Seconds between two snapshots of `json`. */
  readonly every?: number
  readonly events?: true
  readonly changes?: true
  readonly metricsPort?: number
}

export interface GatewayFlags extends WatchFlags {
  readonly port?: number
  /** Requests reserved for more urgent classes, by category. */
  readonly reserve?: Readonly<Record<string, number>>
}

export interface StatusFlags {
  readonly data?: string
  readonly json?: true
}

export interface ExportFlags {
  readonly series?: true
  readonly orders?: true
  readonly data?: string
  readonly profile?: string
  /** Epoch milliseconds. */
  readonly from?: number
  readonly to?: number
  readonly format: 'csv' | 'json' | 'parquet'
  /** A file or a folder. Default: stdout. */
  readonly output?: string
}

export interface PlanFlags {
  readonly json?: true
  /** Whether the exit code says if the plan fits. */
  readonly exitCode?: true
  /** Whether to also replay a day of the plan in virtual time. */
  readonly replay?: true
  /** Length of the recent history from which the plan is made. Milliseconds. */
  readonly fromHistory?: number
  readonly data?: string
  readonly profile?: string
}

export interface RevokeFlags extends ServiceFlags {
  readonly yes?: true
  /** The folder of the key to revoke. Like `profile`, it excludes the flags of a service. */
  readonly data?: string
  readonly profile?: string
}

export interface SimulateFlags {
  readonly port: number
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
  readonly trade?: boolean
  readonly keys: 'default' | 'rotating'
  readonly refreshExpiry: number
  readonly rotationOverlap: number
  readonly absoluteLifetime: number
  readonly accessLifetime: number
  readonly table: 'current' | 'earlier'
  readonly window: 'rolling' | 'fixed'
  readonly errors: 'current' | 'legacy'
  readonly revokeField: 'token' | 'refresh_token' | 'either'
  readonly heartbeat: number
  readonly traffic?: TrafficFlag
  readonly streamRate: number
  readonly fault?: readonly string[]
}
