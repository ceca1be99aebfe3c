import { OthersTakeAll } from '../quota/others-take-all.ts'
import {
  assumedWindow,
  CLOCK_STEP_MS,
  doubtedWindow,
  type FixedWindow,
  fixedWindowOf,
  gainPerMsOf,
  levelsShown,
  modelAfter,
  type Shown,
  TOLERANCE,
  type WindowModel,
  type WindowSize,
  windowStep,
} from '../quota/window-model.ts'
import type { RateReading } from '../service/headers.ts'
import { OthersPace } from './others-pace.ts'
import { OwnRequestTimes } from './own-request-times.ts'

/** Requests per period. */
export interface BucketSize {
  readonly limit: number
  readonly periodSeconds: number
}

/**
 * Whether an answer is a 429, and of what: `rate` is the bucket's own (it cost nothing, service 3), `unsaid` one that
 * names neither quota and may come from a proxy.
 */
export type Refused = 'no' | 'rate' | 'unsaid'

/** How long a bucket is held after a 429 whose fields do not explain it (service 7). */
const HOLD = { firstMs: 60_000, maxMs: 3_600_000 } as const
/** Reset is a whole number of seconds, so a header is less than a second of replenishment below the level. */
export const RESET_STEP_MS = 1000
/** Later requests slow a turn down, but do not take all that comes back for ever. */
const MAX_LATER_SHARE = 0.9

/**
 * A lower bound on the level of one bucket, from which a request may go upstream without being refused.
 *
 *     low(t) = min(limit, low₀ + (t − received) / rate) − own requests not surely in that header
 *     low₀   = max(Remaining, limit − Reset / rate)          rate = period / limit, seconds a request (service 8.3.2)
 *
 * Derivation: Remaining is the floor of the level and Reset the ceiling of (limit − level) × rate, so neither exceeds
 * the level at low₀; from there it grows by 1 / rate a second up to the limit. An own request surely is in a header if
 * it ended before the header's own request was sent; any other may still be counted after it and is subtracted.
 *
 * That subtracts requests twice that the header had counted already, and rounds. The former bound, projected, has neither
 * fault and holds as long as no other program spends. So the bound becomes
 *
 *     max(low(t), former)              while headers allow that no other program spent, for a period back
 *     max(low(t), min(former, low₀))   else: too high by the requests in flight at most, and by none after the next header
 *
 * `#free` is the bound without the requests in flight. They are subtracted by the reader: one that is counted late
 * comes from a bucket that was full until then.
 *
 * A fixed window (service 8.3.5) does not grow, and is full again, but for own requests since, when it ends. Which of
 * the two a bucket is, `app/quota/window-model.ts` judges from Reset, for the estimator too. Times are milliseconds on one clock that never goes back.
 */
export class BucketBound {
  /** 0 as long as nothing says it. */
  #limit: number
  #periodMs: number
  /** Requests; `undefined` before the first header. */
  #free: number | undefined
  /** From when `#free` grows. */
  #atMs = Number.NEGATIVE_INFINITY
  #model: 'rolling' | 'fixed' = 'rolling'
  #window: FixedWindow | undefined
  /** The last window that a header showed and that is over. */
  #formerWindow: FixedWindow | undefined
  /** The window was not shown by a header, but follows from an own request that may have opened it. */
  #isWindowAssumed = false
  /** When a header last showed that another program spends. */
  #othersSeenAtMs = Number.NEGATIVE_INFINITY
  readonly #others = new OthersPace()
  /** Told of every answer here, and of what goes by who sends. */
  readonly othersTakeAll = new OthersTakeAll()
  #heldUntilMs = Number.NEGATIVE_INFINITY
  /** Holds in a row. */
  #holds = 0
  readonly #own = new OwnRequestTimes()

  /** `size` serves for headers that name no limit or period. */
  constructor(size?: BucketSize) {
    this.#limit = size?.limit ?? 0
    this.#periodMs = (size?.periodSeconds ?? 0) * 1000
  }

