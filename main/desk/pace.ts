import type { Clock } from '../ports/ports.ts'

/**
 * A token bucket that holds `most` tokens and gains `perSecond`. Each call takes one token, or returns false
 * if the bucket is empty.
 */
export function tokenBucket(
  clock: Pick<Clock, 'monotonicMs'>,
  { most, perSecond }: { readonly most: number; readonly perSecond: number },
): () => boolean {
  let left = most
  let atMs = clock.monotonicMs()
  return () => {
    const nowMs = clock.monotonicMs()
    left = Math.min(most, left + ((nowMs - atMs) / 1_000) * perSecond)
    atMs = nowMs
    if (left < 1) return false
    left -= 1
    return true
  }
}
