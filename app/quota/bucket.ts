import type { RateReading } from '../service/headers.ts'
import { type FixedWindow, fixedWindowOf, narrowed, windowStep } from './fixed-window.ts'
import { OwnRequests } from './own-requests.ts'
import {
  type CountedRate,
  counted,
  countedFrom,
  countedPerSecond,
  HORIZONS_MS,
  type Horizon,
} from './rates.ts'
import { CLOCK_STEP_MS, rollingAllows, rollingShows, TOLERANCE } from './replenishment.ts'
import { UseElsewhere } from './use-elsewhere.ts'

/** Where and when one own request was answered. Times in milliseconds on one clock. */
export interface Answered {
  readonly id: number
  readonly receivedAtMs: number
  /** A 429 of the rate quota: it cost nothing (service.md 3). */
  readonly rejected: boolean
  readonly rate?: RateReading
  /** For a request this bucket was not told of when it was sent. */
  readonly sentAtMs?: number
}

/** What a bucket looked like at the last header that was believed. */
export interface Seen {
  readonly remaining: number
  readonly atMs: number
}

/**
 * One quota bucket as this app knows it: bounds on the service's level, learned from headers.
 *
 * The service holds a level with a fraction; a header shows its floor, rounded, some network time ago. So the
 * bucket keeps two bounds under the hypothesis that only our own requests count: the true level lies in
 * [low − in flight, high] as long as nobody else spends. Each header narrows them; one that does not overlap
 * them proves use elsewhere. A request in flight may count at any moment, so it lowers `low` for the reader at
 * once and for good when it is answered, and `high` only when it surely counted.
 *
 * Times are milliseconds on one clock that never goes back. Source: service.md 2.2, 3, 8.3.
 */
export class Bucket {
  limit: number
  periodMs: number
  model: 'rolling' | 'fixed' = 'rolling'
  seen: Seen | undefined
  rejected = 0
  #low: number
  #high: number
  #atMs: number
  /** The last window shown by a header. Kept after its end: the next one ends at least a period later. */
  #window: FixedWindow | undefined
  #agreements = 0
  readonly #requests = new OwnRequests()
  #own: CountedRate
  #ownLong: CountedRate
  readonly #elsewhere = new UseElsewhere()
  #lastHeaderAtMs: number | undefined
  #middleAtHeader = 0
  #seenSentAtMs = Number.NEGATIVE_INFINITY

  constructor(limit: number, periodSeconds: number, nowMs: number) {
    this.limit = limit
    this.periodMs = periodSeconds * 1000
    this.#low = limit
    this.#high = limit
    this.#atMs = nowMs
    this.#own = countedFrom(nowMs, HORIZONS_MS.short)
    this.#ownLong = countedFrom(nowMs, HORIZONS_MS.long)
  }

  get confidence(): 'assumed' | 'observed' {
    return this.#agreements >= 2 || this.model === 'fixed' ? 'observed' : 'assumed'
  }

  /** The end of the last window seen, which may be over. */
  get windowEndsAtMs(): number | undefined {
    return this.model === 'fixed' ? this.#window?.endsLatestMs : undefined
  }

  /** Own requests whose answer has not come. */
  get inFlight(): number {
    return this.#requests.inFlight
  }

  sent(id: number, nowMs: number): void {
    this.#advance(nowMs)
    this.#requests.sent(id, this.#atMs)
    // While the window may or may not have ended, nobody knows in which one a request counts.
    if (this.#window && this.#atMs >= this.#window.endsEarliestMs && this.#atMs < this.#window.endsLatestMs) {
      this.#requests.allMaybeSeen()
    }
  }

  /**
   * The clock went from one moment to the other, and nobody knows whether time did: the machine slept, or the clock was
   * set. What would have come back is in the upper bound alone, until the next header.
   */
  doubt(fromMs: number, toMs: number): void {
    this.#advance(fromMs)
    const low = this.#low
    const window = this.#window
    if (window && window.endsLatestMs > fromMs) {
      const endsLatestMs = Math.min(window.endsLatestMs + (toMs - fromMs), toMs + this.periodMs)
      this.#window = { ...window, endsLatestMs }
    }
    this.#advance(toMs)
    this.#low = low
  }

