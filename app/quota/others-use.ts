import { chanceBelow, nearChanceBelow } from './normal.ts'
import { grow, grown, waiting } from './taken-moments.ts'

/*
 * How others use one quota, learned from what headers show to be missing beyond this app's own requests.
 *
 * Model: others make requests by chance at some rate, which holds for a while and then jumps to another one. Candidates
 * are 0 and rates from 1/16 to 32 times the refill, three to an octave, each with four lengths of time that it may be
 * likely to hold. Each candidate carries its probability, and the mean and the variance of what others took since the
 * last header ("taken"), once for having held all that time and once for having come by a jump since.
 *
 * A second of time (a candidate with rate r and holding time h; the textbook's interacting multiple models):
 *   holds on with exp(−1/h); what leaves is spread over the candidates as jumps were seen to go.
 *   taken: mean + r, variance + r (a Poisson count), + r²c²(2t + 1) for a rate only known to lie in its cell.
 *   What would have come back above full is made up for: taken = max(0, taken − overflowed). Others cannot take what is not
 *   there: taken ≤ what would be left without them.
 * A header that shows d missing: each candidate's probability is multiplied by the normal chance of d ± ½ (Bayes), and
 * taken starts from 0.
 *
 * Requests and seconds throughout; rates in the arrays are in refills.
 */

const PER_OCTAVE = 3
const OCTAVES = { below: 4, above: 5 } as const
/** Standard deviation of a rate within its cell, as a share of it: a cell is 26 % wide, evenly: 0.26 / √12. */
const CELL = 2 ** (1 / PER_OCTAVE) - 1
const CELL_SPREAD = CELL / Math.sqrt(12)
/** A spell's mean counts from so many requests on. */
const MIN_COUNTED = 5
/** From a candidate to the end of its cell, as a factor. */
const HALF_CELL = 2 ** (1 / (2 * PER_OCTAVE))
/** From this share of the refill on others are so busy that a quota is hardly ever full. */
const BUSY_FROM = 1.15
const RATES: readonly number[] = [
  0,
  ...Array.from(
    { length: PER_OCTAVE * (OCTAVES.below + OCTAVES.above) + 1 },
    (_, step) => 2 ** (step / PER_OCTAVE - OCTAVES.below),
  ),
]
const RATE_COUNT = RATES.length
const HOLD_SECONDS: readonly number[] = [5, 30, 180, 2000]
const HOLD_COUNT = HOLD_SECONDS.length
const COUNT = RATE_COUNT * HOLD_COUNT

/** Quiet, within what comes back, busy, storm: how long a rate holds is learned for each. Upper ends, in refills. */
const BANDS = [0, 1.5, 5] as const
const BAND_OF: readonly number[] = RATES.map((rate) => {
  const band = BANDS.findIndex((end) => rate <= end)
  return band < 0 ? BANDS.length : band
})
const HOLD_PRIOR: readonly (readonly number[])[] = [
  [0, 0.1, 0.3, 0.6],
  [0, 0.1, 0.35, 0.55],
  [0.06, 0.22, 0.42, 0.3],
  [0.25, 0.35, 0.33, 0.07],
]
/** Weight of the first guess of holding times, in spells. */
const PRIOR_SPELLS = 4
/** Probability, before the first header, that no other program uses the quota. */
const QUIET_AT_FIRST = 0.9
/** Share of jumps that go to quiet; weight of the first guess of where jumps go, in jumps. */
const TO_QUIET = 0.4
const PRIOR_JUMPS = 2
/** Time over which evidence of jumps loses its weight. */
const MEMORY_SECONDS = 7200
/** Probability under which a candidate is left out of quantiles. */
const NEGLIGIBLE = 1e-5
/** A spread in requests under which a number is taken to be known. */
const MIN_DEVIATION = 1e-4
/** Bound of a search by halving, enough for any limit. */
const MAX_LOOKS = 60
/** A rate wanders to a neighbour's cell about this often a second. */
const WANDER = 1 / 1500
/** Each header may be one that no candidate explains. */
const OUTLIER = 1e-4
/** Variance of what is shown, beyond rounding. */
const NOISE = 0.01
/** A level that is a whole number is shown as that: what is shown to be missing is just over the lower end. */
const ROUNDED = 0.2
/** Age of a header after which the model starts anew: nothing of it would be left. */
const LONGEST_SECONDS = 7200
/** From this share of the overflowing refill on, others keep a full quota from being full for longer than a step. */
const MAX_BUSY = 0.95

