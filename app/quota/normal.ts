const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI)

/** The standard normal density. */
export const density = (z: number): number => Math.exp(-0.5 * z * z) / ROOT_OF_TWO_PI

/**
 * The chance that a standard normal number is at most `z`, to 2e-7.
 *
 * Abramowitz and Stegun 26.2.17: Φ(z) = 1 − φ(z)·(b₁t + … + b₅t⁵) with t = 1 / (1 + 0.2316419 z), for z ≥ 0; the other
 * half by symmetry.
 */
export function chanceBelow(z: number): number {
  if (z > 6) return 1
  if (z < -6) return 0
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const above = density(z) * series
  return z >= 0 ? 1 - above : above
}
