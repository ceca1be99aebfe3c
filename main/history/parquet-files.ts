import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer'
import type { OrderEntry } from '../../app/contract/orders.ts'
import { ORDER_COLUMNS, type OrderColumn, orderExportRow } from '../../app/history/orders-export.ts'
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
  desk_requests: 'INT32',
}

const MAYBE_UNKNOWN: ReadonlySet<SeriesColumn> = new Set(['lowest_remaining', 'highest_remaining'])

/** A series as an Apache Parquet file. Its key-value metadata describes the content. */
export const seriesParquet = (minutes: Iterable<SeriesMinute>, interval: SeriesInterval): Uint8Array =>
  parquet('headroom-series', interval, {
    columns: SERIES_COLUMNS.map((name) => ({ name, type: TYPES[name], nullable: MAYBE_UNKNOWN.has(name) })),
    rows: [...minutes].map(seriesRow),
  })

const ORDER_TYPES: Readonly<Partial<Record<OrderColumn, BasicType>>> = {
  time: 'TIMESTAMP',
  status: 'INT32',
  latency_ms: 'DOUBLE',
}
const MAYBE_UNANSWERED: ReadonlySet<OrderColumn> = new Set(['status', 'latency_ms'])

export const ordersParquet = (entries: Iterable<OrderEntry>, interval: SeriesInterval): Uint8Array =>
  parquet('headroom-orders', interval, {
    columns: ORDER_COLUMNS.map((name) => ({
      name,
      type: ORDER_TYPES[name] ?? 'STRING',
      nullable: MAYBE_UNANSWERED.has(name),
    })),
    rows: [...entries].map(orderExportRow),
  })

interface Table<Name extends string> {
  readonly columns: readonly { readonly name: Name; readonly type: BasicType; readonly nullable: boolean }[]
  readonly rows: readonly Readonly<Record<Name, string | number | null>>[]
}

function parquet<Name extends string>(
  kind: string,
  { fromMs, toMs, version }: SeriesInterval,
  { columns, rows }: Table<Name>,
): Uint8Array {
  const typed = (value: string | number | null, type: BasicType) =>
    type === 'TIMESTAMP' ? new Date(String(value)) : value
  const about = {
    kind,
    formatVersion: String(EXPORT_FORMAT),
    version,
    from: isoTime(fromMs),
    to: isoTime(toMs),
  }
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map((column) => ({
        ...column,
        data: rows.map((row) => typed(row[column.name], column.type)),
      })),
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    }),
  )
}
