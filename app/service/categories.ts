import type { StreamCategory } from './stream-kinds.ts'
import { streamCategoryPattern } from './stream-paths.ts'

/** The account id and symbol that the path of a check may need. */
export interface ProbeSubjects {
  readonly account: string | undefined
  readonly symbol: string
}

/**
 * A request quota: `limit` requests per period. An empty quota is full again after `periodSeconds` (service
 * 8.2).
 */
export interface RequestLimit {
  readonly limit: number
  readonly periodSeconds: number
}

/** All facts about one resource category. */
export interface Category {
  readonly name: string
  /** Request quota in the current table. Absent for a category with slots only. */
  readonly requests?: RequestLimit
  /** Request quota in the older table, if different. */
  readonly earlierRequests?: RequestLimit
  /** Maximum number of open streams. */
  readonly slots?: number
  /** Paths of the requests that count against the category, without query. GET unless `method` differs. */
  readonly path: RegExp
  readonly method?: 'POST'
  /**
   * Path of the cheapest GET that has no effect and shows the category's headers. `undefined` if the account
   * or symbol is missing. Absent for streams and for requests that place orders.
   */
  readonly probe?: (subjects: ProbeSubjects) => string | undefined
  /** The scope that requests of the category need (service 10). Default: `scopeOf`. */
  readonly scope?: string
}

const perFiveMinutes = (limit: number): RequestLimit => ({ limit, periodSeconds: 300 })
const perMinute = (limit: number): RequestLimit => ({ limit, periodSeconds: 60 })
const ofAccount =
  (rest: string) =>
  ({ account }: ProbeSubjects): string | undefined =>
    account === undefined ? undefined : `/v3/brokerage/accounts/${account}/${rest}`
const ofSymbol =
  (path: string) =>
  ({ symbol }: ProbeSubjects): string =>
    `${path}/${encodeURIComponent(symbol)}`

/**
 * The resource categories except streams, with quotas (service 8.2) and paths (service 4.3, 11), in the order
 * of display and of checks. Accounts comes first, because other checks need an account.
 *
 * The category of a path is a guess. At run time, `X-RateLimit-Resource` names the bucket that counted a
 * request. Each option endpoint has its own bucket. MarketDepth is one bucket for quotes and aggregates.
 */
const OF_REQUESTS: readonly Category[] = [
  {
    name: 'Accounts',
    requests: perFiveMinutes(320),
    earlierRequests: perFiveMinutes(250),
    path: /^\/v3\/brokerage\/accounts$/,
    probe: () => '/v3/brokerage/accounts',
  },
  {
    name: 'Order Details',
    requests: perFiveMinutes(320),
    earlierRequests: perFiveMinutes(250),
    path: /^\/v3\/brokerage\/accounts\/[^/]+\/(?:historical)?orders(?:\/[^/]+)?$/,
    probe: ofAccount('orders'),
  },
  {
    name: 'Balances',
    requests: perFiveMinutes(320),
    earlierRequests: perFiveMinutes(250),
    path: /^\/v3\/brokerage\/accounts\/[^/]+\/(?:bod)?balances$/,
    probe: ofAccount('balances'),
  },
  {
    name: 'Positions',
    requests: perFiveMinutes(320),
    earlierRequests: perFiveMinutes(250),
    path: /^\/v3\/brokerage\/accounts\/[^/]+\/positions$/,
    probe: ofAccount('positions'),
  },
  {
    name: 'Quote Snapshot',
    requests: perFiveMinutes(500),
    earlierRequests: perMinute(30),
    path: /^\/v3\/marketdata\/quotes\/[^/]+$/,
    probe: ofSymbol('/v3/marketdata/quotes'),
  },
  {
    name: 'Option Expirations',
    requests: perMinute(90),
    path: /^\/v3\/marketdata\/options\/expirations\/[^/]+$/,
    probe: ofSymbol('/v3/marketdata/options/expirations'),
  },
  {
    name: 'Option Strikes',
    requests: perMinute(90),
    path: /^\/v3\/marketdata\/options\/strikes\/[^/]+$/,
    probe: ofSymbol('/v3/marketdata/options/strikes'),
  },
  {
    name: 'Option Spread Types',
    requests: perMinute(90),
    path: /^\/v3\/marketdata\/options\/spreadtypes$/,
    probe: () => '/v3/marketdata/options/spreadtypes',
  },
  {
    name: 'Option Risk Reward',
    requests: perMinute(90),
    path: /^\/v3\/marketdata\/options\/riskreward$/,
    method: 'POST',
    scope: 'OptionSpreads',
  },
]

