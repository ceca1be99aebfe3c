import type { Environment } from '../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../app/service/stream-kinds.ts'

/** One connected key. Everything that may differ between services is a value here, not a constant. */
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
  /** The audience of a sign-in; if absent, the public service's. */
  readonly audience?: string
  /** The age, in minutes, at which a rotating refresh token may be rejected; if absent, 30 (service 8.4). */
  readonly rotationMinutes?: number
  readonly probes: ProbeSettings
  /** The switch for orders through the gateway; absent if no person has allowed them. */
  readonly orders?: OrdersChoice
  /** Whether its token came from `HEADROOM_REFRESH_TOKEN`. If so, no person can sign in again. */
  readonly isGiven?: true
  /** Streams to open as soon as the key has a valid access token. */
  readonly streams: readonly StreamRequest[]
}

/** Whether a person allowed orders, or stopped them again. */
export type OrdersChoice = 'on' | 'stopped'

/** A key's settings for checks. */
export interface ProbeSettings {
  /** Whether checks are on, independently of the other settings; if absent, they are. */
  readonly enabled?: boolean
  /** The share of each quota that checks may spend, 0 to 1. 0 turns them off. */
  readonly budgetFraction: number
  /** Seconds between checks of a category, overriding its budget. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** The symbol for checks of categories that need one; if absent, `DEFAULT_PROBE_SYMBOL`. */
  readonly symbol?: string
  /**
   * After a 429 of a bucket that fills gradually, continue checks at every second interval, so that the row
   * is not hidden until Reset. Other requests wait. According to service 7 all requests should wait, so this
   * is off by default.
   */
  readonly trialAfterStep?: boolean
}

/** Checks take 2 % of each quota, an unnoticeable share for a brokerage key. */
export const DEFAULT_PROBES: ProbeSettings = { budgetFraction: 0.02, everySeconds: {} }

/** Nothing else uses the simulator's quota, so checks can be frequent, for a more informative first start. */
export const SIMULATOR_PROBES: ProbeSettings = { budgetFraction: 0.05, everySeconds: {} }
