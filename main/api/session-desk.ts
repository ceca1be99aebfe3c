import type { DeskSummary } from '../../app/contract/desk.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import type { ConcurrencyReading, RateReading } from '../../app/service/headers.ts'

/** What a desk adds to a connected key: it passes this machine's requests on to the other members. */
export interface SessionDesk {
  sent(ticket: Ticket): void
  /**
   * The service answered. `row`: the row that counted the request. `waitMs`: how long the row waits after a
   * 429 of the request rate.
   */
  answered(ticket: Ticket, answer: DeskAnswer): void
  /** No answer came, or one without quota headers. `laterMs`: how long the service may still count it. */
  lost(ticket: Ticket, laterMs: number): void
  notSent(ticket: Ticket): void
  /** A row was checked. */
  checked(category: string): void
  /** The number of own streams of a category changed; `reading`: what a header said of its slots. */
  slots(category: string, reading?: ConcurrencyReading): void
  /**
   * How long a header waits before it is judged, in milliseconds, so that requests of other members that it
   * includes arrive first. 0 without other members.
   */
  readonly judgeAfterMs: number
  /** How long this member waits after a row's check is due, in milliseconds: another member checks it. */
  yieldMs(category: string): number
  summary(): DeskSummary
  /** The machine that revoked the key; `undefined` if no other member did. */
  readonly revokedBy: string | undefined
}

/** The answer to a request, as the other members learn it. */
export interface DeskAnswer {
  readonly row: string | undefined
  readonly rate?: RateReading | undefined
  readonly waitMs?: number | undefined
}
