import type { Clock } from '../ports/ports.ts'

/** A token bucket that holds `most` tokens and gains `perSecond`. */
export class Pace {
  readonly #clock: Clock
  readonly #limits: { readonly most: number; readonly perSecond: number }
  #left: number
  #atMs: number

  constructor(clock: Clock, limits: { readonly most: number; readonly perSecond: number }) {
    this.#clock = clock
    this.#limits = limits
    this.#left = limits.most
    this.#atMs = clock.monotonicMs()
  }

  /** Takes one token. Returns false if the bucket is empty. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const refill = ((nowMs - this.#atMs) / 1_000) * this.#limits.perSecond
    this.#left = Math.min(this.#limits.most, this.#left + refill)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
