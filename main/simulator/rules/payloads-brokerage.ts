import { DAY_MS, HOUR_MS } from '../../../app/contract/units.ts'
import { type Payload, priceOf, SYNTHETIC, timestamp } from './payloads-market.ts'
import { intervalStart, unitOf, wholeOf } from './seed.ts'

export const ACCOUNT_IDS: readonly string[] = ['SIM1001', 'SIM1002']
const HELD: Readonly<Record<string, readonly string[]>> = {
  SIM1001: ['MSFT', 'AAPL', 'SPY', 'NVDA'],
  SIM1002: ['TSLA', 'QQQ'],
}

export const accounts = (): readonly Payload[] =>
  ACCOUNT_IDS.map((id, index) => ({
    AccountID: id,
    Currency: 'USD',
    Status: 'Active',
    AccountType: index === 0 ? 'Margin' : 'Cash',
    AccountDetail: {
      IsStockLocateEligible: false,
      EnrolledInRegTProgram: false,
      RequiresBuyingPowerWarning: false,
      DayTradingQualified: index === 0,
      OptionApprovalLevel: 3,
      PatternDayTrader: false,
    },
    ...SYNTHETIC,
  }))

export function balance(seed: number, account: string, atMs: number): Payload {
  const cash = wholeOf(seed, 20_000, 90_000, 'cash', account)
  const market = positions(seed, account, atMs).reduce((sum, { MarketValue }) => sum + Number(MarketValue), 0)
  return {
    AccountID: account,
    AccountType: account === ACCOUNT_IDS[0] ? 'Margin' : 'Cash',
    CashBalance: cash.toFixed(2),
    BuyingPower: (cash * 2).toFixed(2),
    Equity: (cash + market).toFixed(2),
    MarketValue: market.toFixed(2),
    TodaysProfitLoss: ((unitOf(seed, 'pl', account, Math.floor(atMs / 1000)) - 0.5) * 900).toFixed(2),
    UnclearedDeposit: '0',
    BalanceDetail: { DayTrades: '0', RealizedProfitLoss: '0', UnrealizedProfitLoss: '0' },
    ...SYNTHETIC,
  }
}

export function balanceAtOpen(seed: number, account: string, atMs: number): Payload {
  const { AccountType, CashBalance, Equity } = balance(seed, account, intervalStart(atMs, DAY_MS))
  return { AccountID: account, AccountType, BalanceDetail: { CashBalance, Equity }, ...SYNTHETIC }
}

export function position(seed: number, account: string, symbol: string, atMs: number): Payload {
  const quantity = 10 * wholeOf(seed, 1, 30, 'quantity', account, symbol)
  const last = priceOf(seed, symbol, atMs)
  const dayStartMs = intervalStart(atMs, DAY_MS)
  const opened = priceOf(seed, symbol, dayStartMs)
  const paid = priceOf(seed, symbol, dayStartMs - 9 * HOUR_MS)
  return {
    AccountID: account,
    PositionID: String(wholeOf(seed, 10_000_000, 99_999_999, 'position', account, symbol)),
    Symbol: symbol,
    AssetType: 'STOCK',
    LongShort: 'Long',
    Quantity: String(quantity),
    AveragePrice: paid.toFixed(2),
    Last: last.toFixed(2),
    Bid: (last - 0.01).toFixed(2),
    Ask: (last + 0.01).toFixed(2),
    MarkToMarketPrice: opened.toFixed(2),
    MarketValue: (quantity * last).toFixed(2),
    TotalCost: (quantity * paid).toFixed(2),
    TodaysProfitLoss: (quantity * (last - opened)).toFixed(2),
    UnrealizedProfitLoss: (quantity * (last - paid)).toFixed(2),
    UnrealizedProfitLossPercent: ((last / paid - 1) * 100).toFixed(3),
    UnrealizedProfitLossQty: (last - paid).toFixed(4),
    ConversionRate: '1',
    DayTradeRequirement: (quantity * last * 0.25).toFixed(2),
    InitialRequirement: (quantity * last * 0.5).toFixed(2),
    MaintenanceMargin: (quantity * last * 0.3).toFixed(2),
    Timestamp: timestamp(atMs),
    ...SYNTHETIC,
  }
}

export const positions = (seed: number, account: string, atMs: number): readonly Payload[] =>
  (HELD[account] ?? []).map((symbol) => position(seed, account, symbol, atMs))

const STATUSES = [
  { Status: 'OPN', StatusDescription: 'Sent' },
  { Status: 'ACK', StatusDescription: 'Received' },
  { Status: 'FPR', StatusDescription: 'Partial Fill (Alive)' },
  { Status: 'FLL', StatusDescription: 'Filled' },
] as const

/**
 * An order of the simulated day. Any `id` gives an order. Each order is placed and filled again every ten
 * minutes.
 */
export function order(seed: number, account: string, id: string, atMs: number): Payload {
  const symbols = HELD[account] ?? []
  const symbol = symbols[wholeOf(seed, 0, symbols.length - 1, 'order', id)] ?? 'MSFT'
  const step = Math.floor(atMs / 150_000 + 4 * unitOf(seed, 'step', id)) % STATUSES.length
  const quantity = wholeOf(seed, 1, 20, 'size', id) * 10
  const filled = Math.floor((quantity * step) / (STATUSES.length - 1))
  const openedAtMs = intervalStart(atMs, HOUR_MS)
  const price = priceOf(seed, symbol, openedAtMs).toFixed(2)
  return {
    AccountID: account,
    OrderID: id,
    ...STATUSES[step],
    Currency: 'USD',
    OrderType: 'Limit',
    Routing: 'Intelligent',
    Duration: 'DAY',
    LimitPrice: price,
    OpenedDateTime: timestamp(openedAtMs),
    Legs: [
      {
        Symbol: symbol,
        BuyOrSell: 'Buy',
        OpenOrClose: 'Open',
        QuantityOrdered: String(quantity),
        ExecQuantity: String(filled),
        ExecutionPrice: filled === 0 ? '0' : price,
        QuantityRemaining: String(quantity - filled),
        AssetType: 'STOCK',
      },
    ],
    ...SYNTHETIC,
  }
}

export const orderIds = (seed: number, account: string): readonly string[] =>
  Array.from({ length: 5 }, (_, index) =>
    String(wholeOf(seed, 100_000_000, 999_999_999, 'order id', account, index)),
  )
