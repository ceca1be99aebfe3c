/** The utilizations that are told apart: 0 and 40 equal steps up to 1. */
const STEPS = 40
/** Probability, before the first header and after each change, that no other program uses the quota. */
const QUIET_AT_FIRST = 0.6
/** Mean time for which others' use stays the same, in seconds. */
const HOLDS_SECONDS = 1800
/** Probability of a header that shows one request missing though none was made. */
const MISREAD = 0.01

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
 * Mutable: `observed` changes it.
 */
export class Utilization {
  readonly #chance = Float64Array.from(PRIOR)

  forget(): void {
    this.#chance.set(PRIOR)
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
