import { nearChanceBelow } from './normal.ts'

/** Probability below which a component is left out. */
const NEGLIGIBLE = 1e-5
/** Standard deviation below which a number counts as exact. */
const MIN_DEVIATION = 1e-4
/** Maximum number of iterations of the search for a quantile. Enough for any limit. */
const MAX_LOOKS = 60

/** A weighted sum of normal distributions. Mutable: refilled for each query. */
export class Mixture {
  readonly #chances: Float64Array
  readonly #means: Float64Array
  /** Reciprocal of each standard deviation. */
  readonly #sharpness: Float64Array
  #parts = 0

  constructor(maxParts: number) {
    this.#chances = new Float64Array(maxParts)
    this.#means = new Float64Array(maxParts)
    this.#sharpness = new Float64Array(maxParts)
  }

  clear(): void {
    this.#parts = 0
  }

  /** Adds a normal distribution with its probability, 0 to 1. A negligible probability is left out. */
  add(chance: number, mean: number, variance: number): void {
    if (!(chance > NEGLIGIBLE)) return
    this.#chances[this.#parts] = chance
    this.#means[this.#parts] = mean
    this.#sharpness[this.#parts] = 1 / Math.max(MIN_DEVIATION / 6, Math.sqrt(variance))
    this.#parts += 1
  }

  /** Probability of at most `number` requests, 0 to 1. */
  chanceOfAtMost(number: number): number {
    const [chances, means, sharpness, parts] = [this.#chances, this.#means, this.#sharpness, this.#parts]
    let sum = 0
    for (let part = 0; part < parts; part += 1) {
      // If a part has no variance and its mean equals `number`, the whole part counts. At a distance of 0,
      // only half of it would count, so the smallest deviation is added to the distance.
      const above = number - means[part]! + MIN_DEVIATION
      sum += chances[part]! * nearChanceBelow(above * sharpness[part]!)
    }
    return sum
  }

  /**
   * The number at the quantile `share` (0 to 1), clipped to 0 … `most`.
   *
   * False position with the Illinois rule needs about 6 evaluations. Bisection needs 13.
   */
  quantile(share: number, most: number): number {
    let low = share > 0.5 ? 0.02 : 0.5
    let underLow = this.chanceOfAtMost(low) - share
    if (underLow >= 0) return 0
    const width = 0.05 + 0.001 * most
    let high = most
    let overHigh = this.chanceOfAtMost(most) - share
    if (overHigh < 0) return most
    let side = 0
    for (let look = 0; look < MAX_LOOKS && high - low > width; look += 1) {
      // False position converges slowly if the result is near an end of the interval, so every third step is
      // a bisection.
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
}