  /** A request that certainly never reached the service. */
  notSent(id: number, nowMs: number): void {
    this.#advance(nowMs)
    this.#requests.take(id)
  }

  /**
   * A request whose answer never came: it may have counted, so `low` is charged and `high` is not.
   *
   * One that may be on its way still may count up to `laterMs` from now, in a bucket that is full again.
   */
  lost(id: number, nowMs: number, laterMs = 0): void {
    this.#advance(nowMs)
    const request = this.#requests.take(id)
    if (!request) return
    this.#low = Math.min(this.#low, this.limit - this.#gainPerMs * laterMs)
    this.#charge(request.sentAtMs, laterMs)
  }

  /** Refused, but by nothing that says whether this bucket is empty. */
  refusedUnsaid(id: number, nowMs: number): void {
    this.rejected += 1
    this.lost(id, nowMs)
  }

  /**
   * Folds one answer in. Returns how many requests others must have made since the last header, 0 when our own
   * explain the drop.
   */
  answered(answer: Answered): number {
    this.#advance(answer.receivedAtMs)
    const nowMs = this.#atMs
    const request = this.#requests.take(answer.id)
    const sentAtMs = request?.sentAtMs ?? Math.min(nowMs, answer.sentAtMs ?? nowMs)
    if (answer.rejected) this.rejected += 1
    else {
      this.#own = counted(this.#own, nowMs)
      this.#ownLong = counted(this.#ownLong, nowMs)
      this.#low = Math.max(0, this.#low - 1)
      if (request) this.#high = Math.max(0, this.#high - this.#requests.fall(request))
    }
    const elsewhere = this.#fold(answer, sentAtMs, nowMs)
    if (!answer.rejected) this.#remember(sentAtMs)
    return elsewhere
  }

