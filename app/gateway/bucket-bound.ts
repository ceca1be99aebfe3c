import { OthersTakeAll } from '../quota/others-take-all.ts'
import {
  assumedWindow,
  CLOCK_STEP_MS,
  doubtedWindow,
  type FixedWindow,
  fixedWindowOf,
  gainPerMsOf,
  levelsShown,
  longest,
  MAX_CLOCK_ERROR,
  modelAfter,
  type Shown,
  TOLERANCE,
  type WindowSize,
  windowStep,
} from '../quota/window-model.ts'
import type { RequestLimit } from '../service/categories.ts'
import type { RateReading } from '../service/headers.ts'
import type { Refill } from './bucket-share.ts'
import { OthersRate } from './others-rate.ts'
import { OwnRequestTimes } from './own-request-times.ts'

/**
 * Whether a response is a 429, and for which quota.
 *
 * - `rate`: a 429 of this bucket. The request did not use the quota (service 3).
 * - `unattributed`: a 429 that names no quota and may come from a proxy.
 */
export type Refused = 'no' | 'rate' | 'unattributed'

/**
 * Lengths of pauses after 429s that quota headers do not explain (service 7). Each is twice as long as the
 * last.
 */
const HOLD = { firstMs: 60_000, maxMs: 3_600_000 } as const
/**
 * Resolution of the Reset header in milliseconds. A header may understate the level by one step of refill.
 */
export const RESET_STEP_MS = 1000
/** `turnAtMs` assumes that later requests take at most this share of the refill. */
const MAX_LATER_SHARE = 0.9

/**
 * A lower bound on the level of one bucket. A request that the bound allows is not rate-limited.
 *
 *     low(t) = min(limit, low₀ + (t − received) / rate) − own requests that the header might not include
 *     low₀   = max(Remaining, limit − Reset / rate)
 *     rate   = period / limit, in seconds per request (service 8.3.2)
 *
 * Derivation: Remaining is the level rounded down. Reset is (limit − level) × rate rounded up. So low₀ never
 * exceeds the level at that time. From there the level grows by 1 / rate per second up to the limit. A header
 * certainly includes an own request that ended before the header's request was sent. Any other own request
 * may be counted later, so it is subtracted. This machine's clock may be fast, so the growth is reduced by
 * `MAX_CLOCK_ERROR`. Headers show a clock's error only if it exceeds the rounding of Remaining and Reset.
 *
 * low(t) is often too low: it rounds down, and it subtracts some requests that the header already includes.
 * The previous bound, projected to now, has neither fault. But it is valid only while no other program uses
 * the quota. So the bound becomes
 *
 *     max(low(t), previous)              while this side is alone: no header of the last period shows others
 *     max(low(t), min(previous, low₀))   otherwise
 *
 * Until the next header, the second form is too high by at most the requests in flight.
 *
 * `#free` still includes the requests in flight. The methods that read `#free` subtract them. A request in
 * flight may be counted late. Until then, the bucket may be full and lose refill. So `#free` is capped at the
 * limit before the subtraction.
 *
 * In a fixed window (service 8.3.5), the level does not grow. When the window ends, the bucket is full again,
 * except for own requests since then. `app/quota/window-model.ts` decides from Reset which of the two models
 * applies. Times are milliseconds on one monotonic clock.
 */
export class BucketBound {
  /** Requests per period. 0 until a header or the table names a limit. */
  #limit: number
  #periodMs: number
  /** The bound before requests in flight are subtracted, in requests. `undefined` before the first header. */
  #free: number | undefined
  /** `#free` at the time of the last header, from that header alone. */
  #shownFree = Number.POSITIVE_INFINITY
  /** Time from which `#free` grows. */
  #atMs = Number.NEGATIVE_INFINITY
  #model: 'rolling' | 'fixed' = 'rolling'
  #window: FixedWindow | undefined
  /** The latest window that headers showed and that has ended. */
  #formerWindow: FixedWindow | undefined
  /**
   * Whether `#window` was inferred from an own request that may have opened the window. False if a header
   * showed the window.
   */
  #isWindowAssumed = false
  /** When a header last showed use by another program. */
  #othersSeenAtMs = Number.NEGATIVE_INFINITY
  readonly #others = new OthersRate()
  /** Detects from this bucket's responses that others use the whole refill. */
  readonly othersTakeAll = new OthersTakeAll()
  #heldUntilMs = Number.NEGATIVE_INFINITY
  /** Number of consecutive pauses. */
  #holds = 0
  readonly #own = new OwnRequestTimes()

