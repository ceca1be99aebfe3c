import { type Chance, type Process, poisson, requestsWithin } from './process.ts'

const PARTICLES = 400
/** Minimum effective share of the particles. If a header leaves fewer, it is weighed less sharply. */
const MIN_EFFECTIVE = 0.1
const FIRST_WIDTH = 0.5
/** Number of particles that a forecast follows. */
const FOLLOWED = 50
/** Time over which others' rate is stated, in seconds. */
export const RATE_SECONDS = 60
/** Numbers kept of each of these seconds: others’ mean rate, their accepted and their refused requests. */
const OF_A_SECOND = 3

/** What an oracle assumes about a quota and about others. */
export interface Believed {
  readonly process: Process
  readonly limit: number
  readonly periodSeconds: number
  readonly particles?: number
}

/**
 * What the best possible client would show: a particle filter that knows the random process of others with
 * its parameters. It sees the same headers as Headroom, at the moment at which the service counts.
 *
 * Each particle is a possible truth: a level and a state of the process. Between headers, all particles
 * follow the process. A header weighs each particle by its distance from Remaining. The particles that
 * survive take the level of the header.
 */
export class Oracle {
  readonly #process: Process
  readonly #chance: Chance
  readonly #limit: number
  readonly #refill: number
  /** Numbers of a particle: the state of its process, three sums, and the three numbers of each second. */
  readonly #size: number
  readonly #sumsAt: number
  readonly #count: number
  #levels: Float64Array
  #states: Float64Array
  #rates: Float64Array
  #counts: Float64Array
  #spareLevels: Float64Array
  #spareStates: Float64Array
  #spareRates: Float64Array
  #spareCounts: Float64Array
  readonly #weights: Float64Array
  readonly #sorted: Float64Array
  #second = -1
  #atSeconds = 0
  #refused = 0

