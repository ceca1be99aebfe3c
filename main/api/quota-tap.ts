import type { MonitorEvent } from '../../app/contract/events.ts'
import type { Ledger, Ticket } from '../../app/quota/ledger.ts'
import type { HttpHeaders } from '../../app/service/answer.ts'
import { categoryOf } from '../../app/service/endpoints.ts'
import { type RefusedBy, refusedBy } from '../../app/service/errors.ts'
import { type HeaderReading, readHeaders } from '../../app/service/headers.ts'
import type { RecentHistory } from '../history/recent.ts'
import type { Random } from '../ports/ports.ts'
import type { Timeline } from '../timeline.ts'

export interface QuotaTapDeps {
  readonly ledger: Ledger
  readonly history: RecentHistory
  readonly timeline: Timeline
  readonly random: Random
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
}

export interface Tapped {
  readonly reading: HeaderReading
  readonly refused?: RefusedBy
  /** For a refusal: not before this. Epoch ms. */
  readonly retryAtMs?: number
}

/** service.md 7: the wait when a rate 429 comes without X-RateLimit-Reset. */
const FALLBACK_SECONDS = 60
/** The service rounds too; a request right on the second is refused again. */
const GRACE_MS = 500
const LONGEST_HOLD_MS = 15 * 60_000
/** Use elsewhere is told as an event once, and again only after it was quiet this long. */
const ELSEWHERE_QUIET_MS = 5 * 60_000
const ELSEWHERE_LEAST_PER_SECOND = 0.05

/** Every request of this app and every answer to it pass here: the one place that reads quota headers. */
export class QuotaTap {
  readonly #deps: QuotaTapDeps
  readonly #elsewhereAtMs = new Map<string, number>()

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
   * Not into a held category, and not where the lower bound leaves no whole request: it would be refused.
   */
  notBeforeMs(method: string, pathAndQuery: string): number | undefined {
    const { ledger, timeline } = this.#deps
    const path = pathAndQuery.split('?', 1)[0] ?? pathAndQuery
    const category = ledger.categoryOf(categoryOf(method, path) ?? path)
    const now = timeline.now()
    const row = ledger.view(now).find((quota) => quota.category === category)
    if (row?.blockedUntil !== undefined) return row.blockedUntil
    if (!row || row.source === 'default' || row.low >= 1) return undefined
    return row.windowEndsAt ?? now + (row.period / row.limit) * 1000
  }

  notSent(ticket: Ticket): void {
    this.#deps.ledger.notSent(ticket, this.#deps.timeline.now())
  }

  lost(ticket: Ticket): void {
    this.#deps.ledger.lost(ticket, this.#deps.timeline.now())
  }

  answered(ticket: Ticket, status: number, headers: HttpHeaders, body: string): Tapped {
    const { ledger, history, timeline } = this.#deps
    const now = timeline.now()
    const reading = readHeaders(headers)
    const refused = status === 429 ? refusedBy(headers, body) : undefined
    if (refused === 'concurrency' && !reading.rate) {
      ledger.lost(ticket, now)
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    if (!reading.rate && refused === undefined) {
      // Not surely the throttling layer's answer (a portal's, a proxy's, a 401 before it): it may have counted.
      ledger.lost(ticket, now)
      this.#deps.changed()
      return { reading }
    }
    const { category, elsewhere } = ledger.answered(ticket, reading.rate, now, refused === 'rate')
    if (category !== undefined) {
      const remaining = reading.rate?.remaining
      if (remaining !== undefined) history.observed(category, now, remaining)
      if (elsewhere > 0) this.#sayElsewhere(category, now)
    }
    this.#deps.changed()
    if (refused === undefined) return { reading }
    if (refused === 'concurrency') {
      return { reading, refused, retryAtMs: now + FALLBACK_SECONDS * 1000 }
    }
    return { reading, refused, retryAtMs: this.#hold(category ?? ticket.endpoint, reading, now) }
  }

  /** Closes one category, and no other, for as long as the service asked (service.md 7). */
  #hold(category: string, reading: HeaderReading, now: number): number {
    const { ledger, history, random, event } = this.#deps
    // Requests that were under way together are refused together: that is one refusal, not several in a row.
    const held = ledger.holdOf(category, now)
    const refusals = held?.refusals ?? ledger.refusals(category) + 1
    const askedMs = (reading.rate?.resetSeconds ?? FALLBACK_SECONDS) * 1000
    const growth = reading.rate?.resetSeconds === undefined ? 2 ** Math.min(refusals - 1, 4) : 1
    const jitterMs = refusals > 1 ? random.next() * 1000 * refusals : 0
    const wantedMs = now + Math.min(askedMs * growth + GRACE_MS + jitterMs, LONGEST_HOLD_MS)
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

  #sayElsewhere(category: string, now: number): void {
    const row = this.#deps.ledger.view(now).find((quota) => quota.category === category)
    const perSecond = row?.use?.elsewhere ?? 0
    if (perSecond < ELSEWHERE_LEAST_PER_SECOND) return
    const last = this.#elsewhereAtMs.get(category)
    this.#elsewhereAtMs.set(category, now)
    if (last !== undefined && now - last < ELSEWHERE_QUIET_MS) return
    this.#deps.event({ kind: 'elsewhere', category, perSecond: Math.round(perSecond * 100) / 100 })
  }
}
