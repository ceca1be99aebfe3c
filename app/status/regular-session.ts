import { DAY_MS, MINUTE_MS } from '../contract/units.ts'

/** The regular session of the exchanges: 09:30 to 16:00 in New York on weekdays. Ignores holidays. */

const SESSION_ZONE = 'America/New_York'
const OPEN_MINUTE = 9 * 60 + 30
const CLOSE_MINUTE = 16 * 60

/** Label of the session lines in a chart. */
export const REGULAR_SESSION_TEXT = 'regular session 09:30–16:00 ET'

export interface SessionMoment {
  readonly kind: 'open' | 'close'
  /** Epoch ms. */
  readonly at: number
}

let zoned: Intl.DateTimeFormat | undefined

/** New York's offset from UTC at a time, in ms: negative, and an hour more in summer. */
function offsetMs(atMs: number): number {
  zoned ??= new Intl.DateTimeFormat('en-US', {
    timeZone: SESSION_ZONE,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const parts = new Map(zoned.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const wallMs = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return wallMs - Math.floor(atMs / MINUTE_MS) * MINUTE_MS
}

/** Weekday of a day that begins at `dayMs`, 0 for Sunday: the epoch began on a Thursday. */
const weekdayOf = (dayMs: number): number => (dayMs / DAY_MS + 4) % 7

/** Opens and closes of the regular session from `fromMs` to `toMs`, both included, oldest first. Epoch ms. */
export function sessionMoments(fromMs: number, toMs: number): readonly SessionMoment[] {
  const moments: SessionMoment[] = []
  // Days are New York's: the first may begin before the range.
  const firstDayMs = Math.floor((fromMs + offsetMs(fromMs)) / DAY_MS) * DAY_MS
  for (let dayMs = firstDayMs; dayMs - DAY_MS <= toMs; dayMs += DAY_MS) {
    const weekday = weekdayOf(dayMs)
    if (weekday === 0 || weekday === 6) continue
    for (const [kind, minute] of [
      ['open', OPEN_MINUTE],
      ['close', CLOSE_MINUTE],
    ] as const) {
      const wallMs = dayMs + minute * MINUTE_MS
      // Clocks change at night, so noon there, about 17:00 UTC, has the offset of the whole session.
      const at = wallMs - offsetMs(dayMs + 17 * 60 * MINUTE_MS)
      if (at >= fromMs && at <= toMs) moments.push({ kind, at })
    }
  }
  return moments
}
