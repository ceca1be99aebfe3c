import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer'
import { EXPORT_FORMAT, isoTime } from '../../app/history/report-csv.ts'
import {
  SERIES_COLUMNS,
  type SeriesColumn,
  type SeriesInterval,
  type SeriesMinute,
  seriesRow,
} from '../../app/history/series.ts'

const TYPES: Readonly<Record<SeriesColumn, BasicType>> = {
  profile_id: 'STRING',
  environment: 'STRING',
  start_time: 'TIMESTAMP',
  category: 'STRING',
  quota_limit: 'INT32',
  lowest_remaining: 'INT32',
  highest_remaining: 'INT32',
  number_source: 'STRING',
  own_requests: 'INT32',
  other_requests: 'INT32',
  refused_429: 'INT32',
  near_limit_seconds: 'DOUBLE',
  known_seconds: 'DOUBLE',
}

const MAYBE_UNKNOWN: ReadonlySet<SeriesColumn> = new Set(['lowest_remaining', 'highest_remaining'])

/** A series as an Apache Parquet file; its key-value metadata describes the content. */
export function seriesParquet(
  minutes: Iterable<SeriesMinute>,
  { fromMs, toMs, version }: SeriesInterval,
): Uint8Array {
  const rows = [...minutes].map(seriesRow)
  const typed = (value: string | number | null, name: SeriesColumn) =>
    name === 'start_time' ? new Date(String(value)) : value
  const about = {
    kind: 'headroom-series',
    formatVersion: String(EXPORT_FORMAT),
    version,
    from: isoTime(fromMs),
    to: isoTime(toMs),
  }
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: SERIES_COLUMNS.map((name) => ({
        name,
        type: TYPES[name],
        nullable: MAYBE_UNKNOWN.has(name),
        data: rows.map((row) => typed(row[name], name)),
      })),
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    }),
  )
}
