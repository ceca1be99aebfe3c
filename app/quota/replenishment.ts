/** When a fixed window ends, as one header shows it: Reset is a whole number of seconds, rounded up. */
export interface FixedWindow {
  readonly endsEarliestMs: number
  readonly endsLatestMs: number
}

const ROUNDING_SECONDS = 1

/**
 * Whether a rolling interval can show this Reset beside this Remaining.
 *
 * Rolling: Reset is the time to full, `ceil((limit − level) × period / limit)` with `floor(level)` = Remaining
 * (service.md 2.2, 8.3.2). `lastedSeconds` is how long the request was under way: jitter is no evidence.
 */
export function rollingAllows(
  limit: number,
  periodSeconds: number,
  remaining: number,
  resetSeconds: number,
  lastedSeconds: number,
): boolean {
  const secondsPerRequest = periodSeconds / limit
  const tolerance = ROUNDING_SECONDS + lastedSeconds
  const most = Math.ceil((limit - remaining) * secondsPerRequest) + tolerance
  const least = Math.floor((limit - Math.min(limit, remaining + 1)) * secondsPerRequest) - tolerance
  return resetSeconds >= least && resetSeconds <= most
}

export function fixedWindowOf(resetSeconds: number, sentAtMs: number, receivedAtMs: number): FixedWindow {
  return {
    endsEarliestMs: sentAtMs + (resetSeconds - ROUNDING_SECONDS) * 1000,
    endsLatestMs: receivedAtMs + resetSeconds * 1000,
  }
}

/** Whether two headers may speak of one fixed window. */
export function sameWindow(a: FixedWindow, b: FixedWindow): boolean {
  return a.endsEarliestMs <= b.endsLatestMs && b.endsEarliestMs <= a.endsLatestMs
}
