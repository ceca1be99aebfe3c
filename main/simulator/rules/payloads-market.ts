import { DAY_MS } from '../../../app/contract/units.ts'
import { intervalStart, unitOf, wholeOf } from './seed.ts'

/**
 * Market data that changes but is repeatable: a price is a function of (seed, symbol, time).
 *
 * Numbers are strings, as on the real service. Every payload says that it is synthetic.
 */
export type Payload = Readonly<Record<string, unknown>>

/** Marks synthetic data. Has a non-ASCII character, so that a chunk can end in the middle of a character. */
export const SYNTHETIC = { Origin: 'simulator · synthetic' } as const

export const UNKNOWN_SYMBOL = 'NOPE'
export const invalidSymbol = (symbol: string): Payload => ({
  Symbol: symbol,
  Error: 'FAILED, EX_INVALID_SYMBOL',
})

export const timestamp = (atMs: number): string => new Date(atMs).toISOString()

const WAVES = [
  { seconds: 37, share: 0.0006 },
  { seconds: 301, share: 0.003 },
  { seconds: 3607, share: 0.012 },
] as const

/** A price in dollars, rounded to cents. */
export function priceOf(seed: number, symbol: string, atMs: number): number {
  const base = 20 + 480 * unitOf(seed, 'base', symbol)
  const moved = WAVES.reduce((sum, { seconds, share }, wave) => {
    const phase = unitOf(seed, 'phase', symbol, wave)
    return sum + share * Math.sin(2 * Math.PI * (atMs / 1000 / seconds + phase))
  }, 0)
  const noise = (unitOf(seed, 'noise', symbol, Math.floor(atMs / 500)) - 0.5) * 0.0004
  return Math.round(base * (1 + moved + noise) * 100) / 100
}

const VENUES = ['ARCX', 'BATS', 'EDGX', 'NSDQ', 'XNYS'] as const

const dollars = (value: number): string => value.toFixed(2)

export function quote(seed: number, symbol: string, atMs: number): Payload {
  const last = priceOf(seed, symbol, atMs)
  const dayStartMs = intervalStart(atMs, DAY_MS)
  const open = priceOf(seed, symbol, dayStartMs)
  const close = priceOf(seed, symbol, dayStartMs - 1)
  const tick = Math.floor(atMs / 500)
  const low = Math.min(open, last) * 0.996
  const high = Math.max(open, last) * 1.004
  return {
    Symbol: symbol,
    Open: dollars(open),
    High: dollars(high),
    Low: dollars(low),
    High52Week: dollars(high * 1.18),
    High52WeekTimestamp: timestamp(dayStartMs - 61 * DAY_MS),
    Low52Week: dollars(low * 0.79),
    Low52WeekTimestamp: timestamp(dayStartMs - 203 * DAY_MS),
    PreviousClose: dollars(close),
    PreviousVolume: String(wholeOf(seed, 1_000_000, 3_000_000, 'previous volume', symbol, dayStartMs)),
    Close: dollars(last),
    Last: dollars(last),
    VWAP: dollars((open + 2 * last) / 3),
    DailyOpenInterest: '0',
    TickSizeTier: '0',
    Ask: dollars(last + 0.01),
    AskSize: String(100 * wholeOf(seed, 1, 20, 'ask', symbol, tick)),
    Bid: dollars(last - 0.01),
    BidSize: String(100 * wholeOf(seed, 1, 20, 'bid', symbol, tick)),
    NetChange: dollars(last - close),
    NetChangePct: ((last / close - 1) * 100).toFixed(4),
    Volume: String(Math.floor((atMs - dayStartMs) / 40) + wholeOf(seed, 0, 90_000, 'volume', symbol)),
    LastSize: String(wholeOf(seed, 1, 300, 'last', symbol, tick)),
    LastVenue: VENUES[tick % VENUES.length],
    TradeTime: timestamp(atMs),
    Restrictions: [],
    MarketFlags: { IsBats: false, IsDelayed: false, IsHalted: false, IsHardToBorrow: false },
    ...SYNTHETIC,
  }
}

export const BAR_UNITS = ['Minute', 'Daily', 'Weekly', 'Monthly'] as const
export type BarUnit = (typeof BAR_UNITS)[number]
export const UNIT_MS = { Minute: 60_000, Daily: DAY_MS, Weekly: 7 * DAY_MS, Monthly: 30 * DAY_MS } as const

/** The bar that contains `atMs`, with the prices up to that time. */
export function bar(seed: number, symbol: string, unit: BarUnit, interval: number, atMs: number): Payload {
  const lengthMs = UNIT_MS[unit] * interval
  const startMs = intervalStart(atMs, lengthMs)
  const seen = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) =>
    priceOf(seed, symbol, Math.round(startMs + (atMs - startMs) * part)),
  )
  const volume = Math.floor((atMs - startMs) / 100) + wholeOf(seed, 100, 5000, 'bar', symbol, startMs)
  const ticks = Math.ceil(volume / 40)
  const upTicks = Math.floor(ticks * (0.4 + 0.2 * unitOf(seed, 'up', symbol, startMs)))
  const upVolume = Math.floor((volume * upTicks) / ticks)
  return {
    High: dollars(Math.max(...seen)),
    Low: dollars(Math.min(...seen)),
    Open: dollars(seen.at(0) ?? 0),
    Close: dollars(seen.at(-1) ?? 0),
    TimeStamp: timestamp(startMs + lengthMs),
    TotalVolume: String(volume),
    TotalTicks: ticks,
    UpTicks: upTicks,
    DownTicks: ticks - upTicks,
    UpVolume: upVolume,
    DownVolume: volume - upVolume,
    UnchangedTicks: 0,
    UnchangedVolume: 0,
    OpenInterest: '0',
    Epoch: startMs + lengthMs,
    IsRealtime: true,
    IsEndOfHistory: false,
    BarStatus: atMs >= startMs + lengthMs - 1 ? 'Closed' : 'Open',
    ...SYNTHETIC,
  }
}

