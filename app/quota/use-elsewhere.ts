import {
  HORIZONS_MS,
  type Horizon,
  type IntervalRate,
  intervalPerSecond,
  noIntervals,
  observedOver,
} from './rates.ts'

const SHIFT_KEPT_MS = 30_000

/** How much of one quota others use, from what headers show beyond our own requests. */
export class UseElsewhere {
  #short: IntervalRate = noIntervals(HORIZONS_MS.short)
  #long: IntervalRate = noIntervals(HORIZONS_MS.long)
  /**
   * By how many requests headers lowered the middle of the bounds lately without proving anything. Use elsewhere
   * hides there before it is proved, and then it counts too.
   */
  #shift = 0

  /** A header lowered the middle of the bounds by `drop` requests, `spanMs` after the one before it. */
  observed(drop: number, spanMs: number, evidence: 'proved' | 'none' | 'more-than-thought'): void {
    const shift = this.#shift * Math.exp(-spanMs / SHIFT_KEPT_MS)
    this.#shift = evidence === 'none' ? shift + drop : 0
    const count = evidence === 'proved' ? Math.max(0, drop + shift) : 0
    this.#short = observedOver(this.#short, count, spanMs)
    this.#long = observedOver(this.#long, count, spanMs)
  }

  /** `undefined` before there was an interval to look at. */
  perSecond(horizon: Horizon): number | undefined {
    return intervalPerSecond(horizon === 'short' ? this.#short : this.#long)
  }

  forget(): void {
    this.#short = noIntervals(HORIZONS_MS.short)
    this.#long = noIntervals(HORIZONS_MS.long)
    this.#shift = 0
  }
}
