import type { EmptyingCounts } from './learned.ts'
import type { EmptyChance } from './others-use.ts'

/** Weight, in emptyings, of the prior that forecasts need no correction. */
const PRIOR = 1
/** Time constant with which past outcomes lose weight, in seconds. */
const MEMORY_SECONDS = 3600
/** Maximum chance of a forecast. A chance of 1 would correspond to an infinite rate. */
const MAX_CHANCE = 0.9999
/**
 * Minimum level at which an empty quota counts as refilled: this share of the limit, and this many requests.
 */
const REFILLED = { share: 0.05, requests: 2 } as const
/**
 * Limits of the correction for others' present use.
 *
 * A key that never ran empty still gets a warning during a burst. A key that often ran empty is not reported
 * as running out at every burst.
 */
const BY_PRESENT = { least: 0.8, most: 3 } as const

/** One header, and the forecast of the header before it. */
export interface EmptyingOutcome {
  /** Requests left according to this header. */
  readonly level: number
  readonly limit: number
  /**
   * The chance, as forecast at the previous header, that the quota runs empty within `horizonSeconds`. 0 to
   * 1.
   */
  readonly chance: number
  readonly horizonSeconds: number
  /** Seconds between the two headers. */
  readonly seconds: number
}

/**
 * Calibration factor θ: observed emptyings divided by predicted ones, learned from headers.
 *
 * A chance P within T seconds is the rate −ln(1 − P) / T. Let e be that rate summed over time, and n the
 * observed number of emptyings. n is a Poisson count with mean θ·e. With a gamma prior of mean 1 and weight
 * k, the mean of θ is (n + k) / (e + k) (conjugate prior). A rate multiplied by θ is the chance 1 − (1 −
 * P)^θ.
 */
export class EmptyingCalibration {
  #came = 0
  #predicted = 0
  #isEmpty = false

  /** θ. 1 until headers show otherwise. */
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

/** The chance of an event that is `times` as frequent. Rounding may raise a summed chance above 1. */
const scaledChance = (chance: number, times: number): number => 1 - Math.max(0, 1 - chance) ** times
