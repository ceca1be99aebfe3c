import { limitOf, type Plan } from './plan.ts'
import type { Replay, ReplayedLevel } from './replay.ts'

/** The lowest level and the longest wait of one category in one interval of a day. */
export interface DayStretch extends Pick<ReplayedLevel, 'atMs' | 'longestSeconds' | 'longestBy'> {
  /** Share of the limit, 0 to 1. */
  readonly lowest: number
}

/**
 * The lowest level and longest wait of one category in each interval of a replayed day. In an interval
 * without requests, the bucket refills (service 8.3). Empty for a category without a limit.
 */
export function dayLevels(
  { levels }: Replay,
  {
    plan,
    category,
    lengthMs,
    stretchMs,
  }: {
    readonly plan: Plan
    readonly category: string
    readonly lengthMs: number
    readonly stretchMs: number
  },
): readonly DayStretch[] {
  const size = limitOf(plan, category)
  if (size === undefined) return []
  const known = new Map(levels.filter((one) => one.category === category).map((one) => [one.atMs, one]))
  const stretches: DayStretch[] = []
  let level = size.limit
  for (let atMs = 0; atMs < lengthMs; atMs += stretchMs) {
    const here = known.get(atMs)
    level =
      here?.lowest ?? Math.min(size.limit, level + (stretchMs / 1000) * (size.limit / size.periodSeconds))
    stretches.push({
      atMs,
      lowest: level / size.limit,
      longestSeconds: here?.longestSeconds ?? 0,
      ...(here?.longestBy !== undefined && { longestBy: here.longestBy }),
    })
  }
  return stretches
}
