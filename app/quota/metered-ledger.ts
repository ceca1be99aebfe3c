import type { RequestQuota } from '../contract/snapshot.ts'
import type { RequestQuotaDefault } from '../service/categories.ts'
import type { RateReading } from '../service/headers.ts'
import { Ledger, type Ticket } from './ledger.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface AdoptedHeader {
  /** Earliest time at which the header's request was sent, and arrival time of the header. Epoch ms. */
  readonly sentAtMs: number
  readonly headerAtMs: number
  readonly since: number
  readonly nowMs: number
}

interface Used {
  own: number
  desk: number
  elsewhere: number
}

/**
 * Requests that headers attributed to others, minus those that the desk's other machines have reported since.
 */
interface ShownOthers {
  requests: number
  readonly headerAtMs: number
}

/**
 * A header may already include a request of the desk's other machines that they have not reported yet. The
 * report arrives at most this much later. Milliseconds.
 */
const LATE_MS = 2_000

/**
 * A ledger that also counts requests per category since the app started: own requests, those of the desk's
 * other machines, and those of others. A rate alone could not answer "what used my quota at 14:20?" later.
 *
 * Own use includes requests that may have counted. A 429 uses no quota and is not included.
 */
export class MeteredLedger extends Ledger {
  /** When counting began, epoch ms. */
  readonly startedAtMs: number
  readonly #used = new Map<string, Used>()
  /** Others' requests shown by the latest headers, by row. */
  readonly #shown = new Map<string, ShownOthers>()

  constructor(defaults: readonly RequestQuotaDefault[], nowMs: number) {
    super(defaults, nowMs)
    this.startedAtMs = nowMs
  }

  override lost(...args: Parameters<Ledger['lost']>): ReturnType<Ledger['lost']> {
    const [ticket] = args
    this.#count(ticket, ticket.category, 0)
    super.lost(...args)
  }

  override answered(...args: Parameters<Ledger['answered']>): ReturnType<Ledger['answered']> {
    const folded = super.answered(...args)
    const [ticket, , nowMs, rejected] = args
    this.#count(rejected ? undefined : ticket, folded.category, folded.elsewhere)
    if (folded.category !== undefined && folded.elsewhere > 0)
      this.#show(folded.category, folded.elsewhere, ticket.headerAtMs ?? nowMs)
    return folded
  }

  /**
   * Records a request of the desk's other machines. A header that came before this record may have attributed
   * the request to others. The count of others' requests then falls by one.
   */
  override sentByDesk(endpoint: string, sentAtMs: number, nowMs: number): Ticket {
    const ticket = super.sentByDesk(endpoint, sentAtMs, nowMs)
    const { category = '' } = ticket
    const [shown, used] = [this.#shown.get(category), this.#used.get(category)]
    const isLate = shown !== undefined && sentAtMs <= shown.headerAtMs && nowMs <= shown.headerAtMs + LATE_MS
    if (isLate && used && shown.requests >= 1) {
      shown.requests -= 1
      used.elsewhere = Math.max(0, used.elsewhere - 1)
    }
    return ticket
  }

  /**
   * Records requests of the desk's other machines that this app learns about late. They were sent after
   * `sinceMs`. Headers may have shown them as requests by others, so the count of others' requests falls.
   */
  missedByDesk(
    category: string,
    requests: number,
    { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
  ): void {
    for (let one = 0; one < requests; one += 1)
      this.answered(super.sentByDesk(category, sinceMs, nowMs), undefined, nowMs, false)
    const used = this.#used.get(category)
    if (used) used.elsewhere = Math.max(0, used.elsewhere - requests)
  }

  /**
   * Subtracts one request of the desk from the totals. It was counted as lost, and is counted again now that
   * its outcome is known.
   */
  foundByDesk(category: string): void {
    const used = this.#used.get(category)
    if (used) used.desk = Math.max(0, used.desk - 1)
  }

  /**
   * Adopts an earlier header that another machine of the desk received. Then charges the requests that the
   * desk made after that header: `header.since` is their number. These requests count in rates, but not in
   * the totals since the start. Returns the row's category.
   */
  adoptHeader(endpoint: string, rate: RateReading, header: AdoptedHeader): string | undefined {
    const { sentAtMs, headerAtMs, since, nowMs } = header
    const ticket = super.sentByDesk(endpoint, sentAtMs, nowMs)
    const { category } = super.answered({ ...ticket, headerAtMs }, rate, nowMs, false)
    if (category === undefined) return undefined
    for (let one = 0; one < since; one += 1)
      super.answered(super.sentByDesk(category, nowMs, nowMs), undefined, nowMs, false)
    return category
  }

  /** This app's own requests since it started, by row. */
  ownCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#used].flatMap(([row, { own }]) => (own > 0 ? [[row, own]] : [])))
  }

  override view(nowMs: number): readonly RequestQuota[] {
    const rows: readonly Writable<RequestQuota>[] = super.view(nowMs)
    for (const row of rows) {
      const used = this.#used.get(row.category)
      if (!used) continue
      const { own, desk } = used
      // `view` returns new objects, so a row can be changed in place.
      row.used = { own, ...(desk > 0 && { desk }), elsewhere: Math.floor(used.elsewhere) }
    }
    return rows
  }

  #show(category: string, elsewhere: number, headerAtMs: number): void {
    const { requests = 0, headerAtMs: lastAtMs = Number.NEGATIVE_INFINITY } = this.#shown.get(category) ?? {}
    const isRecent = headerAtMs <= lastAtMs + LATE_MS
    this.#shown.set(category, { requests: elsewhere + (isRecent ? requests : 0), headerAtMs })
  }

  #count(ticket: Ticket | undefined, category: string | undefined, elsewhere: number): void {
    if (category === undefined || (ticket === undefined && elsewhere === 0)) return
    const used = this.#used.get(category) ?? { own: 0, desk: 0, elsewhere: 0 }
    this.#used.set(category, used)
    if (ticket?.isByDesk === true) used.desk += 1
    else if (ticket !== undefined) used.own += 1
    used.elsewhere += elsewhere
  }
}
