/** Moments in words, in the person's own time zone. */

const two = (value: number) => String(value).padStart(2, '0')
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const DAY_MS = 86_400_000

/** `14:36:05` */
export function clockText(atMs: number): string {
  const at = new Date(atMs)
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** `14:36` */
export function minuteText(atMs: number): string {
  const at = new Date(atMs)
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

/** `Sat 09:12` */
export function weekdayText(atMs: number): string {
  return `${DAYS[new Date(atMs).getDay()]} ${minuteText(atMs)}`
}

/** `09:12` today, `Sat 09:12` within a week, `2026-03-14 09:12` beyond it. */
export function dayAndMinuteText(atMs: number, nowMs: number): string {
  const at = new Date(atMs)
  if (at.toDateString() === new Date(nowMs).toDateString()) return minuteText(atMs)
  if (Math.abs(atMs - nowMs) < 6 * DAY_MS) return weekdayText(atMs)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${minuteText(atMs)}`
}
