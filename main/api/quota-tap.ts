import type { MonitorEvent } from '../../app/contract/events.ts'
import type { RowDetails } from '../../app/contract/quotas.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import type { Ledger, Ticket } from '../../app/quota/ledger.ts'
import { OthersEpisodes, type OthersEvent } from '../../app/quota/others-episodes.ts'
import { isProbablyEmpty } from '../../app/quota/probe-plan.ts'
import { nextRequestAtMs } from '../../app/quota/replenishment.ts'
import { categoryOf } from '../../app/service/categories.ts'
import { type RefusedBy, refusedBy } from '../../app/service/errors.ts'
import type { HeaderReading, Observation } from '../../app/service/headers.ts'
import type { RecentHistory } from '../history/recent.ts'
import type { Timeline } from '../monitor/timeline.ts'
import type { Random } from '../ports/ports.ts'
import { RowLog } from './row-log.ts'

export interface QuotaTapDeps {
  readonly ledger: Ledger
  readonly history: RecentHistory
  readonly timeline: Timeline
  readonly random: Random
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
  /** See ProbeSettings; asked each time, since a person may change it. Off where it is left out. */
  readonly trialAfterStep?: () => boolean
}

export interface Tapped {
  readonly reading: HeaderReading
  readonly refused?: RefusedBy
  /** For a refusal: not before this. Epoch ms. */
  readonly retryAtMs?: number
}

/** The wait after a rate 429 without X-RateLimit-Reset (service 7). */
const FALLBACK_SECONDS = 60
/** The service rounds too; a request right on the second is refused again. */
const GRACE_MS = 500
const LONGEST_HOLD_MS = 15 * 60_000
/** The floor under a Reset that was waited for and refused again; doubled each time. */
const FIRST_FLOOR_MS = 1_000
const MAX_DOUBLINGS = 10
/** How long a request that was hung up on may take to reach the service. */
const ON_ITS_WAY_MS = 2_000

/** Every request of this app and every answer to it pass here: the one place that reads quota headers. */
export class QuotaTap {
  readonly #deps: QuotaTapDeps
  readonly #others = new OthersEpisodes()
  readonly #log = new RowLog()

  constructor(deps: QuotaTapDeps) {
    this.#deps = deps
  }

  sent(method: string, pathAndQuery: string): Ticket {
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
    return this.#deps.ledger.sent(categoryOf(method, path) ?? path, this.#deps.timeline.now())
  }

  /**
   * When a request to this path may go out, epoch ms; `undefined` where that is now.
   *
   * Not into a held category, and not where probably no whole request is left: it would be refused.
   */
  notBeforeMs(method: string, pathAndQuery: string): number | undefined {
    const { ledger, timeline } = this.#deps
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
    const category = ledger.categoryOf(categoryOf(method, path) ?? path)
    const now = timeline.now()
    const row = category === undefined ? undefined : ledger.rowAt(category, now)
    if (row?.blockedUntil !== undefined) return row.blockedUntil
    if (!row || !isProbablyEmpty(row)) return undefined
    return nextRequestAtMs(row, now)
  }

  /** The ids of refused requests and the last headers of a row, for support. */
  detailsOf(category: string): RowDetails {
    return this.#log.detailsOf(category)
  }

  notSent(ticket: Ticket): void {
    this.#deps.ledger.notSent(ticket, this.#deps.timeline.now())
  }

