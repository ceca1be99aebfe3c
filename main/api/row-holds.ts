import type { BeforeRefusal, KeyReport } from '../../app/contract/events.ts'
import type { RecentHistory } from '../../app/history/recent.ts'
import type { Ledger } from '../../app/quota/ledger.ts'
import type { HeaderReading } from '../../app/service/headers.ts'
import { usesWholeRefill } from '../../app/status/quota-status.ts'
import type { Random } from '../ports/ports.ts'

export interface RateRefusal {
  readonly reading: HeaderReading
  readonly before: BeforeRefusal | undefined
}

/** The wait after a rate-limit 429 without X-RateLimit-Reset (service 7), in seconds. */
export const FALLBACK_SECONDS = 60
/**
 * Added to each wait, in milliseconds. The service rounds its times, so a request that is sent exactly at
 * Reset might get a 429.
 */
const GRACE_MS = 500
const MAX_HOLD_MS = 15 * 60_000
/**
 * Base of the minimum wait after consecutive 429s, in milliseconds. The minimum is 2 s after the second 429
 * and doubles with each further 429.
 */
const FIRST_FLOOR_MS = 1_000
const MAX_DOUBLINGS = 10
interface RowHoldsDeps {
  readonly ledger: Ledger
  readonly history: RecentHistory
  readonly random: Random
  readonly report: (report: KeyReport) => void
}

/** The pauses of rows after rate-limit 429s. */
export class RowHolds {
  readonly #deps: RowHoldsDeps

  constructor(deps: RowHoldsDeps) {
    this.#deps = deps
  }

  /**
   * Pauses only this category for the time that the service requires (service 7). Returns when the pause
   * ends, epoch ms.
   */
  pause(category: string, { reading, before }: RateRefusal, now: number): number {
    const { ledger, history, report } = this.#deps
    // If several requests in flight get 429s together, these count as a single 429.
    const held = ledger.holdOf(category, now)
    const refusals = held?.refusals ?? ledger.refusals(category) + 1
    // Without a Reset, the next try comes only after the full wait (service 7).
    if (reading.rate?.resetSeconds === undefined)
      ledger.postponeTry(category, now + FALLBACK_SECONDS * 1000 + GRACE_MS)
    const nextTryAtMs = ledger.nextTryAtMs(category)
    const wantedMs = now + Math.min(this.#waitMs(reading, refusals), MAX_HOLD_MS)
    // If the quota is empty, a further 429 does not extend the pause, because its request was already in
    // flight or others use the whole refill.
    const isKnown = held !== undefined && reading.rate?.remaining === 0 && nextTryAtMs === undefined
    const untilMs = isKnown ? held.untilMs : Math.max(wantedMs, held?.untilMs ?? 0)
    // The 429 itself may show that others use the whole refill, so read the row again.
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

  /** Pauses a row after another machine's 429, unless the row is already paused for longer. */
  pauseByDesk(category: string, untilMs: number, now: number): void {
    const { ledger } = this.#deps
    const held = ledger.holdOf(category, now)
    if (held !== undefined && held.untilMs >= untilMs) return
    const row = ledger.rowAt(category, now)
    const byOthers = held?.byOthers ?? (row !== undefined && usesWholeRefill(row))
    ledger.hold(category, { untilMs, refusals: held?.refusals ?? ledger.refusals(category) + 1, byOthers })
  }

  /**
   * The wait after a 429, in milliseconds:
   *
   * - With Reset: until Reset. From the second consecutive 429 on, at least a minimum that doubles each time.
   * - Without Reset: `FALLBACK_SECONDS`, doubled after each further 429.
   *
   * `GRACE_MS` is added. From the second 429 on, jitter separates programs that wait for the same time.
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
}
