import type { PollerGaps } from './poller-gaps.ts'

/** A quota, in requests and requests per second. */
export interface PollerQuota {
  readonly limit: number
  readonly refill: number
}

/**
 * Timing of a program that sends `calls` requests at once every `period` seconds. `phase`: time of one poll.
 */
export interface Timing {
  readonly period: number
  readonly phase: number
  readonly calls: number
}

/** How well a timing explains the latest gaps. */
export interface Fit {
  /**
   * Logarithm of the odds of this timing against irregular use, summed over the gaps from index `first` on.
   */
  readonly logOdds: number
  readonly first: number
  /** The latest gap's contribution to `logOdds`. */
  readonly latest: number
}

/** Probability that others' requests in a gap are irregular although there is a poller. */
const STRAY = 0.03
/** Width added at each end of an interval of levels, in requests. */
const PAD = 0.03
/**
 * The calls of one poll are sent within this time, in seconds, or within a quarter of the period if that is
 * less.
 */
const BURST_SECONDS = 1
/**
 * The fit stops adding older gaps when the log-odds are `MAX_FALL` below their maximum, or
 * `MAX_FALL_AT_FIRST` below 0.
 */
const MAX_FALL = 7
const MAX_FALL_AT_FIRST = 3.4

/**
 * Finds the series of latest gaps that a timing explains best. Returns the index of the oldest gap in this
 * series, and the log-odds summed over the series. Gaps before index `oldest` are not considered.
 *
 * Starts at the latest gap and goes back in time, with an interval of possible levels. In the model, the
 * level at a header is the level at the previous header, plus the refill, minus the polls in between, minus
 * own requests. The level is capped at the limit.
 *
 * If the cap applies, the quota was full at some time in the gap. The level at the end of the gap is then
 * computed from a full quota just before the last poll, or before the first poll if a period refills less
 * than a poll uses. The level at the start of the gap stays unknown. If the cap does not apply, the levels
 * that later headers allow also narrow the level at the start of the gap.
 *
 * A poll at the time of a header may count before or after the header.
 */
export function fitOf(gaps: PollerGaps, timing: Timing, { limit, refill }: PollerQuota, oldest = 0): Fit {
  const { period, phase, calls } = timing
  const spread = calls > 1 ? Math.min(BURST_SECONDS, period / 4) : 0
  const last = gaps.count - 1
  let [sum, best, first, latest] = [0, 0, gaps.count, 0]
  let [low, high] = [0, 0]
  let isKnown = false
  for (let at = last; at >= oldest; at -= 1) {
    const slack = gaps.slack[at]!
    const [from, to, own] = [gaps.from[at]!, gaps.to[at]!, gaps.own[at]!]
    if (!isKnown) {
      low = gaps.leastAfter[at]!
      high = gaps.mostAfter[at]!
    }
    const nthFrom = Math.floor((from - phase) / period)
    const nthTo = Math.floor((to - phase) / period)
    const sinceFrom = from - phase - nthFrom * period
    const sinceTo = to - phase - nthTo * period
    const polls = nthTo - nthFrom
    const taken = calls * polls
    let full = limit
    if (polls > 0)
      full +=
        refill * period >= calls
          ? refill * sinceTo - calls
          : refill * (sinceTo + (polls - 1) * period) - taken
    full = Math.min(limit, full) - own
    const change = refill * (to - from) - taken - own
    const pad = PAD + refill * slack
    // A poll near one of the two headers may count before or after it. So the gap may have more or fewer
    // requests.
    let [more, fewer] = [0, 0]
    if (sinceTo < slack + spread) fewer += calls
    if (period - sinceTo < slack) more += calls
    let chance = 0
    const [least, most] = [gaps.least[at]!, gaps.most[at]!]
    if (least + change > full) {
      const top = limit - own
      // The level of a full quota is known exactly.
      const [lowest, highest] =
        full === top && more === 0
          ? [top, top + PAD]
          : [full - more - pad, Math.min(top, full + fewer + pad) + PAD]
      const shared = Math.min(high, highest) - Math.max(low, lowest)
      // In the fit to later headers, all levels from `leastAfter` to `mostAfter` were equally likely.
      // `counted` is the share of these levels that later headers left possible. Dividing by `counted` avoids
      // using the later headers twice.
      const counted = (high - low) / (gaps.mostAfter[at]! - gaps.leastAfter[at]!)
      chance = shared <= 0 ? 0 : Math.min(1, shared / (highest - lowest) / counted)
      isKnown = false
    } else {
      if (sinceFrom < slack + spread) more += calls
      if (period - sinceFrom < slack) fewer += calls
      const isCut = most + change > full
      const [lowest, highest] = [low - change - fewer - pad, isCut ? most : high - change + more + pad]
      const shared = Math.min(most, highest) - Math.max(least, lowest)
      // If it is unknown whether own requests counted, the header is weaker evidence.
      chance = shared <= 0 ? 0 : shared / (highest - lowest) / Math.max(1, most - least)
      isKnown = shared > 0 && !isCut
      if (isKnown) {
        low = Math.max(least, lowest)
        high = Math.max(low + PAD, Math.min(most, highest))
      }
    }
    const odds = Math.log(((1 - STRAY) * chance) / gaps.irregular[at]! + STRAY)
    if (at === last) latest = odds
    // The interval carries over to the previous gap only if that gap ends where this one starts.
    if (at > 0 && gaps.to[at - 1] !== from) isKnown = false
    sum += odds
    if (sum > best) {
      best = sum
      first = at
    } else if (sum < best - MAX_FALL || sum < -MAX_FALL_AT_FIRST) break
  }
  return { logOdds: best, first, latest }
}
