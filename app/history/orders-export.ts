import type { OrderEntry } from '../contract/orders.ts'
import { csvOf, EXPORT_FORMAT, type ExportColumns, isoTime, rowOf } from './report-csv.ts'
import type { SeriesInterval } from './series.ts'

/** Columns of the journal of orders. No name is an SQL keyword, so none needs quotes. */
const COLUMNS = {
  id: ({ id }) => id,
  time: ({ atMs }) => isoTime(atMs),
  program: ({ program }) => program,
  method: ({ method }) => method,
  kind: ({ kind }) => kind,
  account_ending: ({ accountEnding }) => accountEnding,
  status: ({ status }) => status ?? null,
  order_ids: ({ orderIds }) => orderIds.join(' '),
  latency_ms: ({ latencyMs }) => latencyMs ?? null,
  outcome: ({ outcome }) => outcome,
} as const satisfies ExportColumns<OrderEntry>

export type OrderColumn = keyof typeof COLUMNS
export const ORDER_COLUMNS = Object.keys(COLUMNS) as readonly OrderColumn[]

/** The row of an order, in the order of `ORDER_COLUMNS`. */
export const orderExportRow = (entry: OrderEntry) => rowOf(COLUMNS, entry)

/** The orders as CSV (RFC 4180). */
export const ordersCsv = (entries: Iterable<OrderEntry>) => csvOf(COLUMNS, entries)

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
