import type { RateReading } from '../service/headers.ts'
import {
  type CountedRate,
  counted,
  countedFrom,
  countedPerSecond,
  type IntervalRate,
  intervalPerSecond,
  NO_INTERVALS,
  observedOver,
} from './rates.ts'
import { type FixedWindow, fixedWindowOf, rollingAllows, sameWindow } from './replenishment.ts'

/** Where and when one own request was answered. Times in milliseconds on one clock. */
export interface Answered {
  readonly id: number
  readonly receivedAtMs: number
  /** A 429 of the rate quota: it cost nothing (service.md 3). */
  readonly rejected: boolean
  readonly rate?: RateReading
}

interface Sent {
  readonly id: number
  readonly sentAtMs: number
  /** What it took from the lower bound: less than 1 where that was near 0. */
  readonly charged: number
  /** Whether the upper bound still has to be lowered by this request once it is answered. */
  unseen: boolean
}

interface Span {
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

/** What a bucket looked like at the last header that was believed. */
export interface Seen {
  readonly remaining: number
  readonly atMs: number
}

/**
 * Requests by which two bounds may miss each other before it is evidence: services round their clocks too.
 */
const TOLERANCE = 0.05

/**
 * One quota bucket as this app knows it: bounds on the service's level, learned from headers.
 *
 * The service holds a level with a fraction; a header shows its floor, rounded, some network time ago. So the
 * bucket keeps two bounds under the hypothesis that only our own requests count: [low, high] contains the true
 * level as long as nobody else spends. Each header narrows them; one that does not overlap them proves use
 * elsewhere. Requests in flight are charged to `low` when sent and to `high` when surely counted.
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
  #window: FixedWindow | undefined
  #agreements = 0
  #inFlight: Sent[] = []
  #recent: Span[] = []
  #own: CountedRate
  #elsewhere: IntervalRate = NO_INTERVALS
  #lastHeaderAtMs: number | undefined

  constructor(limit: number, periodSeconds: number, nowMs: number) {
    this.limit = limit
    this.periodMs = periodSeconds * 1000
    this.#low = limit
    this.#high = limit
    this.#atMs = nowMs
    this.#own = countedFrom(nowMs)
  }

  get confidence(): 'assumed' | 'observed' {
    return this.#agreements >= 2 || this.model === 'fixed' ? 'observed' : 'assumed'
  }

  get windowEndsAtMs(): number | undefined {
    return this.model === 'fixed' ? this.#window?.endsLatestMs : undefined
  }

  /** Own requests whose answer has not come. */
  get inFlight(): number {
    return this.#inFlight.length
  }

