import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import type { TakeStreamTurn, TakeTurn } from '../api/own-turn.ts'

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
