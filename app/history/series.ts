import { type Cells, csvRow, EXPORT_FORMAT, type ExportedKey, isoTime, secondsOf } from './report-csv.ts'
import type { Rollup } from './rollup.ts'

/** A minute of one request quota. */
export interface SeriesMinute extends ExportedKey {
  readonly category: string
  readonly minute: Rollup
  /** Requests of the desk's other machines; absent if none. */
  readonly desk?: number
}

/**
 * One row of the series, in a form that programs can read: no nested values, and times in ISO 8601. An
 * unknown value is `null`.
 */
export type SeriesRow = Readonly<Record<SeriesColumn, string | number | null>>

/** The columns of the series. No name is an SQL keyword, so none needs quotes. */
export const SERIES_COLUMNS = [
  'profile_id',
  'environment',
  'start_time',
  'category',
  'quota_limit',
  'lowest_remaining',
  'highest_remaining',
  'number_source',
  'own_requests',
  'other_requests',
  'refused_429',
  'near_limit_seconds',
  'known_seconds',
  'desk_requests',
] as const
export type SeriesColumn = (typeof SERIES_COLUMNS)[number]

/** The row of one minute, in the order of `SERIES_COLUMNS`. */
export function seriesRow({ profile, environment, category, minute, desk = 0 }: SeriesMinute): SeriesRow {
  const isKnown = minute.knownMs > 0
  return {
    profile_id: profile,
    environment,
    start_time: isoTime(minute.atMs),
    category,
    quota_limit: minute.limit,
    lowest_remaining: isKnown ? minute.low : null,
    highest_remaining: isKnown ? minute.high : null,
    number_source: minute.source,
    own_requests: minute.own,
    other_requests: minute.elsewhere,
    refused_429: minute.rejected,
    near_limit_seconds: secondsOf(minute.nearMs),
    known_seconds: secondsOf(minute.knownMs),
    desk_requests: desk,
  }
}

export interface SeriesInterval {
  readonly fromMs: number
  readonly toMs: number
  /** The app's version. */
  readonly version: string
}

/** The series as CSV (RFC 4180), produced in pieces. A month of minutes has half a million rows. */
export function* seriesCsv(minutes: Iterable<SeriesMinute>): Generator<string> {
  yield csvRow(SERIES_COLUMNS)
  for (const minute of minutes) {
    const row = seriesRow(minute)
    const cells: Cells = SERIES_COLUMNS.map((name) => row[name] ?? '')
    yield csvRow(cells)
  }
}

/** The series as one JSON object with one row per line, produced in pieces. */
export function* seriesJson(
  minutes: Iterable<SeriesMinute>,
  { fromMs, toMs, version }: SeriesInterval,
): Generator<string> {
  const about = { kind: 'headroom-series', formatVersion: EXPORT_FORMAT, version }
  const interval = { from: isoTime(fromMs), to: isoTime(toMs) }
  yield `${JSON.stringify({ ...about, ...interval }).slice(0, -1)},"rows":[`
  let separator = '\n'
  for (const minute of minutes) {
    yield `${separator}${JSON.stringify(seriesRow(minute))}`
    separator = ',\n'
  }
  yield '\n]}\n'
}
