import type { RateReading } from '../service/headers.ts'
import { LevelBounds } from './level-bounds.ts'
import { OwnRequests } from './own-requests.ts'
import {
  type CountedRate,
  counted,
  countedFrom,
  countedPerSecond,
  HORIZONS_MS,
  type Horizon,
} from './rates.ts'
import { TOLERANCE } from './replenishment.ts'
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
  seen: Seen | undefined
  rejected = 0
  readonly #requests = new OwnRequests()
  readonly #level: LevelBounds
  #own: CountedRate
  #ownLong: CountedRate
  readonly #elsewhere = new UseElsewhere()
  #lastHeaderAtMs: number | undefined
  #middleAtHeader = 0
  #seenSentAtMs = Number.NEGATIVE_INFINITY

  constructor(limit: number, periodSeconds: number, nowMs: number) {
    this.#level = new LevelBounds(limit, periodSeconds * 1000, nowMs, this.#requests)
    this.#own = countedFrom(nowMs, HORIZONS_MS.short)
    this.#ownLong = countedFrom(nowMs, HORIZONS_MS.long)
  }

  get limit(): number {
    return this.#level.limit
  }

  get periodMs(): number {
    return this.#level.periodMs
  }

  get model(): 'rolling' | 'fixed' {
    return this.#level.model
  }

  get confidence(): 'assumed' | 'observed' {
    return this.#level.confidence
  }

  /** The end of the last window seen, which may be over. */
  get windowEndsAtMs(): number | undefined {
    return this.model === 'fixed' ? this.#level.window?.endsLatestMs : undefined
  }

  /** Own requests whose answer has not come. */
  get inFlight(): number {
    return this.#requests.inFlight
  }

  sent(id: number, nowMs: number): void {
    this.#level.advance(nowMs)
    this.#requests.sent(id, this.#level.atMs)
    if (this.#level.mayBeInEitherWindow) this.#requests.allMaybeSeen()
  }

  /**
   * The clock went from one moment to the other, and nobody knows whether time did: the machine slept, or the clock was
   * set. What would have come back is in the upper bound alone, until the next header.
   */
  doubt(fromMs: number, toMs: number): void {
    this.#level.doubt(fromMs, toMs)
  }

  /** A request that certainly never reached the service. */
  notSent(id: number, nowMs: number): void {
    this.#level.advance(nowMs)
    this.#requests.take(id)
  }

  /**
   * A request whose answer never came: it may have counted, so `low` is charged and `high` is not.
   *
   * One that may be on its way still may count up to `laterMs` from now, in a bucket that is full again.
   */
  lost(id: number, nowMs: number, laterMs = 0): void {
    const level = this.#level
    level.advance(nowMs)
    const request = this.#requests.take(id)
    if (!request) return
    level.low = Math.max(0, Math.min(level.low, this.limit - level.gainPerMs * laterMs) - 1)
    this.#remember(request.sentAtMs, laterMs)
  }

  /**
   * Folds one answer in. Returns how many requests others must have made since the last header, 0 when our own
   * explain the drop.
   */
  answered(answer: Answered): number {
    const level = this.#level
    level.advance(answer.receivedAtMs)
    const nowMs = level.atMs
    const request = this.#requests.take(answer.id)
    const sentAtMs = request?.sentAtMs ?? Math.min(nowMs, answer.sentAtMs ?? nowMs)
    if (answer.rejected) this.rejected += 1
    else {
      this.#own = counted(this.#own, nowMs)
      this.#ownLong = counted(this.#ownLong, nowMs)
      level.low = Math.max(0, level.low - 1)
      if (request) level.high = Math.max(0, level.high - this.#requests.fall(request))
    }
    const elsewhere = this.#fold(answer, sentAtMs, nowMs)
    if (!answer.rejected) this.#remember(sentAtMs)
    return elsewhere
  }

  /** Bounds and point at `nowMs`. Elsewhere use already seen is assumed to go on; it widens the lower bound. */
  estimate(nowMs: number): { low: number; high: number; point: number; slopePerSecond: number } {
    const level = this.#level
    const at = Math.max(nowMs, level.atMs)
    const low = Math.max(0, level.lowAt(at) - this.inFlight)
    const high = level.highAt(at)
    const elsewhere = this.elsewherePerSecond(nowMs) ?? 0
    const sinceSeconds = Math.max(0, at - (this.#lastHeaderAtMs ?? at)) / 1000
    const gain = level.gainPerMs * 1000
    const middle = level.middleAt(at)
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
    const level = this.#level
    const { model } = level
    const header = { remaining, resetSeconds, sentAtMs, nowMs }
    const isOfNow = level.judge(header)
    if (level.model !== model) this.#elsewhere.forget()
    if (!isOfNow) return 0

    const shown = level.shownBy(header)
    // From the header's moment to now: others of our own may have counted since, time may have given back.
    const low = Math.max(0, shown.least - this.#requests.mayHaveCountedAfter(sentAtMs))
    const high = Math.max(low, shown.most)
    const { inFlight } = this
    const isFirst = this.seen === undefined || level.model !== model
    // A window that may have ended since was full at the header's moment no more than at ours.
    const shownThen = level.model === 'fixed' ? remaining : high
    const proved = !isFirst && level.low - inFlight - shownThen > TOLERANCE
    const surplus = low - inFlight - level.high > TOLERANCE
    const before = level.middleAt(nowMs)
    if (isFirst || proved || surplus) {
      level.low = low
      level.high = high
      this.#requests.allMaybeSeen()
    } else {
      level.low = Math.max(level.low, low)
      if (high < level.high) {
        level.high = high
        this.#requests.allMaybeSeen()
      }
    }
    level.low = Math.min(level.low, level.high + inFlight)
    this.#middleAtHeader = level.middleAt(nowMs)
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

  #adoptSize(rate: RateReading): void {
    const limit = rate.limit ?? this.limit
    const periodMs = (rate.periodSeconds ?? this.periodMs / 1000) * 1000
    if (limit === this.limit && periodMs === this.periodMs) return
    // A header wins over the table.
    this.#level.resize(limit, periodMs)
    this.#elsewhere.forget()
    this.#lastHeaderAtMs = undefined
    this.seen = undefined
  }

  #remember(sentAtMs: number, laterMs = 0): void {
    const { atMs, window } = this.#level
    const neededSinceMs = this.model === 'fixed' ? window?.endsEarliestMs : undefined
    this.#requests.remember(sentAtMs, atMs + laterMs, neededSinceMs ?? Number.POSITIVE_INFINITY)
  }
}
