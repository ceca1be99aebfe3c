/** Possible utilizations: 0, and 40 equal steps up to 1. */
const STEPS = 40
export const UTILIZATIONS = STEPS + 1
/** Probability that no other program uses the quota, initially and after others' use has changed. */
const QUIET_AT_FIRST = 0.6
/** Mean time in which others' use is constant, in seconds. */
const HOLDS_SECONDS = 1800
/** Probability that a header shows a request by others although others made no request. */
const MISREAD = 0.01
/** A quota counts as nearly full between two headers only if `overflowed` is at least this, in requests. */
const FULL_BETWEEN = 1.5
/** A quota counts as nearly full only if others made at most this many requests since the last update. */
const NEAR_FULL = 2
/**
 * A header shows a single request by others only if the level before the header was at most this far below
 * the limit, in requests. The distance allows for the header's own request and for rounding.
 */
const OWN_MISSING = 1.1
/**
 * `SHARP`: a header can show a single request by others only if the bounds are at most this wide, in
 * requests. `NONE_MISSING`: if `LevelHeader.most` is at most this, the header shows that others made no
 * request.
 */
const SHARP = 0.6
const NONE_MISSING = 0.45

/** What headers of a rolling quota show about the level and others' use. Levels are in requests. */
export interface LevelHeader {
  /**
   * How far the quota would have refilled past its limit since the previous header, if others had sent
   * nothing. In requests.
   */
  readonly overflowed: number
  /** Seconds since the previous header. */
  readonly seconds: number
  /** Requests by others that earlier headers have shown since the last update. */
  readonly missing: number
  /** Number of others' requests that this header shows: minimum and maximum. */
  readonly least: number
  readonly most: number
  /** Midpoint and width of the bounds on the level before the header. */
  readonly before: number
  readonly width: number
}

const PRIOR = Float64Array.from({ length: STEPS + 1 }, (_, step) =>
  step === 0 ? QUIET_AT_FIRST : (1 - QUIET_AT_FIRST) / STEPS,
)

/**
 * A probability distribution over the share of time, 0 to 1, in which others keep a quota from being full.
 *
 * Suppose that a quota refills r requests per second and is full for a share f of the time. By the
 * utilization law (ρ = λ / μ), it then serves (1 − f)·r requests per second, however they are spaced. So if a
 * quota is usually full, others' use follows from the share of headers that show it not quite full.
 *
 * This works even if others' requests are evenly spaced. Each of them is then refilled before the next one,
 * so a header shows at most one. `OthersUse` counts requests and assumes random times, so it underestimates
 * use that is evenly spaced or low.
 *
 * Mutable: `header` and `observed` change it.
 */
export class Utilization {
  readonly #chance = Float64Array.from(PRIOR)
  #isConclusive = false

  /** Whether this distribution applies: the last header showed that others sometimes leave the quota full. */
  get isConclusive(): boolean {
    return this.#isConclusive
  }

  get chances(): readonly number[] {
    return [...this.#chance]
  }

  restore(chances: readonly number[]): void {
    this.#chance.set(chances)
    this.#isConclusive = false
  }

  forget(): void {
    this.#chance.set(PRIOR)
    this.#isConclusive = false
  }

  /**
   * Learns from a header how much of the time others keep the quota below its limit. `limit` is in requests.
   */
  header(limit: number, { overflowed, seconds, missing, least, most, before, width }: LevelHeader): void {
    const isLarge = limit > NEAR_FULL + OWN_MISSING
    const isNearFull = isLarge && overflowed >= FULL_BETWEEN && missing + least <= NEAR_FULL
    const isSharp = missing === 0 && before >= limit - OWN_MISSING && width <= SHARP
    if (isNearFull && isSharp) this.observed(most > NONE_MISSING, seconds)
    this.#isConclusive = isNearFull && (isSharp || this.#isConclusive)
  }

  /**
   * Updates the distribution from a header, `seconds` after the previous one. Call this only if, without
   * others' requests, the quota would have been full at some time between the two headers. `isBusy`: whether
   * the header shows a request by others.
   */
  observed(isBusy: boolean, seconds: number): void {
    const chance = this.#chance
    const stays = Math.exp(-seconds / HOLDS_SECONDS)
    let sum = 0
    for (let step = 0; step <= STEPS; step += 1) {
      const busy = Math.max(MISREAD, step / STEPS)
      const now =
        (chance[step]! * stays + PRIOR[step]! * (1 - stays)) * (isBusy ? busy : Math.max(MISREAD, 1 - busy))
      chance[step] = now
      sum += now
    }
    for (let step = 0; step <= STEPS; step += 1) chance[step]! /= sum
  }

  /** The utilization at the quantile `share`. Both are between 0 and 1. */
  at(share: number): number {
    let sum = 0
    for (let step = 0; step < STEPS; step += 1) {
      sum += this.#chance[step]!
      if (sum >= share) return step / STEPS
    }
    return 1
  }
}
