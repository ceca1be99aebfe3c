/** An own request without a response. Times in milliseconds on one clock. */
interface Pending {
  readonly sentAtMs: number
  /**
   * Refill, in requests, that could not raise the upper bound on the level because the bound was at the
   * limit. Counted since the request was sent.
   */
  overflowed: number
  /** Whether it is certain that the upper bound does not include this request yet. */
  unseen: boolean
}

interface Span {
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/**
 * Maximum number of stored spans. A span is the time between sending a request and its response. Only a
 * response that takes minutes could need more spans.
 */
const MAX_SPANS = 1024
/**
 * How long spans are kept after a desk has reported requests, in milliseconds. A desk's headers arrive late,
 * and may belong to requests that were sent before this app knew of them.
 */
const DESK_SPANS_MS = 2_000

/**
 * Own requests, and those of the desk's other machines. It can be uncertain which of them a header includes,
 * because responses overlap and arrive out of order.
 */
export class OwnRequests {
  readonly #pending = new Map<number, Pending>()
  #spans: Span[] = []
  /** Spans that ended at this time or earlier may have been removed. */
  #forgottenMs = Number.NEGATIVE_INFINITY
  #hasDesk = false

  /** Requests without a response. */
  get inFlight(): number {
    return this.#pending.size
  }

  sent(id: number, sentAtMs: number): void {
    this.#pending.set(id, { sentAtMs, overflowed: 0, unseen: true })
  }

  /** Records a request that another machine of the desk sent earlier. */
  heard(id: number, request: Pending): void {
    this.#hasDesk = true
    this.#pending.set(id, { ...request })
  }

  take(id: number): Pending | undefined {
    const request = this.#pending.get(id)
    this.#pending.delete(id)
    return request
  }

  /**
   * Adds `growth` to `overflowed` of each request in flight. `growth`: the latest refill, in requests, that
   * could not raise the upper bound because the bound was at the limit.
   */
  overflow(growth: number): void {
    if (growth > 0) for (const request of this.#pending.values()) request.overflowed += growth
  }

  /**
   * How far the upper bound falls when the service has certainly counted `request`: 0 to 1 requests.
   *
   * The service may have counted the request as soon as it was sent. The quota then had room for the refill
   * `overflowed`, which is missing in the upper bound. So this refill offsets the request, wholly or in part.
   * It can't offset a second request.
   */
  consume(request: Pending): number {
    if (!request.unseen) return 0
    const regained = Math.min(1, request.overflowed)
    const left = request.overflowed - regained
    for (const other of this.#pending.values()) {
      other.overflowed =
        other.overflowed <= request.overflowed
          ? Math.min(other.overflowed, left)
          : other.overflowed - regained
    }
    return 1 - regained
  }

  /**
   * Call this after the upper bound was reset. The new bound may already include the requests in flight,
   * except those sent after `untilMs`, the arrival time of the header.
   */
  allMaybeSeen(untilMs = Number.POSITIVE_INFINITY): void {
    for (const request of this.#pending.values()) if (request.sentAtMs <= untilMs) request.unseen = false
  }

  /** Number of requests in flight that were sent after a time. */
  sentAfter(atMs: number): number {
    let count = 0
    for (const request of this.#pending.values()) if (request.sentAtMs > atMs) count += 1
    return count
  }

  /** Records a request that the service counted, or may have counted, between two times. */
  remember(sentAtMs: number, receivedAtMs: number, neededSinceMs: number): void {
    let oldest = Math.min(sentAtMs, neededSinceMs)
    if (this.#hasDesk) oldest = Math.min(oldest, receivedAtMs - DESK_SPANS_MS)
    for (const request of this.#pending.values()) oldest = Math.min(oldest, request.sentAtMs)
    this.#spans = this.#spans.filter((span) => span.receivedAtMs > oldest || this.#forget(span))
    const [first] = this.#spans
    if (this.#spans.length >= MAX_SPANS && first !== undefined) {
      this.#forget(first)
      this.#spans.shift()
    }
    this.#spans.push({ sentAtMs, receivedAtMs })
  }

  /** Whether `mayHaveCountedAfter` still knows all requests that ended after a time. */
  remembersSince(atMs: number): boolean {
    return atMs >= this.#forgottenMs
  }

  #forget({ receivedAtMs }: Span): false {
    this.#forgottenMs = Math.max(this.#forgottenMs, receivedAtMs)
    return false
  }

  /** Number of ended requests that the service may have counted after `sinceMs`. */
  mayHaveCountedAfter(sinceMs: number): number {
    let count = 0
    for (const span of this.#spans) if (span.receivedAtMs > sinceMs) count += 1
    return count
  }
}
