import type { EmptyingCounts } from './learned.ts'
import type { EmptyChance } from './others-use.ts'

/**
 * Weight of the prior, which assumes that forecasts need no correction. A weight of 1 counts as much as one
 * time that the quota ran empty.
 */
const PRIOR = 1
/** Time constant with which past outcomes lose weight, in seconds. */
const MEMORY_SECONDS = 3600
/** Maximum chance of a forecast. A chance of 1 would correspond to an infinite rate. */
const MAX_CHANCE = 0.9999
/** An empty quota counts as refilled at this share of the limit, or at `requests` if that is more. */
const REFILLED = { share: 0.05, requests: 2 } as const
/**
 * Bounds on the factor that corrects `byPresent`, the chance that a quota runs empty before others' use
 * changes.
 *
 * If a quota never ran empty, the factor is small. The lower bound ensures that a burst still causes a
 * warning. If a quota often ran empty, the factor is large. The upper bound prevents a warning at every
 * burst.
 */
const BY_PRESENT = { least: 0.8, most: 3 } as const

/** One header, and the last forecast before it. */
export interface EmptyingOutcome {
  /** Requests left according to this header. */
  readonly level: number
  readonly limit: number
  /**
   * The last forecast: the chance, 0 to 1, that the quota runs empty within `horizonSeconds`. It was made at
   * an earlier header.
   */
  readonly chance: number
  readonly horizonSeconds: number
  /** Seconds since the previous header. */
  readonly seconds: number
}

/**
 * Calibration factor θ: how often the quota ran empty, divided by how often that was predicted.
 *
 * A chance P within T seconds corresponds to the rate −ln(1 − P) / T. Let e be that rate summed over time,
 * and n the number of times that the quota ran empty. n is a Poisson count with mean θ·e. With a gamma prior
 * of mean 1 and weight k, the mean of θ is (n + k) / (e + k) (conjugate prior). If the rate is multiplied by
 * θ, the chance becomes 1 − (1 − P)^θ.
 */
export class EmptyingCalibration {
  #came = 0
  #predicted = 0
  #isEmpty = false

  /** The factor θ, initially 1. */
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

  /** Corrects both chances of a forecast. The corrected `byPresent` never exceeds the corrected `chance`. */
  corrected({ chance, byPresent }: EmptyChance): EmptyChance {
    const { ratio } = this
    const bounded = Math.min(BY_PRESENT.most, Math.max(BY_PRESENT.least, ratio))
    const present = scaledChance(byPresent, bounded)
    return { chance: Math.max(present, scaledChance(chance, ratio)), byPresent: present }
  }
}

/**
 * The chance of an event if its rate is multiplied by `times`. `chance` is a sum, so rounding may raise it
 * slightly above 1.
 */
const scaledChance = (chance: number, times: number): number => 1 - Math.max(0, 1 - chance) ** times
