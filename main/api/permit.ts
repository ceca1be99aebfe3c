import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import type { RateReading } from '../../app/service/headers.ts'
import type { Tapped } from './quota-tap.ts'

/** The outcome of an own request for which a permit was acquired. */
export type OwnOutcome =
  /** A response, including a 401. */
  | { readonly kind: 'answer'; readonly rate?: RateReading }
  | { readonly kind: 'rate-limited'; readonly of: 'rate' | 'unattributed'; readonly rate?: RateReading }
  | { readonly kind: 'timeout' | 'not-sent' }

/** Reports the outcome of an own request. Must be called once. */
export type Permit = (outcome: OwnOutcome) => void

/**
 * Waits until one of Headroom's own requests may be sent. It is queued with the requests of programs.
 * Resolves to `undefined` if there is no room now. `isUrgent`: unlike a check, the request is sent before
 * those of programs and may use the reserve.
 */
export type AcquirePermit = (method: string, path: string, isUrgent?: boolean) => Promise<Permit | undefined>

/** No permit was granted: when to try again, in epoch milliseconds. */
export interface NoPermit {
  readonly retryAtMs: number
}

/** Waits until a stream may be opened, queued with all other requests. `isRead`: programs read the stream. */
export type AcquireStreamPermit = (path: string, isRead: boolean) => Promise<Permit | NoPermit>

/** The outcome of a request with a response. */
export function outcomeOf({ refused, reading: { rate } }: Tapped): OwnOutcome {
  const quota = rate && { rate }
  return refused === 'rate' || refused === 'unattributed'
    ? { kind: 'rate-limited', of: refused, ...quota }
    : { kind: 'answer', ...quota }
}

/** What the gateway adds to a connected key while the gateway is on. */
export interface SessionGateway {
  /** Makes own checks queue with programs' requests. */
  readonly acquirePermit: AcquirePermit
  /** Makes streams queue before they reopen. */
  readonly acquireStreamPermit: AcquireStreamPermit
  /** See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void
  summary(): { readonly gateway: GatewaySummary; readonly programs: readonly ProgramSummary[] }
}
