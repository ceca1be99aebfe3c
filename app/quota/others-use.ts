import * as candidates from './candidates.ts'
import type { LearnedQuota } from './learned.ts'
import { Mixture } from './mixture.ts'
import { chanceBetween } from './normal.ts'
import { Spells } from './spells.ts'
import { grow, grown, waiting } from './taken-moments.ts'

/*
 * Estimates other programs' requests on one quota. If a header shows a lower level than this app's own
 * requests explain, the difference was used by others.
 *
 * Model: others make requests at random, at a rate that is constant for a while and then jumps. A candidate
 * combines a rate r with a mean holding time h. r is 0 or one of 28 rates from 1/16 to 32 times the refill,
 * three to an octave. h is one of four times.
 *
 * Each candidate has a probability. Each rate has the mean and the variance of the requests that others made
 * since the last header ("taken"). All these values exist twice: for a rate that has not changed since that
 * header ("held"), and for a rate that began by a jump since then ("came").
 *
 * A time step of one second, t seconds after the last header (an interacting multiple model, IMM):
 * - Jump: a candidate keeps its rate with probability exp(−1/h). The rest of its probability is distributed
 *   over all candidates in proportion to the jumps observed so far.
 * - Growth: add r to the mean of taken. Add r (a Poisson count) and r²c²(2t + 1) to its variance, where c·r
 *   is the standard deviation of r within its cell.
 * - Limits: taken = max(0, taken − overflowed), because a full quota loses its refill unless others use it.
 *   Also, taken ≤ left, the level if others had made no requests.
 *
 * At a header that shows d requests by others, the probability of each candidate is multiplied by the normal
 * probability of d ± ½ (Bayes' rule). Then taken restarts at 0.
 *
 * Units: requests and seconds. `RATES` is in multiples of the refill, `#rates` in requests per second.
 */

// Local aliases for speed. In the built module, each use of an import in these loops would be a property
// lookup.
const { BAND_OF, CELL_SPREAD, HALF_CELL, HOLD_COUNT, HOLD_PRIOR, HOLD_SECONDS, RATE_COUNT, RATES, staysFor } =
  candidates
/** Probability that others' rate is above the shown range. The probability that it is below is the same. */
export const RATE_TAIL = 0.05
/** The mean rate since the last jump is used only if others made at least this many requests since then. */
const MIN_COUNTED = 5
/** If others' rate exceeds this multiple of the refill, the quota is hardly ever full. */
const BUSY_FROM = 1.15
const COUNT = RATE_COUNT * HOLD_COUNT
export const CANDIDATE_COUNT = COUNT

/** Probability, before the first header, that no other program uses the quota. */
const QUIET_AT_FIRST = 0.6
/**
 * How the probability of a usual load is divided among three candidate rates: those just below, at and just
 * above the load's rate.
 */
const LOAD_SPREAD = [0.25, 0.5, 0.25] as const
/** `emptyWithin` ignores rates with a lower probability. */
const NEGLIGIBLE = 1e-5
/** Share of a candidate's probability that spreads to the neighbouring candidates per second. */
const WANDER = 1 / 500
/** Prior probability of a header that no candidate explains. */
const OUTLIER = 1e-4
/** Variance of a header's value beyond rounding, in requests². */
const NOISE = 0.01
/**
 * Value added to both ends of the interval of others' requests. Header values are rounded, so the true number
 * is just above the lower end.
 */
const ROUNDED = 0.2
/**
 * Maximum time in seconds by which the model is advanced in one call. After a longer gap, the last header
 * says nothing about the present.
 */
const MAX_SECONDS = 7200
/**
 * If others take at least this share of the refill, the quota needs more than one time step to become full
 * again. `waiting` then does not apply, because it assumes a steady state within one step.
 */
const MAX_BUSY = 0.95

/**
 * Probabilities, 0 to 1, that a quota runs empty within some time. `chance` includes jumps to other rates.
 * `byPresent` considers only the case that the current rate lasts long enough.
 */
export interface EmptyChance {
  readonly chance: number
  readonly byPresent: number
}

/**
 * A span of time in which a quota may run empty, and the level at the span's start. For the present span,
 * this level ignores others' requests since the last header.
 */
export interface EmptySpan {
  readonly seconds: number
  readonly left: number
}

