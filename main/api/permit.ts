import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import type { RateReading } from '../../app/service/headers.ts'
import type { Tapped } from './quota-tap.ts'

/** The outcome of a request that took a turn. */
export type OwnOutcome =
  /** A response, including a 401. */
  | { readonly kind: 'answer'; readonly rate?: RateReading }
  | { readonly kind: 'rate-limited'; readonly of: 'rate' | 'unattributed'; readonly rate?: RateReading }
  | { readonly kind: 'timeout' | 'not-sent' }

/** Reports the outcome of an own request. To be called once. */
export type Permit = (outcome: OwnOutcome) => void

/**
 * Waits for the turn of one of Headroom's own requests among those of programs. `undefined`: no room now.
 * `isUrgent`: it goes before them, and may spend the reserve, unlike a check.
 */
export type AcquirePermit = (method: string, path: string, isUrgent?: boolean) => Promise<Permit | undefined>

/** No turn: when to try again, in epoch milliseconds. */
export interface NoPermit {
  readonly retryAtMs: number
}

/** Waits for the turn to open a stream among all requests. `isRead`: programs read it. */
export type AcquireStreamPermit = (path: string, isRead: boolean) => Promise<Permit | NoPermit>

/** The outcome of a request with a response. */
export function outcomeOf({ refused, reading: { rate } }: Tapped): OwnOutcome {
  const quota = rate && { rate }
  return refused === 'rate' || refused === 'unattributed'
    ? { kind: 'rate-limited', of: refused, ...quota }
    : { kind: 'answer', ...quota }
}

/** The gateway's additions to a connected key, while the gateway is on. */
export interface SessionGateway {
  /** Own checks wait for a turn among programs' requests. */
  readonly acquirePermit: AcquirePermit
  /** Streams wait for a turn to reopen. */
  readonly acquireStreamPermit: AcquireStreamPermit
  /** See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void
  summary(): { readonly gateway: GatewaySummary; readonly programs: readonly ProgramSummary[] }
}
