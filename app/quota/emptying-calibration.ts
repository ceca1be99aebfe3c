import type { EmptyingCounts } from './learned.ts'
import type { EmptyChance } from './others-use.ts'

/** Weight of the prior, in emptyings. The prior assumes that forecasts need no correction. */
const PRIOR = 1
/** Time constant with which past outcomes lose weight, in seconds. */
const MEMORY_SECONDS = 3600
/** Maximum chance of a forecast. A chance of 1 would correspond to an infinite rate. */
const MAX_CHANCE = 0.9999
/** An empty quota counts as refilled at this share of the limit, but not below this number of requests. */
const REFILLED = { share: 0.05, requests: 2 } as const
/**
 * Bounds on the correction of the chance that comes from others' present use.
 *
 * The lower bound matters for a key that never ran empty: a burst still causes a warning. The upper bound
 * matters for a key that often ran empty: not every burst is reported as running out.
 */
const BY_PRESENT = { least: 0.8, most: 3 } as const

/** One header, and the forecast that was made at the previous header. */
export interface EmptyingOutcome {
  /** Requests left according to this header. */
  readonly level: number
  readonly limit: number
  /**
   * The forecast of the previous header: the chance, 0 to 1, that the quota runs empty within
   * `horizonSeconds`.
   */
  readonly chance: number
  readonly horizonSeconds: number
  /** Seconds between the two headers. */
  readonly seconds: number
}

/**
 * Calibration factor θ: the number of observed emptyings divided by the number of predicted ones.
 *
 * A chance P within T seconds corresponds to the rate −ln(1 − P) / T. Let e be that rate summed over time,
 * and n the observed number of emptyings. n is a Poisson count with mean θ·e. With a gamma prior of mean 1
 * and weight k, the mean of θ is (n + k) / (e + k) (conjugate prior). If the rate is multiplied by θ, the
 * chance becomes 1 − (1 − P)^θ.
 */
export class EmptyingCalibration {
  #came = 0
  #predicted = 0
  #isEmpty = false

  /** The factor θ. It is 1 until headers show otherwise. */
  get ratio(): number {
    return (this.#came + PRIOR) / (this.#predicted + PRIOR)
  }

  get counts(): EmptyingCounts {
    return { came: this.#came, predicted: this.#predicted }
  }

  restore({ came, predicted }: EmptyingCounts): void {
    this.#came = came
    this.#predicted = predicted
  }

  /** Learns from a header. While the quota is empty, no forecast is made or checked. */
  observed({ level, limit, chance, horizonSeconds, seconds }: EmptyingOutcome): void {
    const kept = Math.exp(-seconds / MEMORY_SECONDS)
    this.#came *= kept
    this.#predicted *= kept
    if (this.#isEmpty) {
      this.#isEmpty = level < Math.max(REFILLED.requests, REFILLED.share * limit)
      return
    }
    this.#predicted += (-Math.log(1 - Math.min(MAX_CHANCE, chance)) * seconds) / horizonSeconds
    if (level >= 1) return
    this.#isEmpty = true
    this.#came += 1
  }

  /** Corrects both chances of a forecast. The chance from present use never exceeds the total. */
  corrected({ chance, byPresent }: EmptyChance): EmptyChance {
    const { ratio } = this
    const bounded = Math.min(BY_PRESENT.most, Math.max(BY_PRESENT.least, ratio))
    const present = scaledChance(byPresent, bounded)
    return { chance: Math.max(present, scaledChance(chance, ratio)), byPresent: present }
  }
}

/**
 * The chance of an event if its rate is multiplied by `times`. Rounding may raise `chance` slightly above 1,
 * because it is a sum.
 */
const scaledChance = (chance: number, times: number): number => 1 - Math.max(0, 1 - chance) ** times
