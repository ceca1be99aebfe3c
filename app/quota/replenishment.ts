import type { RequestQuota } from '../contract/snapshot.ts'

/** Resolution of the service's clock. Milliseconds. */
export const CLOCK_STEP_MS = 1
/** Requests by which two bounds may miss each other without proving anything: services round their clocks. */
export const TOLERANCE = 0.05

const ROUNDING_SECONDS = 1

/**
 * Whether a rolling interval can show this Reset beside this Remaining.
 *
 * Rolling: Reset is the time to full, `ceil((limit − level) × period / limit)` with `floor(level)` = Remaining
 * (service 2.2, 8.3.2). `lastedSeconds` is how long the request was under way: jitter is no evidence.
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

/**
 * The levels that a header of a rolling interval leaves possible at its own moment: Remaining rounds the level
 * down, and Reset narrows the fraction where a request takes longer than a second.
 */
export function rollingShows(
  limit: number,
  periodSeconds: number,
  remaining: number,
  resetSeconds: number | undefined,
): { readonly least: number; readonly most: number } {
  const most = Math.min(limit, remaining + 1)
  if (resetSeconds === undefined) return { least: remaining, most }
  const perSecond = limit / periodSeconds
  const fromReset = {
    least: limit - resetSeconds * perSecond,
    most: limit - (resetSeconds - ROUNDING_SECONDS) * perSecond,
  }
  if (fromReset.least > most + TOLERANCE || fromReset.most < remaining - TOLERANCE) {
    return { least: remaining, most }
  }
  const least = Math.min(most, Math.max(remaining, fromReset.least))
  return { least, most: Math.max(least, Math.min(most, fromReset.most)) }
}

/** Requests per second that come back on a rolling interval: `limit / period` (service 8.3.2). */
export function replenishedPerSecond(limit: number, periodSeconds: number): number {
  return limit / periodSeconds
}

/**
 * When a bucket whose lower bound holds no whole request has one again, epoch ms, always after `nowMs`.
 *
 * The window after a fixed one lasts a period at most (service 8.3.5). `undefined` after its end: only a request can tell.
 */
export function nextRequestAtMs(
  { model, limit, period, windowEndsAt }: Pick<RequestQuota, 'model' | 'limit' | 'period' | 'windowEndsAt'>,
  nowMs: number,
): number | undefined {
  const periodMs = period * 1000
  if (model === 'rolling' || windowEndsAt === undefined) return nowMs + periodMs / limit
  return [windowEndsAt, windowEndsAt + periodMs].find((atMs) => atMs > nowMs)
}
