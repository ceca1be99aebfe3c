import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts'

/** Maximum number of cached offsets, one per hour: about three months. */
const MAX_KNOWN = 2200

let zoned: Intl.DateTimeFormat | undefined
/** Offsets by UTC hour. One per hour is enough, because New York's clocks change on the hour. */
const known = new Map<number, number>()

/** New York's offset from UTC at a time, in ms. Negative, and one hour greater in summer. */
export function exchangeOffsetMs(atMs: number): number {
  const hour = Math.floor(atMs / HOUR_MS)
  const found = known.get(hour) ?? offsetOf(hour * HOUR_MS)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(hour, found)
  return found
}

function offsetOf(hourMs: number): number {
  zoned ??= new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const parts = new Map(zoned.formatToParts(hourMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute')) - hourMs
}

/** The exchange's date at a time, as the UTC midnight of that date. */
export const exchangeDayOf = (atMs: number): number =>
  Math.floor((atMs + exchangeOffsetMs(atMs)) / DAY_MS) * DAY_MS

/** Weekday of an exchange date (`exchangeDayOf`). 0 is Sunday. The epoch began on a Thursday. */
export const weekdayOf = (dayMs: number): number => (dayMs / DAY_MS + 4) % 7

/**
 * The time, epoch ms, at which the exchange's clock shows `minute` on a date. `minute` counts from midnight.
 *
 * The time is ambiguous only at night, when clocks change.
 */
export const exchangeTimeOf = (dayMs: number, minute: number): number => {
  const wallMs = dayMs + minute * MINUTE_MS
  return wallMs - exchangeOffsetMs(wallMs - exchangeOffsetMs(wallMs))
}
