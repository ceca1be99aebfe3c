import type { History, HistoryPoint } from '../contract/history.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { MINUTE_MS } from '../contract/units.ts'
import { columnAt } from './columns.ts'

/** How long points are kept in memory, in milliseconds. Enough for the 15-minute chart. */
export const RECENT_MS = 16 * MINUTE_MS
const MAX_POINTS = 2_000
const MAX_REJECTIONS = 500

/** Requests per second of this app, of others and of the desk's other machines. */
type Use = Pick<NonNullable<RequestQuota['use']>, 'own' | 'elsewhere' | 'desk'>

interface Track {
  points: HistoryPoint[]
  rejectedAt: number[]
  /** Time of this run's first point. */
  sinceMs: number | undefined
}

/** The last minutes of each category, in memory. */
export class RecentHistory {
  readonly #tracks = new Map<string, Track>()

  /** Adds a header. `use`: the use from then on, if known. */
  observed(category: string, atMs: number, remaining: number, use?: Use): void {
    this.#add(category, { at: Math.round(atMs), remaining, source: 'header', ...(use && inThousandths(use)) })
  }

  /** Adds a sample of each row's estimated level. Rows without a header are skipped. */
  sampled(rows: readonly RequestQuota[], atMs: number): void {
    for (const row of rows) {
      if (row.source === 'default') continue
      this.#add(row.category, {
        at: Math.round(atMs),
        remaining: row.remaining,
        source: row.source,
        low: row.low,
        high: row.high,
        ...(row.use && inThousandths(row.use)),
      })
    }
  }

  /** The lowest level in a header after `afterMs` up to `untilMs`. `undefined` without such a header. */
  lowestHeader(category: string, afterMs: number, untilMs: number): number | undefined {
    let lowest: number | undefined
    const points = this.#tracks.get(category)?.points ?? []
    for (let index = points.length - 1; index >= 0; index -= 1) {
      const point = points[index]
      if (point === undefined || point.at <= afterMs) break
      if (point.at > untilMs || rank(point) < 2) continue
      lowest = Math.min(lowest ?? point.remaining, point.remaining)
    }
    return lowest
  }

  rejected(category: string, atMs: number): void {
    const track = this.#track(category)
    track.rejectedAt = [...track.rejectedAt.slice(-(MAX_REJECTIONS - 1)), Math.round(atMs)]
  }

  /** At most `points` points, oldest first. Thinning prefers headers to modelled points. */
  query(category: string, fromMs: number, toMs: number, points: number): History {
    const track = this.#tracks.get(category)
    if (!track) return { points: [], rejectedAt: [] }
    const inside = (at: number) => at >= fromMs && at <= toMs
    return {
      points: thinned(
        track.points.filter((point) => inside(point.at)),
        fromMs,
        toMs,
        points,
      ),
      rejectedAt: track.rejectedAt.filter(inside),
      ...(track.sinceMs !== undefined && { since: track.sinceMs }),
    }
  }

  #track(category: string): Track {
    const track = this.#tracks.get(category) ?? { points: [], rejectedAt: [], sinceMs: undefined }
    this.#tracks.set(category, track)
    return track
  }

  #add(category: string, point: HistoryPoint): void {
    const track = this.#track(category)
    track.sinceMs ??= point.at
    track.points.push(point)
    // Trimming in bulk is cheaper than a shift for each point.
    if (track.points.length > MAX_POINTS || (track.points[0]?.at ?? point.at) < point.at - 2 * RECENT_MS) {
      track.points = track.points.filter((p) => p.at >= point.at - RECENT_MS).slice(-MAX_POINTS / 2)
    }
  }
}

const inThousandths = ({ own, elsewhere, desk }: Use): Use => ({
  own: thousandths(own),
  elsewhere: thousandths(elsewhere),
  ...(desk !== undefined && { desk: thousandths(desk) }),
})

const thousandths = (perSecond: number) => Math.round(perSecond * 1000) / 1000

/**
 * Rank of a point: 2 for a header, 1 for a sample that repeats a header's number, 0 for an estimate. A sample
 * has bounds, and a header has none.
 */
const rank = ({ source, low }: HistoryPoint) => (source === 'modelled' ? 0 : low === undefined ? 2 : 1)

/**
 * One point per time slot: the lowest header, or the last sample if the slot has no header. Of equally low
 * headers, the last one is used.
 */
function thinned(
  points: readonly HistoryPoint[],
  fromMs: number,
  toMs: number,
  most: number,
): readonly HistoryPoint[] {
  if (points.length <= most) return points
  const slotOf = columnAt(fromMs, toMs, most)
  const slots = new Map<number, HistoryPoint>()
  for (const point of points) {
    const slot = slotOf(point.at)
    const held = slots.get(slot)
    const more = held === undefined ? 1 : rank(point) - rank(held)
    const isLowest = held === undefined || rank(point) < 2 || point.remaining <= held.remaining
    if (more > 0 || (more === 0 && isLowest)) slots.set(slot, point)
  }
  return [...slots.values()]
}
