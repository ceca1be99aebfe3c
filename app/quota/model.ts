import type { RequestQuota } from '../contract/snapshot.ts'

/**
 * The modelled level of a quota at `nowMs`, in requests, 0 to `limit`, with its fraction.
 *
 * Pure, so that a window computes what time alone changes without a message. `nowMs` is on the clock of the
 * quota's `asOf`. Rolling: grows by `slope` (service.md 8.3.2, less the use seen elsewhere). Fixed: flat until
 * the window ends, then full (8.3.5).
 */
export function levelAt(
  quota: Pick<RequestQuota, 'model' | 'level' | 'limit' | 'slope' | 'asOf' | 'windowEndsAt'>,
  nowMs: number,
): number {
  const elapsedMs = Math.max(0, nowMs - quota.asOf)
  if (quota.model === 'fixed' && quota.windowEndsAt !== undefined && nowMs >= quota.windowEndsAt) {
    return quota.limit
  }
  const level = quota.level + (quota.slope * elapsedMs) / 1000
  return Math.min(quota.limit, Math.max(0, level))
}

/** Requests per second that come back on a rolling interval: `limit / period` (service.md 8.3.2). */
export function replenishedPerSecond(limit: number, periodSeconds: number): number {
  return limit / periodSeconds
}
