import { type FixedWindow, fixedWindowOf, narrowed, windowStep } from './fixed-window.ts'
import type { OwnRequests } from './own-requests.ts'
import { CLOCK_STEP_MS, rollingAllows, rollingShows } from './replenishment.ts'

/** One header and the flight of its request. Times in milliseconds on one clock. */
export interface Shown {
  readonly remaining: number
  readonly resetSeconds: number | undefined
  readonly sentAtMs: number
  readonly nowMs: number
}

/**
 * The two bounds of a bucket's level and how time moves them: a rolling interval fills both, the end of a fixed window
 * raises first `high`, then `low`.
 *
 * Reset decides which of the two models holds (service 8.3.1 against 8.3.5). Times are milliseconds on one clock that
 * never goes back; levels are requests with a fraction.
 */
export class LevelBounds {
  limit: number
  periodMs: number
  #low: number
  #high: number
  readonly #requests: OwnRequests
  #model: 'rolling' | 'fixed' = 'rolling'
  #atMs: number
  /** The last window shown by a header. Kept after its end: the next one ends at least a period later. */
  #window: FixedWindow | undefined
  #agreements = 0
  #overflowed = 0

  constructor(limit: number, periodMs: number, nowMs: number, requests: OwnRequests) {
    this.limit = limit
    this.periodMs = periodMs
    this.#low = limit
    this.#high = limit
    this.#atMs = nowMs
    this.#requests = requests
  }

  /** The least level that is possible, before own requests in flight. Requests. */
  get low(): number {
    return this.#low
  }

  /** The most that is possible. Requests. */
  get high(): number {
    return this.#high
  }

  get model(): 'rolling' | 'fixed' {
    return this.#model
  }

  get confidence(): 'assumed' | 'observed' {
    return this.#agreements >= 2 || this.#model === 'fixed' ? 'observed' : 'assumed'
  }

  /** The last moment that the bounds were moved to. */
  get atMs(): number {
    return this.#atMs
  }

  get window(): FixedWindow | undefined {
    return this.#window
  }

  get gainPerMs(): number {
    return this.#model === 'rolling' ? this.limit / this.periodMs : 0
  }

  /** Whether the window may or may not have ended, so that a request counts in an unknown one. */
  get mayBeInEitherWindow(): boolean {
    const window = this.#window
    return window !== undefined && this.#atMs >= window.endsEarliestMs && this.#atMs < window.endsLatestMs
  }

