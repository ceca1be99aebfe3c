import type { OwnRequests } from './own-requests.ts'
import {
  assumedWindow,
  CLOCK_STEP_MS,
  doubtedWindow,
  type FixedWindow,
  gainPerMsOf,
  levelsShown,
  modelAfter,
  type Shown,
} from './window-model.ts'

/**
 * The lower and upper bound of a bucket's level, and how they change with time.
 *
 * In a rolling interval, the refill raises both bounds (service 8.3.1). A fixed window raises `high` at its
 * earliest possible end, and `low` at its latest possible end (service 8.3.5). The Reset header decides which
 * model applies. Times are milliseconds on one monotonic clock. Levels are requests and need not be whole.
 */
export class LevelBounds {
  limit: number
  periodMs: number
  #low: number
  #high: number
  readonly #requests: OwnRequests
  #model: 'rolling' | 'fixed' = 'rolling'
  #atMs: number
  /**
   * The last window that a header showed. Still needed after the window ends, because the next window ends at
   * least a period later.
   */
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

  /** The lower bound of the level, in requests. Own requests in flight are not subtracted. */
  get low(): number {
    return this.#low
  }

  /** The upper bound of the level, in requests. */
  get high(): number {
    return this.#high
  }

  get model(): 'rolling' | 'fixed' {
    return this.#model
  }

  /**
   * `observed` after two headers that fit the rolling model, or after one header that shows a fixed window.
   */
  get confidence(): 'assumed' | 'observed' {
    return this.#agreements >= 2 || this.#model === 'fixed' ? 'observed' : 'assumed'
  }

  /** The time for which the bounds are valid: the latest argument of `advance`. */
  get atMs(): number {
    return this.#atMs
  }

  get window(): FixedWindow | undefined {
    return this.#window
  }

