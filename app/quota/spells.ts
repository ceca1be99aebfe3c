import * as candidates from './candidates.ts'

// Local aliases for speed. In the built module, each use of an import in these loops would be a property
// lookup.
const { BAND_OF, HOLD_COUNT, HOLD_PRIOR, HOLD_SECONDS, RATE_COUNT } = candidates

/** Number of combinations of a band of rates and a holding time. */
export const SPELL_COUNT = HOLD_PRIOR.length * HOLD_COUNT
/** The prior of holding times counts as much as this number of observed holding times. */
const PRIOR_SPELLS = 4
/**
 * `TO_QUIET`: prior probability that a jump of others' rate ends at rate 0. `PRIOR_JUMPS`: the prior of the
 * rates after jumps counts as much as this number of observed jumps.
 */
const TO_QUIET = 0.4
const PRIOR_JUMPS = 2
/** Time constant with which evidence of jumps decays, in seconds. */
const MEMORY_SECONDS = 7200

/**
 * Statistics of the jumps of others' rate, learned from headers: at which rates jumps end, and how long the
 * rate stays constant between two jumps.
 *
 * Counts are probabilities summed over headers. Mutable: `learn` updates the counts at a header, and `left`
 * grows between headers.
 */
export class Spells {
  /** Number of jumps to each rate. */
  readonly ends = new Float64Array(RATE_COUNT)
  /** How often others' rate had each holding time, for each band of rates. */
  readonly holds = HOLD_PRIOR.map((prior) => Float64Array.from(prior))
  /**
   * Probability that others' rate has jumped since the last header. Split by the band and the holding time of
   * the rate before the jump.
   */
  readonly left = HOLD_PRIOR.map(() => new Float64Array(HOLD_COUNT))

  copyFrom(other: Spells): void {
    this.ends.set(other.ends)
    for (const [band, holds] of other.holds.entries()) this.holds[band]!.set(holds)
    for (const [band, left] of other.left.entries()) this.left[band]!.set(left)
  }

  /** Resets everything to the priors. */
  forget(): void {
    for (let rate = 0; rate < RATE_COUNT; rate += 1) this.ends[rate] = priorEnds(rate)
    for (const [band, prior] of HOLD_PRIOR.entries()) {
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) this.holds[band]![hold] = PRIOR_SPELLS * prior[hold]!
    }
  }

  restore(jumps: readonly number[], spells: readonly number[]): void {
    this.ends.set(jumps)
    for (const [band, holds] of this.holds.entries())
      holds.set(spells.slice(band * HOLD_COUNT, (band + 1) * HOLD_COUNT))
  }

  /** Sets all of `left` to 0. To be called at each header. */
  restart(): void {
    for (const left of this.left) left.fill(0)
  }

  /**
   * Updates the counts from a header that came `seconds` after the previous one. For each candidate, `came /
   * total` is the probability that others' rate jumped to it between the two headers.
   */
  learn(came: Float64Array, total: number, seconds: number): void {
    const kept = Math.exp(-seconds / MEMORY_SECONDS)
    let jumps = 0
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      let here = 0
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) here += came[rate * HOLD_COUNT + hold]! / total
      const prior = priorEnds(rate)
      this.ends[rate] = prior + (this.ends[rate]! - prior) * kept + here
      jumps += here
    }
    let leaving = 0
    for (const left of this.left) for (const chance of left) leaving += chance
    if (!(leaving > 0)) return
    for (const [band, holds] of this.holds.entries()) {
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        const prior = PRIOR_SPELLS * HOLD_PRIOR[band]![hold]!
        holds[hold] = prior + (holds[hold]! - prior) * kept + (jumps * this.left[band]![hold]!) / leaving
      }
    }
  }

  /**
   * Mean time between two jumps in seconds. Each band of rates counts in proportion to the jumps into that
   * band.
   */
  meanSeconds(): number {
    const lengths = this.holds.map((holds) => {
      let [spells, seconds] = [0, 0]
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        spells += holds[hold]!
        seconds += holds[hold]! * HOLD_SECONDS[hold]!
      }
      return seconds / spells
    })
    let [ends, sum] = [0, 0]
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      ends += this.ends[rate]!
      sum += this.ends[rate]! * lengths[BAND_OF[rate]!]!
    }
    return sum / ends
  }

  /**
   * The probability that others, after their rate jumps, use up `level` requests within `withinSeconds` and
   * before the next jump. With r as the new rate, it is
   * Σ P(the new rate is r) × P(r lasts for level / (r − gain)). `rates` and `gain` are in requests per
   * second.
   */
  emptyByNew(level: number, rates: Float64Array, gain: number, withinSeconds: number): number {
    let [ends, sum] = [0, 0]
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      ends += this.ends[rate]!
      const drain = rates[rate]! - gain
      if (drain <= 0 || level > drain * withinSeconds) continue
      const seconds = level / drain
      const holds = this.holds[BAND_OF[rate]!]!
      let [spells, lasting] = [0, 0]
      for (let hold = 0; hold < HOLD_COUNT; hold += 1) {
        spells += holds[hold]!
        lasting += holds[hold]! * Math.exp(-seconds / HOLD_SECONDS[hold]!)
      }
      sum += (this.ends[rate]! * lasting) / spells
    }
    return Math.min(1, sum / ends)
  }
}

const priorEnds = (rate: number): number =>
  PRIOR_JUMPS * (rate === 0 ? TO_QUIET : (1 - TO_QUIET) / (RATE_COUNT - 1))
