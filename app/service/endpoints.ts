/**
 * Request path → resource category (service 4.3, 11).
 *
 * The category is a guess: at run time `X-RateLimit-Resource` names the bucket that counted.
 */
interface Rule {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly category: string
}

const rule = (path: RegExp, category: string, method: Rule['method'] = 'GET'): Rule => ({
  method,
  path,
  category,
})

const RULES: readonly Rule[] = [
  rule(/^\/v3\/brokerage\/accounts$/, 'Accounts'),
  rule(/^\/v3\/brokerage\/accounts\/[^/]+\/(?:bod)?balances$/, 'Balances'),
  rule(/^\/v3\/brokerage\/accounts\/[^/]+\/positions$/, 'Positions'),
  rule(/^\/v3\/brokerage\/accounts\/[^/]+\/(?:historical)?orders(?:\/[^/]+)?$/, 'Order Details'),
  rule(/^\/v3\/marketdata\/quotes\/[^/]+$/, 'Quote Snapshot'),
  rule(/^\/v3\/marketdata\/options\/expirations\/[^/]+$/, 'Option Expirations'),
  rule(/^\/v3\/marketdata\/options\/strikes\/[^/]+$/, 'Option Strikes'),
  rule(/^\/v3\/marketdata\/options\/spreadtypes$/, 'Option Spread Types'),
  rule(/^\/v3\/marketdata\/options\/riskreward$/, 'Option Risk Reward', 'POST'),
  rule(/^\/v3\/marketdata\/stream\/quotes\/[^/]+$/, 'Quote Change Stream'),
  rule(/^\/v3\/marketdata\/stream\/barcharts\/[^/]+$/, 'Barchart Stream'),
  rule(/^\/v2\/stream\/tickbars\/[^/]+\/[^/]+\/[^/]+$/, 'TickBar Stream'),
  rule(/^\/v3\/marketdata\/stream\/marketdepth\/(?:quotes|aggregates)\/[^/]+$/, 'MarketDepth Stream'),
  rule(/^\/v3\/marketdata\/stream\/options\/quotes$/, 'Option Quote Stream'),
  rule(/^\/v3\/marketdata\/stream\/options\/chains\/[^/]+$/, 'Option Chain Stream'),
  rule(/^\/v3\/brokerage\/stream\/accounts\/[^/]+\/orders$/, 'Order Stream'),
  rule(/^\/v3\/brokerage\/stream\/accounts\/[^/]+\/orders\/[^/]+$/, 'Order Stream by Order Id'),
  rule(/^\/v3\/brokerage\/stream\/accounts\/[^/]+\/positions$/, 'Positions Stream'),
]

/** The category a request counts against, or `undefined` for a path no rule knows. `path` has no query. */
export function categoryOf(method: string, path: string): string | undefined {
  return RULES.find((r) => r.method === method && r.path.test(path))?.category
}
