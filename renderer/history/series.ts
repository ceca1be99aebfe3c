import type { History, HistoryPoint } from '../../app/contract/history.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { type LevelForecast, levelForecast } from '../../app/quota/level-forecast.ts'
import { emptyText, isUnchecked, STALE_AFTER_MS } from '../../app/status/quota-status.ts'
import { RANGES } from '../charts/ranges.ts'
import type { ChartRange } from '../state/view-state.ts'
import { BAND_COLUMNS, bandRows, MAX_EMPTY } from './band.ts'
import { MAX_POINT_MS, stripOf, withUse } from './strip-of-use.ts'

/** The values of the chart at one time. A line has a gap where its value is missing. */
export interface ChartRow {
  readonly at: number
  /** Lowest and highest value of a column in a long range: from headers, or only from the model. */
  readonly headerBand?: readonly [low: number, high: number]
  readonly modelledBand?: readonly [low: number, high: number]
  /** The range of requests left, as known at that time. */
  readonly range?: readonly [low: number, high: number]
  readonly header?: number
  readonly modelled?: number
  /** The usual level at this time, from other days. */
  readonly usual?: number
  /**
   * Lowest and highest expected level. `earliest` and `latest` are the same levels, drawn as lines that end
   * where the level reaches 0.
   */
  readonly forecast?: readonly [low: number, high: number]
  readonly earliest?: number
  readonly latest?: number
  /** Whether a request got a 429 at this time. */
  readonly isRejected?: boolean
  /** The last header at or before this time, epoch ms. */
  readonly headerAt?: number
  /** Requests per second, as estimated at that time. */
  readonly own?: number
  readonly elsewhere?: number
  /** The use by the desk's other machines. Absent without a desk. */
  readonly desk?: number
  /** Bars of the strip of use, in units of the axis. See `UseStrip`. */
  readonly ownBar?: readonly [from: number, to: number]
  readonly othersBar?: readonly [from: number, to: number]
  readonly deskBar?: readonly [from: number, to: number]
}

export type ChartSeries = ReturnType<typeof chartSeries>

interface LowestLevel {
  /** Epoch ms. */
  readonly at: number
  readonly count: number
}

const QUARTER_MS = 15 * MINUTE_MS

/** A time without data, epoch ms. `isBefore`: before the row's recording began. */
interface Gap {
  readonly fromMs: number
  readonly toMs: number
  readonly isBefore: boolean
}

/**
 * Computes the lines of the chart.
 *
 * A solid line joins headers, a dashed line shows estimates. See `finelyDrawn`. No line crosses a time
 * without data, in which the app was not running or the row was not checked.
 */
export function chartSeries(
  history: History,
  quota: RequestQuota,
  nowMs: number,
  range: ChartRange = '15 min',
) {
  const facts = RANGES[range]
  const { pastMs, aheadMs, asBand } = facts
  const fromMs = nowMs - pastMs
  const toMs = nowMs + aheadMs
  const isOutdated = isUnchecked(quota, nowMs)
  const points = history.points.filter((point) => point.at >= fromMs && point.at <= nowMs)
  const rejectedAt = history.rejectedAt.filter((at) => at >= fromMs && at <= nowMs)
  const lines = asBand
    ? bandLine(points, fromMs, nowMs)
    : finelyDrawn(withRejections(points, rejectedAt), quota.limit)
  const sinceMs = history.since ?? history.points[0]?.at
  const minMs = asBand ? (MAX_EMPTY * pastMs) / BAND_COLUMNS : MAX_POINT_MS
  const gaps = gapsOf(lines, { fromMs, nowMs, sinceMs, isOutdated, minMs })
  const ahead =
    aheadMs > 0 && quota.source !== 'default' && !isOutdated ? levelForecast(quota, nowMs, toMs) : undefined
  if (!isOutdated && (aheadMs > 0 || !asBand)) addNow(lines, quota, nowMs, ahead)
  const strip = asBand ? undefined : stripOf(points, quota)
  const rejected = new Set(rejectedAt)
  const rows = withUsual(asBand ? lines : withUse(lines, points, quota, strip), history.usual).map((row) =>
    rejected.has(row.at) ? { ...row, isRejected: true } : row,
  )
  return {
    rows,
    hasUsual: rows.some(({ usual }) => usual !== undefined),
    hasDesk: rows.some(({ deskBar }) => deskBar !== undefined),
    facts,
    strip,
    /** Start of the row's recording, epoch ms. */
    sinceMs,
    gaps,
    fromMs,
    toMs,
    nowMs,
    limit: quota.limit,
    /** The row's threshold, in requests. */
    lowBelow: quota.limit * quota.threshold,
    lowest: lowestOf(lines, quota, { rejectedAt: history.rejectedAt, spanMs: toMs - fromMs }),
    hasForecast: ahead !== undefined,
    rejectedAt,
    range,
  }
}

