import { type IntervalRate, intervalPerSecond, NO_INTERVALS, observedOver } from './rates.ts'

const SHIFT_KEPT_MS = 30_000

/** How much of one quota others use, from what headers show beyond our own requests. */
export class UseElsewhere {
  #rate: IntervalRate = NO_INTERVALS
  /**
   * By how many requests headers lowered the middle of the bounds lately without proving anything. Use elsewhere
   * hides there before it is proved, and then it counts too.
   */
  #shift = 0

  /** A header lowered the middle of the bounds by `drop` requests, `spanMs` after the one before it. */
  observed(drop: number, spanMs: number, evidence: 'proved' | 'none' | 'more-than-thought'): void {
    const shift = this.#shift * Math.exp(-spanMs / SHIFT_KEPT_MS)
    this.#shift = evidence === 'none' ? shift + drop : 0
    this.#rate = observedOver(this.#rate, evidence === 'proved' ? Math.max(0, drop + shift) : 0, spanMs)
  }

  /** `undefined` before there was an interval to look at. */
  get perSecond(): number | undefined {
    return intervalPerSecond(this.#rate)
  }

  forget(): void {
    this.#rate = NO_INTERVALS
    this.#shift = 0
  }
}