/** Jumps of others' rate in one span. */
interface Jumps {
  /** By mean holding time: the probability that others' present rate has it and does not empty the quota. */
  readonly calm: readonly number[]
  /** Change of the level without others' requests, and at others' median rate. Requests per second. */
  readonly gain: number
  readonly slope: number
  /** When the span starts, in seconds from now. */
  readonly fromSeconds: number
}

/**
 * A load that others may have started: requests per second, probability (0 to 1), and duration in seconds.
 */
export interface PossibleLoad {
  readonly perSecond: number
  readonly chance: number
  readonly lastsSeconds: number
}

/** Number of others' requests that a header shows. See `observed`. */
export interface Missing {
  readonly least: number
  readonly most: number
  readonly taken: number
  readonly variance: number
}

/**
 * A probability distribution over the rate of other programs' requests on one quota: see the model above.
 *
 * Counts are in requests, times in seconds, and rates in requests per second. Mutable: `advance` and
 * `observed` change it.
 */
export class OthersUse {
  /** The refill, in requests per second. */
  #refill: number
  #limit: number
  /** Rate of each candidate in requests per second, and its standard deviation as a share of the rate. */
  readonly #rates = new Float64Array(RATE_COUNT)
  readonly #spreads = new Float64Array(RATE_COUNT)
  /**
   * Others' requests since their rate last jumped, and the seconds since then. `#overflowed`: refill, in
   * requests, that was lost since the last header because the quota was full.
   */
  #spellTaken = 0
  #spellSeconds = 0
  #overflowed = 0
  /**
   * Probability of each candidate, at index `rate × HOLD_COUNT + hold`. `#held`: the rate has not changed
   * since the last header. `#came`: others' rate has jumped to this one since then.
   */
  readonly #held = new Float64Array(COUNT)
  readonly #came = new Float64Array(COUNT)
  /** Mean and variance of others' requests since the last header, by rate. */
  readonly #heldMean = new Float64Array(RATE_COUNT)
  readonly #heldVariance = new Float64Array(RATE_COUNT)
  readonly #cameMean = new Float64Array(RATE_COUNT)
  readonly #cameVariance = new Float64Array(RATE_COUNT)
  /** The distribution of others' requests since the last header. */
  readonly #taken = new Mixture(2 * RATE_COUNT)
  /** The candidates' probabilities by rate, summed over holding times. */
  readonly #heldChance = new Float64Array(RATE_COUNT)
  readonly #cameChance = new Float64Array(RATE_COUNT)
  /** Statistics of the jumps of others' rate so far. */
  readonly #spells = new Spells()
  /** For each band of rates, the sum of `Spells.holds`. Working memory of `#jump`. */
  readonly #spellsOf = new Float64Array(HOLD_PRIOR.length)
  /** Whether the sums by rate are up to date. */
  #isSummed = false
  #seconds = 0
  #expectedLess = 0
  #expected = 1

  constructor(limit: number, periodSeconds: number) {
    this.#limit = limit
    this.#refill = limit / periodSeconds
    this.forget()
  }

  /** Copies the whole state of another model. */
  copyFrom(other: OthersUse): void {
    this.#limit = other.#limit
    this.#refill = other.#refill
    this.#seconds = other.#seconds
    this.#spellTaken = other.#spellTaken
    this.#spellSeconds = other.#spellSeconds
    this.#overflowed = other.#overflowed
    this.#rates.set(other.#rates)
    this.#spreads.set(other.#spreads)
    this.#isSummed = false
    this.#held.set(other.#held)
    this.#came.set(other.#came)
    this.#heldMean.set(other.#heldMean)
    this.#heldVariance.set(other.#heldVariance)
    this.#cameMean.set(other.#cameMean)
    this.#cameVariance.set(other.#cameVariance)
    this.#spells.copyFrom(other.#spells)
  }

  /** Seconds since the last header. */
  get seconds(): number {
    return this.#seconds
  }

  /**
   * The model's prediction just before the last header: the probability, 0 to 1, of fewer requests by others
   * than the header then showed.
   */
  get expectedLess(): number {
    return this.#expectedLess
  }

  /** The probability, 0 to 1, of the last header's value, as predicted just before that header. */
  get expected(): number {
    return this.#expected
  }

