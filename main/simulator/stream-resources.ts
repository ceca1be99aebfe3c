import { STREAM_KINDS, type StreamKind } from '../../app/service/stream-kinds.ts'
import { streamPattern } from '../../app/service/stream-paths.ts'
import {
  readAccounts,
  readBarUnit,
  readLegs,
  readOrderIds,
  readSymbols,
  readWhole,
  readWholeText,
  whenRead,
} from './resource-params.ts'
import type { ResourceRequest } from './resources.ts'
import {
  barFrames,
  depthFrames,
  type Frames,
  optionChainFrames,
  optionQuoteFrames,
  orderFrames,
  positionFrames,
  quoteFrames,
  tickBarFrames,
} from './rules/stream-frames.ts'
import type { Answer } from './wire.ts'

export interface StreamResource {
  readonly path: RegExp
  readonly open: OpenStream
}

/** The frames of a stream, or the response that rejects it. */
type OpenStream = (asked: ResourceRequest) => Opening

export type Opening = { readonly kind: 'frames'; readonly frames: Frames } | Answer

const opened = (frames: Frames): Opening => ({ kind: 'frames', frames })

const oneSymbol = (of: (symbol: string) => Opening) => (asked: ResourceRequest) =>
  whenRead(readSymbols(asked.parts[0] ?? ''), ([symbol = '']) => of(symbol))

const LEVELS = { low: 1, high: 100, otherwise: 20 }

const depth = (kind: 'quotes' | 'aggregates') => (asked: ResourceRequest) =>
  oneSymbol((symbol) =>
    whenRead(readWhole(asked.query, 'maxlevels', LEVELS), (levels) =>
      opened(depthFrames(asked.seed, kind, symbol, levels)),
    ),
  )(asked)

/** How each kind of stream is opened (service 11). */
const OPEN: Readonly<Record<StreamKind, OpenStream>> = {
  quotes: ({ seed, parts }) =>
    whenRead(readSymbols(parts[0] ?? ''), (symbols) => opened(quoteFrames(seed, symbols))),
  barcharts: (asked) =>
    oneSymbol((symbol) =>
      whenRead(readBarUnit(asked.query), (unit) =>
        whenRead(readWhole(asked.query, 'interval', { low: 1, high: 1440, otherwise: 1 }), (interval) =>
          whenRead(readWhole(asked.query, 'barsback', { low: 1, high: 57_600, otherwise: 1 }), (barsBack) =>
            // At most a thousand bars, to limit memory.
            opened(barFrames(asked.seed, symbol, { unit, interval, barsBack: Math.min(barsBack, 1000) })),
          ),
        ),
      ),
    )(asked),
  tickbars: (asked) =>
    oneSymbol((symbol) =>
      whenRead(readWholeText(asked.parts[1] ?? '', 'interval', { low: 1, high: 64_999 }), (ticks) =>
        whenRead(readWholeText(asked.parts[2] ?? '', 'barsBack', { low: 1, high: 10 }), (barsBack) =>
          opened(tickBarFrames(asked.seed, symbol, ticks, barsBack)),
        ),
      ),
    )(asked),
  depth: depth('quotes'),
  'depth-aggregates': depth('aggregates'),
  'option-quotes': ({ seed, query }) =>
    whenRead(readLegs(query), (legs) => opened(optionQuoteFrames(seed, legs))),
  'option-chains': (asked) => oneSymbol((symbol) => opened(optionChainFrames(asked.seed, symbol)))(asked),
  orders: ({ seed, book, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) => opened(orderFrames(seed, book, known))),
  'orders-by-id': ({ seed, book, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) =>
      whenRead(readOrderIds(parts[1] ?? ''), (ids) => opened(orderFrames(seed, book, known, ids))),
    ),
  positions: ({ seed, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) => opened(positionFrames(seed, known))),
}

export const STREAM_RESOURCES: readonly StreamResource[] = STREAM_KINDS.map((kind) => ({
  path: streamPattern(kind),
  open: OPEN[kind],
}))
