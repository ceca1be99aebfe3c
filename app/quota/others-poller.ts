import { HOUR_MS } from '../contract/units.ts'
import type { Poller } from './learned.ts'
import { fitOf, type PollerQuota } from './poller-fit.ts'
import { PollerGaps } from './poller-gaps.ts'
import {
  evidenceIn,
  type FoundTiming,
  isNear,
  minEvidence,
  refine,
  SAME_PERIOD,
  searchPoller,
} from './poller-search.ts'

/**
 * One header of a rolling quota. It includes the request that it answers. Levels and counts are in requests.
 */
export interface PollerHeader {
  readonly sentAtMs: number
  readonly nowMs: number
  /** Bounds on the level when the service wrote the header, from this header alone. */
  readonly least: number
  readonly most: number
  /** Number of own requests that this header may or may not include. */
  readonly doubtful: number
  /** The probability that `OthersUse` gave to this header's value, 0 to 1. */
  readonly chance: number
}

/**
 * Maximum number of timings tried at one header: `perSecond` for each second since the last header, at most
 * `most`.
 */
const TRIES = { perSecond: 3_000, most: 20_000 } as const
/**
 * Number of new gaps before another search: `share` of the present number of gaps, but at least `least`. A
 * gap is the time between two headers.
 */
const MORE_GAPS = { share: 0.25, least: 8 } as const
/** Jitter of a header's time, in seconds. */
const JITTER_SECONDS = 0.03
/**
 * `FOLLOWED`: a known poller is fitted to this many of the latest gaps. `ENDED`: the poller counts as ended
 * when the log-odds against it reach this value.
 */
const FOLLOWED = 32
const ENDED = 12
/** A recognised poller's timing is refined each time this number of gaps is added, even if it still fits. */
const FOLLOWED_EVERY = 8
/** A poller of an earlier run of the app is forgotten if this many gaps do not confirm it. */
const MISSED = 128
/** A poller of an earlier run counts as the same if that run's last header is younger than this. */
const SAME_WITHIN_MS = HOUR_MS

/**
 * Recognises whether others are one program that polls at equal intervals. The evidence is the headers of own
 * requests, which arrive at irregular times.
 *
 * Model: others make `calls` requests every `period` seconds, from `phase` on, and no other requests. The
 * model predicts the level at each header from the level at the previous header. `PollerGaps` gives the
 * probability of the same level if others' use is irregular. `fitOf` takes the ratio of the two probabilities
 * at each of the latest headers, and multiplies these ratios. `searchPoller` does this for up to a million
 * timings.
 *
 * A poller is more regular than random requests. Between two headers, n polls make n × calls requests, plus
 * or minus one poll. A random number of requests would vary by its square root. On a nearly full quota, a
 * header shows requests by others only shortly after a poll. These patterns reveal a poller after 20 to 60
 * headers, at whatever times they arrive.
 *
 * A poller of an earlier run of the app needs less evidence, because only the few timings near it are tried.
 *
 * Mutable. `TRIES` limits the work per header.
 */
export class OthersPoller {
  readonly #gaps = new PollerGaps()
  #last: PollerHeader | undefined
  #own = 0
  #isDoubtful = false
  #baseMs = 0
  #search: Generator<number, FoundTiming | undefined> | undefined
  #searchAfter = 0
  #timing: FoundTiming | undefined
  #shownPeriod = 0
  #sinceMs = 0
  #against = 0
  /** The poller of an earlier run of the app, until headers confirm it. */
  #stored: Poller | undefined
  #isSame = false

