import type { UsualLoad } from '../contract/history.ts'
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
import {
  type CountedRate,
  counted,
  countedFrom,
  countedPerSecond,
  HORIZONS_MS,
  type Horizon,
} from './rates.ts'
import { RUNNING_OUT_SECONDS, type Seen } from './state.ts'
import { Utilization } from './utilization.ts'
import { rollingShows, type Shown, TOLERANCE } from './window-model.ts'

/** The response to a request of this app or of its desk. Times in milliseconds on one clock. */
export interface Answered {
  readonly id: number
  readonly receivedAtMs: number
  /** When its header came, if that was before `receivedAtMs`. */
  readonly headerAtMs?: number
  /** Whether another machine of the desk sent the request. */
  readonly isByDesk?: boolean
  /** Whether it is a 429 for the request rate, which uses none of the quota (service 3). */
  readonly rejected: boolean
  readonly rate?: RateReading
  /** When the request was sent. Needed only if this bucket did not record the sending. */
  readonly sentAtMs?: number
}

/** Levels in requests. `slopePerSecond` in requests per second. */
export interface Estimate {
  readonly low: number
  readonly high: number
  /** The level is as likely to be above this value as below `low`. At most `high`. */
  readonly likelyHigh: number
  readonly point: number
  readonly slopePerSecond: number
  /** The chance that less than one request is left, 0 to 1. */
  readonly emptyNow: number
}

const WEIGHED_EVERY_MS = 1000
/**
 * Minimum time in milliseconds between two forecasts that are later compared with the outcome. Computing a
 * forecast takes as long as handling a header.
 */
const FORETOLD_EVERY_MS = 10_000
const DENSE_SECONDS = 10
/**
 * Interval of readings of others' use: the header's age, clamped to 0.1–1 s. If longer, a tenth of that age.
 *
 * The last reading applies until the next one. After a second, it is extrapolated linearly.
 */
const READ_EVERY = { leastMs: 100, mostMs: 1000, share: 0.1 } as const
/** Minimum probability of less use by others for a header to be a surprise. */
const SURPRISE = 0.9

/** Factor that widens the range of others' rate, which may have drifted since the last header. */
const RATE_DRIFT = 1.1

/** Others' rate on a nearly full quota, in requests per second: the median, and the ends of its range. */
interface PacesNearFull {
  readonly perSecond: number
  readonly atLeast: number
  readonly atMost: number
}

/** Requests that a header shows were used in addition to own ones. */
interface Shortfall {
  readonly least: number
  readonly most: number
  /** By how much the midpoint of the bounds fell. */
  readonly drop: number
  /** Width and midpoint of the bounds before the header. */
  readonly width: number
  readonly before: number
}

/**
 * Estimate of one request quota: bounds on the service's level, and others' use, both from headers.
 *
 * The service's level need not be whole. A header shows it rounded down, with the delay of the network. Two
 * bounds assume that only own requests count: the level is between low − in flight and high. A header narrows
 * the bounds. If its level is outside them, others have used the quota.
 *
 * A request in flight may count at any time. So it lowers `low` immediately, and `high` only when it has
 * certainly counted.
 *
 * Times are milliseconds on one monotonic clock. Source: service 2.2, 3, 8.3.
 */
export class Bucket {
  seen: Seen | undefined
  /** When a header last showed far more use by others than expected. The next check follows soon after. */
  surprisedAtMs: number | undefined
  rejected = 0
  readonly #requests = new OwnRequests()
  readonly #level: LevelBounds
  #own: CountedRate
  #ownLong: CountedRate
  /** The part of `#own` from the desk's other machines. */
  #desk: CountedRate
  /** Others' use, as of the last header and as of the last reading. */
  readonly #atHeader: OthersUse
  readonly #others: OthersUse
  /** Times of `#atHeader` and `#others`, and the overflow up to each. */
  #headerAtMs: number
  #overflowedAtHeader = 0
  #othersAtMs: number
  #overflowed = 0
  /** Requests that headers showed missing since the last update of others' use. */
  #missing = 0
  #reading: OthersReading | undefined
  #headers = 0
  /** Whether any header showed more missing requests than own ones explain. */
  #isShared = false
  #margin = new LowerMargin()
  readonly #utilization = new Utilization()
  #odds = new EmptyingCalibration()
  /** The level without others' requests at the last header, and its change per second. */
  #leftAtHeader = 0
  #gainAtHeader = 0
  /** The chance of running empty, as forecast at a header, and the header's time. */
  #predicted = 0
  #foretoldAtMs = Number.NEGATIVE_INFINITY
  #seenSentAtMs = Number.NEGATIVE_INFINITY
  /** When the latest of all judged headers came. */
  #latestHeaderMs = Number.NEGATIVE_INFINITY
  /** Data learned by an earlier run. It is used once a header shows a quota of the same size and model. */
  #stored: LearnedQuota | undefined
  readonly #expected = new ExpectedLoads()
  readonly #poller = new OthersPoller()
  readonly #minute = new MinuteMean()

