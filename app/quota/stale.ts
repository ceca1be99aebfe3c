import type { RequestQuota } from '../contract/snapshot.ts'

/** A header older than this no longer passes for the present. Milliseconds. */
export const STALE_AFTER_MS = 120_000

/** Whether a row's number grew from a header too old to pass for the present at `nowMs`, epoch ms: then it is marked. */
export function isStale(quota: Pick<RequestQuota, 'source' | 'observedAt'>, nowMs: number): boolean {
  if (quota.source === 'default' || quota.observedAt === undefined) return false
  return nowMs - quota.observedAt > STALE_AFTER_MS
}