  sent(id: number, nowMs: number): void {
    this.#advance(nowMs)
    const charged = Math.min(1, this.#low)
    this.#low -= charged
    this.#inFlight.push({ id, sentAtMs: this.#atMs, charged, unseen: true })
  }

  /** A request that certainly never reached the service. */
  notSent(id: number, nowMs: number): void {
    this.#advance(nowMs)
    const request = this.#take(id)
    if (request) this.#low = Math.min(this.limit, this.#low + request.charged)
  }

  /** A request whose answer never came: it may have counted, so `low` stays charged and `high` does not. */
  lost(id: number, nowMs: number): void {
    this.#advance(nowMs)
    this.#take(id)
  }

  /**
   * Folds one answer in. Returns how many requests others must have made since the last header, 0 when our own
   * explain the drop.
   */
  answered(answer: Answered): number {
    const nowMs = Math.max(answer.receivedAtMs, this.#atMs)
    this.#advance(nowMs)
    const request = this.#take(answer.id)
    const sentAtMs = request?.sentAtMs ?? nowMs
    if (answer.rejected) {
      this.rejected += 1
      this.#low = Math.min(this.limit, this.#low + (request?.charged ?? 0))
    } else {
      this.#own = counted(this.#own, nowMs)
      if (request?.unseen !== false) this.#high = Math.max(0, this.#high - 1)
    }
    const elsewhere = this.#fold(answer, sentAtMs, nowMs)
    if (!answer.rejected) this.#remember({ sentAtMs, receivedAtMs: nowMs })
    return elsewhere
  }

  #fold(answer: Answered, sentAtMs: number, nowMs: number): number {
    const { rate } = answer
    if (rate) this.#adoptSize(rate)
    // A refused request without headers still says that the bucket is empty.
    const remaining = rate?.remaining ?? (answer.rejected ? 0 : undefined)
    if (remaining === undefined) return 0
    return this.#observe(Math.min(remaining, this.limit), rate?.resetSeconds, sentAtMs, nowMs)
  }

  /** Bounds and point at `nowMs`. Elsewhere use already seen is assumed to go on; it widens the lower bound. */
  estimate(nowMs: number): { low: number; high: number; point: number; slopePerSecond: number } {
    const at = Math.max(nowMs, this.#atMs)
    const low = this.#grown(this.#low, at)
    const high = this.#grown(this.#high, at)
    const elsewhere = this.elsewherePerSecond(nowMs) ?? 0
    const sinceSeconds = this.seen ? Math.max(0, at - this.seen.atMs) / 1000 : 0
    const gain = this.model === 'rolling' ? (this.limit * 1000) / this.periodMs : 0
    const middle = (low + high) / 2
    // Where the bucket would stand full without others, their use draws from the limit, not from above it.
    const point = Math.max(0, middle - this.#drained(elsewhere, gain, sinceSeconds, middle))
    const worst = Math.max(0, low - this.#drained(elsewhere * 1.5, gain, sinceSeconds, low))
    const slope = gain - elsewhere
    return {
      low: Math.min(worst, point),
      high,
      point,
      slopePerSecond: point >= this.limit && slope > 0 ? 0 : slope,
    }
  }

  ownPerSecond(nowMs: number): number {
    return countedPerSecond(this.#own, nowMs)
  }

  /** `undefined` before two headers, or when the last one is older than a period. */
  elsewherePerSecond(nowMs: number): number | undefined {
    if (this.#lastHeaderAtMs === undefined || nowMs - this.#lastHeaderAtMs > this.periodMs) return undefined
    return intervalPerSecond(this.#elsewhere)
  }

  /** What use elsewhere took since the last header, given that capacity above the limit is not kept. */
  #drained(perSecond: number, gainPerSecond: number, sinceSeconds: number, undrained: number): number {
    if (perSecond <= 0) return 0
    if (this.model === 'fixed') return undrained < this.limit ? perSecond * sinceSeconds : 0
    const seen = this.seen?.remaining ?? this.limit
    if (undrained < this.limit) return perSecond * sinceSeconds
    const level = seen + (gainPerSecond - perSecond) * sinceSeconds
    return Math.max(0, this.limit - level)
  }

  #observe(remaining: number, resetSeconds: number | undefined, sentAtMs: number, nowMs: number): number {
    const lastedMs = nowMs - sentAtMs
    if (resetSeconds !== undefined) this.#judgeModel(remaining, resetSeconds, sentAtMs, nowMs)

    const rate = this.periodMs / 1000 / this.limit
    let least = remaining
    let most = Math.min(this.limit, remaining + 1)
    if (this.model === 'rolling' && resetSeconds !== undefined) {
      const fromReset = {
        least: this.limit - resetSeconds / rate,
        most: this.limit - (resetSeconds - 1) / rate,
      }
      if (fromReset.least <= most + TOLERANCE && fromReset.most >= least - TOLERANCE) {
        least = Math.max(least, fromReset.least)
        most = Math.min(most, fromReset.most)
      }
    }
    if (this.model === 'fixed') most = remaining
    // From the header's moment to now: others of our own may have counted since, time may have given back.
    const overlapping = this.#overlapping(sentAtMs, nowMs)
    const low = Math.max(0, least - overlapping)
    const high =
      this.model === 'rolling' ? Math.min(this.limit, most + lastedMs / 1000 / rate) : Math.max(most, low)

    const isFirst = this.seen === undefined
    const deficit = isFirst ? 0 : this.#low - high
    const proved = deficit > TOLERANCE
    const surplus = low - this.#high > TOLERANCE
    let elsewhere = 0
    if (proved) elsewhere = Math.max(1, Math.round((this.#low + this.#high) / 2 - (low + high) / 2))
    if (isFirst || proved || surplus) {
      this.#low = low
      this.#high = high
      this.#seenByHigh(nowMs)
    } else {
      this.#low = Math.max(this.#low, low)
      if (high < this.#high) {
        this.#high = high
        this.#seenByHigh(nowMs)
      }
    }
    if (this.#low > this.#high) this.#low = this.#high
    if (!isFirst && this.#lastHeaderAtMs !== undefined) {
      this.#elsewhere = observedOver(this.#elsewhere, elsewhere, nowMs - this.#lastHeaderAtMs)
    }
    this.#lastHeaderAtMs = nowMs
    this.seen = { remaining, atMs: nowMs }
    return elsewhere
  }

  /** Rolling and fixed windows told apart by Reset (service.md 8.3.1 against 8.3.5). */
  #judgeModel(remaining: number, resetSeconds: number, sentAtMs: number, nowMs: number): void {
    const lastedSeconds = (nowMs - sentAtMs) / 1000
    const window = fixedWindowOf(resetSeconds, sentAtMs, nowMs)
    const rolls = rollingAllows(this.limit, this.periodMs / 1000, remaining, resetSeconds, lastedSeconds)
    if (!rolls) {
      this.#agreements = this.model === 'fixed' ? this.#agreements + 1 : 1
      if (this.model !== 'fixed') this.#elsewhere = NO_INTERVALS
      this.model = 'fixed'
      this.#window = window
      return
    }
    if (this.model === 'fixed' && this.#window) {
      // Allowed by both rules now and then: only a window that moved before it ended speaks for rolling.
      const ended = nowMs >= this.#window.endsEarliestMs
      if (ended || sameWindow(this.#window, window)) {
        this.#window = window
        return
      }
      this.model = 'rolling'
      this.#window = undefined
      this.#agreements = 0
    }
    if (remaining < this.limit) this.#agreements += 1
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
    this.#agreements = 0
    this.#elsewhere = NO_INTERVALS
    this.#lastHeaderAtMs = undefined
    this.seen = undefined
  }

  #advance(nowMs: number): void {
    if (nowMs <= this.#atMs) return
    this.#low = this.#grown(this.#low, nowMs)
    this.#high = this.#grown(this.#high, nowMs)
    this.#atMs = nowMs
    if (this.model === 'fixed' && this.#window && nowMs >= this.#window.endsLatestMs) this.#window = undefined
  }

  #grown(level: number, nowMs: number): number {
    if (this.model === 'fixed') {
      if (!this.#window) return level
      if (nowMs >= this.#window.endsLatestMs) return this.limit
      return level
    }
    return Math.min(this.limit, level + ((nowMs - this.#atMs) * this.limit) / this.periodMs)
  }

  #take(id: number): Sent | undefined {
    const index = this.#inFlight.findIndex((request) => request.id === id)
    return index < 0 ? undefined : this.#inFlight.splice(index, 1)[0]
  }

  /** Own requests that may have been counted after the header of the answer sent at `sentAtMs`. */
  #overlapping(sentAtMs: number, nowMs: number): number {
    const answeredSince = this.#recent.filter(
      (span) => span.receivedAtMs > sentAtMs && span.sentAtMs <= nowMs,
    ).length
    return this.#inFlight.length + answeredSince
  }

  #remember(span: Span): void {
    const oldest = this.#inFlight.reduce((least, r) => Math.min(least, r.sentAtMs), span.sentAtMs)
    this.#recent = this.#recent.filter((s) => s.receivedAtMs > oldest)
    if (this.#recent.length < 256) this.#recent.push(span)
  }

  #seenByHigh(nowMs: number): void {
    for (const request of this.#inFlight) if (request.sentAtMs <= nowMs) request.unseen = false
  }
}
