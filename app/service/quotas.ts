/** The standard quotas per resource category (service 8.2). */

export interface RequestQuotaDefault {
  readonly category: string
  readonly limit: number
  readonly periodSeconds: number
}

export interface SlotQuotaDefault {
  readonly category: string
  readonly limit: number
}

const perFiveMinutes = (category: string, limit: number): RequestQuotaDefault => ({
  category,
  limit,
  periodSeconds: 300,
})
const perMinute = (category: string, limit: number): RequestQuotaDefault => ({
  category,
  limit,
  periodSeconds: 60,
})

/** The current table (service 8.2). "Each Option Endpoint" is one bucket for each of the four. */
export const CURRENT_REQUEST_QUOTAS: readonly RequestQuotaDefault[] = [
  perFiveMinutes('Accounts', 320),
  perFiveMinutes('Order Details', 320),
  perFiveMinutes('Balances', 320),
  perFiveMinutes('Positions', 320),
  perFiveMinutes('Quote Snapshot', 500),
  perMinute('Option Expirations', 90),
  perMinute('Option Strikes', 90),
  perMinute('Option Spread Types', 90),
  perMinute('Option Risk Reward', 90),
  perFiveMinutes('Quote Change Stream', 500),
  perFiveMinutes('Barchart Stream', 500),
  perFiveMinutes('TickBar Stream', 500),
  perMinute('MarketDepth Stream', 30),
]

const EARLIER: Readonly<Record<string, RequestQuotaDefault>> = {
  Accounts: perFiveMinutes('Accounts', 250),
  'Order Details': perFiveMinutes('Order Details', 250),
  Balances: perFiveMinutes('Balances', 250),
  Positions: perFiveMinutes('Positions', 250),
  'Quote Snapshot': perMinute('Quote Snapshot', 30),
}

/** The earlier statement of the same table (service 8.2). */
export const EARLIER_REQUEST_QUOTAS: readonly RequestQuotaDefault[] = CURRENT_REQUEST_QUOTAS.map(
  (quota) => EARLIER[quota.category] ?? quota,
)

/** The concurrent rows of the table (service 8.2). MarketDepth is one amount for its quotes and aggregates streams. */
export const SLOT_QUOTAS: readonly SlotQuotaDefault[] = [
  { category: 'Positions Stream', limit: 40 },
  { category: 'Order Stream', limit: 40 },
  { category: 'Order Stream by Order Id', limit: 40 },
  { category: 'MarketDepth Stream', limit: 10 },
  { category: 'Option Quote Stream', limit: 10 },
  { category: 'Option Chain Stream', limit: 10 },
]
