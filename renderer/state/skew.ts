/**
 * The difference between main's clock and the window's clock, in ms. It starts at 0, because main usually
 * runs on the same computer. A message changes it only if the message contradicts the present value.
 *
 * A message has the time `at`, which main sets before it sends the message. So `at − received` is at most the
 * true difference, and the maximum over several messages is the best estimate. A message that was delayed in
 * a frozen tab can't make old numbers look new.
 *
 * The response to a request bounds the difference from both sides. It therefore also corrects the difference
 * after a clock was set.
 */
export interface Skew {
  readonly ms: number
}

export const NO_SKEW: Skew = { ms: 0 }

/**
 * Minimum correction by a push, in ms: half a frame. Smaller corrections are just jitter, and each correction
 * re-renders everything.
 */
const SETTLED_MS = 8

/** Updates the skew by a push. A push can only increase the skew. */
export function afterPush(skew: Skew, atMs: number, receivedMs: number): Skew {
  const seenMs = atMs - receivedMs
  return seenMs > skew.ms + SETTLED_MS ? { ms: seenMs } : skew
}

/** Corrects the skew with the time in a response. The true skew is from `at − received` to `at − asked`. */
export function afterAnswer(skew: Skew, atMs: number, askedMs: number, receivedMs: number): Skew {
  const ms = Math.min(Math.max(skew.ms, atMs - receivedMs), atMs - askedMs)
  return ms === skew.ms ? skew : { ms }
}
