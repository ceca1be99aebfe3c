/**
 * When the own requests of one bucket were sent and when they ended. Determines which of them a header
 * certainly includes.
 *
 * End times are sorted for binary search. An end time is dropped when no later header can need it. Times are
 * milliseconds on one clock.
 */
export class OwnRequestTimes {
  /** Sending time of each request in flight, by id, oldest first. */
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
   * Records a request that the service counted, or may have counted, at or before `endedAtMs`.
   *
   * Keeps end times at or after `neededSinceMs`. Also keeps end times since the oldest request in flight was
   * sent, because its header might not include these ended requests.
   */
  ended(endedAtMs: number, neededSinceMs = Number.POSITIVE_INFINITY): void {
    const [oldestMs = endedAtMs] = this.#sentAtMs.values()
    this.#endedAtMs.splice(0, this.#firstSince(Math.min(oldestMs, neededSinceMs)))
    this.#endedAtMs.splice(this.#firstSince(endedAtMs), 0, endedAtMs)
  }

  /**
   * Number of requests that ended at or after `sinceMs`. Requests of the same millisecond count, because
   * their order is unknown.
   */
  endedSince(sinceMs: number): number {
    return this.#endedAtMs.length - this.#firstSince(sinceMs)
  }

  /** Index of the first end time at or after `atMs`. */
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