  /** Requests per period; `undefined` before the first header. */
  get limit(): number | undefined {
    return this.#free === undefined ? undefined : this.#limit
  }

  /** Own requests whose answer has not come. */
  get inFlight(): number {
    return this.#own.inFlight
  }

  /** Whether it knows nothing that a new object would not: no header, no request, no hold. */
  isForgettable(nowMs: number): boolean {
    return this.#free === undefined && this.inFlight === 0 && !this.isHeld(nowMs)
  }

  /** Whether it is held after a 429 that its fields do not explain. */
  isHeld(nowMs: number): boolean {
    return nowMs < this.#heldUntilMs
  }

  /** Time passes. Each event below advances by itself. */
  advance(nowMs: number): void {
    if (this.#free === undefined) return
    this.#free = this.#freeAt(nowMs)
    // A full bucket begins to grow again at a whole millisecond of the service's clock.
    const isFull = this.#model === 'rolling' && this.#free >= this.#limit
    this.#atMs = Math.max(this.#atMs, isFull ? nowMs + CLOCK_STEP_MS : nowMs)
    const window = this.#window
    if (window === undefined || nowMs < window.endsLatestMs) return
    this.#window = undefined
    if (!this.#isWindowAssumed) this.#formerWindow = window
    if (this.inFlight > 0 || this.#free < this.#limit) this.#assumeWindow(window.endsEarliestMs, nowMs)
  }

  /** An own request goes out. */
  sent(id: number, nowMs: number): void {
    this.advance(nowMs)
    this.#own.sent(id, nowMs)
  }

  /** A request that certainly never reached the service, or another bucket. Returns when it was sent. */
  notSent(id: number): number | undefined {
    return this.#own.take(id)
  }

  /** A request whose answer will not come: it may have been counted, or still be within `laterMs` from now. */
  lost(id: number, nowMs: number, laterMs: number): void {
    this.advance(nowMs)
    const sentAtMs = this.#own.take(id)
    if (sentAtMs === undefined) return
    if (this.#free !== undefined) {
      // Counted late, it comes from a bucket that could not grow over its limit until then.
      this.#free = Math.min(this.#free, this.#limit - this.#gainPerMs * laterMs) - 1
      this.#others.ownCounted()
    }
    this.#ended(sentAtMs, nowMs + laterMs)
  }

  /** Folds one answer in. True if the bound was computed anew, so that computed turns are void. */
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
    // Remaining 0 and Reset explain a refusal, and the bound waits; anything else would be refused again at once.
    if (refused === 'unsaid' || remaining !== 0) this.#hold(sentAtMs, nowMs)
    return true
  }

  /** Whether a request that needs `level` may go: without a header yet, one at a time. */
  allows(level: number, nowMs: number): boolean {
    if (this.isHeld(nowMs)) return false
    if (this.#free === undefined) return this.inFlight === 0
    return this.#freeAt(nowMs) - this.inFlight >= level
  }

  /** The bound itself, in requests; may be below 0. `undefined` before the first header. */
  low(nowMs: number): number | undefined {
    return this.#free === undefined ? undefined : this.#freeAt(nowMs) - this.inFlight
  }

  /**
   * The earliest whole millisecond, not before `nowMs`, at which `level` may be allowed; `undefined` if only an answer can
   * bring it about.
   */
  reachesAtMs(level: number, nowMs: number): number | undefined {
    const fromMs = Math.max(nowMs, this.#heldUntilMs)
    if (this.allows(level, fromMs)) return fromMs
    if (this.#free === undefined) return undefined
    if (this.#model === 'fixed') return this.#window && Math.max(fromMs, Math.ceil(this.#window.endsLatestMs))
    if (level + this.inFlight > this.#limit) return undefined
    const missing = level + this.inFlight - this.#freeAt(fromMs)
    const atMs = Math.ceil(Math.max(fromMs, this.#atMs) + missing / this.#gainPerMs)
    // Division and multiplication round differently.
    return this.allows(level, atMs) ? atMs : atMs + 1
  }

  /** How fast other programs spend, in requests a millisecond, as far as headers showed it lately. */
  othersPerMs(nowMs: number): number {
    return this.#model === 'fixed' || this.#isAlone(nowMs) ? 0 : this.#others.perMs
  }

  /**
   * When a request goes that needs `level` and has `ahead` others before it; `ahead` may have a fraction.
   *
   * `ahead` requests lower the bound by as many, so it is when the bound without them is at `level + ahead`; it does not
   * meet the limit meanwhile. A fixed window brings `limit − level + 1` at once. `laterPerMs`: requests that come later and are
   * counted before it.
   */
  turnAtMs(level: number, ahead: number, nowMs: number, laterPerMs = 0): number {
    const fromMs = Math.max(nowMs, this.#heldUntilMs)
    if (this.#free === undefined) return fromMs
    const missing = level + ahead + this.inFlight - this.#freeAt(fromMs)
    if (missing <= 0) return fromMs
    if (this.#model === 'rolling') {
      const pace = Math.min(laterPerMs, MAX_LATER_SHARE * this.#gainPerMs)
      return Math.max(fromMs, this.#atMs) + missing / (this.#gainPerMs - pace)
    }
    const windows = Math.ceil(missing / Math.max(1, Math.floor(this.#limit - level + 1)))
    return Math.max(fromMs, this.#window?.endsLatestMs ?? fromMs) + (windows - 1) * this.#periodMs
  }

  /** The fields of a 429 that says what is known (service 2.2); `undefined` before the first header. */
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
   * Between the two moments time may not have passed: the machine slept, or the clock was set. Nothing grew, and a fixed
   * window ends as much later.
   */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.advance(fromMs)
    this.#atMs = Math.max(this.#atMs, toMs)
    this.#window = doubtedWindow(this.#window, { fromMs, toMs }, this.#periodMs)
  }

  get #gainPerMs(): number {
    return gainPerMsOf(this.#model, this.#limit, this.#periodMs)
  }

  #freeAt(nowMs: number): number {
    const free = this.#free ?? 0
    if (this.#model === 'rolling') {
      return Math.min(this.#limit, free + Math.max(0, nowMs - this.#atMs) * this.#gainPerMs)
    }
    const window = this.#window
    if (window === undefined || nowMs < window.endsLatestMs) return free
    // Own requests since the earliest end may be in the next window.
    return Math.max(free, this.#limit - this.#own.endedSince(window.endsEarliestMs))
  }

  /** An own request was counted, or may have been, between the two. */
  #ended(sentAtMs: number, endedAtMs: number): void {
    const isFixed = this.#model === 'fixed'
    if (isFixed && this.#window === undefined) this.#assumeWindow(sentAtMs, endedAtMs)
    this.#own.ended(endedAtMs, isFixed ? this.#window?.endsEarliestMs : undefined)
  }

  #assumeWindow(openedAfterMs: number, openedBeforeMs: number): void {
    this.#window = assumedWindow(openedAfterMs, openedBeforeMs, this.#periodMs)
    this.#isWindowAssumed = true
  }

  #fold(refused: Refused, rate: RateReading | undefined, sentAtMs: number, nowMs: number): boolean {
    const isResized = this.#adoptSize(rate)
    // The older 429 without fields says by its Message that the bucket is empty (service 2.3).
    const remaining = rate?.remaining ?? (refused === 'rate' ? 0 : undefined)
    if (remaining === undefined || this.#limit === 0 || this.#periodMs === 0) return isResized
    const model = this.#model
    // A refusal that says it is full now says nothing of when.
    const resetSeconds = refused === 'rate' && rate?.resetSeconds === 0 ? undefined : rate?.resetSeconds
    const header = { remaining: Math.min(remaining, this.#limit), resetSeconds, sentAtMs, nowMs }
    const isOfNow = this.#judge(header)
    const isVoid = isResized || this.#model !== model || this.#free === undefined
    if (!isOfNow) return isVoid
    return this.#take(header, { isVoid, isRefused: refused === 'rate' })
  }

  /** The bound after a header. `isVoid`: nothing known before holds. True if it was void, or is shown to be by the header. */
  #take(header: Shown, { isVoid, isRefused }: { isVoid: boolean; isRefused: boolean }): boolean {
    const { inFlight } = this
    const { nowMs } = header
    const isAnew = isVoid || isRefused
    const shown = levelsShown(this.#known, header, this.#size)
    const fromHeader = shown.least - this.#own.endedSince(header.sentAtMs)
    const former = this.#free ?? fromHeader
    const isLower = !isAnew && former - inFlight > shown.most + TOLERANCE
    // Sent before another program was seen, it may have been counted before that program spent: it raises nothing.
    const isOlder = !isAnew && header.sentAtMs < this.#othersSeenAtMs
    if (isLower) this.#othersSeenAtMs = nowMs
    const kept = this.#isAlone(nowMs) ? former : Math.min(former, shown.least + inFlight)
    const shows = isAnew ? fromHeader : Math.max(fromHeader, kept)
    const free = Math.min(this.#limit, isOlder ? Math.min(former, shows) : shows)
    if (isAnew || free !== former) this.#atMs = nowMs + CLOCK_STEP_MS
    this.#free = free
    this.#others.shown((shown.least + shown.mostThen) / 2, nowMs, {
      gainPerMs: this.#gainPerMs,
      limit: this.#limit,
      isVoid,
    })
    // Without a Reset nothing says when the window ends, but it does within a period.
    if (this.#model === 'fixed' && this.#window === undefined && free < this.#limit) {
      this.#assumeWindow(header.sentAtMs - this.#periodMs, nowMs)
    }
    return isAnew || isLower
  }

  #isAlone(nowMs: number): boolean {
    return nowMs - this.#othersSeenAtMs > this.#periodMs
  }

  /** Which model a header speaks of. False for a header of a window that is over, which says nothing about now. */
  #judge(header: Shown): boolean {
    const { resetSeconds, sentAtMs, nowMs } = header
    if (resetSeconds === undefined) return true
    const former = this.#formerWindow
    if (this.#model === 'fixed' && former !== undefined) {
      const shown = fixedWindowOf(resetSeconds, sentAtMs, nowMs)
      if (windowStep(former, shown, this.#periodMs) === 'same') return false
    }
    const window = this.#isWindowAssumed ? undefined : (this.#window ?? former)
    const known = this.#model === 'fixed' ? { model: this.#model, window } : this.#known
    const after = modelAfter(known, { ...header, resetSeconds }, this.#size)
    if (after === undefined) return false
    if (after.model !== this.#model) this.#formerWindow = undefined
    this.#model = after.model
    this.#window = after.window
    if (after.model === 'fixed') this.#isWindowAssumed = false
    return true
  }

  get #known(): WindowModel {
    return this.#model === 'rolling' ? { model: 'rolling' } : { model: 'fixed', window: this.#window }
  }

  get #size(): WindowSize {
    return { limit: this.#limit, periodMs: this.#periodMs }
  }

  /** A header wins over what was known (service 8.2). True if the bucket has another size than before. */
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

  /** Requests that were in flight together are refused together: one hold, not several in a row. */
  #hold(sentAtMs: number, nowMs: number): void {
    if (this.#holds > 0 && sentAtMs < this.#heldUntilMs) return
    this.#heldUntilMs = nowMs + Math.min(HOLD.maxMs, HOLD.firstMs * 2 ** this.#holds)
    this.#holds += 1
  }
}
