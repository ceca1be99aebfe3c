import type { Trends } from '../../app/contract/history.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'

/** Size of a small chart in pixels, its range in milliseconds, and its number of points. */
export const TREND = { width: 64, height: 16, pastMs: 15 * 60_000, points: 32 } as const

/** The line of a small chart and the area under it, as SVG paths. */
export interface TrendPath {
  readonly line: string
  readonly area: string
}

/**
 * The small charts by category, for rows with at least two points. A full quota is at the top edge.
 *
 * The line has a gap where no point is within four of its `TREND.points` intervals. Points from the file can
 * be that far apart, because they are the lowest and the highest of every two intervals.
 */
export function trendPaths(
  trends: Trends,
  rows: readonly Pick<RequestQuota, 'category' | 'limit'>[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): ReadonlyMap<string, TrendPath> {
  const paths = new Map<string, TrendPath>()
  const gapMs = (4 * (toMs - fromMs)) / TREND.points
  for (const { category, limit } of rows) {
    const points = (Object.hasOwn(trends, category) ? trends[category] : undefined)?.filter(
      ([atMs]) => atMs >= fromMs && atMs <= toMs,
    )
    if (points === undefined || points.length < 2 || limit <= 0) continue
    const x = (atMs: number) => oneDecimal(((atMs - fromMs) / (toMs - fromMs)) * TREND.width)
    const y = (left: number) =>
      oneDecimal(1 + (1 - Math.min(1, Math.max(0, left / limit))) * (TREND.height - 2))
    let run = 0
    const runs = Map.groupBy(points, ([atMs], index) => {
      if (atMs - (points[index - 1]?.[0] ?? atMs) > gapMs) run += 1
      return run
    })
    const drawn = [...runs.values()].map((of) => {
      const steps = of.map(([atMs, left], index) => `${index === 0 ? 'M' : 'L'}${x(atMs)} ${y(left)}`)
      return { line: steps.join(''), close: `V${TREND.height}H${x(of[0]?.[0] ?? fromMs)}Z` }
    })
    paths.set(category, {
      line: drawn.map(({ line }) => line).join(''),
      area: drawn.map(({ line, close }) => line + close).join(''),
    })
  }
  return paths
}

const oneDecimal = (value: number) => Math.round(value * 10) / 10
