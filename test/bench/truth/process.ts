import type { Arrivals } from '../../../main/simulator/rules/arrivals.ts'

export type Chance = () => number

/**
 * How other programs use a quota, as a random process in steps of one second.
 *
 * Both the truth and the oracle's particles are drawn from it. Its state is a few numbers in a shared array
 * from `at` on, so that thousands of particles can be copied without garbage. Times are seconds since the
 * start, rates are requests per second.
 */
export interface Process {
  /** Length of its state, in numbers. */
  readonly size: number
  /** Whether `next` returns the exact number of requests. Otherwise it returns a mean. */
  readonly isTimed?: boolean
  /**
   * The times of its requests in that second, in seconds. Without this, they are spread evenly or at random.
   */
  times?(state: Float64Array, at: number, second: number): readonly number[]
  start(state: Float64Array, at: number, chance: Chance): void
  /**
   * Moves on to `second`. Returns the mean number of requests in it. `last`: the number of requests in the
   * second before.
   */
  next(state: Float64Array, at: number, second: number, last: number, chance: Chance): number
}

/** A Poisson count. Knuth's product for small means, the normal approximation above 30. */
export function poisson(mean: number, chance: Chance): number {
  if (mean <= 0) return 0
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(chance)))
  const least = Math.exp(-mean)
  let count = 0
  for (let product = chance(); product > least; product *= chance()) count += 1
  return count
}

/**
 * The number of requests of a process in a part of a second, in which its mean is `mean`. For a process on a
 * timer, this is the mean, rounded up or down at random.
 */
export function requestsWithin({ isTimed }: Process, mean: number, chance: Chance): number {
  if (!isTimed) return poisson(mean, chance)
  const whole = Math.floor(mean)
  return whole + Number(chance() < mean - whole)
}

/** Standard normal, by Box and Muller. */
export function normal(chance: Chance): number {
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
}

/** The requests of one run of a process, drawn in advance, and the pace behind them. */
export class DrawnTraffic implements Arrivals {
  /** Mean requests of each second. */
  readonly rates: Float64Array
  readonly #timesMs: number[] = []
  #index = 0

  constructor(process: Process, startMs: number, seconds: number, chance: Chance) {
    this.rates = new Float64Array(seconds)
    const state = new Float64Array(process.size)
    process.start(state, 0, chance)
    let last = 0
    for (let second = 0; second < seconds; second += 1) {
      const rate = process.next(state, 0, second, last, chance)
      this.rates[second] = rate
      last = process.isTimed ? rate : poisson(rate, chance)
      const within = process.isTimed ? (nth: number) => (nth + 0.5) / rate : () => chance()
      const times =
        process.times?.(state, 0, second) ?? Array.from({ length: last }, (_, nth) => second + within(nth))
      this.#timesMs.push(...times.map((time) => startMs + 1000 * time).sort((a, b) => a - b))
    }
  }

  get nextAtMs(): number {
    return this.#timesMs[this.#index] ?? Number.POSITIVE_INFINITY
  }

  advance(): void {
    this.#index += 1
  }

  skipTo(atMs: number): void {
    while (this.nextAtMs < atMs) this.advance()
  }
}