/** The stream categories. Their kinds define the paths. */
const OF_STREAMS: Readonly<Record<StreamCategory, Pick<Category, 'requests' | 'slots' | 'scope'>>> = {
  'Quote Change Stream': { requests: perFiveMinutes(500) },
  'Barchart Stream': { requests: perFiveMinutes(500) },
  'TickBar Stream': { requests: perFiveMinutes(500) },
  'Positions Stream': { slots: 40 },
  'Order Stream': { slots: 40 },
  'Order Stream by Order Id': { slots: 40 },
  'MarketDepth Stream': { requests: perMinute(30), slots: 10, scope: 'Matrix' },
  'Option Quote Stream': { slots: 10 },
  'Option Chain Stream': { slots: 10 },
}

/** Every resource category, in the order of display. */
export const CATEGORIES: readonly Category[] = [
  ...OF_REQUESTS,
  ...Object.entries(OF_STREAMS).map(([name, row]) => ({ name, ...row, path: streamCategoryPattern(name) })),
]

/** The request quota of a category before the first header. */
export interface RequestQuotaDefault extends RequestLimit {
  readonly category: string
}

/** The stream slots of a category before the first header. */
export interface SlotQuotaDefault {
  readonly category: string
  readonly limit: number
}

/** The request quotas of the current table (service 8.2). */
export const CURRENT_REQUEST_QUOTAS: readonly RequestQuotaDefault[] = CATEGORIES.flatMap(
  ({ name, requests }) => (requests ? [{ category: name, ...requests }] : []),
)

/** The request quotas of the older table (service 8.2). */
export const EARLIER_REQUEST_QUOTAS: readonly RequestQuotaDefault[] = CATEGORIES.flatMap(
  ({ name, requests, earlierRequests = requests }) =>
    earlierRequests ? [{ category: name, ...earlierRequests }] : [],
)

/** The slots of each stream category (service 8.2). */
export const SLOT_QUOTAS: readonly SlotQuotaDefault[] = CATEGORIES.flatMap(({ name, slots }) =>
  slots === undefined ? [] : [{ category: name, limit: slots }],
)

/** Categories with a check, in the order of checking. */
export const PROBED_CATEGORIES: readonly string[] = CATEGORIES.filter(({ probe }) => probe !== undefined).map(
  ({ name }) => name,
)

/**
 * Path of a category's check. `undefined` if there is no check, or if it needs an account that is not known
 * yet.
 */
export function probePath(category: string, subjects: ProbeSubjects): string | undefined {
  return CATEGORIES.find(({ name }) => name === category)?.probe?.(subjects)
}

/** The category that a request counts against, or `undefined` for an unknown path. `path` has no query. */
export function categoryOf(method: string, path: string): string | undefined {
  return CATEGORIES.find((category) => (category.method ?? 'GET') === method && category.path.test(path))
    ?.name
}

/** A path without its query. */
export const pathOf = (pathAndQuery: string): string => pathAndQuery.split('?', 1)[0] ?? pathAndQuery

/** The category that a request counts against, or its path without the query if no category is known. */
export function endpointOf(method: string, pathAndQuery: string): string {
  const path = pathOf(pathAndQuery)
  return categoryOf(method, path) ?? path
}

/**
 * The scope that requests of a category need (service 10). Default: `ReadAccount` for account paths,
 * otherwise `MarketData`.
 */
export function scopeOf(category: string): string {
  const known = CATEGORIES.find(({ name }) => name === category)
  if (known?.scope !== undefined) return known.scope
  return known?.path.source.includes('brokerage') ? 'ReadAccount' : 'MarketData'
}

/**
 * The scope of orders (service 14). Not offered in lists, and requested only after a person has allowed
 * orders.
 */
export const TRADE_SCOPE = 'Trade'

/**
 * Whether `granted` proves that `Trade` is missing. A list without `MarketData` and `ReadAccount` contains
 * only the scopes of the refresh token (service 2.1), so it proves nothing.
 */
export const lacksTrade = (granted: readonly string[]): boolean =>
  !granted.includes(TRADE_SCOPE) && granted.some((scope) => scope === 'MarketData' || scope === 'ReadAccount')
