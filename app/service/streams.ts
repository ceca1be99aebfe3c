/** The kinds of stream (service 6) and the request that opens each. */

export const STREAM_KINDS = [
  'quotes',
  'barcharts',
  'tickbars',
  'depth',
  'depth-aggregates',
  'option-quotes',
  'option-chains',
  'orders',
  'orders-by-id',
  'positions',
] as const

export type StreamKind = (typeof STREAM_KINDS)[number]

export interface StreamRequest {
  readonly kind: StreamKind
  /** Symbols or account ids, comma-separated; `ACCOUNT/ORDER,ORDER` for orders-by-id. */
  readonly target: string
  readonly options: Readonly<Record<string, string>>
}

/** Whether both would open the same stream. */
export function sameRequest(a: StreamRequest, b: StreamRequest): boolean {
  const names = Object.keys(a.options)
  return (
    a.kind === b.kind &&
    a.target === b.target &&
    names.length === Object.keys(b.options).length &&
    names.every((name) => a.options[name] === b.options[name])
  )
}

export interface StreamShape {
  readonly category: string
  /** Whether the kind ends its first answer with `EndSnapshot`. */
  readonly snapshot: boolean
}

export const STREAM_SHAPES: Readonly<Record<StreamKind, StreamShape>> = {
  quotes: { category: 'Quote Change Stream', snapshot: false },
  barcharts: { category: 'Barchart Stream', snapshot: false },
  tickbars: { category: 'TickBar Stream', snapshot: false },
  depth: { category: 'MarketDepth Stream', snapshot: false },
  'depth-aggregates': { category: 'MarketDepth Stream', snapshot: false },
  'option-quotes': { category: 'Option Quote Stream', snapshot: false },
  'option-chains': { category: 'Option Chain Stream', snapshot: false },
  orders: { category: 'Order Stream', snapshot: true },
  'orders-by-id': { category: 'Order Stream by Order Id', snapshot: true },
  positions: { category: 'Positions Stream', snapshot: true },
}
