import type { BeforeRefusal, KeyReport } from '../../app/contract/events.ts'
import type { ProgramClass } from '../../app/contract/programs.ts'
import type { RowDetails } from '../../app/contract/quotas.ts'
import type { RequestQuota, RowProblem } from '../../app/contract/snapshot.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { levelOf } from '../../app/gateway/bucket-queue.ts'
import type { RecentHistory } from '../../app/history/recent.ts'
import type { Ledger, Ticket } from '../../app/quota/ledger.ts'
import { OthersEpisodes } from '../../app/quota/others-episodes.ts'
import { isProbablyBelow } from '../../app/quota/probe-plan.ts'
import { nextRequestAtMs } from '../../app/quota/replenishment.ts'
import { type AnswerProblem, RowProblems } from '../../app/quota/row-problems.ts'
import { shortReport } from '../../app/quota/short-quota.ts'
import { categoryOf, PROBED_CATEGORIES } from '../../app/service/categories.ts'
import { errorMessage, type RefusedBy, refusedBy } from '../../app/service/errors.ts'
import type { HeaderReading, Observation } from '../../app/service/headers.ts'
import { usesWholeRefill } from '../../app/status/quota-status.ts'
import type { Random } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import { RecentMoments } from './recent-moments.ts'
import { RowLog } from './row-log.ts'

export interface QuotaTapDeps {
  readonly ledger: Ledger
  readonly history: RecentHistory
  readonly timeline: Timeline
  readonly random: Random
  readonly secrets: Pick<Secrets, 'clean'>
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
}

/** The quota information in one response. */
export interface Tapped {
  readonly reading: HeaderReading
  readonly refused?: RefusedBy
  /** The earliest retry after a 429, in epoch milliseconds. Absent for any other status. */
  readonly retryAtMs?: number
}

/** A 429, and the row's state before it. */
interface Refusal {
  readonly reading: HeaderReading
  readonly before: BeforeRefusal | undefined
}

/** Wait in seconds after a rate-limit 429 without X-RateLimit-Reset (service 7). */
const FALLBACK_SECONDS = 60
/**
 * Added to each wait, in milliseconds. The service rounds its times, so a request exactly at Reset may get a
 * 429.
 */
const GRACE_MS = 500
const MAX_HOLD_MS = 15 * 60_000
/** Minimum wait in milliseconds after a Reset that led to another 429. Doubled each time. */
const FIRST_FLOOR_MS = 1_000
const MAX_DOUBLINGS = 10
/** Time in milliseconds that an aborted request may still take to reach the service. */
const ON_ITS_WAY_MS = 2_000

/** Records every request of this app and its response. All quota headers are read here. */
export class QuotaTap {
  readonly #deps: QuotaTapDeps
  readonly #others = new OthersEpisodes()
  readonly #log = new RowLog()
  readonly #problems = new RowProblems()
  /** Times of own requests, by row. */
  readonly #sent = new Map<string, RecentMoments>()

  constructor(deps: QuotaTapDeps) {
    this.#deps = deps
  }

  sent(method: string, pathAndQuery: string): Ticket {
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
    const now = this.#deps.timeline.now()
    const ticket = this.#deps.ledger.sent(categoryOf(method, path) ?? path, now)
    const row = ticket.category
    if (row !== undefined) this.#sentOf(row).add(now)
    return ticket
  }

