/** Others' requests since the last header and their rate: middles, and ends of intervals. Requests, requests a second. */
export interface OthersReading {
  readonly taken: number
  readonly takenAtMost: number
  readonly takenAtLeast: number
  readonly perSecond: number
  readonly perSecondAtLeast: number
  readonly perSecondAtMost: number
  /** Chances that nothing is left within ten minutes: see `EmptyChance`. */
  readonly emptyChance: number
  readonly emptyChanceAtPace: number
  /** Growth of each of the three counts, requests a second. */
  readonly growth: Growth
}

/** Requests, or requests a second. */
interface Growth {
  readonly taken: number
  readonly takenAtMost: number
  readonly takenAtLeast: number
}

export const NO_GROWTH: Growth = { taken: 0, takenAtMost: 0, takenAtLeast: 0 }

/** How fast the counts grew from one reading to the next, `seconds` apart. */
export const growthFrom = (before: Growth, now: Growth, seconds: number): Growth => ({
  taken: (now.taken - before.taken) / seconds,
  takenAtMost: (now.takenAtMost - before.takenAtMost) / seconds,
  takenAtLeast: (now.takenAtLeast - before.takenAtLeast) / seconds,
})

/** A reading `seconds` on: the counts go on in a straight line, the rest stays. */
export const later = (reading: OthersReading, seconds: number): OthersReading => ({
  ...reading,
  taken: Math.max(0, reading.taken + reading.growth.taken * seconds),
  takenAtMost: Math.max(0, reading.takenAtMost + reading.growth.takenAtMost * seconds),
  takenAtLeast: Math.max(0, reading.takenAtLeast + reading.growth.takenAtLeast * seconds),
})
