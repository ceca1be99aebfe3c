/**
 * An estimate of other programs' requests since the last header, and of their rate per second. Both come with
 * an interval.
 */
export interface OthersReading extends Growth {
  readonly perSecond: number
  readonly perSecondAtLeast: number
  readonly perSecondAtMost: number
  /** Probabilities, 0 to 1, that the quota is empty within ten minutes: see `EmptyChance`. */
  readonly emptyChance: number
  readonly emptyChanceByPresent: number
  /** The probability, 0 to 1, that others' requests have left less than one request. */
  readonly emptyNow: number
  /** How fast the three `taken` counts grow, in requests per second. */
  readonly growth: Growth
}

/** The three counts in requests, or their growth in requests per second. */
interface Growth {
  readonly taken: number
  readonly takenAtMost: number
  readonly takenAtLeast: number
}

export const NO_GROWTH: Growth = { taken: 0, takenAtMost: 0, takenAtLeast: 0 }

/** Computes the growth between two readings that are `seconds` apart. */
export const growthFrom = (before: Growth, now: Growth, seconds: number): Growth => ({
  taken: (now.taken - before.taken) / seconds,
  takenAtMost: (now.takenAtMost - before.takenAtMost) / seconds,
  takenAtLeast: (now.takenAtLeast - before.takenAtLeast) / seconds,
})

/**
 * Extrapolates a reading by `seconds`. The counts grow linearly and stay at or above 0. Everything else is
 * unchanged.
 */
export const later = (reading: OthersReading, seconds: number): OthersReading => ({
  ...reading,
  taken: Math.max(0, reading.taken + reading.growth.taken * seconds),
  takenAtMost: Math.max(0, reading.takenAtMost + reading.growth.takenAtMost * seconds),
  takenAtLeast: Math.max(0, reading.takenAtLeast + reading.growth.takenAtLeast * seconds),
})
