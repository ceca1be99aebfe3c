import type { RequestQuota } from '../contract/snapshot.ts'

/** Refill of a rolling interval in requests per second: `limit / period` (service 8.3.2). */
export function replenishedPerSecond(limit: number, periodSeconds: number): number {
  return limit / periodSeconds
}

/** Minimum share of the refill that counts as the whole refill. */
const WHOLE = 0.95

/** Whether `perSecond` is practically the whole refill of a rolling quota. */
export function isWholeRefill(perSecond: number, limit: number, periodSeconds: number): boolean {
  return perSecond >= replenishedPerSecond(limit, periodSeconds) * WHOLE
}

/**
 * Earliest time at which a bucket certainly has one request left, if its lower bound is below one now. Epoch
 * ms, after `nowMs`.
 *
 * In the fixed model, this is `windowEndsAt`, the latest end of the present window. If `windowEndsAt` has
 * passed, the result is one period after it, because a next window must have ended by then (service 8.3.5).
 * If that time has passed too, the result is `undefined`: only a request can show the level.
 */
export function nextRequestAtMs(
  { model, limit, period, windowEndsAt }: Pick<RequestQuota, 'model' | 'limit' | 'period' | 'windowEndsAt'>,
  nowMs: number,
): number | undefined {
  const periodMs = period * 1000
  if (model === 'rolling' || windowEndsAt === undefined) return nowMs + periodMs / limit
  return [windowEndsAt, windowEndsAt + periodMs].find((atMs) => atMs > nowMs)
}
