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
 * Requests that a header attributed to others, minus those that the desk's other machines later reported as
 * their own.
 */
interface ShownOthers {
  requests: number
  headerAtMs: number
}

/**
 * Maximum number of entries of each row in `#shown`. Beyond it, the oldest entry is merged with the next one.
 */
const MAX_SHOWN = 64

/**
 * The sending times of own requests are remembered for `ms` milliseconds, at most `most` times for each row.
 */
export const RECENT = { ms: 60_000, most: 500 } as const

/**
 * A header may already include a request that another machine of the desk has not reported to this app yet.
 * That machine's report arrives at most this long after the header. Milliseconds.
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
  /**
   * For each row, the sending times of own requests that counted, epoch ms. In the order in which the
   * requests ended.
   */
  readonly #recent = new Map<string, number[]>()
  /** When this app last left a desk, or else when the app started. Epoch ms. */
  #apartSinceMs: number
  /** For each row, the requests that headers attributed to others. Oldest header first. */
  readonly #shown = new Map<string, ShownOthers[]>()

  constructor(defaults: readonly RequestQuotaDefault[], nowMs: number) {
    super(defaults, nowMs)
    this.startedAtMs = nowMs
    this.#apartSinceMs = nowMs
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
   * Records a request of the desk's other machines. An earlier header may have attributed the request to
   * others. The count of others' requests then falls by one.
   */
  override sentByDesk(endpoint: string, sentAtMs: number, nowMs: number): Ticket {
    const ticket = super.sentByDesk(endpoint, sentAtMs, nowMs)
    this.#explain(ticket.category, sentAtMs, nowMs - LATE_MS)
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
    for (let one = 0; one < requests; one += 1) {
      this.answered(super.sentByDesk(category, sinceMs, nowMs), undefined, nowMs, false)
      this.#explain(category, sinceMs, sinceMs)
    }
  }

  /**
   * Number of requests that headers attributed to others, and that no machine of the desk has since reported
   * as its own. Covers headers after `fromMs`, up to and including `toMs`.
   */
  othersBetween(category: string, fromMs: number, toMs: number): number {
    const shown = this.#shown.get(category) ?? []
    return shown.reduce(
      (sum, { requests, headerAtMs }) => sum + (headerAtMs > fromMs && headerAtMs <= toMs ? requests : 0),
      0,
    )
  }

  /**
   * Subtracts one lost request of the desk from the totals, because its outcome is now known. If the service
   * counted the request, the caller counts it again.
   */
  foundByDesk(category: string): void {
    const used = this.#used.get(category)
    if (used) used.desk = Math.max(0, used.desk - 1)
  }

  /**
   * Adopts an earlier header that another machine of the desk received. Then charges `header.since` requests:
   * those of the desk that ended after that header. The header may already include some of them. They are not
   * added to the totals since the app started. Returns the row's category.
   */
  adoptHeader(endpoint: string, rate: RateReading, header: AdoptedHeader): string | undefined {
    const { sentAtMs, headerAtMs, since, nowMs } = header
    const ticket = super.sentByDesk(endpoint, sentAtMs, nowMs)
    const { category } = super.answered({ ...ticket, headerAtMs }, rate, nowMs, false)
    if (category === undefined) return undefined
    for (let one = 0; one < since; one += 1) super.lost(super.sentByDesk(category, nowMs, nowMs), nowMs)
    return category
  }

  /** This app's own requests since it started, by row. */
  ownCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#used].flatMap(([row, { own }]) => (own > 0 ? [[row, own]] : [])))
  }

  get apartSinceMs(): number {
    return this.#apartSinceMs
  }

  /** Called when this app has left its desk. Clears `#recent`: the other members know these requests. */
  override leftDesk(nowMs: number): void {
    super.leftDesk(nowMs)
    this.#recent.clear()
    this.#apartSinceMs = nowMs
  }

  /**
   * The sending times of own requests in the last minute, by row, epoch ms. Includes only counted requests
   * that were sent after this app last left a desk.
   */
  recentOwn(nowMs: number): Readonly<Record<string, readonly number[]>> {
    const rows = [...this.#recent].map(([row, sentAtMs]) => {
      const recent = sentAtMs.filter((atMs) => atMs > nowMs - RECENT.ms)
      return [row, recent.slice(-RECENT.most)] as const
    })
    return Object.fromEntries(rows.filter(([, recent]) => recent.length > 0))
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

  #show(category: string, requests: number, headerAtMs: number): void {
    const shown = this.#shown.get(category) ?? []
    this.#shown.set(category, shown)
    shown.push({ requests, headerAtMs })
    const [oldest, next] = shown
    if (shown.length <= MAX_SHOWN || oldest === undefined || next === undefined) return
    next.requests += oldest.requests
    shown.shift()
  }

  /**
   * The desk sent a request at `sentAtMs`. If a header may have attributed this request to others, lowers the
   * count of others' requests by one. Headers before `sentAtMs` or `sinceMs` are ignored.
   */
  #explain(category: string | undefined, sentAtMs: number, sinceMs: number): void {
    if (category === undefined) return
    const shown = this.#shown
      .get(category)
      ?.find(({ requests, headerAtMs }) => requests >= 1 && headerAtMs >= Math.max(sentAtMs, sinceMs))
    const used = this.#used.get(category)
    if (shown === undefined || used === undefined) return
    shown.requests -= 1
    used.elsewhere = Math.max(0, used.elsewhere - 1)
  }

  #note(category: string, sentAtMs: number): void {
    if (sentAtMs < this.#apartSinceMs) return
    const recent = this.#recent.get(category) ?? []
    recent.push(sentAtMs)
    this.#recent.set(category, recent.length > 2 * RECENT.most ? recent.slice(-RECENT.most) : recent)
  }

  #count(ticket: Ticket | undefined, category: string | undefined, elsewhere: number): void {
    if (category === undefined || (ticket === undefined && elsewhere === 0)) return
    const used = this.#used.get(category) ?? { own: 0, desk: 0, elsewhere: 0 }
    this.#used.set(category, used)
    if (ticket?.isByDesk === true) used.desk += 1
    else if (ticket !== undefined) {
      used.own += 1
      this.#note(category, ticket.sentAtMs)
    }
    used.elsewhere += elsewhere
  }
}
