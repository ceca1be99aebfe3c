/** The kind of target that a stream has. Commas separate several accounts or symbols. */
export type StreamTarget = 'symbol' | 'symbols' | 'option-symbols' | 'accounts' | 'orders'

/**
 * Time in milliseconds after which an open stream without frames counts as silent. Heartbeats are frames too
 * and come every 5 s (service 12).
 */
export const SILENT_AFTER_MS = 15_000

/** An option of a stream, which the app window offers when a person opens the stream. */
export interface StreamOption {
  /** The service's name for the option. */
  readonly name: string
  readonly label: string
  readonly initial: string
  /** The allowed values. Absent for a whole number. */
  readonly choices?: readonly string[]
}

/** Content of a stream's frames. It determines how frames are merged for a late reader. See `mergeRuleOf`. */
export type FrameForm = 'quote' | 'bar' | 'tick-bar' | 'book' | 'contract' | 'order' | 'position'

/** All facts about one kind of stream. */
export interface StreamKindRow {
  /** The resource category whose quotas count the stream. */
  readonly category: string
  readonly name: string
  /** Display name of the kind's category, if several kinds share it. */
  readonly categoryName?: string
  readonly target: StreamTarget
  /** The app window's label for the target. By default, the label depends on `target`. */
  readonly targetLabel?: string
  /** A sentence about the kind, shown next to the form. */
  readonly note?: string
  readonly options?: readonly StreamOption[]
  /** Options in the path, with their defaults. Each is a whole number. */
  readonly pathOptions?: Readonly<Record<string, string>>
  /**
   * Path under `{base_url}` (service 11). Braces mark the variable parts: `target`, the order `ids`, or one
   * of `pathOptions`. Without `{target}`, the target is in the query.
   */
  readonly path: string
  readonly frames: FrameForm
  /** Whether the first response ends with `EndSnapshot`. */
  readonly snapshot?: true
}

const TABLE = {
  quotes: {
    category: 'Quote Change Stream',
    name: 'Quotes',
    target: 'symbols',
    path: '/v3/marketdata/stream/quotes/{target}',
    frames: 'quote',
  },
  barcharts: {
    category: 'Barchart Stream',
    name: 'Bars',
    target: 'symbol',
    options: [
      { name: 'interval', label: 'Interval', initial: '1' },
      { name: 'unit', label: 'Unit', initial: 'Minute', choices: ['Minute', 'Daily', 'Weekly', 'Monthly'] },
    ],
    path: '/v3/marketdata/stream/barcharts/{target}',
    frames: 'bar',
  },
  tickbars: {
    category: 'TickBar Stream',
    name: 'Tick bars',
    target: 'symbol',
    options: [
      { name: 'interval', label: 'Ticks per bar', initial: '100' },
      { name: 'barsBack', label: 'Bars back', initial: '10' },
    ],
    pathOptions: { interval: '1', barsBack: '10' },
    path: '/v2/stream/tickbars/{target}/{interval}/{barsBack}',
    frames: 'tick-bar',
  },
  depth: {
    category: 'MarketDepth Stream',
    name: 'Depth quotes',
    categoryName: 'Depth',
    target: 'symbol',
    note: 'Shares its slots with depth aggregates.',
    path: '/v3/marketdata/stream/marketdepth/quotes/{target}',
    frames: 'book',
  },
  'depth-aggregates': {
    category: 'MarketDepth Stream',
    name: 'Depth aggregates',
    categoryName: 'Depth',
    target: 'symbol',
    note: 'Shares its slots with depth quotes.',
    path: '/v3/marketdata/stream/marketdepth/aggregates/{target}',
    frames: 'book',
  },
  'option-quotes': {
    category: 'Option Quote Stream',
    name: 'Option quotes',
    target: 'option-symbols',
    path: '/v3/marketdata/stream/options/quotes',
    frames: 'contract',
  },
  'option-chains': {
    category: 'Option Chain Stream',
    name: 'Option chain',
    categoryName: 'Option chains',
    target: 'symbol',
    targetLabel: 'Underlying',
    path: '/v3/marketdata/stream/options/chains/{target}',
    frames: 'contract',
  },
  orders: {
    category: 'Order Stream',
    name: 'Orders',
    target: 'accounts',
    path: '/v3/brokerage/stream/accounts/{target}/orders',
    frames: 'order',
    snapshot: true,
  },
  'orders-by-id': {
    category: 'Order Stream by Order Id',
    name: 'Orders by id',
    target: 'orders',
    path: '/v3/brokerage/stream/accounts/{target}/orders/{ids}',
    frames: 'order',
    snapshot: true,
  },
  positions: {
    category: 'Positions Stream',
    name: 'Positions',
    target: 'accounts',
    path: '/v3/brokerage/stream/accounts/{target}/positions',
    frames: 'position',
    snapshot: true,
  },
} as const satisfies Record<string, StreamKindRow>

export type StreamKind = keyof typeof TABLE

/** The kinds of stream (service 6), one row each. */
export const STREAM_TABLE: Readonly<Record<StreamKind, StreamKindRow>> = TABLE

/** Categories that streams count against. */
export type StreamCategory = (typeof TABLE)[StreamKind]['category']

/** The kinds in the order in which they are offered. */
export const STREAM_KINDS = Object.keys(TABLE) as [StreamKind, ...StreamKind[]]

/** The first kind of a stream category. `undefined` if no stream counts against it. */
export const streamKindOf = (category: string): StreamKind | undefined =>
  STREAM_KINDS.find((kind) => STREAM_TABLE[kind].category === category)

/** Display name of a stream category. The category itself if no kind is known. */
export function streamCategoryName(category: string): string {
  const kind = streamKindOf(category)
  if (kind === undefined) return category
  const { categoryName, name } = STREAM_TABLE[kind]
  return categoryName ?? name
}

/** The request that opens a stream. */
export interface StreamRequest {
  readonly kind: StreamKind
  /** Symbols or account ids, comma-separated. `ACCOUNT/ORDER,ORDER` for orders-by-id. */
  readonly target: string
  readonly options: Readonly<Record<string, string>>
}

/** Whether both requests would open the same stream. */
export function sameRequest(a: StreamRequest, b: StreamRequest): boolean {
  const names = Object.keys(a.options)
  return (
    a.kind === b.kind &&
    a.target === b.target &&
    names.length === Object.keys(b.options).length &&
    names.every((name) => a.options[name] === b.options[name])
  )
}
