import type { OrderBook, OrderChanges } from './order-book.ts'
import { order, orderIds, positions } from './payloads-brokerage.ts'
import {
  type BarUnit,
  bar,
  bars,
  depthAggregates,
  depthQuotes,
  invalidSymbol,
  type Payload,
  quote,
  tickBar,
  timestamp,
  UNKNOWN_SYMBOL,
} from './payloads-market.ts'
import { chainSymbols, optionQuote } from './payloads-options.ts'

/** The content of one stream: its opening frames and the messages after them. */
export interface Frames {
  readonly contentType: string
  readonly lineEnd: '\n' | '\r\n'
  opening(atMs: number): readonly Payload[]
  /** One message after the opening frames. `undefined` if the stream sends only heartbeats. */
  message(count: number, atMs: number): Payload | undefined
  /**
   * When the next change of an order is due. Changes are sent in addition to the messages. `undefined` if no
   * change is due.
   */
  nextChangeMs?(): number | undefined
  /** The changes up to `atMs`, oldest first. */
  changed?(atMs: number): readonly Payload[]
}

const MARKET = { contentType: 'application/vnd.tradestation.streams.v2+json', lineEnd: '\r\n' } as const
const BROKERAGE = { contentType: 'application/vnd.tradestation.streams.v3+json', lineEnd: '\n' } as const
const TICK_BARS = { contentType: 'application/vnd.tradestation.streams+json', lineEnd: '\r\n' } as const

export const END_SNAPSHOT: Payload = { StreamStatus: 'EndSnapshot' }
export const GO_AWAY_V2: Payload = { StreamStatus: 'GoAway' }
export const GO_AWAY_V3: Payload = {
  Error: 'GoAway',
  Message: 'The server is going away: open a new stream.',
}
export const heartbeat = (count: number, atMs: number): Payload => ({
  Heartbeat: count,
  Timestamp: timestamp(atMs),
})

const turn = <T>(items: readonly T[], count: number): T | undefined =>
  items.length === 0 ? undefined : items[count % items.length]

/**
 * Frames of a quote stream. The messages go through the symbols in turn. An unknown symbol is reported once,
 * and the stream continues.
 */
export function quoteFrames(seed: number, symbols: readonly string[]): Frames {
  const known = symbols.filter((symbol) => symbol !== UNKNOWN_SYMBOL)
  return {
    ...MARKET,
    opening: (atMs) =>
      symbols.map((symbol) =>
        symbol === UNKNOWN_SYMBOL ? invalidSymbol(symbol) : quote(seed, symbol, atMs),
      ),
    message: (count, atMs) => {
      const symbol = turn(known, count)
      return symbol === undefined ? undefined : quote(seed, symbol, atMs)
    },
  }
}

/** Frames of a stream of one symbol. `first` returns the opening frames, and `next` returns each message. */
function oneSymbol(
  shape: Pick<Frames, 'contentType' | 'lineEnd'>,
  symbol: string,
  first: (atMs: number) => readonly Payload[],
  next: (count: number, atMs: number) => Payload | undefined,
): Frames {
  return symbol === UNKNOWN_SYMBOL
    ? { ...shape, opening: () => [invalidSymbol(symbol)], message: () => undefined }
    : { ...shape, opening: first, message: next }
}

export const barFrames = (
  seed: number,
  symbol: string,
  bar_: { readonly unit: BarUnit; readonly interval: number; readonly barsBack: number },
): Frames =>
  oneSymbol(
    MARKET,
    symbol,
    (atMs) => bars(seed, symbol, bar_.unit, bar_.interval, bar_.barsBack, atMs),
    (_, atMs) => bar(seed, symbol, bar_.unit, bar_.interval, atMs),
  )

export const tickBarFrames = (seed: number, symbol: string, ticks: number, barsBack: number): Frames =>
  oneSymbol(
    TICK_BARS,
    symbol,
    (atMs) =>
      Array.from({ length: barsBack }, (_, index) =>
        tickBar(seed, symbol, ticks, atMs - (barsBack - index) * 1000),
      ),
    (_, atMs) => tickBar(seed, symbol, ticks, atMs),
  )

export function depthFrames(
  seed: number,
  kind: 'quotes' | 'aggregates',
  symbol: string,
  levels: number,
): Frames {
  const book = kind === 'quotes' ? depthQuotes : depthAggregates
  const now = (atMs: number) => book(seed, symbol, levels, atMs)
  return oneSymbol(
    MARKET,
    symbol,
    (atMs) => [now(atMs)],
    (_, atMs) => now(atMs),
  )
}

export function optionQuoteFrames(seed: number, legs: readonly string[]): Frames {
  const unknown = legs.find((leg) => leg.split(' ')[0] === UNKNOWN_SYMBOL)
  if (unknown !== undefined) {
    return { ...MARKET, opening: () => [invalidSymbol(unknown)], message: () => undefined }
  }
  const now = (atMs: number) => optionQuote(seed, legs, atMs)
  return { ...MARKET, opening: (atMs) => [now(atMs)], message: (_, atMs) => now(atMs) }
}

export function optionChainFrames(seed: number, underlying: string): Frames {
  const quoteOf = (symbol: string | undefined, atMs: number) =>
    symbol === undefined ? undefined : optionQuote(seed, [symbol], atMs)
  return oneSymbol(
    MARKET,
    underlying,
    (atMs) => chainSymbols(seed, underlying, atMs).map((symbol) => optionQuote(seed, [symbol], atMs)),
    (count, atMs) => quoteOf(turn(chainSymbols(seed, underlying, atMs), count), atMs),
  )
}

/**
 * Frames of an order stream. Order and position streams open with a snapshot and its end marker (service 12).
 *
 * The messages go through the orders of the simulated day in turn. An order that a program placed is sent
 * when it changes.
 */
export function orderFrames(
  seed: number,
  book: OrderBook,
  accounts: readonly string[],
  ids?: readonly string[],
): Frames {
  const simulated = accounts.flatMap((account) =>
    (ids ?? orderIds(seed, account)).filter((id) => !book.has(id)).map((id) => ({ account, id })),
  )
  const booked = (account: string, atMs: number): readonly Payload[] =>
    ids === undefined ? book.ordersOf(account, atMs) : book.named(account, ids, atMs)
  let changes: OrderChanges | undefined
  return {
    ...BROKERAGE,
    opening: (atMs) => {
      changes = book.changes(
        atMs,
        (account, id) => accounts.includes(account) && (ids === undefined || ids.includes(id)),
      )
      return [
        ...accounts.flatMap((account) => booked(account, atMs)),
        ...simulated.map(({ account, id }) => order(seed, account, id, atMs)),
        END_SNAPSHOT,
      ]
    },
    message: (count, atMs) => {
      const one = turn(simulated, count)
      return one === undefined ? undefined : order(seed, one.account, one.id, atMs)
    },
    nextChangeMs: () => changes?.nextMs(),
    changed: (atMs) => changes?.take(atMs) ?? [],
  }
}

export function positionFrames(seed: number, accounts: readonly string[]): Frames {
  const all = (atMs: number) => accounts.flatMap((account) => positions(seed, account, atMs))
  return {
    ...BROKERAGE,
    opening: (atMs) => [...all(atMs), END_SNAPSHOT],
    message: (count, atMs) => turn(all(atMs), count),
  }
}
