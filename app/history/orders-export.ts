import type { OrderEntry } from '../contract/orders.ts'
import { csvRow, EXPORT_FORMAT, isoTime } from './report-csv.ts'
import type { SeriesInterval } from './series.ts'

/** Columns of the journal of orders. No name is an SQL keyword, so none needs quotes. */
export const ORDER_COLUMNS = [
  'id',
  'time',
  'program',
  'method',
  'kind',
  'account_ending',
  'status',
  'order_ids',
  'latency_ms',
  'outcome',
] as const
export type OrderColumn = (typeof ORDER_COLUMNS)[number]

/** An order as programs read it: without nested values. `null` for unknown values. */
export type OrderExportRow = Readonly<Record<OrderColumn, string | number | null>>

/** The row of an order, in the order of `ORDER_COLUMNS`. */
export const orderExportRow = (entry: OrderEntry): OrderExportRow => ({
  id: entry.id,
  time: isoTime(entry.atMs),
  program: entry.program,
  method: entry.method,
  kind: entry.kind,
  account_ending: entry.accountEnding,
  status: entry.status ?? null,
  order_ids: entry.orderIds.join(' '),
  latency_ms: entry.latencyMs ?? null,
  outcome: entry.outcome,
})

/** The orders as CSV (RFC 4180). */
export function* ordersCsv(entries: Iterable<OrderEntry>): Generator<string> {
  yield csvRow(ORDER_COLUMNS)
  for (const entry of entries) {
    const row = orderExportRow(entry)
    yield csvRow(ORDER_COLUMNS.map((name) => row[name] ?? ''))
  }
}

/** The orders as one JSON object with a list of rows. */
export const ordersJson = (
  entries: Iterable<OrderEntry>,
  { fromMs, toMs, version }: SeriesInterval,
): string =>
  `${JSON.stringify({
    kind: 'headroom-orders',
    formatVersion: EXPORT_FORMAT,
    version,
    from: isoTime(fromMs),
    to: isoTime(toMs),
    rows: [...entries].map(orderExportRow),
  })}\n`
