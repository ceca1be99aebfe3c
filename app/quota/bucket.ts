import type { UsualLoad } from '../contract/history.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import type { RateReading } from '../service/headers.ts'
import { EmptyingCalibration } from './emptying-calibration.ts'
import { ExpectedLoads } from './expected-loads.ts'
import type { LearnedQuota, Poller } from './learned.ts'
import { LevelBounds } from './level-bounds.ts'
import { LowerMargin } from './lower-margin.ts'
import { MinuteMean } from './minute-mean.ts'
import { OthersPoller } from './others-poller.ts'
import { growthFrom, later, NO_GROWTH, type OthersReading } from './others-reading.ts'
import { OthersUse, RATE_TAIL } from './others-use.ts'
import { OwnRequests } from './own-requests.ts'
import { type CountedRate, counted, countedFrom, countedPerSecond, without } from './rates.ts'
import { fixedSecondsLeft } from './safe-pace.ts'
import { RUNNING_OUT_SECONDS, type Seen } from './state.ts'
import { type LevelHeader, Utilization } from './utilization.ts'
import { rollingShows, type Shown, TOLERANCE } from './window-model.ts'

/**
 * The response to a request of this app or of another machine of its desk. Times in milliseconds on one
 * clock.
 */
export interface Answered {
  readonly id: number
  readonly receivedAtMs: number
  /** When the header arrived. Default: `receivedAtMs`. */
  readonly headerAtMs?: number
  /** Whether another machine of the desk sent the request. */
  readonly isByDesk?: boolean
  /**
   * Whether the response is a 429 for exceeding the request rate. Such a response uses no quota (service 3).
   */
  readonly rejected: boolean
  readonly rate?: RateReading
  /** When the request was sent. Needed only if neither `sent` nor `heard` recorded the request. */
  readonly sentAtMs?: number
}

/** The estimated level of a quota, in requests. `slopePerSecond`: in requests per second. */
export interface Estimate {
  readonly low: number
  readonly high: number
  /** A second upper bound, never above `high`. The level exceeds this bound as often as it is below `low`. */
  readonly likelyHigh: number
  readonly point: number
  readonly slopePerSecond: number
  /** The chance that less than one request is left, 0 to 1. */
  readonly emptyNow: number
}

const WEIGHED_EVERY_MS = 1000
/**
 * Minimum time between two forecasts, in milliseconds. Making a forecast takes as long as handling a header,
 * so not every header gets one.
 */
const FORETOLD_EVERY_MS = 10_000
const DENSE_SECONDS = 10
/**
 * Interval between two readings of others' use. While the last header is less than 10 s old, the interval is
 * the header's age, clamped to 0.1–1 s. Later, the interval is a tenth of the age.
 *
 * A reading applies until the next one. After one second, it is extrapolated linearly.
 */
const READ_EVERY = { leastMs: 100, mostMs: 1000, share: 0.1 } as const
/**
 * A header is a surprise if it shows more use by others than the model expected. Just before the header, the
 * model's probability of less use must have been at least this, 0 to 1.
 */
const SURPRISE = 0.9

/** Factor that widens the range of others' rate, because the rate may have drifted since the last header. */
const RATE_DRIFT = 1.1

/** Others' rate on a nearly full quota, in requests per second: the median and both ends of the range. */
interface PacesNearFull {
  readonly perSecond: number
  readonly atLeast: number
  readonly atMost: number
}

/** Number of others' requests that one header shows. */
interface Shortfall extends Pick<LevelHeader, 'least' | 'most' | 'before' | 'width'> {
  /** How far the header lowered the midpoint of the bounds. */
  readonly drop: number
}

/**
 * Estimates one request quota from headers: bounds on the service's level, and the use by others.
 *
 * The service's level may be a fraction. A header shows the level rounded down, and arrives with a delay.
 * Between headers, two bounds count own requests only: the level is between `low` − requests in flight and
 * `high`. A header narrows the bounds. If a header's level is below both bounds, others have used the quota.
 *
 * A request in flight may count at any time. So it lowers `low` immediately, and `high` only when it has
 * certainly counted.
 *
 * Times are milliseconds on one monotonic clock. Source: service 2.2, 3, 8.3.
 */
