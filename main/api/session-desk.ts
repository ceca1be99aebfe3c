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
  /** Records a response from the service. */
  answered(ticket: Ticket, answer: DeskAnswer): void
  /**
   * Records that no response arrived, or only a response without quota headers. `laterMs`: how much longer
   * the service may still count the request, in milliseconds.
   */
  lost(ticket: Ticket, laterMs: number): void
  notSent(ticket: Ticket): void
  /** Records that this machine checked a row. */
  checked(category: string): void
  /** Call this when own streams of a category change, or when a header shows its slots (`reading`). */
  slots(category: string, reading?: ConcurrencyReading): void
  /**
   * How long a header waits before it is applied, in milliseconds. The header may include other members'
   * requests, whose reports must arrive first. 0 without other members.
   */
  readonly judgeAfterMs: number
  /**
   * How long this member waits after a row's check is due, in milliseconds. Meanwhile, another member may
   * check the row.
   */
  yieldMs(category: string): number
  /**
   * The smallest check budget of the other members, as a share of each quota. `undefined` if none of them
   * checks.
   */
  readonly checkBudget: number | undefined
  /** Joins the desk's queue. `undefined` while the desk rejects this machine. */
  readonly queue: JoinQueue | undefined
  /**
   * The part of a category that this machine may use while it works alone. `undefined` if there is no such
   * limit.
   */
  partOf(category: string): DeskPart | undefined
  summary(): DeskSummary
  /** Retries the desk's server now, if it is unreachable. */
  tryNow(): void
  /** The machine that revoked the key. `undefined` if no other member revoked it. */
  readonly revokedBy: string | undefined
}