  /** Bounds and point at `nowMs`. Elsewhere use already seen is assumed to go on; it widens the lower bound. */
  estimate(nowMs: number): { low: number; high: number; point: number; slopePerSecond: number } {
    const at = Math.max(nowMs, this.#atMs)
    const low = Math.max(0, this.#lowAt(at) - this.inFlight)
    const high = this.#highAt(at)
    const elsewhere = this.elsewherePerSecond(nowMs) ?? 0
    const sinceSeconds = Math.max(0, at - (this.#lastHeaderAtMs ?? at)) / 1000
    const gain = this.#gainPerMs * 1000
    const middle = this.#middleAt(at)
    // A window that is over stands full until somebody begins the next one.
    const isOver = this.model === 'fixed' && (middle >= this.limit || at >= (this.windowEndsAtMs ?? at))
    const drained = (perSecond: number, undrained: number) =>
      isOver ? 0 : this.#drained(perSecond, gain, sinceSeconds, undrained)
    const point = Math.min(high, Math.max(0, middle - drained(elsewhere, middle)))
    const worst = Math.max(0, low - drained(elsewhere * 1.5, low))
    const slope = gain - elsewhere
    const stands = isOver || (point >= this.limit && slope > 0)
    return { low: Math.min(worst, point), high, point, slopePerSecond: stands ? 0 : slope }
  }

  ownPerSecond(nowMs: number, horizon: Horizon = 'short'): number {
    return countedPerSecond(horizon === 'short' ? this.#own : this.#ownLong, nowMs)
  }

  /** `undefined` before two headers, or when the last one is older than a period. */
  elsewherePerSecond(nowMs: number, horizon: Horizon = 'short'): number | undefined {
    if (this.#lastHeaderAtMs === undefined || nowMs - this.#lastHeaderAtMs > this.periodMs) return undefined
    return this.#elsewhere.perSecond(horizon)
  }

  /**
   * What use elsewhere took since the last header. Where the bucket would stand full without others, their use
   * draws from the limit, not from above it.
   */
  #drained(perSecond: number, gainPerSecond: number, sinceSeconds: number, undrained: number): number {
    if (perSecond <= 0) return 0
    if (undrained < this.limit) return perSecond * sinceSeconds
    const level = this.#middleAtHeader + (gainPerSecond - perSecond) * sinceSeconds
    return Math.max(0, this.limit - level)
  }

  #fold(answer: Answered, sentAtMs: number, nowMs: number): number {
    const { rate } = answer
    if (rate) this.#adoptSize(rate)
    // The older 429 without headers says by its Message that the bucket is empty (service.md 2.3).
    const remaining = rate?.remaining ?? (answer.rejected ? 0 : undefined)
    if (remaining === undefined) return 0
    return this.#observe(Math.min(remaining, this.limit), rate?.resetSeconds, sentAtMs, nowMs)
  }

  #observe(remaining: number, resetSeconds: number | undefined, sentAtMs: number, nowMs: number): number {
    const model = this.model
    if (resetSeconds === undefined) this.#assumeWindow(sentAtMs, nowMs)
    else if (!this.#judgeModel(remaining, resetSeconds, sentAtMs, nowMs)) return 0

    const shown = this.#shownBy(remaining, resetSeconds, nowMs - sentAtMs)
    // From the header's moment to now: others of our own may have counted since, time may have given back.
    const low = Math.max(0, shown.least - this.#requests.mayHaveCountedAfter(sentAtMs))
    const high = Math.max(low, shown.most)
    const { inFlight } = this
    const isFirst = this.seen === undefined || this.model !== model
    // A window that may have ended since was full at the header's moment no more than at ours.
    const shownThen = this.model === 'fixed' ? remaining : high
    const proved = !isFirst && this.#low - inFlight - shownThen > TOLERANCE
    const surplus = low - inFlight - this.#high > TOLERANCE
    const before = this.#middleAt(nowMs)
    if (isFirst || proved || surplus) {
      this.#low = low
      this.#high = high
      this.#requests.allMaybeSeen()
    } else {
      this.#low = Math.max(this.#low, low)
      if (high < this.#high) {
        this.#high = high
        this.#requests.allMaybeSeen()
      }
    }
    this.#low = Math.min(this.#low, this.#high + inFlight)
    this.#middleAtHeader = this.#middleAt(nowMs)
    const drop = before - this.#middleAtHeader
    if (!isFirst && this.#lastHeaderAtMs !== undefined) {
      const evidence = proved ? 'proved' : surplus ? 'more-than-thought' : 'none'
      this.#elsewhere.observed(drop, nowMs - this.#lastHeaderAtMs, evidence)
    }
    this.#lastHeaderAtMs = nowMs
    if (isFirst || sentAtMs >= this.#seenSentAtMs) {
      this.seen = { remaining, atMs: nowMs }
      this.#seenSentAtMs = sentAtMs
    }
    return proved ? Math.max(1, Math.round(drop)) : 0
  }

  /** Bounds on the level now by one header alone, whatever of our own counted after it. */
  #shownBy(
    remaining: number,
    resetSeconds: number | undefined,
    lastedMs: number,
  ): { least: number; most: number } {
    if (this.model === 'fixed') {
      const mayHaveEnded = this.#window !== undefined && this.#atMs >= this.#window.endsEarliestMs
      return { least: remaining, most: mayHaveEnded ? this.limit : remaining }
    }
    const { least, most } = rollingShows(this.limit, this.periodMs / 1000, remaining, resetSeconds)
    return { least, most: Math.min(this.limit, most + (lastedMs + CLOCK_STEP_MS) * this.#gainPerMs) }
  }

  /**
   * Rolling and fixed windows told apart by Reset (service.md 8.3.1 against 8.3.5). Returns false for a header
   * of a window that is over, which says nothing about now.
   */
  #judgeModel(remaining: number, resetSeconds: number, sentAtMs: number, nowMs: number): boolean {
    const shown = fixedWindowOf(resetSeconds, sentAtMs, nowMs)
    const lastedSeconds = (nowMs - sentAtMs) / 1000
    const rolls = rollingAllows(this.limit, this.periodMs / 1000, remaining, resetSeconds, lastedSeconds)
    if (this.model === 'rolling') {
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

  /** Without a Reset nobody says when a window ends, but it does within a period: no bucket stays empty. */
  #assumeWindow(sentAtMs: number, nowMs: number): void {
    if (this.model !== 'fixed' || (this.#window && this.#window.endsLatestMs > nowMs)) return
    this.#window = { endsEarliestMs: sentAtMs, endsLatestMs: nowMs + this.periodMs }
    this.#mayBeNew()
  }

  #change(model: 'rolling' | 'fixed', window: FixedWindow | undefined): void {
    this.model = model
    this.#window = window
    this.#agreements = 0
    this.#elsewhere.forget()
  }

  #adoptSize(rate: RateReading): void {
    const limit = rate.limit ?? this.limit
    const periodMs = (rate.periodSeconds ?? this.periodMs / 1000) * 1000
    if (limit === this.limit && periodMs === this.periodMs) return
    // A header wins over the table: what was known about a bucket of another size is void.
    this.limit = limit
    this.periodMs = periodMs
    this.#low = Math.min(this.#low, limit)
    this.#high = limit
    this.#change('rolling', undefined)
    this.#lastHeaderAtMs = undefined
    this.seen = undefined
  }

  get #gainPerMs(): number {
    return this.model === 'rolling' ? this.limit / this.periodMs : 0
  }

  #advance(nowMs: number): void {
    if (nowMs <= this.#atMs) return
    const low = this.#lowAt(nowMs)
    const high = this.#highAt(nowMs)
    if (this.model === 'rolling') {
      this.#requests.spill(this.#high + (nowMs - this.#atMs + CLOCK_STEP_MS) * this.#gainPerMs - this.limit)
    }
    const endsMs = this.#window?.endsEarliestMs ?? Number.POSITIVE_INFINITY
    if (this.#atMs < endsMs && nowMs >= endsMs) this.#mayBeNew()
    this.#low = low
    this.#high = high
    this.#atMs = nowMs
  }

  /** The window may have ended: what is under way may have counted in the old one. */
  #mayBeNew(): void {
    this.#high = this.limit
    this.#requests.allMaybeSeen()
  }

  #lowAt(nowMs: number): number {
    if (this.model === 'fixed') {
      const window = this.#window
      // Only when the end is passed: later, requests that counted since have lowered it already.
      if (!window || nowMs < window.endsLatestMs || this.#atMs >= window.endsLatestMs) return this.#low
      const since = this.#requests.mayHaveCountedAfter(window.endsEarliestMs)
      return Math.max(this.#low, this.limit - since)
    }
    const elapsedMs = Math.max(0, nowMs - this.#atMs - CLOCK_STEP_MS)
    return Math.min(this.limit, this.#low + elapsedMs * this.#gainPerMs)
  }

  #highAt(nowMs: number): number {
    if (this.model === 'fixed') {
      const endsMs = this.#window?.endsEarliestMs
      return endsMs !== undefined && nowMs >= endsMs && this.#atMs < endsMs ? this.limit : this.#high
    }
    if (nowMs <= this.#atMs) return this.#high
    return Math.min(this.limit, this.#high + (nowMs - this.#atMs + CLOCK_STEP_MS) * this.#gainPerMs)
  }

  /** Between the bounds, and straight from one event to the next: a full bucket cuts it off, not one bound. */
  #middleAt(nowMs: number): number {
    const low = Math.max(0, this.#lowAt(nowMs) - this.inFlight)
    if (this.model === 'fixed') {
      const endsMs = this.#window?.endsLatestMs ?? Number.NEGATIVE_INFINITY
      const mayHaveEnded = this.#window !== undefined && nowMs >= this.#window.endsEarliestMs
      return mayHaveEnded && nowMs < endsMs ? low : (low + this.#highAt(nowMs)) / 2
    }
    const middle = (Math.max(0, this.#low - this.inFlight) + this.#high) / 2
    return Math.min(this.limit, middle + (nowMs - this.#atMs) * this.#gainPerMs)
  }

  #charge(sentAtMs: number, laterMs: number): void {
    this.#low = Math.max(0, this.#low - 1)
    this.#remember(sentAtMs, laterMs)
  }

  #remember(sentAtMs: number, laterMs = 0): void {
    const neededSinceMs = this.model === 'fixed' ? this.#window?.endsEarliestMs : undefined
    this.#requests.remember(sentAtMs, this.#atMs + laterMs, neededSinceMs ?? Number.POSITIVE_INFINITY)
  }
}
