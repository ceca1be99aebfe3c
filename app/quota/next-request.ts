import type { RequestQuota } from '../contract/snapshot.ts'

/**
 * When a bucket whose lower bound holds no whole request has one again, epoch ms, always after `nowMs`.
 *
 * Of a fixed window that is over nobody says when the one after it ends, but it is no longer than a period
 * (service 8.3.5). Once that has passed too, `undefined`: only a request can tell, and nothing waits for ever.
 */
export function nextRequestAtMs(
  { model, limit, period, windowEndsAt }: Pick<RequestQuota, 'model' | 'limit' | 'period' | 'windowEndsAt'>,
  nowMs: number,
): number | undefined {
  const periodMs = period * 1000
  if (model === 'rolling' || windowEndsAt === undefined) return nowMs + periodMs / limit
  return [windowEndsAt, windowEndsAt + periodMs].find((atMs) => atMs > nowMs)
}