  lost(ticket: Ticket): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now())
  }

  /** Nobody waits for its answer any more, and it may be on its way to the service still. */
  hungUp(ticket: Ticket): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now(), ON_ITS_WAY_MS)
  }

  answered(ticket: Ticket, reading: Observation, body: string): Tapped {
    const { ledger, history, timeline } = this.#deps
    const now = timeline.now()
    const refused = reading.status === 429 ? refusedBy(reading, body) : undefined
    if (refused === 'concurrency' && !reading.rate) {
      this.#note(rowNamed(ticket), reading, refused, now)
      ledger.lost(ticket, now)
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    if (!reading.rate && refused === undefined) {
      this.#note(rowNamed(ticket), reading, refused, now)
      // Not surely the throttling layer's answer (a portal's, a proxy's, a 401 before it): it may have counted.
      ledger.lost(ticket, now)
      this.#deps.changed()
      return { reading }
    }
    if (refused === 'unsaid') {
      const charged = ledger.refusedUnsaid(ticket, now) ?? ticket.endpoint
      this.#note(rowNamed(ticket), reading, refused, now)
      this.#deps.changed()
      return { reading, refused, retryAtMs: this.#hold(charged, reading, refused, now) }
    }
    const { category, elsewhere } = ledger.answered(ticket, reading.rate, now, refused === 'rate')
    this.#note(category ?? rowNamed(ticket), reading, refused, now)
    if (category !== undefined) {
      const remaining = reading.rate?.remaining
      if (remaining !== undefined) history.observed(category, now, remaining)
      if (elsewhere > 0) this.#othersProved(category, now)
    }
    this.#deps.changed()
    if (refused === undefined) return { reading }
    if (refused === 'concurrency') {
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    return { reading, refused, retryAtMs: this.#hold(category ?? ticket.endpoint, reading, refused, now) }
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

  /** Closes one category, and no other, for as long as the service asked (service 7). */
  #hold(category: string, reading: HeaderReading, refused: RefusedBy, now: number): number {
    const { ledger, history, event } = this.#deps
    // Requests that were under way together are refused together: that is one refusal, not several in a row.
    const held = ledger.holdOf(category, now)
    const refusals = held?.refusals ?? ledger.refusals(category) + 1
    const wantedMs = now + Math.min(this.#waitMs(category, reading, refused, refusals), LONGEST_HOLD_MS)
    const untilMs = Math.max(wantedMs, held?.untilMs ?? 0)
    ledger.hold(category, { untilMs, refusals })
    history.rejected(category, now)
    event({
      kind: 'rate-limited',
      category,
      retryAt: Math.round(untilMs),
      ...(reading.requestId !== undefined && { requestId: reading.requestId }),
    })
    return untilMs
  }

  /**
   * Reset and half a second; 60 s where there is none, doubled each time it comes again. A Reset that was waited for and
   * refused again says less each time: a floor grows under it. From the second refusal on chance spreads the programs
   * that wait for the same moment.
   */
  #waitMs(category: string, reading: HeaderReading, refused: RefusedBy, refusals: number): number {
    const { ledger, random, trialAfterStep } = this.#deps
    const again = Math.min(refusals - 1, MAX_DOUBLINGS)
    const resetMs = reading.rate?.resetSeconds === undefined ? undefined : reading.rate.resetSeconds * 1000
    const size = ledger.sizeOf(category)
    const isWorthATrial = refusals === 1 && refused === 'rate' && trialAfterStep?.()
    if (isWorthATrial && size && ledger.isProvedRolling(category)) {
      return Math.min(resetMs ?? FALLBACK_SECONDS * 1000, size.periodMs / size.limit) + GRACE_MS
    }
    const jitterMs = again > 0 ? random.next() * 1000 * refusals : 0
    const askedMs =
      resetMs === undefined
        ? FALLBACK_SECONDS * 1000 * 2 ** again
        : Math.max(resetMs, again > 0 ? FIRST_FLOOR_MS * 2 ** again : 0)
    return askedMs + GRACE_MS + jitterMs
  }

  /** Looks at the rows now and then: use by others ends without an answer that says so. */
  looked(rows: readonly RequestQuota[], nowMs: number): void {
    for (const row of rows) this.#reportOthers(this.#others.looked(row, nowMs))
  }

  #othersProved(category: string, now: number): void {
    const row = this.#deps.ledger.rowAt(category, now)
    if (row) this.#reportOthers(this.#others.proved(row, now))
  }

  #reportOthers(others: OthersEvent | undefined): void {
    if (others === undefined) return
    const { category, sinceMs } = others
    const perSecond = Math.round(others.perSecond * 100) / 100
    if (others.kind === 'started') this.#deps.event({ kind: 'elsewhere', category, perSecond })
    else this.#deps.event({ kind: 'elsewhere-ended', category, perSecond, since: Math.round(sinceMs) })
  }
}

/** A category may have slots only, and then no row of requests; a path that no rule knows names nothing. */
const rowNamed = ({ category, endpoint }: Ticket): string | undefined =>
  category ?? (endpoint.startsWith('/') ? undefined : endpoint)
