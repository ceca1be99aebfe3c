import type { DeskSummary } from '../../app/contract/desk.ts'
import type { DeskAnswer } from '../../app/desk/own-record.ts'
import type { JoinQueue } from '../../app/gateway/turns.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import type { DeskPart } from '../../app/quota/safe-pace.ts'
import type { ConcurrencyReading } from '../../app/service/headers.ts'

/**
 * The part of a desk that serves one connected key. It reports this machine's requests to the other members.
 */
export interface SessionDesk {
  sent(ticket: Ticket): void
  /** Records an answer of the service. */
  answered(ticket: Ticket, answer: DeskAnswer): void
  /**
   * Records that no answer arrived, or an answer without quota headers. `laterMs`: how much longer the
   * service may still count the request, in milliseconds.
   */
  lost(ticket: Ticket, laterMs: number): void
  notSent(ticket: Ticket): void
  /** Records that this machine checked a row. */
  checked(category: string): void
  /** Records the number of own streams of a category. `reading`: the slots in a header, if there was one. */
  slots(category: string, reading?: ConcurrencyReading): void
  /**
   * How long a header waits before it is applied, in milliseconds. The header may include requests of other
   * members, and these requests must be known first. 0 without other members.
   */
  readonly judgeAfterMs: number
  /**
   * How long this member waits after a row's check is due, in milliseconds. Meanwhile, another member may
   * check the row.
   */
  yieldMs(category: string): number
  /** Smallest share of each quota that another member's checks may use. `undefined` if no other checks. */
  readonly checkBudget: number | undefined
  /** Takes part in the desk's queue. `undefined` while this machine is refused. */
  readonly queue: JoinQueue | undefined
  /** This machine's part of a category. `undefined` unless it works alone. */
  partOf(category: string): DeskPart | undefined
  summary(): DeskSummary
  /** Connects to the desk's server now, if it is unreachable. */
  tryNow(): void
  /** The machine that revoked the key. `undefined` if no other member revoked it. */
  readonly revokedBy: string | undefined
}
