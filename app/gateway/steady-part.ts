/** Duration of a burst, from its first request. */
const BURST_MS = 10_000
/** Time constant with which the size of past bursts decays. */
const MEMORY_MS = 60_000

/**
 * Determines how many requests of a flow count as steady use. A single burst is not steady use.
 *
 * In a burst, only as many requests count as the largest earlier burst had. This number decays with age. So
 * hardly any request of a first burst counts, but requests of a repeated burst do. Single requests always
 * count.
 */
export class SteadyPart {
  readonly #least: number
  #sinceMs = Number.NEGATIVE_INFINITY
  #requests = 0
  #expected: number

  /** `least`: in each burst, this many requests always count. */
  constructor(least: number) {
    this.#least = least
    this.#expected = least
  }

  /**
   * Adds `requests` that arrived by `nowMs`, and returns how many of them count as steady use. The result
   * need not be whole. A negative number of `requests` undoes an earlier addition.
   */
  of(requests: number, nowMs: number): number {
    const ageMs = nowMs - this.#sinceMs
    if (ageMs >= BURST_MS) {
      const largest = Math.max(this.#requests, this.#expected)
      this.#expected = Math.max(this.#least, largest * Math.exp((BURST_MS - ageMs) / MEMORY_MS))
      this.#sinceMs = nowMs
      this.#requests = 0
    }
    const before = Math.min(this.#requests, this.#expected)
    this.#requests += requests
    return Math.min(this.#requests, this.#expected) - before
  }
}
