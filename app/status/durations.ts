/** Durations as text: `41 s`, `14 min 32 s`, `2 h 14 min`, `3 d 4 h`. */

/** A pushed row older than this counts as not checked: main must have stopped pushing. Milliseconds. */
export const OUTDATED_AFTER_MS = 60_000

/**
 * The latest time for which a snapshot is valid, epoch ms. For an old snapshot, this is its own time, because
 * it lacks later refreshes and frames.
 */
export const pushedMs = ({ at }: { readonly at: number }, nowMs: number): number =>
  nowMs - at > OUTDATED_AFTER_MS ? at : nowMs

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

/** A duration in at most two units. A second unit of 0 is shown too, so that a countdown keeps its width. */
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

/** Remaining time, rounded up. `0 s` therefore means that the time has come. */
export function untilText(atMs: number, nowMs: number): string {
  return durationText(Math.ceil((atMs - nowMs) / 1000))
}

/** Elapsed time, rounded down and therefore never overstated. */
export function sinceText(atMs: number, nowMs: number): string {
  return durationText((nowMs - atMs) / 1000)
}

/** Elapsed time in one unit, rounded down: `4 min`. For an age whose seconds no longer matter. */
export function coarseSinceText(atMs: number, nowMs: number): string {
  return durationText((nowMs - atMs) / 1000)
    .split(' ')
    .slice(0, 2)
    .join(' ')
}

/**
 * Duration of a finished action. Rounded to a tenth of a second below 10 s: `0.4 s`, `1 s`. Otherwise as in
 * `durationText`.
 */
export function lengthText(milliseconds: number): string {
  if (milliseconds >= 10_000) return durationText(milliseconds / 1000)
  const tenths = Math.min(99, Math.round(Math.max(0, milliseconds) / 100))
  return tenths === 0 ? 'under 0.1 s' : `${tenths / 10} s`
}

/** A wait, rounded up: to a tenth of a second below 10 s, such as `0.9 s`. Otherwise as in `durationText`. */
export function waitText(milliseconds: number): string {
  const tenths = Math.max(1, Math.ceil(milliseconds / 100))
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : durationText(Math.ceil(tenths / 10))
}

/**
 * Rounds a countdown to minutes above 5 minutes, to 10 s above one minute, and otherwise to seconds. A
 * distant estimate must not look exact. The result is 0 or more.
 *
 * `rounding` is `down` for a time that must not be overstated, such as when a quota runs out. It is `up` for
 * a time that must not be understated, such as when to retry.
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

/** Makes the spaces in durations and shares non-breaking, so that `2 min 20 s` or `5 %` stays on one line. */
export const unbroken = (text: string): string =>
  text.replace(/\d(?: (?:d|h|min|s|%)(?![\p{L}\d]))(?: \d+ (?:h|min|s)(?![\p{L}\d]))?/gu, (part) =>
    part.replaceAll(' ', '\u00a0'),
  )
