import type { MeteredLedger } from '../quota/metered-ledger.ts'
import type { SentAt } from './member-record.ts'
import { MAX_ROWS, type MemberPicture } from './messages.ts'
import { ageOf } from './own-record.ts'
import type { RowHeaders } from './row-headers.ts'

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