export class Bucket {
  seen: Seen | undefined
  /** The header after which another number than the header's was shown: see `show`. */
  #leftSeen: Seen | undefined
  /**
   * Arrival time of the last header that showed far more use by others than expected. The row is then checked
   * again early.
   */
  surprisedAtMs: number | undefined
  rejected = 0
  readonly #requests = new OwnRequests()
  readonly #level: LevelBounds
  #own: CountedRate
  /** Rate of the desk's other machines, which `#own` includes. */
  #desk: CountedRate
  /** Others' use at the last header, and at the last reading. */
  readonly #atHeader: OthersUse
  readonly #others: OthersUse
  /** The time of the last header, to which `#atHeader` applies. */
  #headerAtMs: number
  /** Total refill, in requests, that was lost until `#headerAtMs` because the quota was full. */
  #overflowedAtHeader = 0
  /** The time of the last reading, to which `#others` applies. */
  #othersAtMs: number
  /** Total refill, in requests, that was lost until `#othersAtMs` because the quota was full. */
  #overflowed = 0
  /** Others' requests that headers have shown since the last update of `#others`. */
  #missing = 0
  #reading: OthersReading | undefined
  /**
   * Whether others' use was updated from a header since the first header. Before that, it is only a prior: a
   * forecast from it would depend on own requests alone.
   */
  #isMeasured = false
  /** Whether any header showed a lower level than own requests explain. */
  #isShared = false
  #margin = new LowerMargin()
  readonly #utilization = new Utilization()
  #odds = new EmptyingCalibration()
  /** What `#emptySpans` returned for the last header. */
  #spansAtHeader: Parameters<OthersUse['emptyWithin']> = [{ seconds: RUNNING_OUT_SECONDS, left: 0 }, 0]
  /** The last forecast: the chance that the quota runs empty, and the time when this forecast was made. */
  #predicted = 0
  #foretoldAtMs = Number.NEGATIVE_INFINITY
  #seenSentAtMs = Number.NEGATIVE_INFINITY
  /** Arrival time of the latest header. */
  #latestHeaderMs = Number.NEGATIVE_INFINITY
  /**
   * Data learned by an earlier run of the app. The data are used when a header shows a quota of the same size
   * and model.
   */
  #stored: LearnedQuota | undefined
  readonly #expected = new ExpectedLoads()
  readonly #poller = new OthersPoller()
  readonly #minute = new MinuteMean()

  /**
   * Own requests per second that can't empty the quota, because the gateway does not let these requests use
   * its reserve. See `RequestQuota.held`.
   */
  heldPerSecond = 0

  constructor(limit: number, periodSeconds: number, nowMs: number) {
    this.#level = new LevelBounds(limit, periodSeconds * 1000, nowMs, this.#requests)
    this.#others = new OthersUse(limit, periodSeconds)
    this.#atHeader = new OthersUse(limit, periodSeconds)
    this.#headerAtMs = nowMs
    this.#othersAtMs = nowMs
    this.#own = countedFrom(nowMs)
    this.#desk = countedFrom(nowMs)
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

  /** Latest possible end of the last known fixed window. This time may have passed. */
  get windowEndsAtMs(): number | undefined {
    return this.model === 'fixed' ? this.#level.window?.endsLatestMs : undefined
  }

  /** Number of requests of this app and its desk that have no response yet. */
  get inFlight(): number {
    return this.#requests.inFlight
  }

  sent(id: number, nowMs: number): void {
    this.#level.advance(nowMs)
    this.#requests.sent(id, this.#level.atMs)
    this.#poller.sent()
    if (this.#level.mayBeInEitherWindow) this.#requests.allMaybeSeen()
  }

  /**
   * Records a request of another machine of the desk, sent at `sentAtMs` at the earliest.
   *
   * The upper bound falls by less than one request in any of these cases:
   * - The last header may already include the request.
   * - The request may have counted in an earlier window.
   * - The bucket may have been full at some time since the request was sent.
   */
  heard(id: number, sentAtMs: number, nowMs: number): void {
    const level = this.#level
    level.advance(nowMs)
    this.#requests.heard(id, {
      sentAtMs,
      overflowed: Math.max(0, nowMs - sentAtMs) * level.gainPerMs,
      unseen: sentAtMs > Math.max(this.#latestHeaderMs, level.windowBeganByMs),
    })
    this.#poller.sent()
  }

  /**
   * Marks the time from `fromMs` to `toMs` as uncertain, because the machine slept or its clock was set.
   * Until the next header, the refill of that time raises only the upper bound.
   */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.#level.markClockUncertain(fromMs, toMs)
    this.#poller.doubt()
    this.#expected.restart()
  }

