import { exchangeDayOf, exchangeTimeOf, weekdayOf } from '../contract/exchange-time.ts'
import { DAY_MS } from '../contract/units.ts'

/** The regular session of the exchanges: 09:30 to 16:00 in New York on weekdays. Holidays are ignored. */

const OPEN_MINUTE = 9 * 60 + 30
const CLOSE_MINUTE = 16 * 60

/** Label of the session lines in a chart. */
export const REGULAR_SESSION_TEXT = 'regular session 09:30–16:00 ET'

export interface SessionMoment {
  readonly kind: 'open' | 'close'
  /** Epoch ms. */
  readonly at: number
}

/**
 * Opening and closing times of the regular session from `fromMs` to `toMs`, both included, oldest first.
 * Epoch ms.
 */
export function sessionMoments(fromMs: number, toMs: number): readonly SessionMoment[] {
  const moments: SessionMoment[] = []
  // Starts with the New York day that contains `fromMs`. Times outside the range are left out below.
  for (let dayMs = exchangeDayOf(fromMs); dayMs - DAY_MS <= toMs; dayMs += DAY_MS) {
    const weekday = weekdayOf(dayMs)
    if (weekday === 0 || weekday === 6) continue
    for (const [kind, minute] of [
      ['open', OPEN_MINUTE],
      ['close', CLOSE_MINUTE],
    ] as const) {
      const at = exchangeTimeOf(dayMs, minute)
      if (at >= fromMs && at <= toMs) moments.push({ kind, at })
    }
  }
  return moments
}
