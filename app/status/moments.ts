/** Times as text in the selected time zone: the computer's, the exchange's, or UTC. */

import { exchangeOffsetMs } from '../contract/exchange-time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type TimeZone } from '../contract/units.ts'

/** Zone label after a time that is not local. */
export const ZONE_LABELS: Readonly<Record<TimeZone, string>> = { local: '', exchange: 'ET', utc: 'UTC' }

let shown: TimeZone = 'local'

/** Sets the time zone of all times in this module, for the whole process. */
export function showTimesIn(zone: TimeZone): void {
  shown = zone
}

type Fields = ReturnType<typeof fieldsOf>

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const two = (value: number) => String(value).padStart(2, '0')

function fieldsOf(atMs: number) {
  const at = new Date(atMs + aheadOfUtcMs(atMs))
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: DAYS[at.getUTCDay()] ?? '',
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  }
}

/** How far the displayed clock is ahead of UTC, in milliseconds. */
function aheadOfUtcMs(atMs: number): number {
  switch (shown) {
    case 'local':
      return -new Date(atMs).getTimezoneOffset() * MINUTE_MS
    case 'utc':
      return 0
    case 'exchange':
      return exchangeOffsetMs(atMs)
  }
}

/** `14:36:05` */
export function clockText(atMs: number): string {
  const { hour, minute, second } = fieldsOf(atMs)
  return `${two(hour)}:${two(minute)}:${two(second)}`
}

/** `14:36:05`, with the zone if it is not local: `14:36:05 ET`. */
export function zonedClockText(atMs: number): string {
  return `${clockText(atMs)} ${ZONE_LABELS[shown]}`.trimEnd()
}

/** `14:36` */
export function minuteText(atMs: number): string {
  const { hour, minute } = fieldsOf(atMs)
  return `${two(hour)}:${two(minute)}`
}

/** `Sat 09:12` */
export function weekdayText(atMs: number): string {
  return `${fieldsOf(atMs).weekday} ${minuteText(atMs)}`
}

const dayText = ({ year, month, day }: Fields) => `${year}-${two(month)}-${two(day)}`

/** `09:12` today, `Sat 09:12` within a week, `2026-03-14 09:12` beyond it. */
export const dayAndMinuteText = (atMs: number, nowMs: number): string =>
  withDay(minuteText(atMs), atMs, nowMs)

/** As `dayAndMinuteText`, with seconds: `Sat 09:12:05`. */
export const dayAndClockText = (atMs: number, nowMs: number): string => withDay(clockText(atMs), atMs, nowMs)

function withDay(time: string, atMs: number, nowMs: number): string {
  const fields = fieldsOf(atMs)
  const day = dayText(fields)
  if (day === dayText(fieldsOf(nowMs))) return time
  return `${Math.abs(atMs - nowMs) < 6 * DAY_MS ? fields.weekday : day} ${time}`
}

/** Whole seconds since midnight. */
function secondOfDay(atMs: number): number {
  const { hour, minute, second } = fieldsOf(atMs)
  return hour * 3600 + minute * 60 + second
}

/** Minutes since midnight at `atMs`, epoch ms: 0 to 1439. */
export const minuteOfDay = (atMs: number): number => Math.floor(secondOfDay(atMs) / 60)

/** The time, epoch ms, at which the clock shows `hour` o'clock on the day of `nowMs`. */
export function hourOfToday(nowMs: number, hour: number): number {
  const wholeSecondMs = Math.floor(nowMs / 1000) * 1000
  const guessMs = wholeSecondMs + (hour * 3600 - secondOfDay(nowMs)) * 1000
  // If the clocks change on this day, the guess is wrong by the size of the change.
  return guessMs - clockAheadMs(guessMs, hour * HOUR_MS)
}

/**
 * How far the clock is ahead of a time of day at `atMs`, epoch ms. At most half a day, negative if it is
 * behind. `wantedMs`: the time of day since any midnight.
 */
export function clockAheadMs(atMs: number, wantedMs: number): number {
  const aheadMs = (secondOfDay(atMs) * 1000 - wantedMs) % DAY_MS
  return ((aheadMs + DAY_MS * 1.5) % DAY_MS) - DAY_MS / 2
}

/** The midnight before `nowMs`, epoch ms. */
export const startOfToday = (nowMs: number): number => hourOfToday(nowMs, 0)
