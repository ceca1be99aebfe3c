import { SteadyPart } from './steady-part.ts'

/** Over how long the pace is averaged: a turn is a minute away at most, unless a program is patient. */
const MEMORY_MS = 60_000

/** How a bucket gives back, and whether what was known of it is void. */
interface Bucket {
  readonly gainPerMs: number
  readonly limit: number
  readonly isVoid: boolean
}

/**
 * How fast other programs spend from a bucket, averaged over the last minute or so.
 *
 * Each header shows a level; the one before, plus what came back, less own requests, is what it would show without others.
 * Their difference is what they took, give or take a rounding that the next difference takes back.
 */
export class OthersPace {
  readonly #steady = new SteadyPart(2)
  #perMs = 0
  #level: number | undefined
  #own = 0
  #atMs = 0

  /** Requests a millisecond, 0 or more. */
  get perMs(): number {
    return Math.max(0, this.#perMs)
  }

  /** An own request was counted, or may have been. */
  ownCounted(): void {
    this.#own += 1
  }

  /** A header showed `level`. Times in milliseconds on one clock. */
  shown(level: number, nowMs: number, { gainPerMs, limit, isVoid }: Bucket): void {
    const elapsedMs = nowMs - this.#atMs
    if (this.#level !== undefined && !isVoid) {
      const alone = Math.min(limit, this.#level + elapsedMs * gainPerMs) - this.#own
      // Of x taken in a time t the average keeps x (1 − e^(−t/T)) / t, which for short t is x / T.
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
