import type { MonitorEvent } from '../../app/contract/events.ts'
import type { Environment } from '../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../app/service/stream-kinds.ts'

/** One connected key. Everything that may differ between services is a value here. */
export interface Profile {
  readonly id: string
  readonly name: string
  readonly environment: Environment
  /** Origins, without a trailing slash. https, except on loopback. */
  readonly authUrl: string
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
  /** The audience of a sign-in. Default: the public service's. */
  readonly audience?: string
  /** Age, in minutes, at which a rotating refresh token may be rejected. Default: 30 (service 8.4). */
  readonly rotationMinutes?: number
  readonly probes: ProbeSettings
  /** The switch for orders through the gateway. Absent if no person has allowed them. */
  readonly orders?: OrdersChoice
  /** Whether the token came from `HEADROOM_REFRESH_TOKEN`. If so, a person can't sign in again. */
  readonly isGiven?: true
  /** Streams to open as soon as the key has a valid access token. */
  readonly streams: readonly StreamRequest[]
}

/** Whether a person allowed orders, or stopped them again. */
export type OrdersChoice = 'on' | 'stopped'

/** A key's settings for checks. */
export interface ProbeSettings {
  /** Whether checks are on, independently of the other settings. Default: on. */
  readonly enabled?: boolean
  /** Share of each quota that checks may use, 0 to 1. 0 turns them off. */
  readonly budgetFraction: number
  /** Seconds between checks, by category. Overrides the budget. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** The symbol for checks that need one. Default: `DEFAULT_PROBE_SYMBOL`. */
  readonly symbol?: string
  /**
   * Whether checks continue during the wait after a 429, if the bucket is rolling. One check is then sent
   * every two check intervals, so that the remaining requests are known before Reset. Other requests wait.
   * Off by default, because service 7 says that all requests should wait.
   */
  readonly trialAfterStep?: boolean
}

/** 2 % of each quota, an unnoticeable share for a brokerage key. */
export const DEFAULT_PROBES: ProbeSettings = { budgetFraction: 0.02, everySeconds: {} }

/**
 * No real program needs the simulator's quota, so checks may be frequent. The first start then shows more.
 */
export const SIMULATOR_PROBES: ProbeSettings = { budgetFraction: 0.05, everySeconds: {} }

/** Observations of a key from before it was connected. Times are epoch milliseconds. */
export interface Past {
  /** Header readings, oldest first for each category. */
  readonly headers: readonly {
    readonly category: string
    readonly atMs: number
    readonly remaining: number
    /** Others' requests per second from this reading to the next. Absent for the last reading. */
    readonly elsewhere?: number
  }[]
  /** Events, oldest first. */
  readonly events: readonly { readonly atMs: number; readonly event: MonitorEvent }[]
}
