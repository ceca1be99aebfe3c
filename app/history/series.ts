import {
  csvOf,
  EXPORT_FORMAT,
  type ExportColumns,
  type ExportedKey,
  isoTime,
  rowOf,
  secondsOf,
} from './report-csv.ts'
import type { Rollup } from './rollup.ts'

/** A minute of one request quota. */
export interface SeriesMinute extends ExportedKey {
  readonly category: string
  readonly minute: Rollup
  /** Requests of the desk's other machines; absent if none. */
  readonly desk?: number
}

/** The columns of the series. Times in ISO 8601. No name is an SQL keyword, so none needs quotes. */
const COLUMNS = {
  profile_id: ({ profile }) => profile,
  environment: ({ environment }) => environment,
  start_time: ({ minute }) => isoTime(minute.atMs),
  category: ({ category }) => category,
  quota_limit: ({ minute }) => minute.limit,
  lowest_remaining: ({ minute }) => (minute.knownMs > 0 ? minute.low : null),
  highest_remaining: ({ minute }) => (minute.knownMs > 0 ? minute.high : null),
  number_source: ({ minute }) => minute.source,
  own_requests: ({ minute }) => minute.own,
  other_requests: ({ minute }) => minute.elsewhere,
  refused_429: ({ minute }) => minute.rejected,
  near_limit_seconds: ({ minute }) => secondsOf(minute.nearMs),
  known_seconds: ({ minute }) => secondsOf(minute.knownMs),
  desk_requests: ({ desk = 0 }) => desk,
} as const satisfies ExportColumns<SeriesMinute>

export type SeriesColumn = keyof typeof COLUMNS
export const SERIES_COLUMNS = Object.keys(COLUMNS) as readonly SeriesColumn[]

/** The row of one minute, in the order of `SERIES_COLUMNS`. */
export const seriesRow = (minute: SeriesMinute) => rowOf(COLUMNS, minute)

export interface SeriesInterval {
  readonly fromMs: number
  readonly toMs: number
  /** The app's version. */
  readonly version: string
}

/** The series as CSV (RFC 4180), produced in pieces. A month of minutes has half a million rows. */
export const seriesCsv = (minutes: Iterable<SeriesMinute>) => csvOf(COLUMNS, minutes)

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
