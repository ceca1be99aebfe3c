import type { MeteredLedger } from '../quota/metered-ledger.ts'
import type { RateReading } from '../service/headers.ts'
import type { SentAt } from './member-record.ts'
import { MAX_ROWS, type MemberPicture } from './messages.ts'
import { ageOf } from './own-record.ts'

/** The newest header of a row, from any member of the desk. Times are epoch ms of this machine. */
export interface RowHeader {
  /** The id of the member that received this header. */
  readonly from: string
  readonly rate: RateReading
  readonly sentAtMs: number
  readonly atMs: number
  /** Number of the whole desk's requests that ended since this header. The header might not count them. */
  since: number
}

/** Members take over a due check one after the other, at this interval. Milliseconds. */
const TURN_MS = 3_000

/**
 * The newest header of each row. Also decides which member checks a row.
 *
 * A check is due some time after the newest header. The member that received this header sends the check. The
 * other members wait a little longer, each for a different time, and take over if no check was sent. All
 * members learn of each check and header, so a row is checked once and within the budget of one machine.
 */
export class RowHeaders {
  readonly #rows = new Map<string, RowHeader>()

  of(row: string): RowHeader | undefined {
    return this.#rows.get(row)
  }

  entries(): IterableIterator<[string, RowHeader]> {
    return this.#rows.entries()
  }

  /** Records a header. A header that is older than the newest one changes nothing. */
  seen(row: string, header: Omit<RowHeader, 'since'>): void {
    const known = this.#rows.get(row)
    if (known !== undefined && known.sentAtMs > header.sentAtMs) return
    this.#rows.set(row, { ...header, since: 0 })
  }

  /**
   * Records that a request of this row ended. The service may have counted it after the row's newest header.
   */
  counted(row: string): void {
    const known = this.#rows.get(row)
    if (known !== undefined) known.since += 1
  }

  /**
   * How many milliseconds the member `self` waits after a check of the row is due. If another member checks
   * the row in this time, `self` does not. `present`: the ids of the members that respond, `self` included.
   */
  yieldMs(row: string, self: string, present: readonly string[]): number {
    const from = this.#rows.get(row)?.from
    if (from === self) return 0
    const turns = present.filter((id) => id !== from).sort()
    const isKept = from !== undefined && present.includes(from)
    return (turns.indexOf(self) + (isKept ? 1 : 0)) * TURN_MS
  }
}

type Rows = MemberPicture['rows']

/** The newest header of each row, for a member that joins. Times are epoch ms of this machine. */
export function pictureRows(headers: RowHeaders, ledger: Pick<MeteredLedger, 'holdOf'>, nowMs: number): Rows {
  return [...headers.entries()].slice(0, MAX_ROWS).map(([endpoint, { rate, sentAtMs, atMs, since }]) => {
    const hold = ledger.holdOf(endpoint, nowMs)
    return {
      endpoint,
      sentAge: ageOf(sentAtMs, nowMs),
      age: ageOf(atMs, nowMs),
      rate,
      since,
      ...(hold && { waitMs: hold.untilMs - nowMs }),
    }
  })
}

/** Adopts those rows of another member's `picture` message that have no header on this machine. */
export function adoptRows(rows: Rows, sentAt: SentAt, { ledger, headers, from, nowMs }: Adopting): void {
  for (const { endpoint, sentAge, age, rate, since, waitMs } of rows) {
    if (ledger.lastHeaderAtMs(endpoint) !== undefined) continue
    const sentAtMs = sentAt.fromMs - sentAge
    const headerAtMs = Math.min(nowMs, sentAt.toMs - age)
    const row = ledger.adoptHeader(endpoint, rate, { sentAtMs, headerAtMs, since, nowMs })
    if (row === undefined) continue
    headers.seen(row, { from, rate, sentAtMs, atMs: headerAtMs })
    for (let one = 0; one < since; one += 1) headers.counted(row)
    if (waitMs !== undefined) ledger.hold(row, { untilMs: nowMs + waitMs, refusals: 1 })
  }
}

interface Adopting {
  readonly ledger: Pick<MeteredLedger, 'lastHeaderAtMs' | 'adoptHeader' | 'hold'>
  readonly headers: RowHeaders
  /** The id of the member that sent the `picture` message. */
  readonly from: string
  readonly nowMs: number
}
