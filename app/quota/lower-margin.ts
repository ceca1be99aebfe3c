import type { MarginCounts } from './learned.ts'
import type { OthersUse } from './others-use.ts'

/**
 * Initial value, bounds and factors of the probability that others took more than `low` allows for.
 *
 * A miss is a header that shows more requests by others than `low` allowed for. Any other header is a hit. A
 * miss halves the probability, and a hit raises it by 3 %. The two balance if 4 % of the headers are misses:
 * 0.5^0.04 × 1.03^0.96 ≈ 1.
 */
const BELOW_LOW = { atFirst: 0.02, least: 0.0005, most: 0.03, afterMiss: 0.5, afterHit: 1.03 } as const
/**
 * A header is a surprise if it shows more requests by others than the median estimate. The size of the
 * surprise is the difference, in requests. A burst of this size may repeat at any time, so `low` is lowered
 * by an allowance for the largest surprise so far.
 *
 * Just after a header, the allowance is 0. It grows in proportion to the header's age and reaches the stored
 * size after `withinSeconds`. With each header, the stored size decays by 2 %.
 */
const SURPRISE = { kept: 0.98, withinSeconds: 2 } as const
/**
 * If the last header is older than this, `low` allows for at least one request by others, even if no header
 * ever showed use by others. Seconds.
 */
const ONE_AFTER_SECONDS = 3
const JUDGED_FROM_SECONDS = 1

/**
 * The margin between `low` and the median estimate. It is learned from how often a header showed a level
 * below `low`.
 */
export class LowerMargin {
  #share: number = BELOW_LOW.atFirst
  #surprise = 0

  /**
   * The probability, 0 to 1, that others made more requests than `low` allows for. This probability ignores
   * the allowance for a surprise (`SURPRISE`), which may lower `low` further.
   */
  get share(): number {
    return this.#share
  }

  get counts(): MarginCounts {
    return { share: this.#share, surprise: this.#surprise }
  }

  restore({ share, surprise }: MarginCounts): void {
    this.#share = Math.min(BELOW_LOW.most, Math.max(BELOW_LOW.least, share))
    this.#surprise = surprise
  }

  /** An upper bound on others' requests since the last header. `taken`: the present estimate. */
  takenAtMost(others: OthersUse, taken: number, limit: number): number {
    return Math.max(
      others.seconds > ONE_AFTER_SECONDS ? 1 : 0,
      others.takenAt(1 - this.#share, limit),
      taken + this.#surprise * Math.min(1, others.seconds / SURPRISE.withinSeconds),
    )
  }

  /**
   * Learns from a header that showed at least `missing` requests by others. Ignores a header within a second
   * of the previous one.
   */
  judge(others: OthersUse, missing: number, limit: number): void {
    if (others.seconds < JUDGED_FROM_SECONDS) return
    const isMiss = missing > others.takenAt(1 - this.#share, limit)
    const factor = isMiss ? BELOW_LOW.afterMiss : BELOW_LOW.afterHit
    this.#share = Math.min(BELOW_LOW.most, Math.max(BELOW_LOW.least, this.#share * factor))
    this.#surprise = Math.max(missing - others.takenAt(0.5, limit), this.#surprise * SURPRISE.kept)
  }
}
