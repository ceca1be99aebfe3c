/*
 * The candidates for the rate of other programs' requests on one quota.
 *
 * Rates: 0, and 28 rates from 1/16 to 32 times the refill, three to an octave. Each rate is combined with
 * each of four mean holding times.
 */

const PER_OCTAVE = 3
const OCTAVES = { below: 4, above: 5 } as const
/**
 * A candidate stands for all rates in a range, its cell. `CELL`: width of the cell as a share of the
 * candidate's rate, 26 %. `CELL_SPREAD`: standard deviation of a rate that is uniformly distributed over the
 * cell, also as a share of the candidate's rate.
 */
const CELL = 2 ** (1 / PER_OCTAVE) - 1
export const CELL_SPREAD = CELL / Math.sqrt(12)
/** Upper edge of a candidate's cell, divided by the candidate's rate. */
export const HALF_CELL = 2 ** (1 / (2 * PER_OCTAVE))
/** The candidate rates of others, in multiples of the refill. */
export const RATES: readonly number[] = [
  0,
  ...Array.from(
    { length: PER_OCTAVE * (OCTAVES.below + OCTAVES.above) + 1 },
    (_, step) => 2 ** (step / PER_OCTAVE - OCTAVES.below),
  ),
]
export const RATE_COUNT = RATES.length
/** Mean times for which others' rate stays constant (holding times), in seconds. */
export const HOLD_SECONDS: readonly number[] = [5, 30, 180, 2000]
export const HOLD_COUNT = HOLD_SECONDS.length

/**
 * Upper limits of the rate bands, in multiples of the refill: 0 (idle), 1.5 (up to about the refill), and 5
 * (busy). Higher rates form the last band (storm). Holding times are learned per band.
 */
const BANDS = [0, 1.5, 5] as const
export const BAND_OF: readonly number[] = RATES.map((rate) => {
  const band = BANDS.findIndex((end) => rate <= end)
  return band < 0 ? BANDS.length : band
})
/** Prior probability of each of the `HOLD_SECONDS`, for each band of rates. */
export const HOLD_PRIOR: readonly (readonly number[])[] = [
  [0, 0.1, 0.3, 0.6],
  [0, 0.1, 0.35, 0.55],
  [0.06, 0.22, 0.42, 0.3],
  [0.25, 0.35, 0.33, 0.07],
]

const STAYS_OF_A_SECOND = HOLD_SECONDS.map((hold) => Math.exp(-1 / hold))

/**
 * For each holding time, the probability that a rate lasts for `seconds`. Precomputed for one second, the
 * usual step.
 */
export const staysFor = (seconds: number): readonly number[] =>
  seconds === 1 ? STAYS_OF_A_SECOND : HOLD_SECONDS.map((hold) => Math.exp(-seconds / hold))