  /** `size` applies until a header names the limit and the period. */
  constructor(size?: RequestLimit) {
    this.#limit = size?.limit ?? 0
    this.#periodMs = (size?.periodSeconds ?? 0) * 1000
  }

  /** Requests per period. `undefined` before the first header. */
  get limit(): number | undefined {
    return this.#free === undefined ? undefined : this.#limit
  }

  /** Own requests without a response yet. */
  get inFlight(): number {
    return this.#own.inFlight
  }

  /** Whether the bound can be discarded: no header has arrived, nothing is in flight, no pause applies. */
  isForgettable(nowMs: number): boolean {
    return this.#free === undefined && this.inFlight === 0 && !this.isHeld(nowMs)
  }

  /** Whether the bucket is paused after a 429: see `HOLD`. */
  isHeld(nowMs: number): boolean {
    return nowMs < this.#heldUntilMs
  }

  advance(nowMs: number): void {
    if (this.#free === undefined) return
    this.#free = this.#freeAt(nowMs)
    // A full bucket grows again only after its next request. This growth may start one step of the service's
    // clock late.
    const isFull = this.#model === 'rolling' && this.#free >= this.#limit
    this.#atMs = Math.max(this.#atMs, isFull ? nowMs + CLOCK_STEP_MS : nowMs)
    const window = this.#window
    if (window === undefined || nowMs < window.endsLatestMs) return
    this.#window = undefined
    if (!this.#isWindowAssumed) this.#formerWindow = window
    if (this.inFlight > 0 || this.#free < this.#limit) this.#assumeWindow(window.endsEarliestMs, nowMs)
  }

  /** Adds an own request in flight. */
  sent(id: number, nowMs: number): void {
    this.advance(nowMs)
    this.#own.sent(id, nowMs)
  }

  /**
   * Removes a request that never reached the service or went to another bucket. Returns the time at which it
   * was sent. `undefined` if the request is unknown.
   */
  notSent(id: number): number | undefined {
    return this.#own.take(id)
  }

  /**
   * Removes a request that will get no response. The service may have counted it already, or may still count
   * it within `laterMs` from now.
   */
  lost(id: number, nowMs: number, laterMs: number): void {
    this.advance(nowMs)
    const sentAtMs = this.#own.take(id)
    if (sentAtMs === undefined) return
    if (this.#free !== undefined) {
      // If the bucket becomes full before the service counts the request, refill is lost. The cap on `#free`
      // allows for that.
      this.#free = Math.min(this.#free, this.#limit - this.#gainPerMs * laterMs) - 1
      this.#others.ownCounted()
    }
    this.#ended(sentAtMs, nowMs + laterMs)
  }

  /** Applies one response. Returns true if the bound was recomputed, which changes `turnAtMs`. */
  answered(id: number, refused: Refused, rate: RateReading | undefined, nowMs: number): boolean {
    this.advance(nowMs)
    const sentAtMs = this.#own.take(id) ?? nowMs
    const cost = refused === 'rate' ? 0 : 1
    if (this.#free !== undefined) this.#free -= cost
    if (cost > 0) this.#others.ownCounted()
    const isAnew = this.#fold(refused, rate, sentAtMs, nowMs)
    if (cost > 0) this.#ended(sentAtMs, nowMs)
    const { remaining } = rate ?? {}
    if (refused === 'rate') this.#othersSeenAtMs = nowMs
    if (refused === 'rate' && remaining === 0) this.othersTakeAll.refused(sentAtMs, nowMs)
    if (refused === 'no') {
      if (remaining !== undefined) this.othersTakeAll.answered(remaining, sentAtMs, nowMs)
      if (sentAtMs >= this.#heldUntilMs) this.#holds = 0
      return isAnew
    }
    // Remaining 0 explains a 429 of this bucket: the bucket is empty. Any other 429 pauses the bucket.
    if (refused === 'unattributed' || remaining !== 0) this.#hold(sentAtMs, nowMs)
    return true
  }

  /** Whether a request that needs `level` may be sent. Before the first header, only one may be in flight. */
  allows(level: number, nowMs: number): boolean {
    if (this.isHeld(nowMs)) return false
    if (this.#free === undefined) return this.inFlight === 0
    return this.#freeAt(nowMs) - this.inFlight >= level
  }

  /** The lower bound, in requests. May be below 0. `undefined` before the first header. */
  low(nowMs: number): number | undefined {
    return this.#free === undefined ? undefined : this.#freeAt(nowMs) - this.inFlight
  }

  /** First whole millisecond when `allows(level)` may be true. `undefined` if this depends on a response. */
  reachesAtMs(level: number, nowMs: number): number | undefined {
    const fromMs = Math.max(nowMs, this.#heldUntilMs)
    if (this.allows(level, fromMs)) return fromMs
    if (this.#free === undefined) return undefined
    if (this.#model === 'fixed') return this.#window && Math.max(fromMs, Math.ceil(this.#window.endsLatestMs))
    if (level + this.inFlight > this.#limit) return undefined
    const missing = level + this.inFlight - this.#freeAt(fromMs)
    const atMs = Math.ceil(Math.max(fromMs, this.#atMs) + missing / this.#gainPerMs)
    // `allows` multiplies and this method divides, so rounding may differ.
    return this.allows(level, atMs) ? atMs : atMs + 1
  }

  /** Recent use by other programs, from quota headers, in requests per millisecond. */
  othersPerMs(nowMs: number): number {
    return this.#model === 'fixed' || this.#isAlone(nowMs) ? 0 : this.#others.perMs
  }

  /**
   * When a request that needs `level` may be sent, if `ahead` other requests are sent before it. `ahead` need
   * not be whole. `laterPerMs`: rate of requests that arrive later but are sent before it, per millisecond.
   *
   * Each of the `ahead` requests lowers the bound by one. So this is the time at which the bound would reach
   * `level + ahead` if none of them were sent and if it had no cap. With fixed windows, each window after the
   * present one allows `limit − level + 1` requests.
   */
  turnAtMs(level: number, ahead: number, nowMs: number, laterPerMs = 0): number {
    const fromMs = Math.max(nowMs, this.#heldUntilMs)
    if (this.#free === undefined) return fromMs
    const missing = level + ahead + this.inFlight - this.#freeAt(fromMs)
    if (missing <= 0) return fromMs
    if (this.#model === 'rolling') {
      const gainPerMs = this.#meanGainPerMs
      const pace = Math.min(laterPerMs, MAX_LATER_SHARE * gainPerMs)
      return Math.max(fromMs, this.#atMs) + missing / (gainPerMs - pace)
    }
    const windows = Math.ceil(missing / Math.max(1, Math.floor(this.#limit - level + 1)))
    return Math.max(fromMs, this.#window?.endsLatestMs ?? fromMs) + (windows - 1) * this.#periodMs
  }

  /** The quota headers for a 429 from the gateway (service 2.2). `undefined` before the first header. */
  reading(nowMs: number): Required<Omit<RateReading, 'resource'>> | undefined {
    const low = this.low(nowMs)
    if (low === undefined) return undefined
    const missingMs = Math.max(0, this.#limit - low) * (this.#periodMs / this.#limit)
    const fullInMs =
      this.#model === 'rolling' ? missingMs : Math.max(0, (this.#window?.endsLatestMs ?? nowMs) - nowMs)
    return {
      limit: this.#limit,
      periodSeconds: this.#periodMs / 1000,
      remaining: Math.max(0, Math.floor(low)),
      resetSeconds: Math.ceil(fullInMs / 1000),
    }
  }

  /**
   * Handles a span whose real length is unknown, because the machine slept or the clock was set. To be safe,
   * the bucket does not refill during the span. A fixed window may end later by up to the span's length.
   */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.advance(fromMs)
    this.#atMs = Math.max(this.#atMs, toMs)
    this.#window = doubtedWindow(this.#window, { fromMs, toMs }, longest(this.#periodMs))
  }

  /** Before the first header, assumes a fixed window that another gateway has seen. */
  protected assumeFixed(endsLatestMs: number): void {
    if (this.#free !== undefined) return
    this.#model = 'fixed'
    this.#window = { endsEarliestMs: endsLatestMs - this.#periodMs, endsLatestMs }
    this.#isWindowAssumed = true
  }

  /** Whether others may use the bucket without this side's knowledge, even if no header shows their use. */
  protected get hasOtherSides(): boolean {
    return false
  }

  /** Lowers the bound to the level that the last header alone shows. */
  protected forgetPrevious(): void {
    if (this.#free !== undefined) this.#free = Math.min(this.#free, this.#shownFree)
  }

  /** When a header last showed use by another program. */
  protected get othersSeenAtMs(): number {
    return this.#othersSeenAtMs
  }

  /** The bucket's refill. Known even before the first header if the bucket's size is known. */
  get refill(): Refill {
    const [limit, meanPerMs] = [this.#limit, this.#periodMs > 0 ? this.#limit / this.#periodMs : 0]
    const perMs = this.#gainPerMs
    return { limit, perMs, meanPerMs, windowEndsMs: this.#window?.endsLatestMs }
  }

  /** Refill in requests per millisecond. 0 in the fixed model. */
  get #meanGainPerMs(): number {
    return this.#periodMs > 0 ? gainPerMsOf(this.#model, this.#limit, this.#periodMs) : 0
  }

  /** Minimum refill per millisecond of this machine's clock, which may be fast. */
  get #gainPerMs(): number {
    return this.#meanGainPerMs * (1 - MAX_CLOCK_ERROR)
  }

  #freeAt(nowMs: number): number {
    const free = this.#free ?? 0
    if (this.#model === 'rolling') {
      return Math.min(this.#limit, free + Math.max(0, nowMs - this.#atMs) * this.#gainPerMs)
    }
    const window = this.#window
    if (window === undefined || nowMs < window.endsLatestMs) return free
    // If the window ended as early as possible, own requests since then count in the next window.
    return Math.max(free, this.#limit - this.#own.endedSince(window.endsEarliestMs))
  }

  /** Records that an own request was counted, or may have been, between the two times. */
  #ended(sentAtMs: number, endedAtMs: number): void {
    const isFixed = this.#model === 'fixed'
    if (isFixed && this.#window === undefined) this.#assumeWindow(sentAtMs, endedAtMs)
    this.#own.ended(endedAtMs, isFixed ? this.#window?.endsEarliestMs : undefined)
  }

  #assumeWindow(openedAfterMs: number, openedBeforeMs: number): void {
    this.#window = assumedWindow(openedAfterMs, openedBeforeMs, this.#size)
    this.#isWindowAssumed = true
  }

  #fold(refused: Refused, rate: RateReading | undefined, sentAtMs: number, nowMs: number): boolean {
    const isResized = this.#adoptSize(rate)
    // An older kind of 429 has no quota headers. Its Message reports an empty bucket (service 2.3).
    const remaining = rate?.remaining ?? (refused === 'rate' ? 0 : undefined)
    if (remaining === undefined || this.#limit === 0 || this.#periodMs === 0) return isResized
    const model = this.#model
    // A 429 with Reset 0 says nothing about the time of the next refill.
    const resetSeconds = refused === 'rate' && rate?.resetSeconds === 0 ? undefined : rate?.resetSeconds
    const header = { remaining: Math.min(remaining, this.#limit), resetSeconds, sentAtMs, nowMs }
    const isOfNow = this.#judge(header)
    const isVoid = isResized || this.#model !== model || this.#free === undefined
    if (!isOfNow) return isVoid
    return this.#take(header, { isVoid, isRefused: refused === 'rate' })
  }

  /**
   * Updates the bound from a header. `isVoid`: the earlier bound does not apply. Returns true if the earlier
   * bound was not kept: it was void, the request got a 429, or the header shows a lower level.
   */
  #take(header: Shown, { isVoid, isRefused }: { isVoid: boolean; isRefused: boolean }): boolean {
    const { inFlight } = this
    const { nowMs } = header
    const isAnew = isVoid || isRefused
    const shown = levelsShown({ model: this.#model, window: this.#window }, header, this.#size)
    const fromHeader = shown.least - this.#own.endedSince(header.sentAtMs)
    const former = this.#free ?? fromHeader
    const isLower = !isAnew && former - inFlight > shown.most + TOLERANCE
    // Another program's use was seen after this header's request was sent. The header might not include
    // that use, so it must not raise the bound.
    const isOlder = !isAnew && header.sentAtMs < this.#othersSeenAtMs
    if (isLower) this.#othersSeenAtMs = nowMs
    const kept =
      this.#isAlone(nowMs) && !this.hasOtherSides ? former : Math.min(former, shown.least + inFlight)
    const shows = isAnew ? fromHeader : Math.max(fromHeader, kept)
    const free = Math.min(this.#limit, isOlder ? Math.min(former, shows) : shows)
    if (isAnew || free !== former) this.#atMs = nowMs + CLOCK_STEP_MS
    this.#free = free
    this.#shownFree = fromHeader
    this.#others.shown((shown.least + shown.mostThen) / 2, nowMs, {
      gainPerMs: this.#meanGainPerMs,
      limit: this.#limit,
      isVoid,
    })
    // Without Reset, the end of the window is unknown, but at most one period away.
    if (this.#model === 'fixed' && this.#window === undefined && free < this.#limit) {
      this.#assumeWindow(header.sentAtMs - this.#periodMs, nowMs)
    }
    return isAnew || isLower
  }

  #isAlone(nowMs: number): boolean {
    return nowMs - this.#othersSeenAtMs > this.#periodMs
  }

  /** Updates the model from a header. Returns false if the header shows a window that has ended. */
  #judge(header: Shown): boolean {
    const { resetSeconds } = header
    if (resetSeconds === undefined) return true
    const former = this.#formerWindow
    if (this.#model === 'fixed' && former !== undefined) {
      const shown = fixedWindowOf({ ...header, resetSeconds }, MAX_CLOCK_ERROR)
      if (windowStep(former, shown, this.#periodMs) === 'same') return false
    }
    const window = this.#isWindowAssumed ? undefined : (this.#window ?? former)
    const after = modelAfter({ model: this.#model, window }, { ...header, resetSeconds }, this.#size)
    if (after === undefined) return false
    if (after.model !== this.#model) this.#formerWindow = undefined
    this.#model = after.model
    this.#window = after.window
    if (after.model === 'fixed') this.#isWindowAssumed = false
    return true
  }

  get #size(): WindowSize {
    return { limit: this.#limit, periodMs: this.#periodMs, clockError: MAX_CLOCK_ERROR }
  }

  /**
   * Takes limit and period from a header. They override the values in the table (service 8.2). Returns true
   * if either changed.
   */
  #adoptSize(rate: RateReading | undefined): boolean {
    const limit = rate?.limit ?? this.#limit
    const periodMs = rate?.periodSeconds === undefined ? this.#periodMs : rate.periodSeconds * 1000
    if (limit === this.#limit && periodMs === this.#periodMs) return false
    this.#limit = limit
    this.#periodMs = periodMs
    if (this.#free === undefined) return false
    this.#model = 'rolling'
    this.#window = undefined
    return true
  }

  /** Pauses the bucket. Several 429s of requests in flight cause only one pause. */
  #hold(sentAtMs: number, nowMs: number): void {
    if (this.#holds > 0 && sentAtMs < this.#heldUntilMs) return
    this.#heldUntilMs = nowMs + Math.min(HOLD.maxMs, HOLD.firstMs * 2 ** this.#holds)
    this.#holds += 1
  }
}