/** `count` bars, oldest first. The last bar is still open. */
export function bars(
  seed: number,
  symbol: string,
  unit: BarUnit,
  interval: number,
  count: number,
  atMs: number,
): readonly Payload[] {
  const lengthMs = UNIT_MS[unit] * interval
  const startMs = intervalStart(atMs, lengthMs)
  return Array.from({ length: count }, (_, index) => {
    const age = count - 1 - index
    const closesMs = startMs - (age - 1) * lengthMs - 1
    return age === 0
      ? { ...bar(seed, symbol, unit, interval, atMs), IsEndOfHistory: true }
      : { ...bar(seed, symbol, unit, interval, closesMs), IsRealtime: false }
  })
}

/** The details of a symbol. An option's name has a space, as in `MSFT 261218C400`. */
export function symbolDetail(symbol: string): Payload {
  const option = /^(\S+) \d{6}([CP])([\d.]+)$/.exec(symbol)
  return {
    AssetType: option ? 'STOCKOPTION' : 'STOCK',
    Country: 'United States',
    Currency: 'USD',
    Description: `${symbol} (simulated)`,
    Exchange: option ? 'OPRA' : 'NASDAQ',
    ...(option && {
      OptionType: option[2] === 'C' ? 'Call' : 'Put',
      StrikePrice: option[3],
      Underlying: option[1],
    }),
    PriceFormat: {
      Format: 'Decimal',
      Decimals: '2',
      IncrementStyle: 'Simple',
      Increment: '0.01',
      PointValue: option ? '100' : '1',
    },
    QuantityFormat: {
      Format: 'Decimal',
      Decimals: '0',
      IncrementStyle: 'Simple',
      Increment: '1',
      MinimumTradeQuantity: '1',
    },
    Root: option?.[1] ?? symbol,
    Symbol: symbol,
    ...SYNTHETIC,
  }
}

/**
 * A tick bar in the format of v2 streams. Prices are numbers instead of strings, and `Status` is the bar's
 * state.
 */
export function tickBar(seed: number, symbol: string, ticks: number, atMs: number): Payload {
  const price = priceOf(seed, symbol, atMs)
  return {
    Close: price,
    High: Math.round((price + 0.02) * 100) / 100,
    Low: Math.round((price - 0.02) * 100) / 100,
    Open: priceOf(seed, symbol, atMs - 1000),
    Status: 13,
    TimeStamp: `/Date(${Math.floor(atMs)})/`,
    TotalTicks: ticks,
    TotalVolume: wholeOf(seed, ticks, ticks * 100, 'tickbar', symbol, Math.floor(atMs)),
    ...SYNTHETIC,
  }
}

export function depthQuotes(seed: number, symbol: string, levels: number, atMs: number): Payload {
  const side = (name: 'Bid' | 'Ask', sign: 1 | -1) =>
    Array.from({ length: levels }, (_, level) => ({
      TimeStamp: timestamp(atMs),
      Side: name,
      Price: dollars(priceOf(seed, symbol, atMs) + sign * 0.01 * (level + 1)),
      Size: String(100 * wholeOf(seed, 1, 40, name, symbol, level, Math.floor(atMs / 500))),
      OrderCount: wholeOf(seed, 1, 9, 'orders', symbol, level),
      Name: VENUES[level % VENUES.length],
    }))
  return { Bids: side('Bid', -1), Asks: side('Ask', 1), ...SYNTHETIC }
}

export function depthAggregates(seed: number, symbol: string, levels: number, atMs: number): Payload {
  const side = (name: 'Bid' | 'Ask', sign: 1 | -1) =>
    Array.from({ length: levels }, (_, level) => {
      const size = 100 * wholeOf(seed, 2, 80, name, symbol, level, Math.floor(atMs / 500))
      return {
        EarliestTime: timestamp(atMs - 4000),
        LatestTime: timestamp(atMs),
        Side: name,
        Price: dollars(priceOf(seed, symbol, atMs) + sign * 0.01 * (level + 1)),
        TotalSize: String(size),
        BiggestSize: String(Math.ceil(size / 2)),
        SmallestSize: '100',
        NumParticipants: wholeOf(seed, 1, 5, 'participants', symbol, level),
        TotalOrderCount: wholeOf(seed, 1, 20, 'orders', symbol, level),
      }
    })
  return { Bids: side('Bid', -1), Asks: side('Ask', 1), ...SYNTHETIC }
}
