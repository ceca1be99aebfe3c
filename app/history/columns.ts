import type { HistoryPoint } from '../contract/history.ts'
import type { Rollup } from './rollup.ts'
import { byTrust } from './sample.ts'

/** A sample, or a rollup with its lowest and highest level. The input of a column. */
export interface Extent extends Pick<Rollup, 'atMs' | 'low' | 'high' | 'lowFirst' | 'source'> {
  /** For a sample, equal to `atMs`. */
  readonly endMs: number
}

interface Column {
  low: HistoryPoint
  high: HistoryPoint
}

/** Maps a time to one of `count` columns between two times. The last column includes its end. */
export function columnAt(fromMs: number, toMs: number, count: number): (atMs: number) => number {
  const widthMs = Math.max(1, (toMs - fromMs) / count)
  return (atMs) => Math.min(count - 1, Math.floor((atMs - fromMs) / widthMs))
}

/**
 * At most `most` points, oldest first. A longer input is reduced to the lowest and the highest point of each
 * column. A column is `(toMs − fromMs) / (most / 2)` wide.
 *
 * When the input is reduced, a column with a header leaves out estimates. The lowest point keeps a one-second
 * dip visible on a chart of a month. Averages, or every n-th point, would lose the dip.
 */
export function minMaxColumns(
  extents: Iterable<Extent>,
  fromMs: number,
  toMs: number,
  most: number,
): readonly HistoryPoint[] {
  const indexOf = columnAt(fromMs, toMs, Math.max(1, Math.floor(most / 2)))
  const columns = new Map<number, Column>()
  const few: HistoryPoint[] = []
  for (const extent of extents) {
    if (extent.atMs > toMs || extent.endMs < fromMs || extent.source === 'default') continue
    const [first, second] = pointsOf(extent, fromMs, toMs)
    const [low, high] = extent.lowFirst ? [first, second] : [second, first]
    const index = indexOf(first.at)
    const column = columns.get(index)
    const trust = column ? byTrust(first.source, column.low.source) : 1
    if (!column || trust > 0) columns.set(index, { low, high })
    else if (trust === 0) {
      if (low.remaining < column.low.remaining) column.low = low
      if (high.remaining > column.high.remaining) column.high = high
    }
    // `few` collects the points until there are more than `most`.
    if (few.length <= most) few.push(...(same(first, second) ? [first] : [first, second]))
  }
  if (few.length <= most) return few
  return [...columns.values()].flatMap(({ low, high }) => {
    if (same(low, high)) return [low]
    return low.at <= high.at ? [low, high] : [high, low]
  })
}

/**
 * Places a rollup's extremes at one third and two thirds of its length, because their exact times are not
 * stored.
 */
function pointsOf(extent: Extent, fromMs: number, toMs: number): readonly [HistoryPoint, HistoryPoint] {
  const { atMs, endMs, low, high, lowFirst } = extent
  const source = extent.source === 'header' ? 'header' : 'modelled'
  const inside = (ms: number) => Math.round(Math.min(toMs, Math.max(fromMs, ms)))
  const third = (endMs - atMs) / 3
  const first = { at: inside(atMs + third), remaining: lowFirst ? low : high, source } as const
  const second = { at: inside(atMs + 2 * third), remaining: lowFirst ? high : low, source } as const
  return [first, second]
}

const same = (a: HistoryPoint, b: HistoryPoint): boolean =>
  a === b || (a.remaining === b.remaining && a.source === b.source)

/** At most one time per column: the latest. */
export function thinnedMoments(
  momentsMs: readonly number[],
  fromMs: number,
  toMs: number,
  most: number,
): readonly number[] {
  if (momentsMs.length <= most) return momentsMs
  const indexOf = columnAt(fromMs, toMs, most)
  const columns = new Map<number, number>()
  for (const ms of momentsMs) columns.set(indexOf(ms), ms)
  return [...columns.values()]
}