  #sentOf(row: string): RecentMoments {
    const known = this.#sent.get(row)
    if (known !== undefined) return known
    const sent = new RecentMoments(MINUTE_MS)
    this.#sent.set(row, sent)
    return sent
  }

  /** A row's state before a 429, for the event. */
  #before(row: RequestQuota, now: number): BeforeRefusal | undefined {
    if (row.source === 'default') return undefined
    const { limit, low, high, use } = row
    const minuteOf = (perSecond: number) => Math.round(perSecond * 60)
    return {
      limit,
      low,
      high,
      own: this.#sentOf(row.category).count(now),
      ...(use && {
        othersLow: minuteOf(use.elsewhereLow ?? use.elsewhere),
        othersHigh: minuteOf(use.elsewhereHigh ?? use.elsewhere),
      }),
    }
  }

  /**
   * The earliest time for a request to this path, in epoch milliseconds. `undefined` if it may be sent now.
   *
   * The request must wait while the category is paused or probably has less than one request left. `as` is
   * the class of the request, which leaves the reserve to more urgent classes.
   */
  notBeforeMs(method: string, pathAndQuery: string, as: ProgramClass = 'critical'): number | undefined {
    const { ledger, timeline } = this.#deps
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
    const category = ledger.categoryOf(categoryOf(method, path) ?? path)
    const now = timeline.now()
    const row = category === undefined ? undefined : ledger.rowAt(category, now)
    if (row?.blockedUntil !== undefined) return row.blockedUntil
    if (row?.nextTryAt !== undefined) return row.nextTryAt > now ? row.nextTryAt : undefined
    if (!row || !isProbablyBelow(levelOf(as, row.limit), row)) return undefined
    return nextRequestAtMs(row, now)
  }

  /** Ids of recent 429s, and the last headers of a row, for a support request. */
  detailsOf(category: string): RowDetails {
    return this.#log.detailsOf(category)
  }

  /**
   * The last response of a row, if it had no quota headers. `canRenew` says whether the sign-in host
   * responds.
   */
  problemOf(category: string, canRenew: boolean): RowProblem | undefined {
    return this.#problems.of(category, canRenew)
  }

  /** Records a new access token. See `RowProblems`. */
  renewed(): void {
    this.#problems.renewed()
  }

  notSent(ticket: Ticket): void {
    this.#deps.ledger.notSent(ticket, this.#deps.timeline.now())
  }

  lost(ticket: Ticket): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now())
  }

  /**
   * Records a response from something other than the service, such as a network's sign-in page. `why` is
   * shown to the person.
   */
  notTheService(ticket: Ticket, status: number, why: string): void {
    const { ledger, timeline } = this.#deps
    ledger.lost(ticket, timeline.now())
    // Reachability reports the problem once for the whole host.
    const row = rowNamed(ticket)
    if (row !== undefined) this.#problems.strange(row, { status, message: why }, timeline.now())
  }

  /**
   * Records a request that was aborted before its response. The request may still reach the service and
   * count.
   */
  hungUp(ticket: Ticket): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now(), ON_ITS_WAY_MS)
  }

  answered(ticket: Ticket, reading: Observation, body: string): Tapped {
    const { ledger, history, timeline } = this.#deps
    const now = timeline.now()
    const refused = reading.status === 429 ? refusedBy(reading, body) : undefined
    // The row must be read before the response is applied.
    const row = refused && ticket.category !== undefined ? ledger.rowAt(ticket.category, now) : undefined
    const refusal = { reading, before: row && this.#before(row, now) }
    if (refused === 'concurrency' && !reading.rate) {
      this.#note(rowNamed(ticket), reading, refused, now)
      ledger.lost(ticket, now)
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    if (!reading.rate && refused === undefined) {
      this.#note(rowNamed(ticket), reading, refused, now)
      // The response may come from a proxy, a captive portal or an authentication layer. Whether the
      // throttling layer counted the request is unknown.
      ledger.lost(ticket, now)
      this.#noNumber(ticket, reading.status, body, now)
      this.#deps.changed()
      return { reading }
    }
    if (refused === 'unattributed') {
      const charged = ledger.rateLimitedUnattributed(ticket, now) ?? ticket.endpoint
      this.#note(rowNamed(ticket), reading, refused, now)
      this.#deps.changed()
      return { reading, refused, retryAtMs: this.#hold(charged, refusal, now) }
    }
    const { category, elsewhere } = ledger.answered(ticket, reading.rate, now, refused === 'rate')
    this.#note(category ?? rowNamed(ticket), reading, refused, now)
    if (category !== undefined) {
      const remaining = reading.rate?.remaining
      if (remaining !== undefined) {
        history.observed(category, now, remaining)
        this.#number(category, ticket)
      }
      if (elsewhere > 0) this.#othersProved(category, now)
    }
    this.#deps.changed()
    if (refused === undefined) {
      if (category !== undefined) this.#accepted(category)
      return { reading }
    }
    if (refused === 'concurrency') {
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    return {
      reading,
      refused,
      retryAtMs: this.#hold(category ?? ticket.endpoint, refusal, now),
    }
  }

  /**
   * Records a response without quota headers. The request was rejected or did not reach the throttling layer.
   */
  #noNumber(ticket: Ticket, status: number, body: string, now: number): void {
    const row = rowNamed(ticket)
    const { ledger, secrets, report } = this.#deps
    if (row === undefined || ledger.sizeOf(row) === undefined) return
    const isFine = status >= 200 && status < 300
    // A stream may open without quota headers (service 12).
    if (isFine && !PROBED_CATEGORIES.includes(row)) return
    const message = isFine ? undefined : errorMessage(body, (text) => secrets.clean(text))
    const refused: AnswerProblem = { status, ...(message !== undefined && { message }) }
    for (const one of this.#problems.refused(row, refused, now)) report(one)
  }

  #number(category: string, ticket: Ticket): void {
    // The headers may be those of another row than the request's.
    for (const row of new Set([category, rowNamed(ticket)])) {
      if (row === undefined) continue
      for (const one of this.#problems.answered(row, this.#deps.timeline.now())) this.#deps.report(one)
    }
  }

  #note(
    category: string | undefined,
    reading: Observation,
    refused: RefusedBy | undefined,
    now: number,
  ): void {
    if (category === undefined) return
    this.#log.answered(category, reading.headers, reading.oddities, now)
    if (refused !== undefined) this.#log.refused(category, reading.requestId, now)
  }

  /**
   * Pauses only this category for the time that the service requires (service 7). Returns the end in epoch
   * milliseconds.
   */
  #hold(category: string, { reading, before }: Refusal, now: number): number {
    const { ledger, history, report } = this.#deps
    // Several requests in flight may get 429s together. These count as one 429.
    const held = ledger.holdOf(category, now)
    const refusals = held?.refusals ?? ledger.refusals(category) + 1
    // After a 429 without a Reset, the next attempt waits the full time (service 7).
    if (reading.rate?.resetSeconds === undefined)
      ledger.postponeTry(category, now + FALLBACK_SECONDS * 1000 + GRACE_MS)
    const nextTryAtMs = ledger.nextTryAtMs(category)
    const wantedMs = now + Math.min(this.#waitMs(reading, refusals), MAX_HOLD_MS)
    // A further 429 of an empty quota does not extend the pause, because its request was already in flight.
    const isKnown = held !== undefined && reading.rate?.remaining === 0 && nextTryAtMs === undefined
    const untilMs = isKnown ? held.untilMs : Math.max(wantedMs, held?.untilMs ?? 0)
    // The 429 may show that others use the whole refill, so the row is read again.
    const row = ledger.rowAt(category, now)
    const byOthers = held?.byOthers ?? (row !== undefined && usesWholeRefill(row))
    ledger.hold(category, { untilMs, refusals, byOthers })
    const retryAtMs = nextTryAtMs ?? untilMs
    history.rejected(category, now)
    report({
      kind: 'rate-limited',
      category,
      retryAt: Math.round(retryAtMs),
      ...(nextTryAtMs !== undefined && { nextTryAt: Math.round(nextTryAtMs) }),
      ...(reading.requestId !== undefined && { requestId: reading.requestId }),
      ...(before && { before }),
    })
    return retryAtMs
  }

  /** Records a response other than a 429. Earlier 429s are over unless others still use the whole refill. */
  #accepted(category: string): void {
    if (this.#deps.ledger.nextTryAtMs(category) !== undefined) return
    this.#deps.report({ kind: 'rate-limit-over', category })
  }

  /**
   * The wait after a 429, in milliseconds. Without Reset, `FALLBACK_SECONDS` apply and double with each
   * further 429.
   *
   * A Reset that led to another 429 is less trustworthy, so a growing minimum applies. From the second 429
   * on, jitter separates programs that wait for the same moment.
   */
  #waitMs(reading: HeaderReading, refusals: number): number {
    const { random } = this.#deps
    const again = Math.min(refusals - 1, MAX_DOUBLINGS)
    const resetMs = reading.rate?.resetSeconds === undefined ? undefined : reading.rate.resetSeconds * 1000
    const jitterMs = again > 0 ? random.next() * 1000 * refusals : 0
    const askedMs =
      resetMs === undefined
        ? FALLBACK_SECONDS * 1000 * 2 ** again
        : Math.max(resetMs, again > 0 ? FIRST_FLOOR_MS * 2 ** again : 0)
    return askedMs + GRACE_MS + jitterMs
  }

  /**
   * Evaluates the rows. Call this periodically: others' use may end and a row may run out without a response.
   */
  evaluate(rows: readonly RequestQuota[], nowMs: number): void {
    for (const row of rows) {
      const others = this.#others.evaluate(row, nowMs)
      if (others) this.#deps.report(others)
      // While a 429 lasts, a row that is short stays short.
      if (row.state !== 'blocked') this.#deps.report(shortReport(row))
    }
  }

  #othersProved(category: string, now: number): void {
    const row = this.#deps.ledger.rowAt(category, now)
    const others = row && this.#others.proved(row, now)
    if (others) this.#deps.report(others)
  }
}

/**
 * The name of a ticket's row. A category with slots but no request row has its own name. `undefined` for a
 * path that no rule matches.
 */
const rowNamed = ({ category, endpoint }: Ticket): string | undefined =>
  category ?? (endpoint.startsWith('/') ? undefined : endpoint)
