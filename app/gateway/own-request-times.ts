/**
 * When the own requests of one bucket were sent and when they ended: which of them a header surely counted.
 *
 * Ends are kept in order, so that a header's question is a binary search, and only as long as one may ask for them: a
 * header's own request is in flight, or not sent yet. Times in milliseconds on one clock.
 */
export class OwnRequestTimes {
  /** In the order of sending: the first one is the oldest. */
  readonly #sentAtMs = new Map<number, number>()
  readonly #endedAtMs: number[] = []

  /** Requests that have been sent and have not ended. */
  get inFlight(): number {
    return this.#sentAtMs.size
  }

  sent(id: number, nowMs: number): void {
    this.#sentAtMs.set(id, nowMs)
  }

  /** Takes a request out of those in flight and says when it was sent. */
  take(id: number): number | undefined {
    const sentAtMs = this.#sentAtMs.get(id)
    this.#sentAtMs.delete(id)
    return sentAtMs
  }

  /**
   * A request was counted, or may have been, at `endedAtMs` or before. `neededSinceMs`: a moment since which ends matter,
   * beside those that a request in flight may ask for.
   */
  ended(endedAtMs: number, neededSinceMs = Number.POSITIVE_INFINITY): void {
    const [oldestMs = endedAtMs] = this.#sentAtMs.values()
    this.#endedAtMs.splice(0, this.#firstSince(Math.min(oldestMs, neededSinceMs)))
    this.#endedAtMs.splice(this.#firstSince(endedAtMs), 0, endedAtMs)
  }

  /** How many requests ended at `sinceMs` or after: within one millisecond their order is not known. */
  endedSince(sinceMs: number): number {
    return this.#endedAtMs.length - this.#firstSince(sinceMs)
  }

  /** The index of the first end at `atMs` or after. */
  #firstSince(atMs: number): number {
    let low = 0
    let high = this.#endedAtMs.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#endedAtMs[middle] ?? 0) < atMs) low = middle + 1
      else high = middle
    }
    return low
  }
}