  advance(nowMs: number): void {
    if (nowMs <= this.#atMs) return
    const low = this.lowAt(nowMs)
    const high = this.highAt(nowMs)
    this.#overflowed = this.overflowedAt(nowMs)
    if (this.#model === 'rolling') {
      this.#requests.overflow(this.#high + (nowMs - this.#atMs + CLOCK_STEP_MS) * this.gainPerMs - this.limit)
    }
    const endsMs = this.#window?.endsEarliestMs ?? Number.POSITIVE_INFINITY
    if (this.#atMs < endsMs && nowMs >= endsMs) this.#mayBeNew()
    this.#low = low
    this.#high = high
    this.#atMs = nowMs
  }

  /** See `Bucket.markClockUncertain`. */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.advance(fromMs)
    const low = this.#low
    const window = this.#window
    if (window && window.endsLatestMs > fromMs) {
      const endsLatestMs = Math.min(window.endsLatestMs + (toMs - fromMs), toMs + this.periodMs)
      this.#window = { ...window, endsLatestMs }
    }
    this.advance(toMs)
    this.#low = low
  }

  /** Charges one request that counted; `high` requests of it surely did since the upper bound was set, 0 to 1. */
  charge(high: number): void {
    this.#low = Math.max(0, this.#low - 1)
    this.#high = Math.max(0, this.#high - high)
  }

  /** Charges a request that may count up to `laterMs` from now to the lower bound. */
  chargeLost(laterMs: number): void {
    this.#low = Math.max(0, Math.min(this.#low, this.limit - this.gainPerMs * laterMs) - 1)
  }

  /** Replaces both bounds by those of a header that they do not overlap. */
  replace(low: number, high: number): void {
    this.#high = high
    this.#low = Math.min(low, high + this.#requests.inFlight)
    this.#requests.allMaybeSeen()
  }

  /** Narrows the bounds to those of a header. */
  narrow(low: number, high: number): void {
    if (high < this.#high) {
      this.#high = high
      this.#requests.allMaybeSeen()
    }
    this.#low = Math.min(Math.max(this.#low, low), this.#high + this.#requests.inFlight)
  }

  lowAt(nowMs: number): number {
    if (this.#model === 'fixed') {
      const window = this.#window
      // Only when the end is passed: later, requests that counted since have lowered it already.
      if (!window || nowMs < window.endsLatestMs || this.#atMs >= window.endsLatestMs) return this.#low
      const since = this.#requests.mayHaveCountedAfter(window.endsEarliestMs)
      return Math.max(this.#low, this.limit - since)
    }
    const elapsedMs = Math.max(0, nowMs - this.#atMs - CLOCK_STEP_MS)
    return Math.min(this.limit, this.#low + elapsedMs * this.gainPerMs)
  }

  highAt(nowMs: number): number {
    if (this.#model === 'fixed') {
      const endsMs = this.#window?.endsEarliestMs
      return endsMs !== undefined && nowMs >= endsMs && this.#atMs < endsMs ? this.limit : this.#high
    }
    if (nowMs <= this.#atMs) return this.#high
    return Math.min(this.limit, this.#high + (nowMs - this.#atMs + CLOCK_STEP_MS) * this.gainPerMs)
  }

  /** Requests lost to a full bucket since the start, up to `nowMs`: refill while the middle of the bounds was at the limit. */
  overflowedAt(nowMs: number): number {
    if (this.#model === 'fixed' || nowMs <= this.#atMs) return this.#overflowed
    const free = this.middleAt(this.#atMs) + (nowMs - this.#atMs) * this.gainPerMs
    return this.#overflowed + Math.max(0, free - this.limit)
  }

  /** The middle of the bounds, linear in time from one event to the next; the limit caps it, not one of the bounds. */
  middleAt(nowMs: number): number {
    const { inFlight } = this.#requests
    const low = Math.max(0, this.lowAt(nowMs) - inFlight)
    if (this.#model === 'fixed') {
      const endsMs = this.#window?.endsLatestMs ?? Number.NEGATIVE_INFINITY
      const mayHaveEnded = this.#window !== undefined && nowMs >= this.#window.endsEarliestMs
      return mayHaveEnded && nowMs < endsMs ? low : (low + this.highAt(nowMs)) / 2
    }
    const middle = (Math.max(0, this.#low - inFlight) + this.#high) / 2
    return Math.min(this.limit, middle + (nowMs - this.#atMs) * this.gainPerMs)
  }

  /** The levels that one header leaves possible now, not counting own requests after it. */
  shownBy({ remaining, resetSeconds, sentAtMs, nowMs }: Shown): { least: number; most: number } {
    if (this.#model === 'fixed') {
      const mayHaveEnded = this.#window !== undefined && this.#atMs >= this.#window.endsEarliestMs
      return { least: remaining, most: mayHaveEnded ? this.limit : remaining }
    }
    const { least, most } = rollingShows(this.limit, this.periodMs / 1000, remaining, resetSeconds)
    return { least, most: Math.min(this.limit, most + (nowMs - sentAtMs + CLOCK_STEP_MS) * this.gainPerMs) }
  }

  /**
   * Decides model and window from a header. False for a header of a window that is over: it says nothing about the
   * present.
   */
  judge({ remaining, resetSeconds, sentAtMs, nowMs }: Shown): boolean {
    if (resetSeconds === undefined) {
      this.#assumeWindow(sentAtMs, nowMs)
      return true
    }
    const shown = fixedWindowOf(resetSeconds, sentAtMs, nowMs)
    const lastedSeconds = (nowMs - sentAtMs) / 1000
    const rolls = rollingAllows(this.limit, this.periodMs / 1000, remaining, resetSeconds, lastedSeconds)
    if (this.#model === 'rolling') {
      if (rolls) {
        if (remaining < this.limit) this.#agreements += 1
      } else this.#change('fixed', shown)
      return true
    }
    const known = this.#window
    const step = known ? windowStep(known, shown, this.periodMs) : 'later'
    if (step === 'impossible' && rolls) this.#change('rolling', undefined)
    else if (step === 'earlier') return false
    else this.#window = known && step === 'same' ? narrowed(known, shown) : shown
    if (this.#window && this.#window.endsEarliestMs <= nowMs) this.#mayBeNew()
    return this.#window === undefined || this.#window.endsLatestMs > nowMs
  }

  /** Starts anew with another limit or period. */
  resize(limit: number, periodMs: number): void {
    this.limit = limit
    this.periodMs = periodMs
    this.#low = Math.min(this.#low, limit)
    this.#high = limit
    this.#change('rolling', undefined)
  }

  /** Assumes a window of a period after a header without Reset, so that the bucket does not stay empty. */
  #assumeWindow(sentAtMs: number, nowMs: number): void {
    if (this.#model !== 'fixed' || (this.#window && this.#window.endsLatestMs > nowMs)) return
    this.#window = { endsEarliestMs: sentAtMs, endsLatestMs: nowMs + this.periodMs }
    this.#mayBeNew()
  }

  #change(model: 'rolling' | 'fixed', window: FixedWindow | undefined): void {
    this.#model = model
    this.#window = window
    this.#agreements = 0
  }

  /** Raises `high` to the limit: the window may have ended, and requests under way may have counted in it. */
  #mayBeNew(): void {
    this.#high = this.limit
    this.#requests.allMaybeSeen()
  }
}
