import { expect, test } from 'vitest'
import { STREAM_KINDS, type StreamKind } from '../../../app/service/stream-kinds.ts'
import { streamPath } from '../../../app/service/stream-paths.ts'
import { covers, streamAddressOf } from '../../../app/streams/stream-address.ts'

const TARGETS: Readonly<Record<StreamKind, string>> = {
  quotes: 'MSFT,$SPX.X',
  barcharts: 'MSFT',
  tickbars: '@ES',
  depth: 'MSFT',
  'depth-aggregates': 'MSFT',
  'option-quotes': 'MSFT 261218C400,MSFT 261218P400',
  'option-chains': 'MSFT',
  orders: 'SIM1001,SIM1002',
  'orders-by-id': 'SIM1001/7,8',
  positions: 'SIM1001',
}

const address = (pathAndQuery: string, accept?: string) => {
  const found = streamAddressOf(pathAndQuery, accept)
  if (found === undefined) throw new Error(`no stream: ${pathAndQuery}`)
  return found
}

test.each(STREAM_KINDS)("Headroom's own path of %s parses back to the same stream", (kind) => {
  const path = streamPath({ kind, target: TARGETS[kind], options: {} })
  if (!path.ok) throw new Error(path.message)
  expect(address(path.path)).toMatchObject({ kind, target: TARGETS[kind] })
})

test('equal streams are recognised in any encoding and order', () => {
  const one = '/v3/marketdata/stream/barcharts/%24SPX.X?unit=Minute&interval=5'
  const same = '/v3/marketdata/stream/barcharts/$SPX.X?interval=5&Unit=Minute'
  expect(address(one).key).toBe(address(same).key)
  expect(address(one).key).not.toBe(address(`${one}&barsback=2`).key)
  expect(address('/v3/marketdata/stream/quotes/MSFT').key).not.toBe(
    address('/v3/marketdata/stream/quotes/AAPL').key,
  )
})

test.each([
  ['/v3/marketdata/stream/quotes/MSFT,AAPL', '/v3/marketdata/stream/quotes/aapl,%20MSFT,AAPL,'],
  [
    '/v3/brokerage/stream/accounts/SIM1001,SIM1002/positions',
    '/v3/brokerage/stream/accounts/SIM1002,SIM1001/positions',
  ],
  ['/v3/brokerage/stream/accounts/SIM1001/orders/7,8', '/v3/brokerage/stream/accounts/SIM1001/orders/8,7'],
])('%s is the same stream as %s', (one, same) => {
  expect(address(same).key).toBe(address(one).key)
})

test('another form than the usual one is another stream', () => {
  const path = '/v3/marketdata/stream/quotes/MSFT'
  expect(address(path, '*/*').key).toBe(address(path).key)
  expect(address(path, 'text/html, application/json;q=0.9').key).toBe(address(path, 'application/json').key)
  expect(address(path, 'application/vnd.tradestation.streams.v3+json').key).not.toBe(address(path).key)
})

test('quotes of fewer symbols are part of those of more, and nothing else is part of another stream', () => {
  const quotes = (list: string) => address(`/v3/marketdata/stream/quotes/${list}`)
  expect(covers(quotes('MSFT,AAPL'), quotes('aapl'))).toBe(true)
  expect(covers(quotes('MSFT,AAPL'), quotes('AAPL,MSFT'))).toBe(true)
  expect(covers(quotes('MSFT'), quotes('MSFT,AAPL'))).toBe(false)
  const positions = (list: string) => address(`/v3/brokerage/stream/accounts/${list}/positions`)
  expect(covers(positions('SIM1001,SIM1002'), positions('SIM1001'))).toBe(false)
})

test.each([
  '/v3/marketdata/stream/quotes/%zz',
  '/v3/marketdata/stream/quotes/A%2FB',
  '/v3/marketdata/stream/unheard-of/MSFT',
  '/v3/marketdata/quotes/MSFT',
  '/v3/marketdata/stream/quotes/MSFT?x=%zz',
])('%s is not a stream to share', (path) => {
  expect(streamAddressOf(path)).toBeUndefined()
})