/**
 * When the quota runs out if use continues, as shown in its row: `empty 14:33–14:36`. `undefined` if it does
 * not run out.
 *
 * The label is not part of the series, because the series can be two seconds older than the row.
 */
export const emptyLabel = (quota: RequestQuota, nowMs: number): string | undefined =>
  (quota.emptyFrom ?? quota.emptyAt) === undefined ? undefined : `empty ${emptyText(quota, nowMs)}`

/** Adds the usual level, interpolated between the middles of adjacent 15-minute intervals. */
function withUsual(rows: readonly ChartRow[], usual: History['usual'] = []): readonly ChartRow[] {
  if (usual.length === 0) return rows
  let next = 0
  return rows.map((row) => {
    while (next < usual.length && (usual[next]?.[0] ?? 0) <= row.at) next += 1
    const [before, after] = [usual[next - 1], usual[next]]
    if (before === undefined || after === undefined || after[0] - before[0] > QUARTER_MS) return row
    const share = (row.at - before[0]) / (after[0] - before[0])
    return { ...row, usual: before[1] + share * (after[1] - before[1]) }
  })
}

/** The lowest point is marked only if the present level is higher by at least this share of the limit. */
const MIN_RISE = 0.1
/**
 * Minimum distance of the lowest point from a 429, as a share of the time axis. A closer point is not marked,
 * because the 429 already shows that nothing was left.
 */
const NEAR_429 = 1 / 8

/**
 * The lowest level of the range, if the chart marks it. It comes from headers, as in the report, or else from
 * estimates. `undefined` if the present level is hardly higher, or if a 429 is close.
 */
function lowestOf(
  rows: readonly ChartRow[],
  { limit, level }: RequestQuota,
  { rejectedAt, spanMs }: Pick<History, 'rejectedAt'> & { readonly spanMs: number },
): LowestLevel | undefined {
  const lowest =
    leastOf(rows, (row) => row.headerBand?.[0] ?? row.header) ??
    leastOf(rows, (row) => row.modelledBand?.[0] ?? row.modelled)
  if (lowest === undefined || level - lowest.count < limit * MIN_RISE) return undefined
  const { at } = lowest
  return rejectedAt.some((one) => Math.abs(one - at) < spanMs * NEAR_429) ? undefined : lowest
}

function leastOf(rows: readonly ChartRow[], countOf: (row: ChartRow) => number | undefined) {
  let least: LowestLevel | undefined
  for (const row of rows) {
    const count = countOf(row)
    if (count !== undefined && (least === undefined || count < least.count)) least = { at: row.at, count }
  }
  return least
}

interface GapSpan {
  readonly fromMs: number
  readonly nowMs: number
  readonly sinceMs: number | undefined
  readonly isOutdated: boolean
  /** A shorter time is not a gap. */
  readonly minMs: number
}

/** The times without data, oldest first. Empty without a recording. A row without values ends a line. */
function gapsOf(lines: readonly ChartRow[], span: GapSpan): readonly Gap[] {
  const { fromMs, nowMs, sinceMs, isOutdated, minMs } = span
  if (sinceMs === undefined) return []
  const isDrawn = ({ header, modelled, headerBand, modelledBand }: ChartRow) =>
    (header ?? modelled ?? headerBand ?? modelledBand) !== undefined
  const drawnMs = lines.filter(isDrawn).map(({ at }) => at)
  const firstMs = drawnMs[0] ?? nowMs
  const lastMs = drawnMs.at(-1) ?? firstMs
  const gaps = [
    ...(sinceMs > fromMs ? [{ fromMs, toMs: sinceMs, isBefore: true }] : []),
    { fromMs: Math.max(fromMs, sinceMs), toMs: firstMs, isBefore: false },
    ...lines.flatMap((row, index) => {
      const [before, after] = [lines[index - 1], lines[index + 1]]
      if (isDrawn(row) || before === undefined || after === undefined) return []
      return [{ fromMs: before.at, toMs: after.at, isBefore: false }]
    }),
    ...(isOutdated ? [{ fromMs: lastMs, toMs: nowMs, isBefore: false }] : []),
  ]
  return gaps.filter((gap) => gap.toMs - gap.fromMs > minMs)
}

/** Adds a level of 0 at each 429, because a 429 proves that less than one request was left. */
const withRejections = (points: History['points'], rejectedAt: readonly number[]): readonly HistoryPoint[] =>
  [...points, ...rejectedAt.map((at) => ({ at, remaining: 0, source: 'header' }) as const)].sort(
    (a, b) => a.at - b.at,
  )

