import type { RequestQuota } from '../contract/snapshot.ts'

/** A header older than this no longer passes for the present. */
export const STALE_AFTER_MS = 120_000

/** Whether what is shown of a row grew from a header too old to pass for the present at `nowMs`, epoch ms. */
export function isStale(
  quota: Pick<RequestQuota, 'source' | 'observedAt' | 'verdict'>,
  nowMs: number,
): boolean {
  if (quota.source === 'default' || quota.observedAt === undefined) return false
  // A hold is a fact until it ends, however old the header that told of it.
  return quota.verdict !== 'blocked' && nowMs - quota.observedAt > STALE_AFTER_MS
}
