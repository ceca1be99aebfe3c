import type { OthersUse } from './others-use.ts'

/**
 * The chance that others took more than `low` allows for, before surprises. A header that shows more halves it, each
 * other one makes it greater by 3 %, so that 4 % of headers show more: 0.5^0.04 × 1.03^0.96 ≈ 1.
 */
const BELOW_LOW = { atFirst: 0.02, least: 0.0005, most: 0.03, afterMiss: 0.5, afterHit: 1.03 } as const
/**
 * The largest surprise lately: by how much a header showed more to be missing than the middle allowed. It may come again
 * at any moment, not only when the next header is due; it fades by 2 % a header.
 */
const SURPRISE = { kept: 0.98, withinSeconds: 2 } as const
/** Age of a header from which one request of others may be missing, even where none was ever seen. Seconds. */
const ONE_AFTER_SECONDS = 3
const JUDGED_FROM_SECONDS = 1

/** How far below the middle `low` has to be, learned from how often headers came out below it. */
export class LowMargin {
  #share: number = BELOW_LOW.atFirst
  #surprise = 0

  /** The chance that others took more than is allowed for, before surprises; 0 to 1. */
  get share(): number {
    return this.#share
  }

  /** Requests that others took since the last header at most, where they took `taken` in the middle. */
  takenAtMost(others: OthersUse, taken: number, limit: number): number {
    return Math.max(
      others.seconds > ONE_AFTER_SECONDS ? 1 : 0,
      others.takenAt(1 - this.#share, limit),
      taken + this.#surprise * Math.min(1, others.seconds / SURPRISE.withinSeconds),
    )
  }

  /** A header showed so many requests to be missing at least. */
  judge(others: OthersUse, missing: number, limit: number): void {
    if (others.seconds < JUDGED_FROM_SECONDS) return
    const isMiss = missing > others.takenAt(1 - this.#share, limit)
    const factor = isMiss ? BELOW_LOW.afterMiss : BELOW_LOW.afterHit
    this.#share = Math.min(BELOW_LOW.most, Math.max(BELOW_LOW.least, this.#share * factor))
    this.#surprise = Math.max(missing - others.takenAt(0.5, limit), this.#surprise * SURPRISE.kept)
  }
}
