import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { isStale } from '../../app/quota/stale.ts'
import { coarseSinceText, sinceText, untilText, waitText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import type { Severity } from '../../app/status/severity.ts'

export { isStale, STALE_AFTER_MS } from '../../app/quota/stale.ts'

/** What one row of the capacity table says. Pure: the same quota and moment give the same words. */

/** Below this share of the limit, the row is near its limit. */
export const RESERVE_FRACTION = 0.1

export function rowSeverity(quota: RequestQuota, nowMs: number): Severity {
  if (quota.source === 'default' || isStale(quota, nowMs)) return 'unseen'
  switch (quota.verdict) {
    case 'not-seen':
      return 'unseen'
    case 'idle':
    case 'lasts':
      return 'ok'
    case 'near-limit':
      return 'watch'
    case 'runs-out':
    case 'blocked':
      return 'critical'
  }
}

export function verdictWords(quota: RequestQuota, nowMs: number): string {
  switch (quota.verdict) {
    case 'not-seen':
      return 'not seen'
    case 'idle':
      return 'idle'
    case 'lasts':
      return 'lasts'
    case 'near-limit':
      return 'near limit'
    case 'runs-out':
      return quota.emptyAt === undefined ? 'runs out' : `runs out ${untilText(quota.emptyAt, nowMs)}`
    case 'blocked':
      return quota.blockedUntil === undefined ? 'held' : `held to ${clockText(quota.blockedUntil)}`
  }
}

export function ageWords(quota: RequestQuota, nowMs: number): string {
  if (quota.source === 'default' || quota.observedAt === undefined) return 'default'
  return isStale(quota, nowMs)
    ? `seen ${coarseSinceText(quota.observedAt, nowMs)} ago`
    : sinceText(quota.observedAt, nowMs)
}

/** `~` before a number says that it is a model grown from an old header. */
export function remainingWords(quota: RequestQuota, level: number, nowMs: number): string {
  return `${isStale(quota, nowMs) ? '~' : ''}${Math.floor(level)}`
}

/**
 * How long until one more request can be made.
 *
 * Between snapshots a rolling interval goes on returning one request every `period / limit` seconds
 * (service.md 8.3.2), so the wait starts again where the last one ended.
 */
export function nextWords(quota: RequestQuota, level: number, nowMs: number): string {
  if (quota.source === 'default' || quota.nextAt === undefined || level >= quota.limit) return '—'
  const waitMs = quota.nextAt - nowMs
  if (waitMs >= 0) return waitText(waitMs)
  if (quota.model === 'fixed') return '—'
  const stepMs = (quota.period / quota.limit) * 1000
  return waitText(stepMs - (-waitMs % stepMs))
}

export function fullWords(
  quota: RequestQuota,
  level: number,
  nowMs: number,
  as: 'clock' | 'countdown' = 'clock',
): string {
  if (quota.source === 'default' || level >= quota.limit) return 'full'
  if (quota.fullAt === undefined) return '—'
  if (quota.fullAt <= nowMs) return 'full'
  return as === 'clock' ? clockText(quota.fullAt) : untilText(quota.fullAt, nowMs)
}