  constructor(of: Believed, chance: Chance) {
    const { process, limit, periodSeconds, particles = PARTICLES } = of
    this.#process = process
    this.#chance = chance
    this.#limit = limit
    this.#refill = limit / periodSeconds
    this.#sumsAt = process.size
    this.#size = process.size + OF_A_SECOND * (1 + RATE_SECONDS)
    this.#count = particles
    const each = () => new Float64Array(particles)
    ;[this.#levels, this.#spareLevels] = [each(), each()]
    ;[this.#rates, this.#spareRates] = [each(), each()]
    ;[this.#counts, this.#spareCounts] = [each(), each()]
    ;[this.#weights, this.#sorted] = [each(), each()]
    this.#states = new Float64Array(this.#count * this.#size)
    this.#spareStates = new Float64Array(this.#count * this.#size)
    this.#levels.fill(limit)
    for (let i = 0; i < this.#count; i += 1) process.start(this.#states, i * this.#size, chance)
  }

  /** To be called when the service counts or refuses an own request. `remaining` is that of its header. */
  observed(atSeconds: number, remaining: number, isRefused: boolean): void {
    this.#advance(atSeconds)
    const before = this.#levels
    if (!isRefused) for (let i = 0; i < this.#count; i += 1) before[i] = Math.max(0, before[i]! - 1)
    this.#weigh(remaining)
    this.#resample()
    const levels = this.#levels
    for (let i = 0; i < this.#count; i += 1) {
      const level = levels[i]!
      if (level < remaining || level >= remaining + 1)
        levels[i] = Math.min(this.#limit, remaining + this.#chance())
    }
  }

  /**
   * The middle and the ends of the interval that contains the truth with a probability of 95 %, in whole
   * requests.
   */
  look(atSeconds: number): { readonly middle: number; readonly low: number; readonly high: number } {
    this.#advance(atSeconds)
    const sorted = this.#sorted
    sorted.set(this.#levels)
    sorted.sort()
    const at = (share: number) =>
      Math.floor(sorted[Math.min(this.#count - 1, Math.floor(share * this.#count))]!)
    return { middle: at(0.5), low: at(0.025), high: at(0.975) }
  }

  /**
   * The ends of the interval that contains others' rate over the last minute with a probability of 95 %, in
   * requests a second. The rate is the mean of their process, or what was accepted if they got a 429.
   */
  othersRate(atSeconds: number): { readonly low: number; readonly high: number } {
    this.#advance(atSeconds)
    const [sorted, states] = [this.#sorted, this.#states]
    const seconds = Math.min(RATE_SECONDS, this.#second + 1)
    for (let i = 0; i < this.#count; i += 1) {
      const sums = i * this.#size + this.#sumsAt
      sorted[i] = states[sums + 2]! > 0 ? states[sums + 1]! : states[sums]!
    }
    sorted.sort()
    const at = (share: number) => sorted[Math.floor(share * this.#count)]! / seconds
    return { low: at(0.025), high: at(0.975) }
  }

  /**
   * The share of the possible truths, 0 to 1, that become empty within `horizonSeconds`. Own requests
   * continue at `ownPerSecond`. Copies of the particles are simulated second by second.
   */
  emptyWithin(horizonSeconds: number, ownPerSecond: number): number {
    const size = this.#size
    const state = new Float64Array(size)
    let empty = 0
    for (let one = 0; one < FOLLOWED; one += 1) {
      const from = Math.floor(((one + 0.5) * this.#count) / FOLLOWED)
      state.set(this.#states.subarray(from * size, (from + 1) * size))
      let [level, last] = [this.#levels[from]!, this.#counts[from]!]
      for (let second = 1; second <= horizonSeconds && level >= 1; second += 1) {
        const rate = this.#process.next(state, 0, this.#second + second, last, this.#chance)
        last = requestsWithin(this.#process, rate, this.#chance)
        level = this.#passedAtAnEnd(level, this.#refill, last + poisson(ownPerSecond, this.#chance))
      }
      empty += Number(level < 1)
    }
    return empty / FOLLOWED
  }

  #advance(toSeconds: number): void {
    while (this.#atSeconds < toSeconds) {
      const second = Math.floor(this.#atSeconds)
      if (second !== this.#second) this.#nextSecond(second)
      const until = Math.min(toSeconds, second + 1)
      this.#pass(until - this.#atSeconds)
      this.#atSeconds = until
    }
  }

  #nextSecond(second: number): void {
    const [rates, counts] = [this.#rates, this.#counts]
    this.#second = second
    for (let i = 0; i < this.#count; i += 1) {
      rates[i] = this.#process.next(this.#states, i * this.#size, second, counts[i]!, this.#chance)
      counts[i] = 0
      this.#forgetOldSecond(i)
      this.#add(i, 0, rates[i]!)
    }
  }

  /** Place of the numbers of the present second among those of a particle. */
  get #secondAt(): number {
    return this.#sumsAt + OF_A_SECOND * (1 + (this.#second % RATE_SECONDS))
  }

  #forgetOldSecond(particle: number): void {
    const [states, from] = [this.#states, particle * this.#size]
    for (let k = 0; k < OF_A_SECOND; k += 1) {
      states[from + this.#sumsAt + k]! -= states[from + this.#secondAt + k]!
      states[from + this.#secondAt + k] = 0
    }
  }

  /** Adds to one of the three numbers of the present second, and to its sum. */
  #add(particle: number, which: number, amount: number): void {
    const from = particle * this.#size + which
    this.#states[from + this.#secondAt]! += amount
    this.#states[from + this.#sumsAt]! += amount
  }

  #pass(seconds: number): void {
    const [rates, counts, levels] = [this.#rates, this.#counts, this.#levels]
    const gain = this.#refill * seconds
    const limit = this.#limit
    for (let i = 0; i < this.#count; i += 1) {
      const count = requestsWithin(this.#process, rates[i]! * seconds, this.#chance)
      counts[i]! += count
      const level = levels[i]!
      const isPlain = level + gain <= limit && level >= count
      levels[i] = isPlain ? level + gain - count : this.#passedAtAnEnd(level, gain, count)
      if (count === 0) continue
      const refused = isPlain ? 0 : this.#refused
      this.#add(i, 1, count - refused)
      this.#add(i, 2, refused)
    }
  }

  /**
   * The level after a second in which the quota may become full or empty, so that the times of requests
   * matter. They are spread evenly. `#refused` is then the number of those that got a 429.
   */
  #passedAtAnEnd(from: number, gain: number, count: number): number {
    const part = gain / (count + 1)
    let level = from
    this.#refused = 0
    for (let one = 0; one < count; one += 1) {
      level = Math.min(this.#limit, level + part)
      if (level >= 1) level -= 1
      else this.#refused += 1
    }
    return Math.min(this.#limit, level + part)
  }

  #weigh(remaining: number): void {
    const [weights, levels] = [this.#weights, this.#levels]
    for (let width = FIRST_WIDTH; ; width *= 2) {
      let [sum, squares] = [0, 0]
      for (let i = 0; i < this.#count; i += 1) {
        const off = Math.max(0, remaining - levels[i]!, levels[i]! - remaining - 1) / width
        const weight = Math.exp(-0.5 * off * off)
        weights[i] = weight
        sum += weight
        squares += weight * weight
      }
      if (sum * sum >= MIN_EFFECTIVE * this.#count * squares && sum > 1e-9) return
      if (width > 4 * this.#limit) return
    }
  }

  /** Systematic resampling: each survives in proportion to its weight. */
  #resample(): void {
    const size = this.#size
    let total = 0
    for (let i = 0; i < this.#count; i += 1) total += this.#weights[i]!
    const step = total / this.#count
    let [sum, from] = [this.#weights[0]!, 0]
    for (let i = 0; i < this.#count; i += 1) {
      const place = step * (i + 0.5)
      while (sum < place && from < this.#count - 1) sum += this.#weights[++from]!
      this.#spareLevels[i] = this.#levels[from]!
      this.#spareRates[i] = this.#rates[from]!
      this.#spareCounts[i] = this.#counts[from]!
      for (let k = 0; k < size; k += 1) this.#spareStates[i * size + k] = this.#states[from * size + k]!
    }
    ;[this.#levels, this.#spareLevels] = [this.#spareLevels, this.#levels]
    ;[this.#rates, this.#spareRates] = [this.#spareRates, this.#rates]
    ;[this.#counts, this.#spareCounts] = [this.#spareCounts, this.#counts]
    ;[this.#states, this.#spareStates] = [this.#spareStates, this.#states]
  }
}
