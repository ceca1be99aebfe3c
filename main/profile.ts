import type { Environment } from '../app/contract/snapshot.ts'
import type { StreamRequest } from '../app/service/streams.ts'

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
  readonly probes: ProbeSettings
  /** Opened as soon as the key has a valid access token. */
  readonly streams: readonly StreamRequest[]
}

export interface ProbeSettings {
  /** Share of each quota that probes may spend, 0 to 1. 0 turns probing off. */
  readonly budgetFraction: number
  /** Seconds between probes of a category, overriding the budget for it. */
  readonly everySeconds: Readonly<Record<string, number>>
}

/** 2 % of each quota: what a brokerage key can spare without anyone noticing. */
export const DEFAULT_PROBES: ProbeSettings = { budgetFraction: 0.02, everySeconds: {} }

/** The built-in simulator's quota is nobody's: looked at more often, a first start shows more. */
export const SIMULATOR_PROBES: ProbeSettings = { budgetFraction: 0.05, everySeconds: {} }
