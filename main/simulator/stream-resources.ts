import {
  readAccounts,
  readBarUnit,
  readLegs,
  readOrderIds,
  readSymbols,
  readWhole,
  readWholeText,
} from './resource-params.ts'
import { type Asked, whenRead } from './resources.ts'
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
  /** The frames of the stream, or the answer that refuses it. */
  open(asked: Asked): Opening
}

export type Opening = { readonly kind: 'frames'; readonly frames: Frames } | Answer

const opened = (frames: Frames): Opening => ({ kind: 'frames', frames })
const stream = (path: RegExp, open: StreamResource['open']): StreamResource => ({ path, open })

const oneSymbol = (of: (symbol: string) => Opening) => (asked: Asked) =>
  whenRead(readSymbols(asked.parts[0] ?? ''), ([symbol = '']) => of(symbol))

const LEVELS = { low: 1, high: 100, otherwise: 20 }

const depth = (kind: 'quotes' | 'aggregates') => (asked: Asked) =>
  oneSymbol((symbol) =>
    whenRead(readWhole(asked.query, 'maxlevels', LEVELS), (levels) =>
      opened(depthFrames(asked.seed, kind, symbol, levels)),
    ),
  )(asked)

/** The ten streams (service 11). */
export const STREAM_RESOURCES: readonly StreamResource[] = [
  stream(/^\/v3\/marketdata\/stream\/quotes\/([^/]+)$/, ({ seed, parts }) =>
    whenRead(readSymbols(parts[0] ?? ''), (symbols) => opened(quoteFrames(seed, symbols))),
  ),
  stream(/^\/v3\/marketdata\/stream\/barcharts\/([^/]+)$/, (asked) =>
    oneSymbol((symbol) =>
      whenRead(readBarUnit(asked.query), (unit) =>
        whenRead(readWhole(asked.query, 'interval', { low: 1, high: 1440, otherwise: 1 }), (interval) =>
          whenRead(readWhole(asked.query, 'barsback', { low: 1, high: 57_600, otherwise: 1 }), (barsBack) =>
            // A thousand bars at most: more would only cost memory.
            opened(barFrames(asked.seed, symbol, { unit, interval, barsBack: Math.min(barsBack, 1000) })),
          ),
        ),
      ),
    )(asked),
  ),
  stream(/^\/v2\/stream\/tickbars\/([^/]+)\/([^/]+)\/([^/]+)$/, (asked) =>
    oneSymbol((symbol) =>
      whenRead(readWholeText(asked.parts[1] ?? '', 'interval', { low: 1, high: 64_999 }), (ticks) =>
        whenRead(readWholeText(asked.parts[2] ?? '', 'barsBack', { low: 1, high: 10 }), (barsBack) =>
          opened(tickBarFrames(asked.seed, symbol, ticks, barsBack)),
        ),
      ),
    )(asked),
  ),
  stream(/^\/v3\/marketdata\/stream\/marketdepth\/quotes\/([^/]+)$/, depth('quotes')),
  stream(/^\/v3\/marketdata\/stream\/marketdepth\/aggregates\/([^/]+)$/, depth('aggregates')),
  stream(/^\/v3\/marketdata\/stream\/options\/quotes$/, ({ seed, query }) =>
    whenRead(readLegs(query), (legs) => opened(optionQuoteFrames(seed, legs))),
  ),
  stream(/^\/v3\/marketdata\/stream\/options\/chains\/([^/]+)$/, (asked) =>
    oneSymbol((symbol) => opened(optionChainFrames(asked.seed, symbol)))(asked),
  ),
  stream(/^\/v3\/brokerage\/stream\/accounts\/([^/]+)\/orders$/, ({ seed, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) => opened(orderFrames(seed, known))),
  ),
  stream(/^\/v3\/brokerage\/stream\/accounts\/([^/]+)\/orders\/([^/]+)$/, ({ seed, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) =>
      whenRead(readOrderIds(parts[1] ?? ''), (ids) => opened(orderFrames(seed, known, ids))),
    ),
  ),
  stream(/^\/v3\/brokerage\/stream\/accounts\/([^/]+)\/positions$/, ({ seed, parts }) =>
    whenRead(readAccounts(parts[0] ?? ''), ({ known }) => opened(positionFrames(seed, known))),
  ),
]
