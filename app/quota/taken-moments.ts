import { chanceBelow, density } from './normal.ts'

/** Arguments of `grow`, one record that is reused because a step calls it 58 times. */
export const grown = { count: 0, spread: 0, overflowed: 0, most: 0 }
/** Mean and variance that `atLeastNothing` leaves. */
const kept = { mean: 0, variance: 0 }

/**
 * Adds `grown` to a normal number, less what overflowed, and keeps it between 0 and `most`, by its first two moments.
 *
 * With z = mean / deviation: E max(0, X) = mean Φ(z) + deviation φ(z), E max(0, X)² = (mean² + variance) Φ(z) + mean
 * deviation φ(z). The upper end is the same seen from above. Where nothing overflowed nothing was made up for.
 */
export function grow(means: Float64Array, variances: Float64Array, at: number): void {
  kept.mean = (means[at] ?? 0) + grown.count - grown.overflowed
  kept.variance = (variances[at] ?? 0) + grown.spread
  if (grown.overflowed > 0) atLeastNothing(kept.mean, kept.variance)
  const room = grown.most - kept.mean
  if (room < 0 || room * room < 16 * kept.variance) {
    atLeastNothing(room, kept.variance)
    kept.mean = grown.most - kept.mean
  }
  means[at] = kept.mean
  variances[at] = kept.variance
}

/** Leaves the mean and variance of max(0, X) in `kept`. */
function atLeastNothing(mean: number, variance: number): void {
  if (variance < 1e-12) {
    kept.mean = Math.max(0, mean)
    kept.variance = 0
    return
  }
  const deviation = Math.sqrt(variance)
  const z = mean / deviation
  if (z > 4) {
    kept.mean = mean
    kept.variance = variance
    return
  }
  if (z < -6) {
    kept.mean = 0
    kept.variance = 0
    return
  }
  const height = density(z)
  const chance = chanceBelow(z)
  const first = Math.max(0, mean * chance + deviation * height)
  const second = (mean * mean + variance) * chance + mean * deviation * height
  kept.mean = first
  kept.variance = Math.max(0, second - first * first)
}

/**
 * Raises what is missing from a full quota to what others' requests leave missing there on average.
 *
 * Each takes 1 and what overflows makes up for it: a queue with even service, by Pollaczek and Khinchine with `busy` ρ its
 * mean is ρ / 2(1 − ρ), its variance ρ / 3(1 − ρ) + ρ² / 4(1 − ρ)².
 */
export function waiting(means: Float64Array, variances: Float64Array, at: number, busy: number): void {
  const idle = 1 - busy
  const mean = busy / (2 * idle)
  if ((means[at] ?? 0) >= mean) return
  means[at] = mean
  variances[at] = Math.max(variances[at] ?? 0, busy / (3 * idle) + mean * mean)
}
