import type { StreamKind } from '../service/streams.ts'

/** Short names of stream categories, as a trader would say them. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  'Quote Change Stream': 'Quotes',
  'Barchart Stream': 'Bars',
  'TickBar Stream': 'Tick bars',
  'MarketDepth Stream': 'Depth',
  'Option Quote Stream': 'Option quotes',
  'Option Chain Stream': 'Option chain',
  'Order Stream': 'Orders',
  'Order Stream by Order Id': 'Orders by id',
  'Positions Stream': 'Positions',
}

export const STREAM_KIND_NAMES: Readonly<Record<StreamKind, string>> = {
  quotes: 'Quotes',
  barcharts: 'Bars',
  tickbars: 'Tick bars',
  depth: 'Depth, quotes',
  'depth-aggregates': 'Depth, aggregates',
  'option-quotes': 'Option quotes',
  'option-chains': 'Option chain',
  orders: 'Orders',
  'orders-by-id': 'Orders by id',
  positions: 'Positions',
}

/** `Depth · MSFT` */
export function streamName(category: string, target: string): string {
  return `${SHORT_NAMES[category] ?? category} · ${target}`
}