  /** Removes a request that did not reach the service. */
  notSent(id: number, nowMs: number): void {
    this.#level.advance(nowMs)
    if (this.#requests.take(id)) this.#poller.notSent()
  }

  /**
   * Handles a request that will get no response. Only `low` falls, because the request may or may not have
   * counted.
   *
   * The service may still count the request until `laterMs` from now. If the bucket becomes full before that,
   * refill is lost. `low` allows for this.
   */
  lost(id: number, nowMs: number, laterMs = 0): void {
    const level = this.#level
    level.advance(nowMs)
    const request = this.#requests.take(id)
    if (!request) return
    level.chargeLost(laterMs)
    this.#poller.doubt()
    this.#remember(request.sentAtMs, laterMs)
  }

  /**
   * Applies one response. Returns how many requests others must have made since the last header. Returns 0 if
   * own requests explain the header's level.
   */
  answered(answer: Answered): number {
    const level = this.#level
    level.advance(answer.receivedAtMs)
    const nowMs = level.atMs
    const request = this.#requests.take(answer.id)
    const sentAtMs = request?.sentAtMs ?? Math.min(nowMs, answer.sentAtMs ?? nowMs)
    if (answer.rejected) {
      if (answer.isByDesk !== true) this.rejected += 1
      this.#poller.doubt()
    } else {
      this.#own = counted(this.#own, nowMs)
      if (answer.isByDesk === true) this.#desk = counted(this.#desk, nowMs)
      level.charge(request ? this.#requests.consume(request) : 0)
    }
    const elsewhere = this.#fold(answer, sentAtMs, nowMs)
    if (!answer.rejected) this.#remember(sentAtMs, Math.min(0, (answer.headerAtMs ?? nowMs) - nowMs))
    return elsewhere
  }

  /** The level at `nowMs`: its bounds, its most probable value and its slope. */
  estimate(nowMs: number): Estimate {
    const level = this.#level
    const at = Math.max(nowMs, level.atMs)
    const others = this.#readingAt(at)
    const high = level.highAt(at)
    const middle = level.middleAt(at)
    const least = Math.max(0, level.lowAt(at) - this.inFlight)
    const left = (full: number, taken: number) => Math.max(0, full - Math.max(0, taken - this.#missing))
    const point = Math.min(high, left(middle, others.taken))
    const gain = level.gainPerMs * 1000
    return {
      emptyNow: Math.max(shareBelowOne(least, high), others.emptyNow),
      low: Math.min(point, left(least, others.takenAtMost)),
      high,
      likelyHigh: Math.min(high, Math.max(point, left(middle, others.takenAtLeast))),
      point,
      slopePerSecond: point >= this.limit ? 0 : gain - others.perSecond,
    }
  }

  /**
   * Others' use at `nowMs`. `undefined` before the second header. A header less than a second after the first
   * counts only if it shows three or more requests by others.
   *
   * The chances and rates in the result may be up to a second old. If the last header is more than ten
   * seconds old, they may be as old as a tenth of that header's age.
   */
  others(nowMs: number): OthersReading | undefined {
    return this.#isMeasured ? this.#readingAt(Math.max(nowMs, this.#level.atMs)) : undefined
  }

  /** Data learned about this quota. While `others` is `undefined`, the data of the last run of the app. */
  learned(): LearnedQuota | undefined {
    if (!this.#isMeasured) return this.#stored
    const poller = this.#poller.learned()
    const { starts } = this.#expected
    return {
      ...{ limit: this.limit, periodSeconds: this.periodMs / 1000, model: this.model },
      ...{ atMs: this.#headerAtMs, isShared: this.#isShared },
      emptyings: this.#odds.counts,
      margin: this.#margin.counts,
      utilization: this.#utilization.chances,
      ...this.#atHeader.learned(),
      ...(poller && { poller }),
      ...(starts.length > 0 && { starts }),
    }
  }

  /**
   * Restores the data of an earlier run of the app. The data apply as soon as a header shows the same size
   * and model.
   */
  restore(stored: LearnedQuota): void {
    this.#stored = stored
  }

  /** Sets the usual loads of others today. They serve as a prior for others' use. */
  expect(loads: readonly UsualLoad[]): void {
    this.#expected.set(loads)
  }

  /**
   * The next usual load that would empty the quota, if it starts within ten minutes. `undefined` before the
   * second header.
   */
  loadAhead(nowMs: number): UsualLoad | undefined {
    if (this.#expected.isEmpty) return undefined
    const others = this.others(nowMs)
    return others && this.#expected.ahead(this.#beforeLoad(nowMs, others), nowMs, RUNNING_OUT_SECONDS)
  }

  #beforeLoad(nowMs: number, { taken, perSecond }: { readonly taken: number; readonly perSecond: number }) {
    const level = this.#level.middleAt(nowMs) - Math.max(0, taken - this.#missing)
    const leftSeconds = this.#windowSecondsLeft(nowMs)
    const row = { level, limit: this.limit, gain: this.#gainAt(nowMs), others: perSecond }
    return leftSeconds === undefined
      ? row
      : { ...row, window: { leftSeconds, periodSeconds: this.periodMs / 1000 } }
  }

  /** See `fixedSecondsLeft`. */
  #windowSecondsLeft(nowMs: number): number | undefined {
    const { model, windowEndsAtMs: windowEndsAt } = this
    return fixedSecondsLeft({ model, period: this.periodMs / 1000, windowEndsAt }, nowMs)
  }

  /**
   * Records that `remaining` is the number shown now, and returns its source. Once another number than the
   * last header's was shown, the source is the model, even if the estimate returns to the header's number.
   */
  show(remaining: number): RequestQuota['source'] {
    const { seen } = this
    if (seen === undefined) return 'default'
    if (remaining !== seen.remaining) this.#leftSeen = seen
    return this.#leftSeen === seen ? 'modelled' : 'header'
  }

  /** Set if others are clearly one program that polls at equal intervals. */
  get poller(): Poller | undefined {
    return this.#poller.found
  }

  /** Requests per second of this app and its desk together. */
  countedPerSecond(nowMs: number): number {
    return countedPerSecond(this.#own, nowMs)
  }

  /** Requests per second of the desk's other machines. `countedPerSecond` includes them. */
  deskPerSecond(nowMs: number): number {
    return countedPerSecond(this.#desk, nowMs)
  }

  /**
   * Removes the desk's other machines from the present rates, because this app has left the desk. Their
   * requests count as others' from now on.
   */
  leftDesk(nowMs: number): void {
    this.#own = without(this.#own, this.#desk, nowMs)
    this.#desk = without(this.#desk, this.#desk, nowMs)
  }

  #readingAt(nowMs: number): OthersReading {
    const known = this.#reading
    const sinceMs = nowMs - this.#othersAtMs
    const ageMs = 1000 * this.#others.seconds
    const youngMs = Math.min(READ_EVERY.mostMs, Math.max(READ_EVERY.leastMs, ageMs))
    if (known && sinceMs >= 0 && sinceMs < Math.max(youngMs, READ_EVERY.share * ageMs))
      return sinceMs < READ_EVERY.mostMs ? known : later(known, sinceMs / 1000)
    this.#follow(nowMs)
    const others = this.#others
    const empty = this.#odds.corrected(others.emptyWithin(...this.#emptySpans(nowMs)))
    // Until a header proves use by others, only `low` allows for such use.
    const isShared = this.#isShared
    const taken = isShared ? others.takenAt(0.5, this.limit) : 0
    const spare = this.#level.middleAt(nowMs) + this.#missing - 1
    const nearFull = this.#utilization.isConclusive ? this.#pacesNearFull() : undefined
    const perSecond = nearFull?.perSecond ?? (isShared ? others.rate() : 0)
    const beforeLoad = this.#beforeLoad(nowMs, { taken, perSecond })
    const due = this.#expected.dueChance(beforeLoad, nowMs, RUNNING_OUT_SECONDS)
    const reading = {
      taken,
      takenAtMost: this.#margin.takenAtMost(others, taken, this.limit),
      takenAtLeast: isShared ? others.takenAt(this.#margin.share, this.limit) : 0,
      perSecond,
      ...this.#rangeOfRate(nowMs, nearFull, perSecond),
      emptyChance: Math.max(
        empty.chance,
        due,
        this.#expected.emptyChance(beforeLoad, nowMs, RUNNING_OUT_SECONDS),
      ),
      emptyChanceByPresent: Math.max(empty.byPresent, due),
      emptyNow: isShared ? 1 - others.chanceOfAtMost(spare) : 0,
      growth: NO_GROWTH,
    }
    this.#reading =
      known && sinceMs > 0 ? { ...reading, growth: growthFrom(known, reading, sinceMs / 1000) } : reading
    return this.#reading
  }

  /**
   * The range of others' rate, in requests per second. It covers the present rate and the mean rate of the
   * last minute. Between headers, the range can only widen.
   */
  #rangeOfRate(nowMs: number, nearFull: PacesNearFull | undefined, perSecond: number) {
    const [known, others] = [this.#reading, this.#others]
    const minute = this.#isShared && nearFull === undefined ? this.#minute.at(nowMs, perSecond) : undefined
    const least = Math.min(others.rateAt(RATE_TAIL), minute?.least ?? Number.POSITIVE_INFINITY) / RATE_DRIFT
    const most = Math.max(others.rateAt(1 - RATE_TAIL), minute?.most ?? 0, nearFull?.atMost ?? 0) * RATE_DRIFT
    const perSecondAtLeast = this.#isShared ? Math.min(known?.perSecondAtLeast ?? least, least) : 0
    return {
      perSecondAtLeast: nearFull ? nearFull.atLeast / RATE_DRIFT : perSecondAtLeast,
      perSecondAtMost: Math.max(known?.perSecondAtMost ?? most, most),
    }
  }

  /**
   * Others' rate on a nearly full quota, in requests per second. It follows from how often headers show the
   * quota slightly below full.
   */
  #pacesNearFull(): PacesNearFull {
    const refill = this.#level.gainPerMs * 1000
    const perSecond = (share: number) => this.#utilization.at(share) * refill
    return {
      perSecond: perSecond(0.5),
      atLeast: perSecond(RATE_TAIL),
      atMost: perSecond(1 - RATE_TAIL),
    }
  }

  /**
   * Advances others' use to `nowMs`. `left`: the level at that time if others made no requests.
   *
   * At the end of a fixed window, the count of others' requests restarts at 0. Each later window is assumed
   * to last one period.
   */
  #follow(nowMs: number, left = this.#level.middleAt(nowMs)): void {
    const level = this.#level
    if (nowMs < this.#othersAtMs) this.#back()
    const endsMs = this.windowEndsAtMs
    if (endsMs !== undefined && nowMs >= endsMs) {
      const lastEndMs = endsMs + Math.floor((nowMs - endsMs) / this.periodMs) * this.periodMs
      if (this.#othersAtMs < lastEndMs) {
        this.#others.advance((lastEndMs - this.#othersAtMs) / 1000, 0, this.limit)
        this.#others.restart()
        this.#othersAtMs = lastEndMs
      }
    }
    const overflowed = level.overflowedAt(nowMs)
    this.#others.advance((nowMs - this.#othersAtMs) / 1000, Math.max(0, overflowed - this.#overflowed), left)
    for (const onset of this.#expected.between(this.#othersAtMs, nowMs))
      this.#others.mayHaveStarted(onset, (nowMs - onset.atMs) / 1000, left)
    this.#overflowed = overflowed
    this.#othersAtMs = nowMs
  }

  /**
   * Resets others' use to its state at the last header. Needed for a reading at an earlier time than the last
   * reading.
   */
  #back(): void {
    this.#reading = undefined
    this.#others.copyFrom(this.#atHeader)
    this.#othersAtMs = this.#headerAtMs
    this.#overflowed = this.#overflowedAtHeader
  }

  #forgetOthers(): void {
    this.#isMeasured = false
    this.#isShared = false
    this.#margin = new LowerMargin()
    this.#utilization.forget()
    this.#odds = new EmptyingCalibration()
    this.#foretoldAtMs = Number.NEGATIVE_INFINITY
    this.#others.forget()
    this.#poller.forget()
    this.#mark()
  }

  /** Saves the present state of others' use as the state at the last header. */
  #mark(): void {
    this.#atHeader.copyFrom(this.#others)
    this.#headerAtMs = this.#othersAtMs
    this.#overflowedAtHeader = this.#overflowed
    this.#missing = 0
    this.#reading = undefined
    this.#spansAtHeader = this.#emptySpans(this.#headerAtMs)
  }

  #fold(answer: Answered, sentAtMs: number, nowMs: number): number {
    const { rate } = answer
    if (rate) this.#adoptSize(rate)
    // An older kind of 429 has no quota headers. Its Message reports an empty bucket (service 2.3).
    const remaining = rate?.remaining ?? (answer.rejected ? 0 : undefined)
    if (remaining === undefined) return 0
    const header = {
      remaining: Math.min(remaining, this.limit),
      resetSeconds: rate?.resetSeconds,
      sentAtMs,
      nowMs,
    }
    return this.#observe(header, answer.headerAtMs ?? nowMs)
  }

  #observe(header: Shown, headerAtMs: number): number {
    const { remaining, resetSeconds, sentAtMs, nowMs } = header
    // A machine of the desk that was suspended may report an old header. It is unknown how many requests were
    // counted since that header.
    if (this.seen !== undefined && !this.#requests.remembersSince(sentAtMs)) return 0
    const level = this.#level
    const { model } = level
    const isCurrent = level.judge(header)
    if (level.model !== model) this.#forgetOthers()
    if (!isCurrent) return 0

    const shown = level.shownBy(header)
    // Since the service wrote the header, own requests may have counted, and the quota may have refilled.
    const low = Math.max(0, shown.least - this.#requests.mayHaveCountedAfter(sentAtMs))
    const high = Math.max(low, shown.most)
    // The header may be processed some time after it arrived. It can't include requests that were sent after
    // its arrival.
    const later = this.#requests.sentAfter(headerAtMs)
    const inFlight = this.inFlight - later
    const isFirst = this.seen === undefined || level.model !== model
    this.#latestHeaderMs = Math.max(this.#latestHeaderMs, headerAtMs)
    // A fixed window does not refill before it ends.
    const shownThen = level.model === 'fixed' ? remaining : high
    const proved = !isFirst && level.low - inFlight - shownThen > TOLERANCE
    const surplus = low - this.inFlight - level.high > TOLERANCE
    const before = level.middleAt(nowMs)
    const width = Math.max(0, level.high - level.low + inFlight)
    if (proved) this.#isShared = true
    if (isFirst || proved || surplus) level.replace(low, high, headerAtMs)
    else level.narrow(low, high, headerAtMs)
    const drop = before - level.middleAt(nowMs)
    if (isFirst) this.#restartOthers(nowMs)
    const isWeighed =
      isFirst ||
      this.#weigh(nowMs, {
        least: before + later / 2 - high,
        most: low < 1 ? Number.POSITIVE_INFINITY : before + later / 2 - low,
        drop,
        width,
        before,
      })
    if (isWeighed && level.model === 'rolling')
      this.#poller.header(
        {
          ...{ sentAtMs, nowMs, chance: this.#others.expected },
          ...rollingShows(this.limit, this.periodMs / 1000, remaining, resetSeconds),
          doubtful: inFlight + this.#requests.mayHaveCountedAfter(sentAtMs),
        },
        { limit: this.limit, refill: level.gainPerMs * 1000 },
      )
    this.#reading = undefined
    if (isFirst || sentAtMs >= this.#seenSentAtMs) {
      this.seen = { remaining, atMs: headerAtMs }
      this.#seenSentAtMs = sentAtMs
    }
    return proved ? Math.max(1, Math.round(drop)) : 0
  }

  #recall(nowMs: number): void {
    const stored = this.#stored
    if (stored?.limit !== this.limit || stored.model !== this.model) return
    if (stored.periodSeconds * 1000 !== this.periodMs) return
    this.#isShared = stored.isShared
    this.#odds.restore(stored.emptyings)
    this.#margin.restore(stored.margin)
    this.#expected.restore(stored.starts ?? [])
    this.#utilization.restore(stored.utilization)
    // A negative age means that the clock was set back. The real age is then unknown.
    const elapsedMs = nowMs - stored.atMs
    this.#poller.restore(stored.poller, elapsedMs)
    this.#others.restore(stored, elapsedMs < 0 ? Number.POSITIVE_INFINITY : elapsedMs / 1000)
  }

  #restartOthers(nowMs: number): void {
    this.#recall(nowMs)
    this.#others.restart()
    this.#minute.restart(nowMs)
    this.#expected.restart()
    this.#othersAtMs = nowMs
    this.#overflowed = this.#level.overflowedAt(nowMs)
    this.#mark()
  }

  /** Updates others' use from a header. Returns false if the header will be combined with the next one. */
  #weigh(nowMs: number, shown: Shortfall): boolean {
    const missing = this.#missing
    this.#missing += shown.drop
    // Headers less than a second apart are combined, unless they show three or more requests by others.
    if (nowMs - this.#headerAtMs < WEIGHED_EVERY_MS && this.#missing < 3) return false
    this.#learnOutcome(nowMs)
    const isRolling = this.model === 'rolling'
    this.#minute.header(nowMs, this.#missing)
    const overflowed = isRolling ? this.#level.overflowedAt(nowMs) - this.#overflowedAtHeader : 0
    this.#expected.header({
      ...{ fromMs: this.#headerAtMs, toMs: nowMs, missing: this.#missing, overflowed },
      refill: this.#level.gainPerMs * 1000,
    })
    this.#utilization.header(this.limit, {
      overflowed,
      seconds: (nowMs - this.#headerAtMs) / 1000,
      missing,
      ...shown,
    })
    this.#follow(nowMs, shown.before)
    this.#margin.judge(this.#others, missing + shown.least, this.limit)
    // A sum over several headers in quick succession is more precise than the last header alone.
    const isDense = this.#others.seconds < DENSE_SECONDS
    this.#others.observed({
      least: isDense ? this.#missing - 0.5 : missing + shown.least,
      most: isDense && shown.most < Number.POSITIVE_INFINITY ? this.#missing + 0.5 : missing + shown.most,
      taken: this.#missing,
      variance: shown.width ** 2 / 12,
    })
    if (this.#others.expectedLess >= SURPRISE) this.surprisedAtMs = nowMs
    this.#mark()
    this.#isMeasured = true
    return true
  }

  /**
   * Compares the last forecast with a new header. A new forecast is made from the first header that comes at
   * least `FORETOLD_EVERY_MS` after the previous forecast.
   */
  #learnOutcome(nowMs: number): void {
    const horizonSeconds = RUNNING_OUT_SECONDS
    if (this.#headerAtMs - this.#foretoldAtMs >= FORETOLD_EVERY_MS) {
      const { chance } = this.#atHeader.emptyWithin(...this.#spansAtHeader)
      this.#predicted = chance
      this.#foretoldAtMs = this.#headerAtMs
    }
    this.#odds.observed({
      ...{ level: this.#level.middleAt(nowMs), limit: this.limit, horizonSeconds },
      chance: this.#predicted,
      seconds: (nowMs - this.#headerAtMs) / 1000,
    })
  }

  /**
   * The next `RUNNING_OUT_SECONDS` as one or two spans, and the change of the level. A fixed window is full
   * again when it ends, so a second span starts there. This span is at most one window long, because each
   * later window also starts full.
   */
  #emptySpans(nowMs: number): Parameters<OthersUse['emptyWithin']> {
    const [left, gain] = [this.#level.middleAt(nowMs), this.#gainAt(nowMs)]
    const ends = this.#windowSecondsLeft(nowMs)
    if (ends === undefined || ends >= RUNNING_OUT_SECONDS)
      return [{ seconds: RUNNING_OUT_SECONDS, left }, gain]
    const seconds = Math.min(this.periodMs / 1000, RUNNING_OUT_SECONDS - ends)
    return [{ seconds: ends, left }, gain, { seconds, left: this.limit }]
  }

  /** Change of the level if others make no requests, in requests per second. */
  #gainAt(nowMs: number): number {
    return this.#level.gainPerMs * 1000 - Math.max(0, this.countedPerSecond(nowMs) - this.heldPerSecond)
  }

  #adoptSize(rate: RateReading): void {
    const limit = rate.limit ?? this.limit
    const periodMs = (rate.periodSeconds ?? this.periodMs / 1000) * 1000
    if (limit === this.limit && periodMs === this.periodMs) return
    // A header's limit and period override those in the table.
    this.#level.resize(limit, periodMs)
    this.#others.resize(limit, periodMs / 1000)
    this.#forgetOthers()
    this.seen = undefined
  }

  #remember(sentAtMs: number, laterMs = 0): void {
    const { atMs, window } = this.#level
    const neededSinceMs = this.model === 'fixed' ? window?.endsEarliestMs : undefined
    this.#requests.remember(sentAtMs, atMs + laterMs, neededSinceMs ?? Number.POSITIVE_INFINITY)
  }
}

/** The share of the interval from `low` to `high` that is below one request, 0 to 1. */
function shareBelowOne(low: number, high: number): number {
  if (high < 1 || low >= 1) return Number(high < 1)
  return (1 - low) / (high - low)
}
