import type { DayRow } from './day-chart.tsx'

/** The longest wait in a part of the day, from and to epoch ms. */
export interface WaitBar {
  readonly fromMs: number
  readonly toMs: number
  readonly seconds: number
  /** The program that waited; absent if none did. */
  readonly by?: string
}

/** More bars than this are too thin to distinguish their patterns. */
const MAX_BARS = 40

/** The rows of a day as bars of equal length, each with its longest wait. */
export function waitBars(
  rows: readonly Pick<DayRow, 'at' | 'longestSeconds' | 'longestBy'>[],
): readonly WaitBar[] {
  const size = Math.max(1, Math.ceil(rows.length / MAX_BARS))
  const endMs = rows.at(-1)?.at ?? 0
  return rows.flatMap((first, at) => {
    if (at % size !== 0 || first.at >= endMs) return []
    const within = rows.slice(at, at + size)
    const worst = within.reduce((one, other) => (other.longestSeconds > one.longestSeconds ? other : one))
    const { longestSeconds: seconds, longestBy: by } = worst
    return { fromMs: first.at, toMs: rows[at + size]?.at ?? endMs, seconds, ...(by !== undefined && { by }) }
  })
}