  /** The refill in requests per millisecond. 0 in the fixed model. */
  get gainPerMs(): number {
    return gainPerMsOf(this.#model, this.limit, this.periodMs)
  }

  /**
   * Whether the window may have ended. A request that is sent now may then count in the old or the new
   * window.
   */
  get mayBeInEitherWindow(): boolean {
    return this.#mayBeInEitherAt(this.#atMs)
  }

  /**
   * Latest possible start of the present window, epoch ms. Requests after this time count in that window. 0
   * for a rolling interval.
   */
  get windowBeganByMs(): number {
    const window = this.#window
    if (this.#model !== 'fixed' || window === undefined) return 0
    const { endsEarliestMs, endsLatestMs } = window
    if (this.#atMs < endsEarliestMs) return endsLatestMs - this.periodMs
    // The window after this one ends a period later at the earliest. Nothing is known about later windows.
    return this.#atMs < endsEarliestMs + this.periodMs ? endsLatestMs : this.#atMs
  }

  /** Moves both bounds to `nowMs`. Does nothing for an earlier time. */
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

  markClockUncertain(fromMs: number, toMs: number): void {
    this.advance(fromMs)
    const low = this.#low
    this.#window = doubtedWindow(this.#window, { fromMs, toMs }, this.periodMs)
    this.advance(toMs)
    this.#low = low
  }

  /** Charges one request that counted. `high`: how far the upper bound falls, 0 to 1 requests. */
  charge(high: number): void {
    this.#low = Math.max(0, this.#low - 1)
    this.#high = Math.max(0, this.#high - high)
  }

  /** Charges a request that may count at any time up to `laterMs` from now. Only the lower bound falls. */
  chargeLost(laterMs: number): void {
    this.#low = Math.max(0, Math.min(this.#low, this.limit - this.gainPerMs * laterMs) - 1)
  }

  /** Replaces both bounds with those of a header that contradicts them and arrived at `headerAtMs`. */
  replace(low: number, high: number, headerAtMs?: number): void {
    this.#high = high
    this.#low = Math.min(low, high + this.#requests.inFlight)
    this.#requests.allMaybeSeen(headerAtMs)
  }

  /** Intersects the bounds with those of a header that arrived at `headerAtMs`. */
  narrow(low: number, high: number, headerAtMs?: number): void {
    if (high < this.#high) {
      this.#high = high
      this.#requests.allMaybeSeen(headerAtMs)
    }
    this.#low = Math.min(Math.max(this.#low, low), this.#high + this.#requests.inFlight)
  }

  /** The lower bound at `nowMs`, in requests. At most the limit. */
  lowAt(nowMs: number): number {
    if (this.#model === 'fixed') {
      const window = this.#window
      // `low` is already correct unless the window's latest end is between `#atMs` and `nowMs`.
      if (!window || nowMs < window.endsLatestMs || this.#atMs >= window.endsLatestMs) return this.#low
      const since = this.#requests.mayHaveCountedAfter(window.endsEarliestMs)
      return Math.max(this.#low, this.limit - since)
    }
    const elapsedMs = Math.max(0, nowMs - this.#atMs - CLOCK_STEP_MS)
    return Math.min(this.limit, this.#low + elapsedMs * this.gainPerMs)
  }

  /** The upper bound at `nowMs`, in requests. At most the limit. */
  highAt(nowMs: number): number {
    if (this.#model === 'fixed') {
      const endsMs = this.#window?.endsEarliestMs
      return endsMs !== undefined && nowMs >= endsMs && this.#atMs < endsMs ? this.limit : this.#high
    }
    if (nowMs <= this.#atMs) return this.#high
    return Math.min(this.limit, this.#high + (nowMs - this.#atMs + CLOCK_STEP_MS) * this.gainPerMs)
  }

  /**
   * Total refill, in requests, that was lost until `nowMs` because the quota was full. Since the last update,
   * the loss is how far the midpoint of the bounds would have risen above the limit.
   */
  overflowedAt(nowMs: number): number {
    const free = this.middleAt(this.#atMs) + (nowMs - this.#atMs) * this.gainPerMs
    return this.#overflowed + Math.max(0, free - this.limit)
  }

  /**
   * The midpoint of the bounds at `nowMs`, in requests. It changes linearly between events. In the rolling
   * model, the midpoint is first extrapolated and then capped at the limit.
   */
  middleAt(nowMs: number): number {
    const { inFlight } = this.#requests
    const low = Math.max(0, this.lowAt(nowMs) - inFlight)
    if (this.#model === 'fixed') return this.#mayBeInEitherAt(nowMs) ? low : (low + this.highAt(nowMs)) / 2
    const middle = (Math.max(0, this.#low - inFlight) + this.#high) / 2
    return Math.min(this.limit, middle + (nowMs - this.#atMs) * this.gainPerMs)
  }

  /**
   * The lowest and the highest present level that one header allows. Own requests after the header are not
   * subtracted.
   */
  shownBy(header: Shown): { readonly least: number; readonly most: number } {
    // If the clock was set back, the time of the bounds is used.
    const nowMs = Math.max(header.nowMs, this.#atMs)
    const { least, most } = levelsShown(this, { ...header, nowMs }, this)
    return { least, most }
  }

  /**
   * Updates model and window from a header. Returns false if the header belongs to a window that has ended.
   * Such a header shows nothing about the present window.
   */
  judge(header: Shown): boolean {
    const { remaining, resetSeconds, sentAtMs, nowMs } = header
    if (resetSeconds === undefined) {
      this.#assumeWindow(sentAtMs, nowMs)
      return true
    }
    const after = modelAfter(this, { ...header, resetSeconds }, this)
    if (after === undefined) return false
    if (after.model !== this.#model) this.#agreements = 0
    else if (after.model === 'rolling' && remaining < this.limit) this.#agreements += 1
    const wasFixed = this.#model === 'fixed'
    this.#model = after.model
    this.#window = after.window
    if (!wasFixed) return true
    if (this.#window && this.#window.endsEarliestMs <= nowMs) this.#mayBeNew()
    return this.#window === undefined || this.#window.endsLatestMs > nowMs
  }

  /** Sets another limit and period, and restarts with the rolling model. */
  resize(limit: number, periodMs: number): void {
    this.limit = limit
    this.periodMs = periodMs
    this.#low = Math.min(this.#low, limit)
    this.#high = limit
    this.#model = 'rolling'
    this.#window = undefined
    this.#agreements = 0
  }

  /**
   * In the fixed model, assumes a window of one period after a header without Reset. Without a window, a
   * bucket at 0 would never refill.
   */
  #assumeWindow(sentAtMs: number, nowMs: number): void {
    if (this.#model !== 'fixed' || (this.#window && this.#window.endsLatestMs > nowMs)) return
    this.#window = assumedWindow(sentAtMs - this.periodMs, nowMs, this)
    this.#mayBeNew()
  }

  #mayBeInEitherAt(nowMs: number): boolean {
    const window = this.#window
    return window !== undefined && nowMs >= window.endsEarliestMs && nowMs < window.endsLatestMs
  }

  /** Raises `high` to the limit: a new window may have begun, and may include the requests in flight. */
  #mayBeNew(): void {
    this.#high = this.limit
    this.#requests.allMaybeSeen()
  }
}
