/**
 * The difference between main's clock and the window's, in ms.
 *
 * A message's `at` is taken before it travels, so `at − received` is at most the true difference: of several
 * messages the largest is the best, and one that waited in a frozen tab cannot make old numbers look new. The
 * answer to a question bounds the difference from both sides, and so also corrects a clock that was set.
 */
export interface Skew {
  readonly ms: number
  readonly known: boolean
}

export const UNKNOWN_SKEW: Skew = { ms: 0, known: false }

/** Least correction: half a frame. Less is jitter, and a correction renders everything. */
const SETTLED_MS = 8

export function afterPush(skew: Skew, atMs: number, receivedMs: number): Skew {
  const seenMs = atMs - receivedMs
  return !skew.known || seenMs > skew.ms + SETTLED_MS ? { ms: seenMs, known: true } : skew
}

export function afterAnswer(skew: Skew, atMs: number, askedMs: number, receivedMs: number): Skew {
  const leastMs = atMs - receivedMs
  const mostMs = atMs - askedMs
  const ms = skew.known ? Math.min(Math.max(skew.ms, leastMs), mostMs) : leastMs
  return ms === skew.ms && skew.known ? skew : { ms, known: true }
}
