import type { EmptyChance } from './others-use.ts'

/** Weight of the prior that forecasts are right as they stand, in emptyings. */
const PRIOR = 1
/** Time constant with which what came of forecasts decays, in seconds. */
const MEMORY_SECONDS = 3600
/** Largest chance that counts as foretold: 1 would be an infinite rate. */
const MAX_CHANCE = 0.9999
/** Share of the limit, and requests, that a header shows when an empty quota can come empty anew. */
const REFILLED = { share: 0.05, requests: 2 } as const
/**
 * Bounds of the correction for others' present use: a key that never came empty is still warned when one burst goes on, and
 * one that often did is not called empty for a burst that can end.
 */
const BY_PRESENT = { least: 0.8, most: 3 } as const

/** One header, and what was foretold at the one before it. */
export interface EmptyingOutcome {
  /** Requests left, as this header shows. */
  readonly level: number
  readonly limit: number
  /** The chance told at the header before, 0 to 1, that the quota is empty within `horizonSeconds`. */
  readonly chance: number
  readonly horizonSeconds: number
  /** Between the two headers. */
  readonly seconds: number
}

/**
 * How many times more often than foretold a quota came empty, learned from headers.
 *
 * A chance P within T seconds is the rate −ln(1 − P) / T. Let e be that rate summed over time, and n the emptyings that
 * headers showed: n is a Poisson count with mean θ·e. With a gamma prior of mean 1 and weight k, the mean of θ is
 * (n + k) / (e + k) (conjugate prior). A rate times θ is the chance 1 − (1 − P)^θ.
 */
export class EmptyOdds {
  #came = 0
  #foretold = 0
  #isEmpty = false

  /** θ; 1 until headers show something else. */
  get ratio(): number {
    return (this.#came + PRIOR) / (this.#foretold + PRIOR)
  }

  /** Learns from a header. While the quota is empty nothing is foretold, and nothing comes. */
  observed({ level, limit, chance, horizonSeconds, seconds }: EmptyingOutcome): void {
    const kept = Math.exp(-seconds / MEMORY_SECONDS)
    this.#came *= kept
    this.#foretold *= kept
    if (this.#isEmpty) {
      this.#isEmpty = level < Math.max(REFILLED.requests, REFILLED.share * limit)
      return
    }
    this.#foretold += (-Math.log(1 - Math.min(MAX_CHANCE, chance)) * seconds) / horizonSeconds
    if (level >= 1) return
    this.#isEmpty = true
    this.#came += 1
  }

  /** Corrects both chances of a forecast; that of the present part is never above that of the whole. */
  corrected({ chance, byPresent }: EmptyChance): EmptyChance {
    const { ratio } = this
    const bounded = Math.min(BY_PRESENT.most, Math.max(BY_PRESENT.least, ratio))
    const present = oftener(byPresent, bounded)
    return { chance: Math.max(present, oftener(chance, ratio)), byPresent: present }
  }
}

/** The chance of what happens `times` as often. A chance that is a sum may exceed 1 by its rounding. */
const oftener = (chance: number, times: number): number => 1 - Math.max(0, 1 - chance) ** times
