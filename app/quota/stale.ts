import type { RequestQuota } from '../contract/snapshot.ts'

/** Age of a header from which a row is marked as old. Milliseconds. */
export const STALE_AFTER_MS = 120_000

/** Whether a row is marked as old at `nowMs`, epoch ms: its last header is older than two minutes. */
export function isStale(quota: Pick<RequestQuota, 'source' | 'observedAt'>, nowMs: number): boolean {
  if (quota.source === 'default' || quota.observedAt === undefined) return false
  return nowMs - quota.observedAt > STALE_AFTER_MS
}