/** Chances, 0 to 1, that a quota is empty within some time: as others' use may go on, and if it goes on as it is. */
export interface EmptyChance {
  readonly chance: number
  readonly atPace: number
}

/** Requests that a header shows to be missing beyond own ones. */
export interface Missing {
  readonly least: number
  readonly most: number
  readonly taken: number
  readonly variance: number
}

/**
 * Others' use of one quota as a distribution over rates, from headers and the time between them: the model above.
 *
 * Counts in requests, times in seconds, rates in requests a second. Not pure: `advance` and `observed` change it.
 */
export class OthersUse {
  /** Requests a second that come back. */
  #refill: number
  #limit: number
  /** Requests a second of each candidate, and how far off that may be, as a share of it. */
  readonly #rates = new Float64Array(RATE_COUNT)
  readonly #spreads = new Float64Array(RATE_COUNT)
  /** What was taken since the present rate began, and in how many seconds; what overflowed since the last header. */
  #spellTaken = 0
  #spellSeconds = 0
  #overflowed = 0
  /** Candidates that held since the last header, and those that came by a jump since: `rate × HOLD_COUNT + hold`. */
  readonly #held = new Float64Array(COUNT)
  readonly #came = new Float64Array(COUNT)
  /** What others took since the last header, by rate. */
  readonly #heldMean = new Float64Array(RATE_COUNT)
  readonly #heldVariance = new Float64Array(RATE_COUNT)
  readonly #cameMean = new Float64Array(RATE_COUNT)
  readonly #cameVariance = new Float64Array(RATE_COUNT)
  /** What others took, in parts: each a normal number with a chance. */
  readonly #partChance = new Float64Array(2 * RATE_COUNT)
  readonly #partMean = new Float64Array(2 * RATE_COUNT)
  /** One over the deviation. */
  readonly #partSharpness = new Float64Array(2 * RATE_COUNT)
  #parts = 0
  /** The candidates' chances by rate, however long it may hold. */
  readonly #heldChance = new Float64Array(RATE_COUNT)
  readonly #cameChance = new Float64Array(RATE_COUNT)
  /** Where jumps went, in jumps. */
  readonly #ends = new Float64Array(RATE_COUNT)
  /** How long rates of a band held, in spells. */
  readonly #holds = HOLD_PRIOR.map((prior) => Float64Array.from(prior))
  /** Spells by band, summed for one jump. */
  readonly #spells = new Float64Array(HOLD_PRIOR.length)
  /** Of what left its candidate since the last header: which bands, and which holding times. */
  readonly #left = HOLD_PRIOR.map(() => new Float64Array(HOLD_COUNT))
  /** Whether the chances by rate are those of now. */
  #isSummed = false
  #seconds = 0

  constructor(limit: number, periodSeconds: number) {
    this.#limit = limit
    this.#refill = limit / periodSeconds
    this.forget()
  }

