/** A bucket's refill. `windowEndsMs`: when its fixed window ends, if it has one. */
export interface Refill {
  readonly limit: number
  /** Continuous refill in requests per millisecond. 0 for a fixed window. */
  readonly perMs: number
  /** Requests per millisecond, averaged over a period. */
  readonly meanPerMs: number
  readonly windowEndsMs: number | undefined
}

/** Tolerance for fractions, which are rounded sums of reciprocals. */
export const ROUNDING = 1e-6

/** The initial values of a share, or a change to a share. */
export interface ShareStart {
  /** Part of the bucket, from 0 to 1. */
  readonly fraction: number
  /** Requests that may be sent right away. May be below 0. */
  readonly tokens: number
  /** Headers of requests that were sent before this time do not raise the share. */
  readonly settledFromMs: number
  /** Requests that this side has sent since the bucket was split. Default: 0. */
  readonly sent?: number
}

/** Age from which a sent request no longer reduces the tokens that a header gives. Milliseconds. */
const REMEMBERED_MS = 3_600_000

/**
 * One side's part of a bucket that several sides use without knowing of each other's requests.
 *
 *     tokens(t)  grow by fraction × refill, up to fraction × limit; each sent request takes one
 *     a header   raises tokens to max(fraction × low − (1 − fraction) × sent, low − (1 − fraction) × limit)
 *
 * `sent` counts this side's requests since the bucket was split. The level at the split was at least low +
 * sent − refill, so each side takes at most its fraction of that level and of the refill. If all fractions
 * sum to 1, the tokens of all sides together never exceed the level.
 *
 * A header is settled if all requests from before the split had reached the service when the header's request
 * was sent. Times are milliseconds on the bucket's clock.
 */
export class BucketShare {
  #fraction: number
  #tokens: number
  #settledFromMs: number
  #atMs: number
  /** When requests of this side were sent. */
  readonly #sentAtMs: number[] = []
  #isShown = false

  constructor({ fraction, tokens, settledFromMs, sent = 0 }: ShareStart, nowMs: number) {
    for (let one = 0; one < sent; one += 1) this.#sentAtMs.push(nowMs)
    this.#fraction = fraction
    this.#tokens = tokens
    this.#settledFromMs = settledFromMs
    this.#atMs = nowMs
  }

  get fraction(): number {
    return this.#fraction
  }

  /** Requests of this side since the bucket was split. */
  get sentSince(): number {
    return this.#sentAtMs.length
  }

  /** Requests that may be sent at `nowMs` (now or later), if none is sent before that time. */
  tokens(refill: Refill, nowMs: number): number {
    const { limit, perMs, windowEndsMs } = refill
    const most = limit * this.#fraction
    if (this.#isWindowOver(windowEndsMs, nowMs))
      return most - this.#sentAtMs.length + this.#sentBefore(windowEndsMs)
    const grown = this.#tokens + Math.max(0, nowMs - this.#atMs) * perMs * this.#fraction
    return limit > 0 ? Math.min(grown, most) : grown
  }

  /** Applies the refill until `nowMs`. Must be called before any other change. */
  advance(refill: Refill, nowMs: number): void {
    const { windowEndsMs } = refill
    this.#tokens = this.tokens(refill, nowMs)
    if (this.#isWindowOver(windowEndsMs, nowMs)) this.#sentAtMs.splice(0, this.#sentBefore(windowEndsMs))
    this.#atMs = Math.max(this.#atMs, nowMs)
  }

  #isWindowOver(endsMs: number | undefined, nowMs: number): endsMs is number {
    return endsMs !== undefined && nowMs >= endsMs && this.#atMs < endsMs
  }

  /** Number of remembered requests that were sent before a time. */
  #sentBefore(atMs: number): number {
    const first = this.#sentAtMs.findIndex((sentAtMs) => sentAtMs >= atMs)
    return first < 0 ? this.#sentAtMs.length : first
  }

  /** Time until the share reaches `tokens`, in milliseconds. `undefined` if never. */
  reachesInMs(tokens: number, refill: Refill, nowMs: number): number | undefined {
    const missing = tokens - this.tokens(refill, nowMs)
    if (missing <= 0) return 0
    const { perMs, windowEndsMs, limit } = refill
    if (tokens > limit * this.#fraction) return undefined
    if (windowEndsMs !== undefined) return Math.max(0, windowEndsMs - nowMs)
    const gain = perMs * this.#fraction
    return gain > 0 ? missing / gain : undefined
  }

  sent(nowMs: number): void {
    this.#tokens -= 1
    this.#sentAtMs.push(nowMs)
    this.#sentAtMs.splice(0, this.#sentBefore(nowMs - REMEMBERED_MS))
  }

  /** Restores the token of a request that was not sent. */
  notSent(): void {
    this.#tokens += 1
    this.#sentAtMs.pop()
  }

  /** Whether a settled header has shown the level since the share last changed. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** Whether the header of a request that was sent at `sentAtMs` includes all use before the split. */
  isSettled(sentAtMs: number): boolean {
    return sentAtMs >= this.#settledFromMs
  }

  /** Applies a settled header. `low`: the bucket's bound after that header. */
  shown(low: number, refill: Refill, nowMs: number): void {
    this.#isShown = true
    const others = 1 - this.#fraction
    const raised = this.#fraction * low - others * this.#sentAtMs.length
    // No other side ever has more than its part of the limit.
    this.#tokens = Math.max(this.tokens(refill, nowMs), raised, low - others * refill.limit)
  }

  /** Adds a part of the bucket to the share. A negative `fraction` gives a part to another side. */
  change({ fraction, tokens, settledFromMs, sent = 0 }: ShareStart): void {
    for (let one = 0; one < sent; one += 1) this.#sentAtMs.push(this.#atMs)
    this.#fraction = Math.min(1, Math.max(0, this.#fraction + fraction))
    this.#tokens += tokens
    this.#isShown = false
    this.#settledFromMs = Math.max(this.#settledFromMs, settledFromMs)
  }
}
