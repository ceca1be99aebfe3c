/** Durations as text for every surface: `41 s`, `14 min 32 s`, `2 h 14 min`, `3 d 4 h`. */

/** A pushed row older than this counts as not checked, because main has stopped pushing. Milliseconds. */
export const OUTDATED_AFTER_MS = 60_000

/**
 * The time to which a snapshot's data applies, epoch ms: now, or its own time if it is old. An old snapshot
 * contains no later refreshes or frames.
 */
export const pushedMs = ({ at }: { readonly at: number }, nowMs: number): number =>
  nowMs - at > OUTDATED_AFTER_MS ? at : nowMs

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

/**
 * A duration in at most two units. The second unit is shown even if it is 0, so that a countdown keeps its
 * width.
 */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < MINUTE_SECONDS) return `${whole} s`
  if (whole < HOUR_SECONDS) return pair(whole, MINUTE_SECONDS, 'min', 1, 's')
  if (whole < DAY_SECONDS) return pair(whole, HOUR_SECONDS, 'h', MINUTE_SECONDS, 'min')
  return pair(whole, DAY_SECONDS, 'd', HOUR_SECONDS, 'h')
}

function pair(whole: number, big: number, bigName: string, small: number, smallName: string): string {
  return `${Math.floor(whole / big)} ${bigName} ${Math.floor((whole % big) / small)} ${smallName}`
}

/** Remaining time, rounded up: "0 s" means that the time has come. */
export function untilText(atMs: number, nowMs: number): string {
  return durationText(Math.ceil((atMs - nowMs) / 1000))
}

/** Elapsed time, rounded down, so that it is never overstated. */
export function sinceText(atMs: number, nowMs: number): string {
  return durationText((nowMs - atMs) / 1000)
}

/** One unit, rounded down: `4 min`, for an age whose seconds no longer matter. */
export function coarseSinceText(atMs: number, nowMs: number): string {
  return durationText((nowMs - atMs) / 1000)
    .split(' ')
    .slice(0, 2)
    .join(' ')
}

/**
 * Length of a finished action. Below 10 s it is rounded to a tenth: `0.4 s`, `1 s`. From 10 s on it is like
 * any duration, rounded down.
 */
export function lengthText(milliseconds: number): string {
  if (milliseconds >= 10_000) return durationText(milliseconds / 1000)
  const tenths = Math.min(99, Math.round(Math.max(0, milliseconds) / 100))
  return tenths === 0 ? 'under 0.1 s' : `${tenths / 10} s`
}

/** A wait, rounded up. Below 10 s it has tenths: `0.9 s`. From 10 s on it is like any duration: `12 s`. */
export function waitText(milliseconds: number): string {
  const tenths = Math.max(1, Math.ceil(milliseconds / 100))
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : durationText(Math.ceil(tenths / 10))
}

/**
 * Rounds a countdown in steps: to the minute above 5 minutes, to 10 s above one minute, then to the second. A
 * distant estimate must not look exact to the second.
 *
 * `rounding`: `down` if a late time does harm (a quota that runs out), `up` if an early one does (a retry).
 * The result is in whole seconds, 0 or more.
 */
export function countdownSeconds(leftMs: number, rounding: 'down' | 'up'): number {
  const left = Math.max(0, leftMs / 1000)
  const step = left > 5 * MINUTE_SECONDS ? MINUTE_SECONDS : left > MINUTE_SECONDS ? 10 : 1
  return (rounding === 'down' ? Math.floor(left / step) : Math.ceil(left / step)) * step
}

/** `40 s`, `3 min 30 s`, `8 min`: see `countdownSeconds`. */
export function countdownText(leftMs: number, rounding: 'down' | 'up'): string {
  const seconds = countdownSeconds(leftMs, rounding)
  if (seconds <= 5 * MINUTE_SECONDS || seconds >= HOUR_SECONDS) return durationText(seconds)
  return `${seconds / MINUTE_SECONDS} min`
}

/** The text without line breaks inside a duration or a share: `2 min 20 s`, `5 %` stay on one line. */
export const unbroken = (text: string): string =>
  text.replace(/\d(?: (?:d|h|min|s|%)(?![\p{L}\d]))(?: \d+ (?:h|min|s)(?![\p{L}\d]))?/gu, (part) =>
    part.replaceAll(' ', '\u00a0'),
  )