  /** Copies the whole state of another model. */
  become(other: OthersUse): void {
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
    this.#ends.set(other.#ends)
    for (const [band, holds] of other.#holds.entries()) this.#holds[band]!.set(holds)
    for (const [band, left] of other.#left.entries()) this.#left[band]!.set(left)
  }

  /** Seconds since the last header. */
  get seconds(): number {
    return this.#seconds
  }

  resize(limit: number, periodSeconds: number): void {
    this.#limit = limit
    this.#refill = limit / periodSeconds
    this.forget()
  }

  forget(): void {
    const each = (1 - TO_QUIET) / (RATE_COUNT - 1)
    this.#seconds = 0
    this.#spellTaken = 0
    this.#spellSeconds = 0
    this.#centre()
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      this.#ends[rate] = PRIOR_JUMPS * (rate === 0 ? TO_QUIET : each)
      const chance = rate === 0 ? QUIET_AT_FIRST : (1 - QUIET_AT_FIRST) / (RATE_COUNT - 1)
      const prior = HOLD_PRIOR[BAND_OF[rate]!]!
      for (let hold = 0; hold < HOLD_COUNT; hold += 1)
        this.#held[rate * HOLD_COUNT + hold] = chance * prior[hold]!
    }
    for (const [band, prior] of HOLD_PRIOR.entries()) {
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) this.#holds[band]![hold] = PRIOR_SPELLS * prior[hold]!
    }
    this.#startFromHeader()
  }