  /** The recognised poller. `undefined` while no timing is clear. */
  get found(): Poller | undefined {
    const timing = this.#timing
    if (timing === undefined) return undefined
    const { calls, mayBeMore } = timing
    return { everySeconds: this.#shownPeriod, calls, mayBeMore, sinceMs: this.#sinceMs }
  }

  /**
   * The poller to store for a later run of the app: the recognised poller, or else the restored poller. A
   * restored poller is forgotten after `MISSED` gaps.
   */
  learned(): Poller | undefined {
    const { found } = this
    return found && this.#timing ? { ...found, everySeconds: this.#timing.period } : this.#stored
  }

  /**
   * Restores the poller of an earlier run of the app. `ageMs`: age of that run's last header, negative if the
   * clock was set back.
   */
  restore(stored: Poller | undefined, ageMs: number): void {
    this.#stored = stored
    this.#isSame = ageMs >= 0 && ageMs < SAME_WITHIN_MS
  }

  sent(): void {
    this.#own += 1
  }

  notSent(): void {
    this.#own -= 1
  }

  /**
   * Marks the time until the next header as uncertain, for example after a lost request, a 429, or a clock
   * change.
   */
  doubt(): void {
    this.#isDoubtful = true
  }

  /** Resets everything, because the quota has another size or model. */
  forget(): void {
    this.#gaps.clear()
    this.#last = undefined
    this.#search = undefined
    this.#searchAfter = 0
    this.#timing = undefined
    this.#stored = undefined
  }

  header(header: PollerHeader, quota: PollerQuota): void {
    const last = this.#last
    const own = this.#own
    const isUsable = last !== undefined && !this.#isDoubtful && last.least >= 1 && header.least >= 1
    this.#last = header
    this.#own = 0
    this.#isDoubtful = false
    if (last === undefined) this.#baseMs = header.nowMs
    if (!isUsable) return
    const [from, to] = [this.#secondsOf(last), this.#secondsOf(header)]
    // Headers of simultaneous requests arrive in any order. The gap between two of them is not used.
    this.#isDoubtful = to <= from || from < this.#gaps.end
    if (this.#isDoubtful) return
    const grown = quota.refill * (to - from)
    const isNearFull = last.least - last.doubtful + grown >= quota.limit
    // If the quota was full between the two headers, the level depends on when the service counted each own
    // request. The gap between two such headers is not used.
    if (last.most + grown >= quota.limit && (own > 1 || header.doubtful > 0)) return
    const middle = (last.least + last.most - last.doubtful) / 2 + grown
    this.#gaps.add({
      ...{ from, to, own, isNearFull, chance: header.chance },
      slack: JITTER_SECONDS + (header.nowMs - header.sentAtMs + last.nowMs - last.sentAtMs) / 4000,
      least: last.least - last.doubtful,
      most: last.most,
      leastAfter: header.least - header.doubtful,
      mostAfter: header.most,
      missing: isNearFull
        ? Math.ceil(quota.limit - own - header.most)
        : Math.min(quota.limit, middle) - own - (header.least + header.most - header.doubtful) / 2,
    })
    if (this.#timing === undefined) this.#look((header.nowMs - last.nowMs) / 1000, quota)
    else this.#follow(this.#timing, quota)
  }

  #secondsOf({ sentAtMs, nowMs }: PollerHeader): number {
    return ((sentAtMs + nowMs) / 2 - this.#baseMs) / 1000
  }

  /**
   * Seconds from the start to the end of the last `FOLLOWED` gaps. The poller's timing is fitted to these
   * gaps.
   */
  get #span(): number {
    const { from, to, count } = this.#gaps
    return to[count - 1]! - from[Math.max(0, count - FOLLOWED)]!
  }

  /** Continues the search. The number of tries depends on the time since the last header. */
  #look(seconds: number, quota: PollerQuota): void {
    const gaps = this.#gaps
    if (this.#search === undefined) {
      if (gaps.added < this.#searchAfter) return
      if (gaps.added >= MISSED) this.#stored = undefined
      this.#searchAfter = gaps.added + MORE_GAPS.least
      if (evidenceIn(gaps) < minEvidence(this.#stored)) return
      this.#search = searchPoller(gaps, quota, this.#stored)
    }
    let left = Math.min(TRIES.most, TRIES.perSecond * seconds)
    while (left > 0) {
      const step = this.#search.next()
      if (step.done !== true) {
        left -= Math.max(1, step.value)
        continue
      }
      this.#search = undefined
      this.#searchAfter = gaps.added + Math.max(MORE_GAPS.least, MORE_GAPS.share * gaps.count)
      this.#timing = step.value
      this.#against = 0
      if (step.value === undefined) return
      this.#shownPeriod = roundedPeriod(step.value)
      const stored = isNear(step.value, this.#stored) && this.#isSame ? this.#stored : undefined
      this.#sinceMs = stored?.sinceMs ?? this.#baseMs + 1000 * firstShownAt(gaps, step.value.first)
      this.#stored = undefined
      return
    }
  }

  /** Follows the slow drift of a timer, and forgets a poller that headers no longer show. */
  #follow(timing: FoundTiming, quota: PollerQuota): void {
    const gaps = this.#gaps
    const oldest = Math.max(0, gaps.count - FOLLOWED)
    const now = { ...timing, ...fitOf(gaps, timing, quota, oldest) }
    this.#against = Math.max(0, this.#against - now.latest)
    if (this.#against >= ENDED) {
      this.#timing = undefined
      this.#searchAfter = gaps.added + MORE_GAPS.least
      return
    }
    const isDue = now.latest < 0 || gaps.added % FOLLOWED_EVERY === 0
    const followed = isDue ? refine(gaps, now, quota, { span: this.#span, oldest }) : now
    this.#timing = followed
    if (Math.abs(followed.period - this.#shownPeriod) > SAME_PERIOD * this.#shownPeriod)
      this.#shownPeriod = roundedPeriod(followed)
  }
}

/**
 * Time in seconds of the first header that showed a request by others. The search starts at the gap with
 * index `first`.
 */
function firstShownAt({ to, missing, count }: PollerGaps, first: number): number {
  let at = first
  while (at < count - 1 && missing[at]! < 0.5) at += 1
  return to[at]!
}

/** The period, rounded to two digits. Timers drift, so headers do not show more digits. */
const roundedPeriod = ({ period }: FoundTiming): number => Number(period.toPrecision(2))