function bandLine(points: History['points'], fromMs: number, nowMs: number): ChartRow[] {
  let before: boolean | undefined
  return bandRows(points, fromMs, nowMs).map(({ at, band, modelled }) => {
    const isChange = before !== undefined && modelled !== undefined && before !== modelled
    before = modelled
    if (band === undefined) return { at }
    // A column at which the line changes between headers and model belongs to both. Otherwise there would be
    // a gap.
    if (isChange) return { at, headerBand: band, modelledBand: band }
    return modelled === true ? { at, modelledBand: band } : { at, headerBand: band }
  })
}

/** How far a solid line may be outside the range that was known at the time, as a share of the limit. */
const MAX_OFF = 0.05

/**
 * The rows of a short range.
 *
 * A solid line joins two headers less than two minutes apart, if it agrees with the ranges known between
 * them. Other estimates are drawn as they were, with a dashed line. So a sudden fall, such as to a 429, is
 * drawn at the time of the header that proves it. After `MAX_POINT_MS` without a point, the line has a gap.
 */
function finelyDrawn(points: readonly HistoryPoint[], limit: number): ChartRow[] {
  const rows: ChartRow[] = []
  let header: HistoryPoint | undefined
  let estimates: HistoryPoint[] = []
  const drawEstimates = () => {
    for (const estimate of estimates) {
      joinModelled(rows)
      rows.push({ at: estimate.at, modelled: estimate.remaining, ...rangeOf(estimate) })
    }
    estimates = []
  }
  for (const [index, point] of points.entries()) {
    const before = points[index - 1]
    if (before !== undefined && point.at - before.at > MAX_POINT_MS) {
      drawEstimates()
      rows.push({ at: point.at - 1 })
      header = undefined
    }
    if (point.source !== 'header') {
      estimates.push(point)
      continue
    }
    if (header !== undefined && isStraight([header, point], estimates, limit)) {
      for (const estimate of estimates)
        if (estimate.low !== undefined)
          rows.push({ at: estimate.at, header: between(header, point, estimate.at), ...rangeOf(estimate) })
      estimates = []
    } else drawEstimates()
    const range = [point.remaining, point.remaining] as const
    const isAfterEstimate = rows.at(-1)?.header === undefined && rows.at(-1)?.modelled !== undefined
    rows.push({
      at: point.at,
      header: point.remaining,
      ...(isAfterEstimate && { modelled: point.remaining }),
      range,
    })
    header = point
  }
  drawEstimates()
  return rows
}

function isStraight(
  [before, after]: readonly [HistoryPoint, HistoryPoint],
  estimates: readonly HistoryPoint[],
  limit: number,
): boolean {
  const isOff = ({ at, low = 0, high = limit }: HistoryPoint) => {
    const level = between(before, after, at)
    return level < low - MAX_OFF * limit || level > high + MAX_OFF * limit
  }
  return after.at - before.at <= STALE_AFTER_MS && !estimates.some(isOff)
}

/** Interpolates linearly between two headers at `atMs`. */
function between(before: HistoryPoint, after: HistoryPoint, atMs: number): number {
  const share = after.at > before.at ? (atMs - before.at) / (after.at - before.at) : 1
  return before.remaining + (after.remaining - before.remaining) * share
}

function rangeOf({ low, high }: Pick<HistoryPoint, 'low' | 'high'>): Pick<ChartRow, 'range'> {
  return low === undefined || high === undefined ? {} : { range: [low, high] }
}

/** Starts a dashed line at the last header. */
function joinModelled(rows: ChartRow[]): void {
  const last = rows.at(-1)
  if (last?.header !== undefined && last.modelled === undefined) {
    rows[rows.length - 1] = { ...last, modelled: last.header }
  }
}

function addNow(rows: ChartRow[], quota: RequestQuota, nowMs: number, ahead: LevelForecast | undefined) {
  if (quota.source === 'default') return
  const { level } = quota
  const now = { at: nowMs, modelled: level, range: [quota.low, quota.high] } as const
  const last = rows.at(-1)
  if (last !== undefined && last.at < nowMs) joinModelled(rows)
  const [first, ...rest] = forecastRows(ahead)
  rows.push({ ...first, ...now }, ...rest)
}

/**
 * The lowest and highest expected level, and the area between them. The line of a level ends where the level
 * reaches 0.
 */
function forecastRows(ahead: LevelForecast | undefined): readonly ChartRow[] {
  if (ahead === undefined) return []
  const { points } = ahead
  return points.map(({ at, low, high }, index) => {
    const before = points[index - 1]
    return {
      at,
      ...(high !== undefined && { forecast: [low, high] }),
      ...((before === undefined || before.low > 0) && { earliest: low }),
      ...(high !== undefined && (before?.high === undefined || before.high > 0) && { latest: high }),
    }
  })
}

/** Quarters of the limit, in whole requests. */
export function countTicks(limit: number): readonly number[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(limit * share))
}
