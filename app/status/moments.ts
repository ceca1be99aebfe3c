/** Moments in words, in the time zone that the person chose: the computer's own, the exchange's, or UTC. */

export const TIME_ZONES = ['local', 'exchange', 'utc'] as const
export type TimeZone = (typeof TIME_ZONES)[number]

/** What stands beside a clock that is not the computer's own. */
export const ZONE_LABELS: Readonly<Record<TimeZone, string>> = { local: '', exchange: 'ET', utc: 'UTC' }

/** The zone of the exchanges whose quotas are watched: New York's. */
const EXCHANGE_ZONE = 'America/New_York'

let shown: TimeZone = 'local'
let exchange: Intl.DateTimeFormat | undefined

/** Chooses the zone of every text of this module from now on: a preference of the whole window, set once at its start. */
export function showTimesIn(zone: TimeZone): void {
  shown = zone
}

interface Fields {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: string
  readonly hour: number
  readonly minute: number
  readonly second: number
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const DAY_MS = 86_400_000

const two = (value: number) => String(value).padStart(2, '0')

function fieldsOf(atMs: number): Fields {
  const at = new Date(atMs)
  switch (shown) {
    case 'local':
      return {
        year: at.getFullYear(),
        month: at.getMonth() + 1,
        day: at.getDate(),
        weekday: DAYS[at.getDay()] ?? '',
        hour: at.getHours(),
        minute: at.getMinutes(),
        second: at.getSeconds(),
      }
    case 'utc':
      return {
        year: at.getUTCFullYear(),
        month: at.getUTCMonth() + 1,
        day: at.getUTCDate(),
        weekday: DAYS[at.getUTCDay()] ?? '',
        hour: at.getUTCHours(),
        minute: at.getUTCMinutes(),
        second: at.getUTCSeconds(),
      }
    case 'exchange':
      return exchangeFields(at)
  }
}

function exchangeFields(at: Date): Fields {
  exchange ??= new Intl.DateTimeFormat('en-US', {
    timeZone: EXCHANGE_ZONE,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = new Map(exchange.formatToParts(at).map(({ type, value }) => [type, value]))
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    weekday: parts.get('weekday') ?? '',
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
  }
}

/** `14:36:05` */
export function clockText(atMs: number): string {
  const { hour, minute, second } = fieldsOf(atMs)
  return `${two(hour)}:${two(minute)}:${two(second)}`
}

/** `14:36:05`, with its zone where that is not the computer's own: `14:36:05 ET`. */
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
export function dayAndMinuteText(atMs: number, nowMs: number): string {
  const day = dayText(fieldsOf(atMs))
  if (day === dayText(fieldsOf(nowMs))) return minuteText(atMs)
  if (Math.abs(atMs - nowMs) < 6 * DAY_MS) return weekdayText(atMs)
  return `${day} ${minuteText(atMs)}`
}
