import type { HistoryPoint } from '../../app/contract/history.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import type { ChartRow } from './series.ts'

export type UseStrip = NonNullable<ReturnType<typeof stripOf>>

/** Start and end of the strip below zero, as shares of the limit. */
const BASE = -0.34
const TOP = -0.1

/** Maximum time for which a point applies. The next point ends it earlier. Milliseconds. */
export const MAX_POINT_MS = 30_000

/**
 * The strip of use below the line of a chart, for these points. `undefined` if no point has a known use.
 *
 * The strip and the line share one axis, and so one cursor and one tooltip. On the axis, the strip is below
 * zero, and its rates are scaled to fit.
 */
export function stripOf(
  points: readonly HistoryPoint[],
  { limit, period }: Pick<RequestQuota, 'limit' | 'period'>,
) {
  const totals = points.flatMap(({ own, desk = 0, elsewhere }) =>
    own === undefined || elsewhere === undefined ? [] : [own + desk + elsewhere],
  )
  if (totals.length === 0) return undefined
  const refillPerSecond = limit / period
  const maxPerSecond = roundedUp(Math.max(refillPerSecond * 1.25, ...totals))
  const at = (perSecond: number) => limit * (BASE + ((TOP - BASE) * perSecond) / maxPerSecond)
  return {
    // Positions on the axis, in requests. `top` stands for `maxPerSecond`, a round rate.
    base: at(0),
    top: at(maxPerSecond),
    refill: at(refillPerSecond),
    maxPerSecond,
    refillPerSecond,
  }
}

/** Rounds `perSecond`, which must be above 0, up to one of the numbers …, 1, 1.5, 2, 3, 5, 7, 10, 15, …. */
function roundedUp(perSecond: number): number {
  const power = Math.floor(Math.log10(perSecond))
  const unit = 10 ** power
  const digit = [1, 1.5, 2, 3, 5, 7].find((one) => one * unit >= perSecond) ?? 10
  return Number((digit * unit).toFixed(Math.max(0, 1 - power)))
}

/**
 * The rows with their use and last header. Rows without values, which make a gap in a line, stay unchanged.
 */
export function withUse(
  rows: readonly ChartRow[],
  points: readonly HistoryPoint[],
  { observedAt }: Pick<RequestQuota, 'observedAt'>,
  strip: UseStrip | undefined,
): readonly ChartRow[] {
  let next = 0
  let known: HistoryPoint | undefined
  let headerAt: number | undefined
  return rows.map((row) => {
    for (; next < points.length; next += 1) {
      const point = points[next]
      if (point === undefined || point.at > row.at) break
      if (point.own !== undefined) known = point
      // A point with bounds is a sample that repeats a header's number. It is not a header.
      if (point.source === 'header' && point.low === undefined) headerAt = point.at
    }
    if (observedAt !== undefined && observedAt <= row.at) headerAt = Math.max(headerAt ?? 0, observedAt)
    const isLine = row.header !== undefined || row.modelled !== undefined
    if (!isLine) return row
    const withHeader = headerAt === undefined ? row : { ...row, headerAt }
    if (known === undefined || strip === undefined || row.at - known.at > MAX_POINT_MS) return withHeader
    const { own = 0, desk, elsewhere = 0 } = known
    const scale = (strip.top - strip.base) / strip.maxPerSecond
    const ownTop = strip.base + own * scale
    const deskTop = ownTop + (desk ?? 0) * scale
    return {
      ...withHeader,
      own,
      ...(desk !== undefined && { desk, deskBar: [ownTop, deskTop] as const }),
      elsewhere,
      ownBar: [strip.base, ownTop],
      othersBar: [deskTop, deskTop + elsewhere * scale],
    }
  })
}
