/** Lengths of time in words: `41 s`, `14 m 32 s`, `2 h 14 m`, `3 d 4 h`. */

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

/** Two units at most, both always: a countdown that drops a zero would jump in width. */
export function durationWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < MINUTE_SECONDS) return `${whole} s`
  if (whole < HOUR_SECONDS) return pair(whole, MINUTE_SECONDS, 'm', 1, 's')
  if (whole < DAY_SECONDS) return pair(whole, HOUR_SECONDS, 'h', MINUTE_SECONDS, 'm')
  return pair(whole, DAY_SECONDS, 'd', HOUR_SECONDS, 'h')
}

function pair(whole: number, big: number, bigName: string, small: number, smallName: string): string {
  return `${Math.floor(whole / big)} ${bigName} ${Math.floor((whole % big) / small)} ${smallName}`
}

/** Time still to go. Rounded up: "0 s" means that the moment has come. */
export function untilWords(atMs: number, nowMs: number): string {
  return durationWords(Math.ceil((atMs - nowMs) / 1000))
}

/** Time gone by. Rounded down: nothing is older than it is. */
export function sinceWords(atMs: number, nowMs: number): string {
  return durationWords((nowMs - atMs) / 1000)
}

/** One unit, rounded down: `4 m`, for an age whose seconds no longer matter. */
export function coarseSinceWords(atMs: number, nowMs: number): string {
  return durationWords((nowMs - atMs) / 1000)
    .split(' ')
    .slice(0, 2)
    .join(' ')
}

/** A wait short enough that tenths matter: `0.9 s`, `12 s`, then as any duration. Rounded up. */
export function waitWords(milliseconds: number): string {
  const tenths = Math.max(1, Math.ceil(milliseconds / 100))
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : durationWords(Math.ceil(tenths / 10))
}
