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
  /** The audience of a sign-in; absent: the public service's. */
  readonly audience?: string
  /** The age in minutes from which a rotating refresh token may be rejected; absent: 30 (service 8.4). */
  readonly rotationMinutes?: number
  readonly probes: ProbeSettings
  /** The switch for orders through the gateway; absent: no person has allowed them. */
  readonly orders?: OrdersChoice
  /** Whether its token came from `HEADROOM_REFRESH_TOKEN`, so that no person signs in again. */
  readonly isGiven?: true
  /** Streams to open as soon as the key has a valid access token. */
  readonly streams: readonly StreamRequest[]
}

/** Whether a person allowed orders, or stopped them again. */
export type OrdersChoice = 'on' | 'stopped'

/** A key's settings for checks. */
export interface ProbeSettings {
  /** Whether checks are on, independently of the other settings; absent: on. */
  readonly enabled?: boolean
  /** The share of each quota that checks may spend, 0 to 1. 0 turns them off. */
  readonly budgetFraction: number
  /** Seconds between checks of a category, overriding its budget. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** The symbol for checks of categories that need one; absent: `DEFAULT_PROBE_SYMBOL`. */
  readonly symbol?: string
  /**
   * After a 429 of a bucket that fills gradually, continue checks at every second interval, so that the row
   * is not hidden until Reset. Other requests wait. Service 7 asks all requests to wait, so this is off by
   * default.
   */
  readonly trialAfterStep?: boolean
}

/** Checks take 2 % of each quota, an unnoticeable share for a brokerage key. */
export const DEFAULT_PROBES: ProbeSettings = { budgetFraction: 0.02, everySeconds: {} }

/**
 * The built-in simulator's quota has no other use, so frequent checks make a first start more informative.
 */
export const SIMULATOR_PROBES: ProbeSettings = { budgetFraction: 0.05, everySeconds: {} }
