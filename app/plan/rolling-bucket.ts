import type { RequestLimit } from '../service/categories.ts'

/**
 * The service's bucket of a quota with a rolling interval, and the headers that the service would send
 * (service 2.2, 8.3.2). Starts full. Times in ms.
 */
export class RollingBucket {
  readonly #limit: number
  readonly #periodSeconds: number
  #level: number
  #atMs = 0

  constructor({ limit, periodSeconds }: RequestLimit) {
    this.#limit = limit
    this.#periodSeconds = periodSeconds
    this.#level = limit
  }

  /** Requests left, not rounded, from 0 to the limit. `nowMs` must not decrease from call to call. */
  level(nowMs: number): number {
    const seconds = Math.max(0, nowMs - this.#atMs) / 1000
    this.#level = Math.min(this.#limit, this.#level + (seconds * this.#limit) / this.#periodSeconds)
    this.#atMs = Math.max(this.#atMs, nowMs)
    return this.#level
  }

  /** Takes one request. Returns false for a 429, which uses no request (service 3). */
  spend(nowMs: number): boolean {
    if (this.level(nowMs) < 1) return false
    this.#level -= 1
    return true
  }

  /**
   * The quota headers of a response. Remaining is rounded down. Reset is the time until the bucket is full,
   * in whole seconds.
   */
  header(nowMs: number): { limit: number; periodSeconds: number; remaining: number; resetSeconds: number } {
    const level = this.level(nowMs)
    const [limit, periodSeconds] = [this.#limit, this.#periodSeconds]
    const resetSeconds = Math.ceil(((limit - level) * periodSeconds) / limit)
    return { limit, periodSeconds, remaining: Math.floor(level), resetSeconds }
  }
}
