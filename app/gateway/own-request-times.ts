/**
 * When the own requests of one bucket were sent and ended, to find those that a header certainly includes.
 *
 * Ends are sorted, so a lookup is a binary search. An end is kept only while a header may need it, because
 * that header's request is in flight or not yet sent. Times in milliseconds on one clock.
 */
export class OwnRequestTimes {
  /** By id, oldest first. */
  readonly #sentAtMs = new Map<number, number>()
  readonly #endedAtMs: number[] = []

  /** Requests that have been sent and have not ended. */
  get inFlight(): number {
    return this.#sentAtMs.size
  }

  sent(id: number, nowMs: number): void {
    this.#sentAtMs.set(id, nowMs)
  }

  /** Removes a request in flight and returns when it was sent. */
  take(id: number): number | undefined {
    const sentAtMs = this.#sentAtMs.get(id)
    this.#sentAtMs.delete(id)
    return sentAtMs
  }

  /**
   * Records a request that was counted, or may have been, at or before `endedAtMs`. `neededSinceMs`: ends
   * from this time on are kept, and so are those that the header of a request in flight may need.
   */
  ended(endedAtMs: number, neededSinceMs = Number.POSITIVE_INFINITY): void {
    const [oldestMs = endedAtMs] = this.#sentAtMs.values()
    this.#endedAtMs.splice(0, this.#firstSince(Math.min(oldestMs, neededSinceMs)))
    this.#endedAtMs.splice(this.#firstSince(endedAtMs), 0, endedAtMs)
  }

  /**
   * How many requests ended at or after `sinceMs`. Those of the same millisecond count, because their order
   * is unknown.
   */
  endedSince(sinceMs: number): number {
    return this.#endedAtMs.length - this.#firstSince(sinceMs)
  }

  /** Index of the first end at or after `atMs`. */
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
