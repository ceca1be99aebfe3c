import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer'
import type { OrderEntry } from '../../app/contract/orders.ts'
import { ORDER_COLUMNS, type OrderColumn, orderExportRow } from '../../app/history/orders-export.ts'
import { EXPORT_FORMAT, isoTime } from '../../app/history/report-csv.ts'
import type { SeriesInterval } from '../../app/history/series.ts'

const TYPES: Readonly<Partial<Record<OrderColumn, BasicType>>> = {
  time: 'TIMESTAMP',
  status: 'INT32',
  latency_ms: 'DOUBLE',
}
const MAYBE_UNKNOWN: ReadonlySet<OrderColumn> = new Set(['status', 'latency_ms'])

/** The journal of orders as an Apache Parquet file; its key-value metadata describes the content. */
export function ordersParquet(
  entries: Iterable<OrderEntry>,
  { fromMs, toMs, version }: SeriesInterval,
): Uint8Array {
  const rows = [...entries].map(orderExportRow)
  const about = {
    kind: 'headroom-orders',
    formatVersion: String(EXPORT_FORMAT),
    version,
    from: isoTime(fromMs),
    to: isoTime(toMs),
  }
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: ORDER_COLUMNS.map((name) => ({
        name,
        type: TYPES[name] ?? 'STRING',
        nullable: MAYBE_UNKNOWN.has(name),
        data: rows.map((row) => (name === 'time' ? new Date(String(row.time)) : row[name])),
      })),
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    }),
  )
}
