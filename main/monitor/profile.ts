import type { Environment } from '../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../app/service/stream-kinds.ts'

/** One connected key. Everything the service may name differently elsewhere is a value here, not a constant. */
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
  /** What a sign-in asks tokens for, where that is not the public service's. */
  readonly audience?: string
  /** After so long a rotating refresh token may be refused; 30 by default (service 8.4). */
  readonly rotationMinutes?: number
  readonly probes: ProbeSettings
  /** Opened as soon as the key has a valid access token. */
  readonly streams: readonly StreamRequest[]
}

export interface ProbeSettings {
  /** A person may turn probing off without forgetting the rest; on where nothing is said. */
  readonly enabled?: boolean
  /** Share of each quota that probes may spend, 0 to 1. 0 turns probing off. */
  readonly budgetFraction: number
  /** Seconds between probes of a category, overriding the budget for it. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** What is asked for where a category needs a symbol; `DEFAULT_PROBE_SYMBOL` where nothing is said. */
  readonly symbol?: string
  /**
   * After a 429 of a bucket that was seen to fill gradually, one request after a single request has come back, instead
   * of waiting until the bucket is full (service 7 asks for the latter, so this is off unless it is set).
   */
  readonly trialAfterStep?: boolean
}

/** 2 % of each quota: what a brokerage key can spare without anyone noticing. */
export const DEFAULT_PROBES: ProbeSettings = { budgetFraction: 0.02, everySeconds: {} }

/** The built-in simulator's quota is nobody's: looked at more often, a first start shows more. */
export const SIMULATOR_PROBES: ProbeSettings = { budgetFraction: 0.05, everySeconds: {} }
