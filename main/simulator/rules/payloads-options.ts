import { DAY_MS } from '../../../app/contract/units.ts'
import { type Payload, priceOf, SYNTHETIC, timestamp } from './payloads-market.ts'
import { intervalStart, unitOf, wholeOf } from './seed.ts'

const FRIDAY = 5

function fridays(atMs: number, count: number): readonly string[] {
  const today = intervalStart(atMs, DAY_MS)
  const until = (FRIDAY - new Date(today).getUTCDay() + 7) % 7
  return Array.from({ length: count }, (_, week) =>
    new Date(today + (until + 7 * week) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** Whether a Friday is the third of its month, on which standard monthly options expire. */
function isThirdFriday(date: string): boolean {
  const day = Number(date.slice(8))
  return day >= 15 && day <= 21
}

export const expirations = (atMs: number): Payload => ({
  Expirations: fridays(atMs, 12).map((date) => ({
    Date: `${date}T00:00:00Z`,
    Type: isThirdFriday(date) ? 'Monthly' : 'Weekly',
  })),
  ...SYNTHETIC,
})

const strikesOf = (seed: number, underlying: string, atMs: number): readonly number[] => {
  const middle = Math.round(priceOf(seed, underlying, atMs) / 5) * 5
  return Array.from({ length: 21 }, (_, step) => middle + (step - 10) * 5).filter((strike) => strike > 0)
}

/**
 * The spread types. `strikes` is the number of consecutive strikes in a spread. `StrikeInterval` and
 * `ExpirationInterval` say which intervals a request can choose.
 */
const SPREAD_TYPES = [
  { Name: 'Single', StrikeInterval: false, ExpirationInterval: false, strikes: 1 },
  { Name: 'Vertical', StrikeInterval: true, ExpirationInterval: false, strikes: 2 },
  { Name: 'Calendar', StrikeInterval: false, ExpirationInterval: true, strikes: 1 },
  { Name: 'Butterfly', StrikeInterval: true, ExpirationInterval: false, strikes: 3 },
  { Name: 'Straddle', StrikeInterval: false, ExpirationInterval: false, strikes: 1 },
] as const
export type SpreadType = (typeof SPREAD_TYPES)[number]['Name']

/** The spread type with this name, in upper or lower case. `undefined` for other names. */
export const spreadTypeOf = (name: string): SpreadType | undefined =>
  SPREAD_TYPES.find(({ Name }) => Name.toLowerCase() === name.toLowerCase())?.Name

/** The strikes of an underlying. Each entry contains the strikes of one spread, lowest first. */
export function strikes(seed: number, underlying: string, spreadType: SpreadType, atMs: number): Payload {
  const all = strikesOf(seed, underlying, atMs)
  const taken = SPREAD_TYPES.find(({ Name }) => Name === spreadType)?.strikes ?? 1
  return {
    SpreadType: spreadType,
    Strikes: all
      .slice(0, all.length - taken + 1)
      .map((_, index) => all.slice(index, index + taken).map(String)),
    ...SYNTHETIC,
  }
}

export const spreadTypes = (): Payload => ({
  SpreadTypes: SPREAD_TYPES.map(({ strikes: _, ...type }) => type),
  ...SYNTHETIC,
})

export const riskReward = (seed: number, spreadPrice: number, words: string): Payload => ({
  SpreadPrice: String(spreadPrice),
  MaxGain: (spreadPrice * (1 + unitOf(seed, 'gain', words))).toFixed(2),
  MaxLoss: (-spreadPrice * 100).toFixed(2),
  RiskRewardRatio: (0.5 + unitOf(seed, 'ratio', words)).toFixed(2),
  BreakevenPoints: [(spreadPrice * 20).toFixed(2)],
  ...SYNTHETIC,
})

export function optionQuote(seed: number, legs: readonly string[], atMs: number): Payload {
  const name = legs.join('+')
  const middle = priceOf(seed, name, atMs) / 40
  const tick = Math.floor(atMs / 500)
  return {
    Delta: (unitOf(seed, 'delta', name) - 0.5).toFixed(4),
    Gamma: (unitOf(seed, 'gamma', name) / 10).toFixed(4),
    Theta: (-unitOf(seed, 'theta', name) / 5).toFixed(4),
    Vega: (unitOf(seed, 'vega', name) / 3).toFixed(4),
    ImpliedVolatility: (0.15 + unitOf(seed, 'iv', name) / 2).toFixed(4),
    Bid: (middle - 0.05).toFixed(2),
    Ask: (middle + 0.05).toFixed(2),
    Mid: middle.toFixed(2),
    Last: middle.toFixed(2),
    BidSize: wholeOf(seed, 1, 60, 'bid', name, tick),
    AskSize: wholeOf(seed, 1, 60, 'ask', name, tick),
    Volume: Math.floor((atMs % DAY_MS) / 5000),
    TimeStamp: timestamp(atMs),
    Legs: legs.map((symbol) => ({ Symbol: symbol, Ratio: 1, AssetType: 'StockOption' })),
    ...SYNTHETIC,
  }
}

/** The contracts of a chain stream, one for each message. */
export function chainSymbols(seed: number, underlying: string, atMs: number): readonly string[] {
  const date = fridays(atMs, 1)[0]?.slice(2).replaceAll('-', '') ?? ''
  return strikesOf(seed, underlying, atMs).flatMap((strike) =>
    (['C', 'P'] as const).map((side) => `${underlying} ${date}${side}${strike}`),
  )
}
