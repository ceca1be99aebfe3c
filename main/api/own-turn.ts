import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import type { RateReading } from '../../app/service/headers.ts'
import type { Tapped } from './quota-tap.ts'

/** What became of a request that took its turn. */
export type OwnOutcome =
  /** An answer, also one of 401. */
  | { readonly kind: 'answer'; readonly rate?: RateReading }
  | { readonly kind: 'rate-limited'; readonly of: 'rate' | 'unsaid'; readonly rate?: RateReading }
  | { readonly kind: 'timeout' | 'not-sent' }

/** Tells what became of an own request. To be called once. */
export type OwnTurn = (outcome: OwnOutcome) => void

/**
 * Waits for the turn of one of Headroom's own checks among the requests of programs. `undefined`: there is no room now.
 */
export type TakeTurn = (method: string, path: string) => Promise<OwnTurn | undefined>

/** Where there is no turn: when to ask again, in epoch milliseconds. */
export interface NoTurn {
  readonly retryAtMs: number
}

/** Waits for the turn of opening a stream among all requests. `isRead`: programs read it. */
export type TakeStreamTurn = (path: string, isRead: boolean) => Promise<OwnTurn | NoTurn>

/** The outcome of a request that was answered. */
export function outcomeOf({ refused, reading: { rate } }: Tapped): OwnOutcome {
  const quota = rate && { rate }
  return refused === 'rate' || refused === 'unsaid'
    ? { kind: 'rate-limited', of: refused, ...quota }
    : { kind: 'answer', ...quota }
}

/** What a gateway that is on adds to a connected key. */
export interface SessionGateway {
  /** Own checks wait for their turn among the requests of programs. */
  readonly takeTurn: TakeTurn
  /** Streams that are opened again wait for theirs. */
  readonly takeStreamTurn: TakeStreamTurn
  /** See `Timeline`. */
  markClockUncertain(fromMs: number, toMs: number): void
  summary(): { readonly gateway: GatewaySummary; readonly programs: readonly ProgramSummary[] }
}
