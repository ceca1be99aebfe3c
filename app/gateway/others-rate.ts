import { SteadyPart } from './steady-part.ts'

/**
 * Time constant of the average. The average is used to forecast when waiting requests will be sent, usually
 * less than a minute ahead.
 */
const MEMORY_MS = 60_000

/** A bucket's refill and limit. `isVoid`: the level of the previous header no longer applies. */
interface Bucket {
  readonly gainPerMs: number
  readonly limit: number
  readonly isVoid: boolean
}

/**
 * The rate at which other programs use a bucket, averaged over about the last minute.
 *
 * Each header shows a level. Without others, it would be the previous level plus the refill minus own
 * requests. What is missing was used by others. Levels are rounded, and each rounding error raises one result
 * and lowers the next by the same amount.
 */
export class OthersRate {
  readonly #steady = new SteadyPart(2)
  #perMs = 0
  #level: number | undefined
  #own = 0
  #atMs = 0

  /** Requests per millisecond, 0 or more. */
  get perMs(): number {
    return Math.max(0, this.#perMs)
  }

  /** Records an own request that was counted, or may have been. */
  ownCounted(): void {
    this.#own += 1
  }

  /** Records the `level` of a header. Times in milliseconds on one clock. */
  shown(level: number, nowMs: number, { gainPerMs, limit, isVoid }: Bucket): void {
    const elapsedMs = nowMs - this.#atMs
    if (this.#level !== undefined && !isVoid) {
      const alone = Math.min(limit, this.#level + elapsedMs * gainPerMs) - this.#own
      // If x requests are used within a time t, the average rises by x (1 − e^(−t/T)) / t, or about x / T for
      // short t.
      const kept = Math.exp(-elapsedMs / MEMORY_MS)
      const weight = elapsedMs > 0 ? (1 - kept) / elapsedMs : 1 / MEMORY_MS
      const taken = this.#steady.of(alone - level, nowMs)
      this.#perMs = this.#perMs * kept + taken * weight
    }
    this.#level = level
    this.#own = 0
    this.#atMs = nowMs
  }
}