  /** Own use that does not use the gateway's reserve, in requests per second. See `RequestQuota.held`. */
  heldPerSecond = 0

  constructor(limit: number, periodSeconds: number, nowMs: number) {
    this.#level = new LevelBounds(limit, periodSeconds * 1000, nowMs, this.#requests)
    this.#others = new OthersUse(limit, periodSeconds)
    this.#atHeader = new OthersUse(limit, periodSeconds)
    this.#headerAtMs = nowMs
    this.#othersAtMs = nowMs
    this.#own = countedFrom(nowMs, HORIZONS_MS.short)
    this.#ownLong = countedFrom(nowMs, HORIZONS_MS.long)
    this.#desk = countedFrom(nowMs, HORIZONS_MS.short)
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

  /** When the last known window ends, or ended. */
  get windowEndsAtMs(): number | undefined {
    return this.model === 'fixed' ? this.#level.window?.endsLatestMs : undefined
  }

  /** Own requests without a response. */
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
   * Records a request of another machine, sent at `sentAtMs` at the earliest. The last header or the last
   * window may include it, or a full bucket may have refilled since. The upper bound then falls less.
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
   * Marks the time between two moments as uncertain: the machine slept, or its clock was set. Until the next
   * header, the refill during that time counts in the upper bound only.
   */
  markClockUncertain(fromMs: number, toMs: number): void {
    this.#level.markClockUncertain(fromMs, toMs)
    this.#poller.doubt()
  }

  /** Removes a request that did not reach the service. */
  notSent(id: number, nowMs: number): void {
    this.#level.advance(nowMs)
    if (this.#requests.take(id)) this.#poller.notSent()
  }

  /**
   * Charges a request without a response to `low` only, because it may or may not have counted.
   *
   * `laterMs` is the time for which the service may still count it. The bucket may be full again by then.
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
   * Applies one response. Returns how many requests others must have made since the last header. 0 if own
   * requests explain the drop.
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
      this.#ownLong = counted(this.#ownLong, nowMs)
      if (answer.isByDesk === true) this.#desk = counted(this.#desk, nowMs)
      level.charge(request ? this.#requests.consume(request) : 0)
    }
    const elsewhere = this.#fold(answer, sentAtMs, nowMs)
    if (!answer.rejected) this.#remember(sentAtMs)
    return elsewhere
  }

  /** The level at `nowMs` under the most probable use by others: its interval, midpoint and slope. */
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
   * Others' use at `nowMs`. `undefined` before the second header. Chances and rates may be a second old, or a
   * tenth of the header's age.
   */
  others(nowMs: number): OthersReading | undefined {
    return this.#headers < 2 ? undefined : this.#readingAt(Math.max(nowMs, this.#level.atMs))
  }

  /** What headers showed about this quota. Before the second header of this run, the restored data. */
  learned(): LearnedQuota | undefined {
    if (this.#headers < 2) return this.#stored
    const poller = this.#poller.learned()
    return {
      ...{ limit: this.limit, periodSeconds: this.periodMs / 1000, model: this.model },
      ...{ atMs: this.#headerAtMs, isShared: this.#isShared },
      emptyings: this.#odds.counts,
      margin: this.#margin.counts,
      utilization: this.#utilization.chances,
      ...this.#atHeader.learned(),
      ...(poller && { poller }),
    }
  }

  /** Restores what an earlier run learned, as soon as a header shows the same size and model. */
  restore(stored: LearnedQuota): void {
    this.#stored = stored
  }

  /** Sets the loads that are usual for others today, as a prior for their use. */
  expect(loads: readonly UsualLoad[]): void {
    this.#expected.set(loads)
  }

  /**
   * The next usual load within ten minutes that would empty the quota. `undefined` before the second header.
   */
  loadAhead(nowMs: number): UsualLoad | undefined {
    if (this.#expected.isEmpty) return undefined
    const others = this.others(nowMs)
    return others && this.#expected.ahead(this.#beforeLoad(nowMs, others), nowMs, RUNNING_OUT_SECONDS)
  }

  #beforeLoad(nowMs: number, { taken, perSecond }: { readonly taken: number; readonly perSecond: number }) {
    const level = this.#level.middleAt(nowMs) - Math.max(0, taken - this.#missing)
    return { level, limit: this.limit, gain: this.#gainAt(nowMs), others: perSecond }
  }

  /** Others, if they are clearly one program that polls at equal intervals. */
  get poller(): Poller | undefined {
    return this.#poller.found
  }

  /** Requests per second of this app and of its desk. */
  countedPerSecond(nowMs: number, horizon: Horizon = 'short'): number {
    return countedPerSecond(horizon === 'short' ? this.#own : this.#ownLong, nowMs)
  }

  /** The part of `countedPerSecond` from the desk's other machines. */
  deskPerSecond(nowMs: number): number {
    return countedPerSecond(this.#desk, nowMs)
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
    const empty = this.#odds.corrected(
      others.emptyWithin(RUNNING_OUT_SECONDS, this.#level.middleAt(nowMs), this.#gainAt(nowMs)),
    )
    // Until a header proves use by others, only `low` allows for such use.
    const isShared = this.#isShared
    const taken = isShared ? others.takenAt(0.5, this.limit) : 0
    const spare = this.#level.middleAt(nowMs) + this.#missing - 1
    const nearFull = this.#utilization.isConclusive ? this.#pacesNearFull() : undefined
    const perSecond = nearFull?.perSecond ?? (isShared ? others.rate() : 0)
    const reading = {
      taken,
      takenAtMost: this.#margin.takenAtMost(others, taken, this.limit),
      takenAtLeast: isShared ? others.takenAt(this.#margin.share, this.limit) : 0,
      perSecond,
      ...this.#rangeOfRate(nowMs, nearFull, perSecond),
      emptyChance: Math.max(
        empty.chance,
        this.#expected.emptyChance(this.#beforeLoad(nowMs, { taken, perSecond }), nowMs, RUNNING_OUT_SECONDS),
      ),
      emptyChanceByPresent: empty.byPresent,
      emptyNow: isShared ? 1 - others.chanceOfAtMost(spare) : 0,
      growth: NO_GROWTH,
    }
    this.#reading =
      known && sinceMs > 0 ? { ...reading, growth: growthFrom(known, reading, sinceMs / 1000) } : reading
    return this.#reading
  }

  /**
   * The range of others' rate, in requests per second. It covers the present rate and that of the last
   * minute. Only a header narrows it.
   */
  #rangeOfRate(nowMs: number, nearFull: PacesNearFull | undefined, perSecond: number) {
    const [known, others] = [this.#reading, this.#others]
    const minute = this.#isShared && nearFull === undefined ? this.#minute.at(nowMs, perSecond) : undefined
    const ends = (share: number) => [this.#atHeader.rateAt(share), others.rateAt(share)]
    const least = Math.min(...ends(RATE_TAIL), minute?.least ?? Number.POSITIVE_INFINITY) / RATE_DRIFT
    const most = Math.max(...ends(1 - RATE_TAIL), minute?.most ?? 0, nearFull?.atMost ?? 0) * RATE_DRIFT
    const perSecondAtLeast = this.#isShared ? Math.min(known?.perSecondAtLeast ?? least, least) : 0
    return {
      perSecondAtLeast: nearFull ? nearFull.atLeast / RATE_DRIFT : perSecondAtLeast,
      perSecondAtMost: Math.max(known?.perSecondAtMost ?? most, most),
    }
  }

  /** Others' rate in requests per second, from how often headers show a nearly full quota below full. */
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
   * Advances others' use to `nowMs`. `left` is the level at that time without others.
   *
   * At the end of a fixed window, the count of others' requests restarts. Each later window is assumed to
   * last one period.
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

  /** Resets others' use to the last header, because the last reading was for a later time. */
  #back(): void {
    this.#reading = undefined
    this.#others.copyFrom(this.#atHeader)
    this.#othersAtMs = this.#headerAtMs
    this.#overflowed = this.#overflowedAtHeader
  }

  #forgetOthers(): void {
    this.#isShared = false
    this.#margin = new LowerMargin()
    this.#utilization.forget()
    this.#odds = new EmptyingCalibration()
    this.#foretoldAtMs = Number.NEGATIVE_INFINITY
    this.#others.forget()
    this.#poller.forget()
    this.#mark()
  }

  /** Records the present state of others' use as that of the last header. */
  #mark(): void {
    this.#atHeader.copyFrom(this.#others)
    this.#headerAtMs = this.#othersAtMs
    this.#overflowedAtHeader = this.#overflowed
    this.#missing = 0
    this.#reading = undefined
    this.#leftAtHeader = this.#level.middleAt(this.#headerAtMs)
    this.#gainAtHeader = this.#gainAt(this.#headerAtMs)
  }

  #fold(answer: Answered, sentAtMs: number, nowMs: number): number {
    const { rate } = answer
    if (rate) this.#adoptSize(rate)
    // The older form of 429, without quota headers, reports an empty bucket in its Message (service 2.3).
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
    const level = this.#level
    const { model } = level
    const isCurrent = level.judge(header)
    if (level.model !== model) this.#forgetOthers()
    if (!isCurrent) return 0

    const shown = level.shownBy(header)
    // After the header was written, more own requests may have counted, and some requests may have refilled.
    const low = Math.max(0, shown.least - this.#requests.mayHaveCountedAfter(sentAtMs))
    const high = Math.max(low, shown.most)
    const { inFlight } = this
    const isFirst = this.seen === undefined || level.model !== model
    this.#latestHeaderMs = Math.max(this.#latestHeaderMs, headerAtMs)
    // A fixed window refilled nothing before its end.
    const shownThen = level.model === 'fixed' ? remaining : high
    const proved = !isFirst && level.low - inFlight - shownThen > TOLERANCE
    const surplus = low - inFlight - level.high > TOLERANCE
    const before = level.middleAt(nowMs)
    const width = Math.max(0, level.high - level.low + inFlight)
    if (proved) this.#isShared = true
    if (isFirst || proved || surplus) level.replace(low, high)
    else level.narrow(low, high)
    const drop = before - level.middleAt(nowMs)
    if (isFirst) this.#restartOthers(nowMs)
    const isWeighed =
      isFirst ||
      this.#weigh(nowMs, {
        least: before - high,
        most: low < 1 ? Number.POSITIVE_INFINITY : before - low,
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
    this.#headers += 1
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
    this.#utilization.restore(stored.utilization)
    // After the clock was set back, the age of the stored data is unknown.
    const elapsedMs = nowMs - stored.atMs
    this.#poller.restore(stored.poller, elapsedMs)
    this.#others.restore(stored, elapsedMs < 0 ? Number.POSITIVE_INFINITY : elapsedMs / 1000)
  }

  #restartOthers(nowMs: number): void {
    this.#recall(nowMs)
    this.#others.restart()
    this.#minute.restart(nowMs)
    this.#othersAtMs = nowMs
    this.#overflowed = this.#level.overflowedAt(nowMs)
    this.#mark()
  }

  /** Updates others' use from the requests that headers showed missing, at most once a second. */
  #weigh(nowMs: number, shown: Shortfall): boolean {
    const missing = this.#missing
    this.#missing += shown.drop
    // Headers in quick succession are combined.
    if (nowMs - this.#headerAtMs < WEIGHED_EVERY_MS && this.#missing < 3) return false
    this.#learnOutcome(nowMs)
    const isRolling = this.model === 'rolling'
    this.#minute.header(nowMs, this.#missing)
    this.#utilization.header(this.limit, {
      overflowed: isRolling ? this.#level.overflowedAt(nowMs) - this.#overflowedAtHeader : 0,
      seconds: (nowMs - this.#headerAtMs) / 1000,
      missing,
      ...shown,
    })
    this.#follow(nowMs, shown.before)
    this.#margin.judge(this.#others, missing + shown.least, this.limit)
    // Several headers in quick succession are more precise together than the last one alone.
    const isDense = this.#others.seconds < DENSE_SECONDS
    this.#others.observed({
      least: isDense ? this.#missing - 0.5 : missing + shown.least,
      most: isDense && shown.most < Number.POSITIVE_INFINITY ? this.#missing + 0.5 : missing + shown.most,
      taken: this.#missing,
      variance: shown.width ** 2 / 12,
    })
    if (this.#others.expectedLess >= SURPRISE) this.surprisedAtMs = nowMs
    this.#mark()
    return true
  }

  /** Compares the outcome with a forecast that was made at the last header or shortly before it. */
  #learnOutcome(nowMs: number): void {
    const horizonSeconds = RUNNING_OUT_SECONDS
    if (this.#headerAtMs - this.#foretoldAtMs >= FORETOLD_EVERY_MS) {
      const { chance } = this.#atHeader.emptyWithin(horizonSeconds, this.#leftAtHeader, this.#gainAtHeader)
      this.#predicted = chance
      this.#foretoldAtMs = this.#headerAtMs
    }
    this.#odds.observed({
      ...{ level: this.#level.middleAt(nowMs), limit: this.limit, horizonSeconds },
      chance: this.#predicted,
      seconds: (nowMs - this.#headerAtMs) / 1000,
    })
  }

  /** Change of the level without others' requests, in requests per second. */
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
    this.#headers = 0
    this.seen = undefined
  }

  #remember(sentAtMs: number, laterMs = 0): void {
    const { atMs, window } = this.#level
    const neededSinceMs = this.model === 'fixed' ? window?.endsEarliestMs : undefined
    this.#requests.remember(sentAtMs, atMs + laterMs, neededSinceMs ?? Number.POSITIVE_INFINITY)
  }
}

/** Share of an interval of levels in requests that lies below one request, 0 to 1. */
function shareBelowOne(low: number, high: number): number {
  if (high < 1 || low >= 1) return Number(high < 1)
  return (1 - low) / (high - low)
}
