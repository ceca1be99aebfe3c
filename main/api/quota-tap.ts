import type { BeforeRefusal, KeyReport } from '../../app/contract/events.ts'
import type { ProgramClass } from '../../app/contract/programs.ts'
import type { RowDetails } from '../../app/contract/quotas.ts'
import type { RequestQuota, RowProblem } from '../../app/contract/snapshot.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import type { DeskAnswer } from '../../app/desk/own-record.ts'
import { levelOf } from '../../app/gateway/bucket-queue.ts'
import type { RecentHistory } from '../../app/history/recent.ts'
import type { Ticket } from '../../app/quota/ledger.ts'
import type { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import { OthersEpisodes } from '../../app/quota/others-episodes.ts'
import { isProbablyBelow } from '../../app/quota/probe-plan.ts'
import { nextRequestAtMs } from '../../app/quota/replenishment.ts'
import { type AnswerProblem, RowProblems } from '../../app/quota/row-problems.ts'
import { shortReport } from '../../app/quota/short-quota.ts'
import { endpointOf, PROBED_CATEGORIES } from '../../app/service/categories.ts'
import { errorMessage, type RefusedBy, refusedBy } from '../../app/service/errors.ts'
import type { HeaderReading, Observation } from '../../app/service/headers.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import type { Timeline } from '../ports/timeline.ts'
import { RecentMoments } from './recent-moments.ts'
import { FALLBACK_SECONDS, RowHolds } from './row-holds.ts'
import { RowLog } from './row-log.ts'
import type { SessionDesk } from './session-desk.ts'

export interface QuotaTapDeps {
  readonly ledger: MeteredLedger
  readonly history: RecentHistory
  readonly timeline: Timeline
  readonly random: Random
  readonly secrets: Pick<Secrets, 'clean'>
  readonly report: (report: KeyReport) => void
  readonly changed: () => void
  readonly clock: Pick<Clock, 'after'>
  /** The key's desk. Absent in a process without desks. */
  readonly desk?: () => SessionDesk | undefined
}

export interface Tapped {
  readonly reading: HeaderReading
  readonly refused?: RefusedBy
  /** The earliest retry after a 429, in epoch milliseconds. Absent for any other status. */
  readonly retryAtMs?: number
}

/** A header's information about its row. `elsewhere`: requests by others since the previous header. */
interface Shown {
  readonly remaining: number | undefined
  readonly elsewhere: number
  readonly isAccepted: boolean
}

/** How long an aborted request can still reach the service, in milliseconds. */
const ON_ITS_WAY_MS = 2_000
/**
 * Time in milliseconds after a header during which members of the desk can still report requests that the
 * header includes. A member that starts or wakes can send requests for up to three seconds before it
 * connects. The other members then request its state.
 */
const REPORTED_WITHIN_MS = 4_000

/** Records every request of this app and its response, with all quota headers. */
export class QuotaTap {
  readonly #deps: QuotaTapDeps
  readonly #others = new OthersEpisodes()
  /** Headers up to this time have been checked for requests by others, epoch ms. Used only on a desk. */
  #reportedUntilMs = 0
  readonly #log = new RowLog()
  readonly #problems = new RowProblems()
  readonly #holds: RowHolds
  /** The times at which own requests were sent, by row. */
  readonly #sent = new Map<string, RecentMoments>()

  constructor(deps: QuotaTapDeps) {
    this.#deps = deps
    this.#holds = new RowHolds(deps)
  }

  sent(method: string, pathAndQuery: string): Ticket {
    const now = this.#deps.timeline.now()
    const ticket = this.#deps.ledger.sent(endpointOf(method, pathAndQuery), now)
    const row = ticket.category
    if (row !== undefined) this.#sentOf(row).add(now)
    this.#desk?.sent(ticket)
    return ticket
  }

  get #desk(): SessionDesk | undefined {
    return this.#deps.desk?.()
  }

  #sentOf(row: string): RecentMoments {
    const known = this.#sent.get(row)
    if (known !== undefined) return known
    const sent = new RecentMoments(MINUTE_MS)
    this.#sent.set(row, sent)
    return sent
  }

  /** A row's state before a 429, for the event about the 429. */
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
   * A request must wait while its category is paused. It must also wait while its quota probably has too
   * little left for the request's class, `as`. Each class leaves a reserve to more urgent classes.
   */
  notBeforeMs(method: string, pathAndQuery: string, as: ProgramClass = 'critical'): number | undefined {
    const { ledger, timeline } = this.#deps
    const category = ledger.categoryOf(endpointOf(method, pathAndQuery))
    const now = timeline.now()
    const row = category === undefined ? undefined : ledger.rowAt(category, now)
    if (row?.blockedUntil !== undefined) return row.blockedUntil
    if (row?.nextTryAt !== undefined) return row.nextTryAt > now ? row.nextTryAt : undefined
    if (!row || !isProbablyBelow(levelOf(as, row.limit), row)) return undefined
    return nextRequestAtMs(row, now)
  }

  /** A row's last headers and the ids of its recent 429s, for a support request. */
  detailsOf(category: string): RowDetails {
    return this.#log.detailsOf(category)
  }

  /** A row's last response, if it had no quota headers. `canRenew` says whether the sign-in host responds. */
  problemOf(category: string, canRenew: boolean): RowProblem | undefined {
    return this.#problems.of(category, canRenew)
  }

  /** Records a new access token. See `RowProblems`. */
  renewed(): void {
    this.#problems.renewed()
  }

  notSent(ticket: Ticket): void {
    this.#deps.ledger.notSent(ticket, this.#deps.timeline.now())
    this.#desk?.notSent(ticket)
  }

  /**
   * Records a request whose outcome is unknown. `laterMs`: how much longer the service may still count the
   * request, in milliseconds.
   */
  lost(ticket: Ticket, laterMs = 0): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now(), laterMs)
    this.#desk?.lost(ticket, laterMs)
  }

  /**
   * Records a response from something other than the service, such as a network's sign-in page. `why` is
   * shown to the person.
   */
  notTheService(ticket: Ticket, status: number, why: string): void {
    const { timeline } = this.#deps
    this.lost(ticket)
    // No event is reported here, because reachability reports one for the whole host.
    const row = rowNamed(ticket)
    if (row !== undefined) this.#problems.strange(row, { status, message: why }, timeline.now())
  }

  /**
   * Records that this app aborted a request before the response arrived. The service may still count the
   * request.
   */
  hungUp(ticket: Ticket): void {
    this.lost(ticket, ON_ITS_WAY_MS)
  }

  answered(ticket: Ticket, reading: Observation, body: string): Tapped {
    const { ledger, timeline } = this.#deps
    const now = timeline.now()
    const refused = reading.status === 429 ? refusedBy(reading, body) : undefined
    // The row is read first, because applying the response changes it.
    const row = refused && ticket.category !== undefined ? ledger.rowAt(ticket.category, now) : undefined
    const refusal = { reading, before: row && this.#before(row, now) }
    if (refused === 'concurrency' && !reading.rate) {
      this.#note(rowNamed(ticket), reading, refused, now)
      this.lost(ticket)
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    if (!reading.rate && refused === undefined) {
      this.#note(rowNamed(ticket), reading, refused, now)
      // The response may come from a proxy, a captive portal or an authentication layer instead of the
      // throttling layer, so the request may or may not have counted.
      this.lost(ticket)
      this.#noNumber(ticket, reading.status, body, now)
      this.#deps.changed()
      return { reading }
    }
    if (refused === 'unattributed') {
      const charged = ledger.rateLimitedUnattributed(ticket, now) ?? ticket.endpoint
      this.#note(rowNamed(ticket), reading, refused, now)
      this.#deps.changed()
      const retryAtMs = this.#holds.pause(charged, refusal, now)
      this.#desk?.answered(ticket, { row: charged, waitMs: retryAtMs - now })
      return { reading, refused, retryAtMs }
    }
    const waitMs = refused === undefined ? (this.#desk?.judgeAfterMs ?? 0) : 0
    if (waitMs > 0) {
      // The header may include requests from other machines that are not reported here yet. Their reports
      // should arrive within `waitMs`, so the header is applied after that time.
      this.#deps.clock.after(waitMs, () => {
        const late = { ...ticket, headerAtMs: now }
        this.#desk?.answered(late, { row: this.#judge(late, reading), rate: reading.rate })
      })
      return { reading }
    }
    const judged = this.#judge(ticket, reading, refused)
    const retryAtMs =
      refused === 'rate' ? this.#holds.pause(judged ?? ticket.endpoint, refusal, now) : undefined
    const answer = {
      row: judged,
      rate: reading.rate,
      ...(retryAtMs !== undefined && { waitMs: retryAtMs - now }),
    }
    this.#desk?.answered(ticket, answer)
    if (refused === undefined) return { reading }
    return { reading, refused, retryAtMs: retryAtMs ?? now + FALLBACK_SECONDS * 1000 }
  }

  /** Applies a response with quota headers. Returns the row that counted the request. */
  #judge(ticket: Ticket, reading: Observation, refused?: RefusedBy): string | undefined {
    const { ledger, timeline } = this.#deps
    const now = timeline.now()
    const { category, elsewhere } = ledger.answered(ticket, reading.rate, now, refused === 'rate')
    this.#note(category ?? rowNamed(ticket), reading, refused, ticket.headerAtMs ?? now)
    const remaining = reading.rate?.remaining
    if (category !== undefined && remaining !== undefined) this.#number(category, ticket)
    this.#shown(category, { remaining, elsewhere, isAccepted: refused === undefined })
    return category
  }

  /**
   * Records the response to another machine's request. Returns the row that counted the request. `waitMs`:
   * how much longer the row waits after a 429.
   */
  answeredByDesk(
    ticket: Ticket,
    { rate, waitMs }: Omit<DeskAnswer, 'row'>,
    from: string,
  ): string | undefined {
    const { ledger, timeline } = this.#deps
    const now = timeline.now()
    const isRejected = waitMs !== undefined
    const isUncounted = isRejected && rate === undefined
    if (isUncounted) ledger.lost(ticket, now)
    const { category, elsewhere } = isUncounted
      ? { category: ticket.category, elsewhere: 0 }
      : ledger.answered(ticket, rate, now, isRejected)
    if (category !== undefined) {
      if (rate) this.#log.heard(category, { rate, from, atMs: ticket.headerAtMs ?? now })
      if (isRejected) this.#holds.pauseByDesk(category, now + waitMs, now)
    }
    this.#shown(category, {
      remaining: rate?.remaining,
      elsewhere,
      isAccepted: rate !== undefined && !isRejected,
    })
    return category
  }

  /** Records a row's level and the requests by others, as a header showed them. */
  #shown(category: string | undefined, { remaining, elsewhere, isAccepted }: Shown): void {
    const { timeline, ledger, history, report } = this.#deps
    const now = timeline.now()
    if (category !== undefined) {
      if (remaining !== undefined) history.observed(category, now, remaining)
      // On a desk, other members may still report these requests as theirs, so `evaluate` checks again later.
      const row = elsewhere > 0 && this.#desk === undefined ? ledger.rowAt(category, now) : undefined
      const others = row && this.#others.proved(row, now)
      if (others) report(others)
    }
    this.#deps.changed()
    // Reports that an earlier 429 is over, unless others use the whole refill.
    if (isAccepted && category !== undefined && ledger.nextTryAtMs(category) === undefined)
      report({ kind: 'rate-limit-over', category })
  }

  /**
   * Records a response without quota headers. The request was rejected or did not reach the throttling layer.
   */
  #noNumber(ticket: Ticket, status: number, body: string, now: number): void {
    const row = rowNamed(ticket)
    const { ledger, secrets, report } = this.#deps
    if (row === undefined || ledger.sizeOf(row) === undefined) return
    const isFine = status >= 200 && status < 300
    // A stream may open without quota headers (service 12), so their absence is not a problem of its row.
    if (isFine && !PROBED_CATEGORIES.includes(row)) return
    const message = isFine ? undefined : errorMessage(body, (text) => secrets.clean(text))
    const refused: AnswerProblem = { status, ...(message !== undefined && { message }) }
    for (const one of this.#problems.refused(row, refused, now)) report(one)
  }

  #number(category: string, ticket: Ticket): void {
    // If the headers name a row other than the request's own, the response counts for both rows.
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

  /** Reports changes that happen without a response, such as a row that runs out. Called periodically. */
  evaluate(rows: readonly RequestQuota[], nowMs: number): void {
    const hasDesk = this.#desk !== undefined
    const fromMs = this.#reportedUntilMs
    const toMs = hasDesk ? nowMs - REPORTED_WITHIN_MS : nowMs
    this.#reportedUntilMs = toMs
    for (const row of rows) {
      const isByOthers = hasDesk && this.#deps.ledger.othersBetween(row.category, fromMs, toMs) > 0
      const proved = isByOthers ? this.#others.proved(row, nowMs) : undefined
      if (proved) this.#deps.report(proved)
      const others = this.#others.evaluate(row, nowMs)
      if (others) this.#deps.report(others)
      // A row that waits after a 429 is reported neither as short nor as recovered.
      if (row.state !== 'blocked') this.#deps.report(shortReport(row))
    }
  }
}

/**
 * The name of a ticket's row. For a category with slots but no request row, `endpoint` holds the name.
 * `undefined` for a path that no rule matches.
 */
const rowNamed = ({ category, endpoint }: Ticket): string | undefined =>
  category ?? (endpoint.startsWith('/') ? undefined : endpoint)
