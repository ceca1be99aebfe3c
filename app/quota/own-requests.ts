/** An own request whose answer has not come. Times in milliseconds on one clock. */
interface Pending {
  readonly sentAtMs: number
  /** Growth that the upper bound lost since, because the bucket is never fuller than its limit. */
  spilled: number
  /** Whether the upper bound still has to be lowered by this request once it is known to have counted. */
  unseen: boolean
}

interface Span {
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/** More spans than this cannot overlap one answer unless it was under way for minutes. */
const MAX_SPANS = 1024

/** Which own requests a header may, or may not yet, have counted: the answers overlap and change their order. */
export class OwnRequests {
  readonly #pending = new Map<number, Pending>()
  #spans: Span[] = []

  /** Requests whose answer has not come. */
  get inFlight(): number {
    return this.#pending.size
  }

  sent(id: number, nowMs: number): void {
    this.#pending.set(id, { sentAtMs: nowMs, spilled: 0, unseen: true })
  }

  take(id: number): Pending | undefined {
    const request = this.#pending.get(id)
    this.#pending.delete(id)
    return request
  }

  /** Growth of the upper bound that went over the limit while requests were under way. */
  spill(growth: number): void {
    if (growth > 0) for (const request of this.#pending.values()) request.spilled += growth
  }

  /**
   * By how much the upper bound falls now that `request` surely counted.
   *
   * Counted at the start of its flight, it made room for growth that was given up as being over the limit. Each
   * bit of growth makes up for one request only.
   */
  fall(request: Pending): number {
    if (!request.unseen) return 0
    const regained = Math.min(1, request.spilled)
    const left = request.spilled - regained
    for (const other of this.#pending.values()) {
      other.spilled =
        other.spilled <= request.spilled ? Math.min(other.spilled, left) : other.spilled - regained
    }
    return 1 - regained
  }

  /** The upper bound was set anew: what is under way may be in it already. */
  allMaybeSeen(): void {
    for (const request of this.#pending.values()) request.unseen = false
  }

  /** A request that counted, or may have, at some moment between the two. */
  remember(sentAtMs: number, receivedAtMs: number, neededSinceMs: number): void {
    let oldest = Math.min(sentAtMs, neededSinceMs)
    for (const request of this.#pending.values()) oldest = Math.min(oldest, request.sentAtMs)
    this.#spans = this.#spans.filter((span) => span.receivedAtMs > oldest)
    if (this.#spans.length >= MAX_SPANS) this.#spans.shift()
    this.#spans.push({ sentAtMs, receivedAtMs })
  }

  /** Requests, those in flight aside, that may have counted after `sinceMs`. */
  mayHaveCountedAfter(sinceMs: number): number {
    let count = 0
    for (const span of this.#spans) if (span.receivedAtMs > sinceMs) count += 1
    return count
  }
}
