import { chanceBelow, density } from './normal.ts'

/** The arguments of `grow`. The record is reused, because each time step calls `grow` 58 times. */
export const grown = { count: 0, spread: 0, overflowed: 0, most: 0 }
/** The result of `atLeastNothing`: mean and variance. */
const kept = { mean: 0, variance: 0 }

/**
 * Adds `grown` to a normally distributed number, subtracts the overflow, and clips the result to 0 … `most`.
 * Stores the mean and variance of the result.
 *
 * For X normal with mean m and standard deviation s, and z = m / s:
 *
 *     E max(0, X)  = m Φ(z) + s φ(z)
 *     E max(0, X)² = (m² + s²) Φ(z) + m s φ(z)
 *
 * The same formulas for `most` − X give the upper end. Clipping at 0 is needed only after overflow.
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

/**
 * Writes the mean and variance of max(0, X) to `kept`. If z is above 4, they equal the mean and variance of
 * X. If z is below −6, they are 0. X and z: see `grow`.
 */
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
 * Raises mean and variance to the steady state of a full quota, if others use the share `busy` of its refill.
 * A mean that is already higher is kept.
 *
 * Each request takes 1, and the refill replaces it at a constant rate. That is a queue with constant service
 * time and load ρ = `busy`, 0 to 1. By Pollaczek and Khinchine:
 *
 *     mean     = ρ / 2(1 − ρ)
 *     variance = ρ / 3(1 − ρ) + ρ² / 4(1 − ρ)²
 */
export function waiting(means: Float64Array, variances: Float64Array, at: number, busy: number): void {
  const idle = 1 - busy
  const mean = busy / (2 * idle)
  if ((means[at] ?? 0) >= mean) return
  means[at] = mean
  variances[at] = Math.max(variances[at] ?? 0, busy / (3 * idle) + mean * mean)
}
