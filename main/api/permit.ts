import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import type { JoinQueue } from '../../app/gateway/turns.ts'
import type { RateReading } from '../../app/service/headers.ts'
import type { Tapped } from './quota-tap.ts'

export type OwnOutcome =
  /** A response, including a 401. */
  | { readonly kind: 'answer'; readonly rate?: RateReading }
  | { readonly kind: 'rate-limited'; readonly of: 'rate' | 'unattributed'; readonly rate?: RateReading }
  | { readonly kind: 'timeout' | 'not-sent' }

/** Reports the outcome of an own request. Call this once. */
export type Permit = (outcome: OwnOutcome) => void

/** An own request got no permit. `why` is the reason, as the end of a sentence. */
export interface Declined {
  readonly why: string
}

/**
 * Waits until an own request may be sent. Own requests share a queue with programs' requests.
 *
 * An urgent request precedes programs' requests and may use the reserve. A check does neither.
 */
export type AcquirePermit = (method: string, path: string, isUrgent?: boolean) => Promise<Permit | Declined>

/** No permit was granted. `retryAtMs` is when to try again, in epoch milliseconds. */
export interface NoPermit {
  readonly retryAtMs: number
}

/**
 * Waits until a stream may be opened. Streams share a queue with all other requests. `isRead` means that
 * programs read the stream.
 */
export type AcquireStreamPermit = (path: string, isRead: boolean) => Promise<Permit | NoPermit>

export function outcomeOf({ refused, reading: { rate } }: Tapped): OwnOutcome {
  const quota = rate && { rate }
  return refused === 'rate' || refused === 'unattributed'
    ? { kind: 'rate-limited', of: refused, ...quota }
    : { kind: 'answer', ...quota }
}

/** The functions of a gateway that is on, for one connected key. */
export interface SessionGateway {
  /** Queues Headroom's own checks together with programs' requests. */
  readonly acquirePermit: AcquirePermit
  /** Queues streams before they reopen. */
  readonly acquireStreamPermit: AcquireStreamPermit
  /** Lets the key's desk decide when requests are sent. `undefined` removes the desk. */
  setDesk(join: JoinQueue | undefined): void
  /** See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void
  summary(): { readonly gateway: GatewaySummary; readonly programs: readonly ProgramSummary[] }
}
