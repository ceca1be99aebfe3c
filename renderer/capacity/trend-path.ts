import type { Trends } from '../../app/contract/history.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'

/** Size of a small chart in pixels, its range in milliseconds, and its number of points. */
export const TREND = { width: 64, height: 16, pastMs: 15 * 60_000, points: 32 } as const

/** The line of a small chart and the area under it, as SVG paths. */
export interface TrendPath {
  readonly line: string
  readonly area: string
}

/** The small charts by category, for rows with at least two points. A full quota is at the top edge. */
export function trendPaths(
  trends: Trends,
  rows: readonly Pick<RequestQuota, 'category' | 'limit'>[],
  fromMs: number,
  toMs: number,
): ReadonlyMap<string, TrendPath> {
  const paths = new Map<string, TrendPath>()
  for (const { category, limit } of rows) {
    const points = (Object.hasOwn(trends, category) ? trends[category] : undefined)?.filter(
      ([atMs]) => atMs >= fromMs && atMs <= toMs,
    )
    const [first] = points ?? []
    if (points === undefined || first === undefined || points.length < 2 || limit <= 0) continue
    const x = (atMs: number) => oneDecimal(((atMs - fromMs) / (toMs - fromMs)) * TREND.width)
    const y = (left: number) =>
      oneDecimal(1 + (1 - Math.min(1, Math.max(0, left / limit))) * (TREND.height - 2))
    const line = points
      .map(([atMs, left], index) => `${index === 0 ? 'M' : 'L'}${x(atMs)} ${y(left)}`)
      .join('')
    paths.set(category, { line, area: `${line}V${TREND.height}H${x(first[0])}Z` })
  }
  return paths
}

const oneDecimal = (value: number) => Math.round(value * 10) / 10