  /**
   * Lets time pass. `overflowed`: requests that would have come back above full had others taken nothing; they came at the
   * end of the time. `left`: what would be left now without others.
   */
  advance(elapsedSeconds: number, overflowed: number, left: number): void {
    const seconds = Math.min(elapsedSeconds, LONGEST_SECONDS)
    if (!(seconds > 0 && this.#refill > 0)) return
    const overflowsFor = Math.min(seconds, overflowed / this.#refill)
    this.#isSummed = false
    this.#overflowed += overflowed
    let past = 0
    while (past < seconds) {
      // Short steps at first, longer ones after a long gap: the interval is wide by then.
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
   * A header showed that from `least` to `most` requests are missing beyond own ones, the ends known with `variance`;
   * `most` is infinite where nothing is left: more than all cannot be missing. `taken` is what all headers together make
   * of it.
   */
  observed({ least, most, taken, variance }: Missing): void {
    const noise = NOISE + variance
    // Never sharper than a whole request.
    const middle = (least + most) / 2
    const low = least < ROUNDED ? Number.NEGATIVE_INFINITY : Math.min(least, middle - 0.5) + ROUNDED
    const high = Math.max(most, middle + 0.5) + ROUNDED
    const floor = OUTLIER / this.#limit
    let sum = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const held = floor + within(low, high, this.#heldMean[rate]!, this.#heldVariance[rate]! + noise)
      const came = floor + within(low, high, this.#cameMean[rate]!, this.#cameVariance[rate]! + noise)
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const at = rate * HOLD_COUNT + hold
        this.#held[at]! *= held
        this.#came[at]! *= came
        sum += this.#held[at]! + this.#came[at]!
      }
    }
    if (!(sum > 0)) {
      this.forget()
      return
    }
    this.#learn(sum)
    this.#meanOfSpell(sum, most === Number.POSITIVE_INFINITY ? undefined : taken)
    for (let at = 0; at < COUNT; at += 1) this.#held[at] = (this.#held[at]! + this.#came[at]!) / sum
    this.#wander()
    this.#startFromHeader()
  }

  /** The count begins anew without a header, as at the end of a fixed window: what was taken before is given back. */
  restart(): void {
    for (let at = 0; at < COUNT; at += 1) this.#held[at]! += this.#came[at]!
    this.#startFromHeader()
  }

  /** The level is known again; who takes how much is as likely as before. */
  #startFromHeader(): void {
    this.#isSummed = false
    this.#seconds = 0
    this.#overflowed = 0
    this.#came.fill(0)
    this.#heldMean.fill(0)
    this.#heldVariance.fill(0)
    this.#cameMean.fill(0)
    this.#cameVariance.fill(0)
    for (const left of this.#left) left.fill(0)
  }

  #jump(seconds: number): void {
    const held = this.#held
    const came = this.#came
    const stays = staysFor(seconds)
    let leaving = 0
    let sum = 0
    let squares = 0
    let ends = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      ends += this.#ends[rate]!
      const left = this.#left[BAND_OF[rate]!]!
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
    for (let band = 0; band < this.#holds.length; band += 1) {
      const holds = this.#holds[band]!
      let spells = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) spells += holds[hold]!
      this.#spells[band] = spells
    }
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const share = this.#ends[rate]! / ends
      const holds = this.#holds[BAND_OF[rate]!]!
      const spells = this.#spells[BAND_OF[rate]!]!
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
   * Counts the jumps that a header makes likely: where they went, and how long what they ended was likely to hold.
   *
   * `total` is the sum of what the candidates came to; `came` over it is the chance of each to have come by a jump.
   */
  #learn(total: number): void {
    const kept = Math.exp(-this.#seconds / MEMORY_SECONDS)
    const each = (1 - TO_QUIET) / (RATE_COUNT - 1)
    let jumps = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      let came = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) came += this.#came[rate * HOLD_COUNT + hold]! / total
      const prior = PRIOR_JUMPS * (rate === 0 ? TO_QUIET : each)
      this.#ends[rate] = prior + (this.#ends[rate]! - prior) * kept + came
      jumps += came
    }
    let leaving = 0
    for (const left of this.#left) for (const chance of left) leaving += chance
    if (!(leaving > 0)) return
    for (const [band, holds] of this.#holds.entries()) {
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const prior = PRIOR_SPELLS * HOLD_PRIOR[band]![hold]!
        holds[hold] = prior + (holds[hold]! - prior) * kept + (jumps * this.#left[band]![hold]!) / leaving
      }
    }
  }

  /**
   * The mean pace of the present spell: requests over seconds, begun anew as far as a jump is likely.
   *
   * Σ taken / Σ seconds is the best there is for one rate, and off by 1/√Σ taken of itself: far less than a cell's width
   * after a few headers. What overflowed counts where others are so busy that the quota was hardly full; else an interval in
   * which something overflowed says nothing of the pace, and neither does one that ends with nothing left.
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

  /** Puts the candidate in whose cell the spell's mean lies right there. */
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
    if (!(share > 0)) return
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

  /** The chances by rate, and of what others took the parts that are likely enough to matter. */
  #sum(): void {
    if (this.#isSummed) return
    this.#isSummed = true
    let parts = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      let held = 0
      let came = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        held += this.#held[rate * HOLD_COUNT + hold]!
        came += this.#came[rate * HOLD_COUNT + hold]!
      }
      this.#heldChance[rate] = held
      this.#cameChance[rate] = came
      if (held > NEGLIGIBLE) {
        this.#partChance[parts] = held
        this.#partMean[parts] = this.#heldMean[rate]!
        this.#partSharpness[parts] = sharpness(this.#heldVariance[rate]!)
        parts += 1
      }
      if (came > NEGLIGIBLE) {
        this.#partChance[parts] = came
        this.#partMean[parts] = this.#cameMean[rate]!
        this.#partSharpness[parts] = sharpness(this.#cameVariance[rate]!)
        parts += 1
      }
    }
    this.#parts = parts
  }

  /** The chance that others took at most `taken` since the last header. */
  chanceOfAtMost(taken: number): number {
    this.#sum()
    let sum = 0
    for (let part = 0; part < this.#parts; part += 1) {
      // A number that is known for certain is at most itself.
      const above = taken - this.#partMean[part]! + MIN_DEVIATION
      sum += this.#partChance[part]! * nearChanceBelow(above * this.#partSharpness[part]!)
    }
    return sum
  }

  /**
   * What others took since the last header at most, with the chance `share`; between 0 and `most`.
   *
   * By false position between two ends, halving where that stands still (the Illinois rule): about 6 looks, not 13.
   */
  takenAt(share: number, most: number): number {
    let low = share > 0.5 ? 0.02 : 0.5
    let underLow = this.chanceOfAtMost(low) - share
    if (underLow >= 0) return 0
    const width = 0.05 + 0.001 * most
    let high = most
    let overHigh = this.chanceOfAtMost(most) - share
    if (overHigh < 0) return most
    let side = 0
    for (let look = 0; look < MAX_LOOKS && high - low > width; look += 1) {
      // Near an end false position creeps: every third look halves.
      const isHalved = look % 3 === 2 || !(overHigh > underLow)
      const at = isHalved ? (low + high) / 2 : low - (underLow * (high - low)) / (overHigh - underLow)
      const middle = Math.min(high - width / 4, Math.max(low + width / 4, at))
      const over = this.chanceOfAtMost(middle) - share
      if (over >= 0) {
        high = middle
        overHigh = over
        if (side === 1) underLow /= 2
        side = 1
      } else {
        low = middle
        underLow = over
        if (side === -1) overHigh /= 2
        side = -1
      }
    }
    return (low + high) / 2
  }

  /** The rate of others: the mean of the present spell where that is likely, else the middle one. Requests a second. */
  rate(): number {
    const mean = this.#spellTaken / this.#spellSeconds
    const isLikely = this.#spellTaken >= MIN_COUNTED && mean >= this.rateAt(0.01) && mean <= this.rateAt(0.99)
    const middle = this.rateAt(0.5)
    return isLikely && middle > 0 ? mean : middle
  }

  /** The rate of others that is not passed with the chance `share`, requests a second. */
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
   * The chance that a level that others drained is empty within `horizonSeconds`. `left`: what would be left without
   * others; `gain`: requests a second that it changes by without others.
   *
   * For a rate r: the level falls by r − gain a second and is empty after t = level / (r − gain); the rate has to hold
   * for so long, exp(−t / h).
   */
  emptyWithin(horizonSeconds: number, left: number, gain: number): EmptyChance {
    this.#sum()
    let sum = 0
    let atPace = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const drain = this.#rates[rate]! - gain
      if (drain <= 0) continue
      const heldIn = Math.max(0, left - this.#heldMean[rate]!) / drain
      if (heldIn <= horizonSeconds && this.#heldChance[rate]! > NEGLIGIBLE) {
        atPace += this.#heldChance[rate]!
        sum += stillHolding(this.#held, rate, heldIn)
      }
      const cameIn = Math.max(0, left - this.#cameMean[rate]!) / drain
      if (cameIn <= horizonSeconds && this.#cameChance[rate]! > NEGLIGIBLE) {
        atPace += this.#cameChance[rate]!
        sum += stillHolding(this.#came, rate, cameIn)
      }
    }
    return { chance: sum, atPace }
  }
}

/** The chance of a candidate that it holds for `seconds` more: Σ chance × exp(−seconds / holding time). */
function stillHolding(chances: Float64Array, rate: number, seconds: number): number {
  let sum = 0
  for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
    sum += chances[rate * HOLD_COUNT + hold]! * Math.exp(-seconds / HOLD_SECONDS[hold]!)
  }
  return sum
}

const sharpness = (variance: number): number => 1 / Math.max(MIN_DEVIATION / 6, Math.sqrt(variance))

const STAYS_OF_A_SECOND = HOLD_SECONDS.map((hold) => Math.exp(-1 / hold))

/** How likely a rate of each holding time holds for so long. Most steps are of one second. */
const staysFor = (seconds: number): readonly number[] =>
  seconds === 1 ? STAYS_OF_A_SECOND : HOLD_SECONDS.map((hold) => Math.exp(-seconds / hold))

/** The chance that a normal number lies between the two. */
function within(low: number, high: number, mean: number, variance: number): number {
  const deviation = Math.sqrt(variance)
  const above = high === Number.POSITIVE_INFINITY ? 1 : chanceBelow((high - mean) / deviation)
  const under = low === Number.NEGATIVE_INFINITY ? 0 : chanceBelow((low - mean) / deviation)
  return Math.max(0, above - under)
}
