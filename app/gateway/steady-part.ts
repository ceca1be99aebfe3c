/** Requests so near to each other are one burst. */
const BURST_MS = 10_000
/** How long a burst lets another one be expected: by e-fold. */
const MEMORY_MS = 60_000

/**
 * How much of a flow of requests is steady: what came at once and stopped is no rate.
 *
 * Of a burst as many count as the largest one before it had, less the older that one is. So a first burst counts next to
 * nothing, what is done again and again counts from the second time on, and single requests at any pace count whole.
 */
export class SteadyPart {
  readonly #least: number
  #sinceMs = Number.NEGATIVE_INFINITY
  #requests = 0
  #expected: number

  /** `least`: so many of a burst count in any case. */
  constructor(least: number) {
    this.#least = least
    this.#expected = least
  }

  /** How many count of `requests` that came by `nowMs`, maybe a fraction; fewer than 0 take back what was counted. */
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