  /** Sets another limit and period, and resets the model. */
  resize(limit: number, periodSeconds: number): void {
    this.#limit = limit
    this.#refill = limit / periodSeconds
    this.forget()
  }

  /** Resets the model to its priors. */
  forget(): void {
    this.#seconds = 0
    this.#spellTaken = 0
    this.#spellSeconds = 0
    this.#centre()
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const chance = rate === 0 ? QUIET_AT_FIRST : (1 - QUIET_AT_FIRST) / (RATE_COUNT - 1)
      const prior = HOLD_PRIOR[BAND_OF[rate]!]!
      // At a random moment, others' rate is more likely to be in a long holding time than in a short one. So
      // each holding time is weighted by its length.
      const mean = prior.reduce((sum, share, hold) => sum + share * HOLD_SECONDS[hold]!, 0)
      for (let hold = 0; hold < HOLD_COUNT; hold += 1)
        this.#held[rate * HOLD_COUNT + hold] = (chance * prior[hold]! * HOLD_SECONDS[hold]!) / mean
    }
    this.#spells.forget()
    this.#startFromHeader()
  }

  /** The candidates' probabilities and the counts of `Spells`, in the form that `restore` accepts. */
  learned(): Pick<LearnedQuota, 'rates' | 'jumps' | 'spells'> {
    return {
      rates: Array.from(this.#held, (chance, at) => chance + this.#came[at]!),
      jumps: [...this.#spells.ends],
      spells: this.#spells.holds.flatMap((holds) => [...holds]),
    }
  }

  /** Restores statistics that are `elapsedSeconds` old. Others' rate may have jumped since then. */
  restore({ rates, jumps, spells }: LearnedQuota, elapsedSeconds: number): void {
    this.forget()
    const sum = rates.reduce((total, chance) => total + chance, 0)
    if (!(sum > 0)) return
    for (const [at, chance] of rates.entries()) this.#held[at] = chance / sum
    this.#spells.restore(jumps, spells)
    this.advance(elapsedSeconds, 0, this.#limit)
    this.restart()
  }

  /**
   * Advances the model by `elapsedSeconds`. `left`: the level at the end, if others have made no requests
   * since the last header.
   *
   * `overflowed`: refill in requests that is lost in this time because the quota is full, if others make no
   * requests. The whole loss is assumed to happen at the end of the elapsed time.
   */
  advance(elapsedSeconds: number, overflowed: number, left: number): void {
    const seconds = Math.min(elapsedSeconds, MAX_SECONDS)
    if (!(seconds > 0 && this.#refill > 0)) return
    const overflowsFor = Math.min(seconds, overflowed / this.#refill)
    this.#isSummed = false
    this.#overflowed += overflowed
    let past = 0
    while (past < seconds) {
      // A step is one second, or a tenth of the header's age if that is longer. After an old header, the
      // estimate is imprecise, so coarse steps are enough.
      const step = Math.min(seconds - past, Math.max(1, 0.1 * this.#seconds))
      const overflowingFor = Math.min(step, Math.max(0, past + step - (seconds - overflowsFor)))
      this.#jump(step)
      this.#take(
        step,
        overflowsFor > 0 ? (overflowed * overflowingFor) / overflowsFor : 0,
        overflowingFor,
        left,
      )
      past += step
      this.#seconds += step
    }
  }

  /**
   * Adds the assumption that others started a load `ageSeconds` ago, with probability `chance`. `left`: the
   * present level, if others have made no requests since the last header.
   *
   * Each rate below the load's rate loses the share `chance` of its probability. This share moves to the
   * load's rate and to the two rates next to it. Those rates then hold for the shortest holding time of the
   * model that is at least twice the load's length. If no holding time is that long, the longest one is used.
   */
  mayHaveStarted({ perSecond, chance, lastsSeconds }: PossibleLoad, ageSeconds: number, left: number): void {
    const [held, came] = [this.#held, this.#came]
    let target = 1
    while (target + 1 < RATE_COUNT && RATES[target]! * this.#refill * HALF_CELL < perSecond) target += 1
    let [moved, sum, squares] = [0, 0, 0]
    const move = (chances: Float64Array, rate: number, mean: number, variance: number) => {
      let part = 0
      for (let at = rate * HOLD_COUNT; at < (rate + 1) * HOLD_COUNT; at += 1) {
        part += chance * chances[at]!
        chances[at]! *= 1 - chance
      }
      moved += part
      sum += part * mean
      squares += part * (variance + mean * mean)
    }
    for (let rate = 0; rate < target - 1; rate += 1) {
      const more = Math.max(0, this.#rates[target]! - this.#rates[rate]!) * ageSeconds
      const taken = (mean: number) => Math.max(0, Math.min(left, mean + more))
      move(held, rate, taken(this.#heldMean[rate]!), this.#heldVariance[rate]! + more)
      move(came, rate, taken(this.#cameMean[rate]!), this.#cameVariance[rate]! + more)
    }
    if (!(moved > 0)) return
    this.#isSummed = false
    const lasting = HOLD_SECONDS.findIndex((seconds) => seconds >= 2 * lastsSeconds)
    const hold = lasting < 0 ? HOLD_COUNT - 1 : lasting
    for (const [offset, share] of LOAD_SPREAD.entries()) {
      const rate = Math.min(RATE_COUNT - 1, target - 1 + offset)
      let before = 0
      for (let at = rate * HOLD_COUNT; at < (rate + 1) * HOLD_COUNT; at += 1) before += came[at]!
      const now = before + share * moved
      const mean = this.#cameMean[rate]!
      const newMean = (before * mean + share * sum) / now
      const newSquares = (before * (this.#cameVariance[rate]! + mean * mean) + share * squares) / now
      this.#cameMean[rate] = newMean
      this.#cameVariance[rate] = Math.max(0, newSquares - newMean * newMean)
      came[rate * HOLD_COUNT + hold]! += share * moved
    }
  }

  /**
   * Updates the model from a header.
   *
   * - `least` to `most`: number of others' requests that the header shows. `most` is infinite if nothing is
   *   left, because the header then shows only a minimum.
   * - `variance`: variance of `least` and of `most`.
   * - `taken`: others' requests since the last update, estimated from all headers since then.
   */
  observed({ least, most, taken, variance }: Missing): void {
    this.#expectedLess = least > 1 ? this.chanceOfAtMost(least - 1) : 0
    const noise = NOISE + variance
    // The interval is at least one request wide.
    const middle = (least + most) / 2
    const low = least < ROUNDED ? Number.NEGATIVE_INFINITY : Math.min(least, middle - 0.5) + ROUNDED
    const high = Math.max(most, middle + 0.5) + ROUNDED
    const floor = OUTLIER / this.#limit
    let sum = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const held = floor + chanceBetween(low, high, this.#heldMean[rate]!, this.#heldVariance[rate]! + noise)
      const came = floor + chanceBetween(low, high, this.#cameMean[rate]!, this.#cameVariance[rate]! + noise)
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const at = rate * HOLD_COUNT + hold
        this.#held[at]! *= held
        this.#came[at]! *= came
        sum += this.#held[at]! + this.#came[at]!
      }
    }
    this.#expected = sum
    if (!(sum > 0)) {
      this.forget()
      return
    }
    this.#spells.learn(this.#came, sum, this.#seconds)
    this.#meanOfSpell(sum, most === Number.POSITIVE_INFINITY ? undefined : taken)
    for (let at = 0; at < COUNT; at += 1) this.#held[at] = (this.#held[at]! + this.#came[at]!) / sum
    this.#wander()
    this.#startFromHeader()
  }

  /**
   * Sets the number of others' requests since the last header to 0 without a new header. For example, a fixed
   * window ended. The distribution over rates is kept.
   */
  restart(): void {
    for (let at = 0; at < COUNT; at += 1) this.#held[at]! += this.#came[at]!
    this.#startFromHeader()
  }

  /** Sets the number of others' requests since the last header to 0. The distribution over rates is kept. */
  #startFromHeader(): void {
    this.#isSummed = false
    this.#seconds = 0
    this.#overflowed = 0
    this.#came.fill(0)
    this.#heldMean.fill(0)
    this.#heldVariance.fill(0)
    this.#cameMean.fill(0)
    this.#cameVariance.fill(0)
    this.#spells.restart()
  }

  #jump(seconds: number): void {
    const held = this.#held
    const came = this.#came
    const { ends: jumpsTo, holds: spellsBy, left: leftBy } = this.#spells
    const stays = staysFor(seconds)
    let leaving = 0
    let sum = 0
    let squares = 0
    let ends = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      ends += jumpsTo[rate]!
      const left = leftBy[BAND_OF[rate]!]!
      let leavesHeld = 0
      let leavesCame = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const at = rate * HOLD_COUNT + hold
        const stay = stays[hold]!
        leavesHeld += held[at]! * (1 - stay)
        left[hold]! += (held[at]! + came[at]!) * (1 - stay)
        leavesCame += came[at]! * (1 - stay)
        held[at]! *= stay
        came[at]! *= stay
      }
      const heldMean = this.#heldMean[rate]!
      const cameMean = this.#cameMean[rate]!
      leaving += leavesHeld + leavesCame
      sum += leavesHeld * heldMean + leavesCame * cameMean
      squares +=
        leavesHeld * (this.#heldVariance[rate]! + heldMean * heldMean) +
        leavesCame * (this.#cameVariance[rate]! + cameMean * cameMean)
    }
    if (!(leaving > 0)) return
    for (let band = 0; band < spellsBy.length; band += 1) {
      const holds = spellsBy[band]!
      let spells = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) spells += holds[hold]!
      this.#spellsOf[band] = spells
    }
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const share = jumpsTo[rate]! / ends
      const holds = spellsBy[BAND_OF[rate]!]!
      const spells = this.#spellsOf[BAND_OF[rate]!]!
      let before = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) before += came[rate * HOLD_COUNT + hold]!
      const arrives = leaving * share
      const now = before + arrives
      if (!(now > 0)) continue
      const mean = this.#cameMean[rate]!
      const newMean = (before * mean + share * sum) / now
      const newSquares = (before * (this.#cameVariance[rate]! + mean * mean) + share * squares) / now
      this.#cameMean[rate] = newMean
      this.#cameVariance[rate] = Math.max(0, newSquares - newMean * newMean)
      for (let hold = 0; hold < HOLD_COUNT; hold += 1)
        came[rate * HOLD_COUNT + hold]! += (arrives * holds[hold]!) / spells
    }
  }

  #take(seconds: number, overflowed: number, overflowingFor: number, left: number): void {
    const since = this.#seconds
    grown.overflowed = overflowed
    grown.most = left
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const perSecond = this.#rates[rate]!
      const count = perSecond * seconds
      const cell = (perSecond * this.#spreads[rate]!) ** 2 * seconds * (2 * since + seconds)
      grown.count = count
      grown.spread = count + cell
      grow(this.#heldMean, this.#heldVariance, rate)
      grow(this.#cameMean, this.#cameVariance, rate)
      const busy = overflowed > 0 ? (perSecond * overflowingFor) / overflowed : 1
      if (busy > 0 && busy < MAX_BUSY) {
        waiting(this.#heldMean, this.#heldVariance, rate, busy)
        waiting(this.#cameMean, this.#cameVariance, rate, busy)
      }
    }
  }

  /**
   * Updates the mean of others' rate since its last jump: requests divided by seconds. Earlier requests and
   * seconds are first multiplied by the probability that the rate did not jump since the previous header.
   *
   * Σ taken / Σ seconds is the best estimate of a constant rate. Its relative error is 1 / √Σ taken. After a
   * few headers, that is far less than the width of a cell.
   *
   * Two kinds of interval are not used, because they do not show the rate: an interval that ends with an
   * empty quota, and an interval in which a full quota lost refill. Lost refill does not matter if others are
   * so busy that the quota was hardly ever full.
   */
  #meanOfSpell(total: number, shown: number | undefined): void {
    let came = 0
    for (const chance of this.#came) came += chance
    const stays = 1 - came / total
    const isBusy = this.#spellTaken > this.#refill * this.#spellSeconds * BUSY_FROM
    const isShown = shown !== undefined && (this.#overflowed < 1 || isBusy)
    const taken = isShown ? Math.max(0, shown + this.#overflowed) : 0
    const seconds = isShown ? this.#seconds : 0
    this.#spellTaken = stays * this.#spellTaken + taken
    this.#spellSeconds = stays * this.#spellSeconds + seconds
    this.#centre()
  }

  /**
   * Sets a candidate's rate to the mean rate since the last jump, if that mean lies within the candidate's
   * cell.
   */
  #centre(): void {
    const mean = this.#spellSeconds > 0 ? this.#spellTaken / this.#spellSeconds : 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const centre = RATES[rate]! * this.#refill
      const isWithin = mean > centre / HALF_CELL && mean <= centre * HALF_CELL
      this.#rates[rate] = isWithin ? mean : centre
      this.#spreads[rate] = isWithin ? Math.min(CELL_SPREAD, 1 / Math.sqrt(this.#spellTaken)) : CELL_SPREAD
    }
  }

  #wander(): void {
    const held = this.#held
    const share = Math.min(0.2, WANDER * this.#seconds) / 2
    for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
      let before = held[HOLD_COUNT + hold]!
      for (let rate = 1; rate < RATE_COUNT; rate += 1) {
        const at = rate * HOLD_COUNT + hold
        const own = held[at]!
        const above = rate + 1 < RATE_COUNT ? held[at + HOLD_COUNT]! : own
        held[at] = own + share * (before - own + above - own)
        before = own
      }
    }
  }

  /** Sums the probabilities by rate, and builds the distribution of others' requests from them. */
  #sum(): void {
    if (this.#isSummed) return
    this.#isSummed = true
    this.#taken.clear()
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      let held = 0
      let came = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        held += this.#held[rate * HOLD_COUNT + hold]!
        came += this.#came[rate * HOLD_COUNT + hold]!
      }
      this.#heldChance[rate] = held
      this.#cameChance[rate] = came
      this.#taken.add(held, this.#heldMean[rate]!, this.#heldVariance[rate]!)
      this.#taken.add(came, this.#cameMean[rate]!, this.#cameVariance[rate]!)
    }
  }

  /** The probability, 0 to 1, that others took at most `taken` requests since the last header. */
  chanceOfAtMost(taken: number): number {
    this.#sum()
    return this.#taken.chanceOfAtMost(taken)
  }

  /** The quantile `share` (0 to 1) of others' requests since the last header. The result is 0 to `most`. */
  takenAt(share: number, most: number): number {
    this.#sum()
    return this.#taken.quantile(share, most)
  }

  /**
   * Others' estimated rate in requests per second. This is the mean rate since the last jump. If that mean is
   * outside the displayed range, the result is the median of the distribution.
   */
  rate(): number {
    const mean = this.#spellTaken / this.#spellSeconds
    const isLikely =
      this.#spellTaken >= MIN_COUNTED && mean >= this.rateAt(RATE_TAIL) && mean <= this.rateAt(1 - RATE_TAIL)
    const middle = this.rateAt(0.5)
    return isLikely && middle > 0 ? mean : middle
  }

  /** The quantile `share` (0 to 1) of others' rate, in requests per second. */
  rateAt(share: number): number {
    this.#sum()
    let sum = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const chance = this.#heldChance[rate]! + this.#cameChance[rate]!
      if (sum + chance >= share) {
        if (rate === 0) return 0
        const into = (share - sum) / chance - 0.5
        return this.#rates[rate]! * (1 + into * Math.sqrt(12) * this.#spreads[rate]!)
      }
      sum += chance
    }
    return this.#rates[RATE_COUNT - 1]!
  }

  /**
   * The probability that others empty the quota in `span`, or else in the `next` span. `gain`: the change of
   * the level without others' requests, in requests per second.
   *
   * At rate r, the level falls by r − gain per second and is 0 after t = level / (r − gain). A rate with the
   * mean holding time h lasts that long with probability exp(−t / h).
   */
  emptyWithin(span: EmptySpan, gain: number, next?: EmptySpan): EmptyChance {
    this.#sum()
    const nextDrain = next === undefined ? Number.POSITIVE_INFINITY : next.left / next.seconds
    const emptyIn = (left: number, drain: number) => {
      const seconds = Math.max(0, left) / drain
      if (seconds <= span.seconds) return seconds
      return next !== undefined && drain >= nextDrain ? span.seconds + next.left / drain : undefined
    }
    let sum = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const drain = this.#rates[rate]! - gain
      if (drain <= 0) continue
      const heldIn = emptyIn(span.left - this.#heldMean[rate]!, drain)
      if (heldIn !== undefined && this.#heldChance[rate]! > NEGLIGIBLE)
        sum += stillHolding(this.#held, rate, heldIn)
      const cameIn = emptyIn(span.left - this.#cameMean[rate]!, drain)
      if (cameIn !== undefined && this.#cameChance[rate]! > NEGLIGIBLE)
        sum += stillHolding(this.#came, rate, cameIn)
    }
    return {
      chance: Math.min(1, sum + this.#emptyByJump(span, gain, next)),
      byPresent: sum,
    }
  }

  /**
   * The probability that others' rate jumps from a rate that would not empty the quota to one that does, in
   * either span.
   *
   * Each span is split into four equal parts. The result is the sum of p × (1 − (1 − f)ⁿ) over these parts.
   * - p: the probability that the present rate ends in this part.
   * - f: the probability that the quota runs empty between one jump and the next. It is the sum over all
   *   rates r of P(jump ends at r) × P(r holds for level / (r − gain)). In the first span, it is at least the
   *   f of the next span.
   * - n: the number of jumps in the remaining time, 1 + remaining time / mean time between two jumps.
   */
  #emptyByJump(span: EmptySpan, gain: number, next?: EmptySpan): number {
    const level = Math.max(0, span.left - this.#meanTaken())
    const nextDrain = next === undefined ? Number.POSITIVE_INFINITY : next.left / next.seconds
    const calm = this.#calmFor(Math.min(level / span.seconds, nextDrain) + gain)
    const jumps = { calm, gain, slope: gain - this.rateAt(0.5) }
    const present = { left: level, seconds: span.seconds }
    if (next === undefined) return this.#emptyByJumpIn(present, { ...jumps, fromSeconds: 0 })
    const fatal = this.#spells.emptyByNew(next.left, this.#rates, gain, next.seconds)
    return (
      this.#emptyByJumpIn(present, { ...jumps, fromSeconds: 0 }, { fatal, seconds: next.seconds }) +
      this.#emptyByJumpIn(next, { ...jumps, fromSeconds: span.seconds })
    )
  }

  /** The part of `#emptyByJump` from one span. `later`: f and length of the span after it, if one follows. */
  #emptyByJumpIn(
    { left, seconds: length }: EmptySpan,
    { calm, gain, slope, fromSeconds }: Jumps,
    later = { fatal: 0, seconds: 0 },
  ): number {
    const spellSeconds = this.#spells.meanSeconds()
    let sum = 0
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const [from, to] = [(quarter * length) / 4, ((quarter + 1) * length) / 4]
      let ending = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const seconds = HOLD_SECONDS[hold]!
        ending +=
          calm[hold]! * (Math.exp(-(fromSeconds + from) / seconds) - Math.exp(-(fromSeconds + to) / seconds))
      }
      const middle = (from + to) / 2
      const levelThen = Math.max(0, Math.min(this.#limit, left + slope * middle))
      const fatal = Math.max(
        later.fatal,
        this.#spells.emptyByNew(levelThen, this.#rates, gain, length - middle),
      )
      sum += ending * (1 - (1 - fatal) ** (1 + (length - middle + later.seconds) / spellSeconds))
    }
    return sum
  }

  /** The mean of others' requests since the last header. */
  #meanTaken(): number {
    let sum = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      sum += this.#heldChance[rate]! * this.#heldMean[rate]! + this.#cameChance[rate]! * this.#cameMean[rate]!
    }
    return sum
  }

  /** For each holding time, the total probability of all rates below `perSecond`. */
  #calmFor(perSecond: number): readonly number[] {
    const calm = HOLD_SECONDS.map(() => 0)
    for (let rate = 0; rate < RATE_COUNT && this.#rates[rate]! < perSecond; rate += 1) {
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const at = rate * HOLD_COUNT + hold
        calm[hold]! += this.#held[at]! + this.#came[at]!
      }
    }
    return calm
  }
}

/**
 * The probability that a rate lasts for `seconds` more: the sum of probability × exp(−seconds / holding
 * time).
 */
function stillHolding(chances: Float64Array, rate: number, seconds: number): number {
  let sum = 0
  for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
    sum += chances[rate * HOLD_COUNT + hold]! * Math.exp(-seconds / HOLD_SECONDS[hold]!)
  }
  return sum
}
