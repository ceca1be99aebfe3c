/** The utilizations that are told apart: 0 and 40 equal steps up to 1. */
const STEPS = 40
/** Probability, before the first header and after each change, that no other program uses the quota. */
const QUIET_AT_FIRST = 0.6
/** Mean time for which others' use stays the same, in seconds. */
const HOLDS_SECONDS = 1800
/** Probability of a header that shows one request missing though none was made. */
const MISREAD = 0.01
/** Requests that overflow between two headers if others leave a quota full in between. */
const FULL_BETWEEN = 1.5
/** Requests missing at a header up to which others leave a quota full now and then. */
const NEAR_FULL = 2
/** Own requests missing at a header up to which one of others shows: its own one, and what rounding hides. */
const OWN_MISSING = 1.1
/** Distance of the bounds up to which a header tells one missing request from none, and what it shows at most then. */
const SHARP = 0.6
const NONE_MISSING = 0.45

/** What a header of a rolling quota shows, in requests. */
export interface LevelHeader {
  /** What others had to leave unused since the header before, if the quota was full for that long. */
  readonly overflowed: number
  /** Seconds since the header before. */
  readonly seconds: number
  /** What headers since the last one that was weighed showed to be missing. */
  readonly missing: number
  /** What this one shows to be missing beyond own requests, at least and at most. */
  readonly least: number
  readonly most: number
  /** The bounds on the level before it: their middle, and how far apart they are. */
  readonly before: number
  readonly width: number
}

const PRIOR = Float64Array.from({ length: STEPS + 1 }, (_, step) =>
  step === 0 ? QUIET_AT_FIRST : (1 - QUIET_AT_FIRST) / STEPS,
)

/**
 * A probability distribution over the share of time, 0 to 1, in which others keep a quota from being full.
 *
 * A quota that refills r requests a second and is full for a share f of the time gives away (1 − f) × r a second, however
 * requests are spaced (the utilization law, ρ = λ / μ). So a full quota shows others' use by how often headers find it
 * less than full, also where the requests come evenly and never more than one is missing. `OthersUse` counts what is
 * missing and supposes random moments, which underestimates both a use that is even and one that is small.
 *
 * Mutable: `header` and `observed` change it.
 */
export class Utilization {
  readonly #chance = Float64Array.from(PRIOR)
  #isTold = false

  /** Whether the last header showed a quota that others leave full now and then, so that their use follows from how often. */
  get isTold(): boolean {
    return this.#isTold
  }

  forget(): void {
    this.#chance.set(PRIOR)
    this.#isTold = false
  }

  /** Learns from a header of a quota of `limit` requests whether others keep it from being full. */
  header(limit: number, { overflowed, seconds, missing, least, most, before, width }: LevelHeader): void {
    const isLarge = limit > NEAR_FULL + OWN_MISSING
    const isNearFull = isLarge && overflowed >= FULL_BETWEEN && missing + least <= NEAR_FULL
    const isSharp = missing === 0 && before >= limit - OWN_MISSING && width <= SHARP
    if (isNearFull && isSharp) this.observed(most > NONE_MISSING, seconds)
    this.#isTold = isNearFull && (isSharp || this.#isTold)
  }

  /**
   * Updates the distribution from a header, `seconds` after the one before, of a quota that was full in between unless
   * others used it; `isBusy`: it shows some request missing beyond own ones.
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

  /** The quantile `share` (0 to 1) of the utilization, 0 to 1. */
  at(share: number): number {
    let sum = 0
    for (let step = 0; step < STEPS; step += 1) {
      sum += this.#chance[step]!
      if (sum >= share) return step / STEPS
    }
    return 1
  }
}
