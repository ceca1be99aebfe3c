import { describe, expect, test } from 'vitest'
import { CURRENT_REQUEST_QUOTAS, categoryOf, SLOT_QUOTAS } from '../../../app/service/categories.ts'
import { STREAM_KINDS, STREAM_TABLE } from '../../../app/service/stream-kinds.ts'
import { streamPath } from '../../../app/service/stream-paths.ts'

/** Service 11, in its order. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ['Accounts', 'GET', '/v3/brokerage/accounts'],
  ['Balances', 'GET', '/v3/brokerage/accounts/SIM1/balances'],
  ['Balances', 'GET', '/v3/brokerage/accounts/SIM1,SIM2/bodbalances'],
  ['Positions', 'GET', '/v3/brokerage/accounts/SIM1,SIM2/positions'],
  ['Order Details', 'GET', '/v3/brokerage/accounts/SIM1/orders'],
  ['Order Details', 'GET', '/v3/brokerage/accounts/SIM1/orders/1,2'],
  ['Order Details', 'GET', '/v3/brokerage/accounts/SIM1/historicalorders'],
  ['Order Details', 'GET', '/v3/brokerage/accounts/SIM1/historicalorders/1,2'],
  ['Quote Snapshot', 'GET', '/v3/marketdata/quotes/MSFT,AAPL'],
  ['Option Expirations', 'GET', '/v3/marketdata/options/expirations/MSFT'],
  ['Option Strikes', 'GET', '/v3/marketdata/options/strikes/MSFT'],
  ['Option Spread Types', 'GET', '/v3/marketdata/options/spreadtypes'],
  ['Option Risk Reward', 'POST', '/v3/marketdata/options/riskreward'],
  ['Quote Change Stream', 'GET', '/v3/marketdata/stream/quotes/MSFT,AAPL'],
  ['Barchart Stream', 'GET', '/v3/marketdata/stream/barcharts/MSFT'],
  ['TickBar Stream', 'GET', '/v2/stream/tickbars/MSFT/5/10'],
  ['MarketDepth Stream', 'GET', '/v3/marketdata/stream/marketdepth/quotes/MSFT'],
  ['MarketDepth Stream', 'GET', '/v3/marketdata/stream/marketdepth/aggregates/MSFT'],
  ['Option Quote Stream', 'GET', '/v3/marketdata/stream/options/quotes'],
  ['Option Chain Stream', 'GET', '/v3/marketdata/stream/options/chains/MSFT'],
  ['Order Stream', 'GET', '/v3/brokerage/stream/accounts/SIM1/orders'],
  ['Order Stream by Order Id', 'GET', '/v3/brokerage/stream/accounts/SIM1/orders/1,2'],
  ['Positions Stream', 'GET', '/v3/brokerage/stream/accounts/SIM1/positions'],
]

describe('each path of service 11 counts against its category', () => {
  test.each(ROWS)('%s: %s %s', (category, method, path) => expect(categoryOf(method, path)).toBe(category))
})

describe('a path that nearly matches counts against no quota', () => {
  test.each(ROWS)('%s: near %s %s', (_category, method, path) => {
    const misses = [
      path.replace(/^\/v./, '/v4'),
      `/x${path}`,
      `${path}/`,
      `${path}/more/and/more`,
      path.slice(1),
      path.toUpperCase(),
      path.replace('/', '//'),
      `https://elsewhere${path}`,
      `${path}\n/`,
    ]
    for (const miss of misses) expect(categoryOf(method, miss), miss).toBeUndefined()
    for (const other of ['PUT', 'DELETE', 'HEAD', method.toLowerCase(), method === 'GET' ? 'POST' : 'GET']) {
      expect(categoryOf(other, path), other).toBeUndefined()
    }
  })
  test.each([
    '/v3/brokerage/accounts/SIM1',
    '/v3/brokerage/accounts//positions',
    '/v3/brokerage/accounts/SIM1/balance',
    '/v3/brokerage/accounts/SIM1/xbalances',
    '/v3/brokerage/accounts/SIM1/orders/1/2',
    '/v3/marketdata/quotes',
    '/v3/marketdata/quotes/',
    '/v3/marketdata/options/expirations',
    '/v3/marketdata/options/spreadtypes/MSFT',
    '/v3/marketdata/stream/marketdepth/MSFT',
    '/v3/marketdata/stream/options/quotes/MSFT',
    '/v2/stream/tickbars/MSFT/5',
    '/v3/stream/tickbars/MSFT/5/10',
    '/v3/brokerage/stream/accounts/SIM1',
  ])('%s', (path) => expect(categoryOf('GET', path)).toBeUndefined())
})

test('every category with a path is in a table or is a stream’s', () => {
  const known = new Set([...CURRENT_REQUEST_QUOTAS, ...SLOT_QUOTAS].map((row) => row.category))
  for (const [category] of ROWS) expect(known).toContain(category)
})

test('the path that opens a stream counts against the category of its kind', () => {
  for (const kind of STREAM_KINDS) {
    const target = kind === 'orders-by-id' ? 'SIM1/1,2' : 'SIM1'
    const opened = streamPath({ kind, target, options: {} })
    if (!opened.ok) expect.fail(opened.message)
    expect(categoryOf('GET', opened.path.split('?')[0]!)).toBe(STREAM_TABLE[kind].category)
  }
})
