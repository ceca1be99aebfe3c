import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STREAM_KINDS, type StreamKind } from '../../../app/service/stream-kinds.ts'
import { streamPath } from '../../../app/service/stream-paths.ts'
import { lawRuns } from '../../thorough.ts'

const pathOf = (kind: StreamKind, target: string, options: Record<string, string> = {}) => {
  const result = streamPath({ kind, target, options })
  return result.ok ? result.path : result
}
const refused = { ok: false, message: expect.any(String) }

describe('each kind of stream has its path', () => {
  test.each([
    ['quotes', 'MSFT, AAPL', '/v3/marketdata/stream/quotes/MSFT,AAPL'],
    ['barcharts', 'MSFT', '/v3/marketdata/stream/barcharts/MSFT'],
    ['tickbars', 'MSFT', '/v2/stream/tickbars/MSFT/1/10'],
    ['depth', '@ES', '/v3/marketdata/stream/marketdepth/quotes/%40ES'],
    ['depth-aggregates', 'MSFT', '/v3/marketdata/stream/marketdepth/aggregates/MSFT'],
    [
      'option-quotes',
      'MSFT 261218C400,MSFT 261218P400',
      '/v3/marketdata/stream/options/quotes?legs[0].Symbol=MSFT%20261218C400&legs[1].Symbol=MSFT%20261218P400',
    ],
    ['option-chains', 'MSFT', '/v3/marketdata/stream/options/chains/MSFT'],
    ['orders', 'SIM1001,SIM1002', '/v3/brokerage/stream/accounts/SIM1001,SIM1002/orders'],
    ['orders-by-id', 'SIM1001/ID1,ID2', '/v3/brokerage/stream/accounts/SIM1001/orders/ID1,ID2'],
    ['positions', 'SIM1001', '/v3/brokerage/stream/accounts/SIM1001/positions'],
  ] as const)('%s', (kind, target, path) => expect(pathOf(kind, target)).toBe(path))

  test('and no kind lacks one', () => expect(STREAM_KINDS).toHaveLength(10))
})

test('options become a query, after the one the path may have', () => {
  expect(pathOf('barcharts', 'MSFT', { interval: '5', unit: 'Minute' })).toBe(
    '/v3/marketdata/stream/barcharts/MSFT?interval=5&unit=Minute',
  )
  expect(pathOf('option-quotes', 'X 1', { enableGreeks: 'true' })).toBe(
    '/v3/marketdata/stream/options/quotes?legs[0].Symbol=X%201&enableGreeks=true',
  )
  expect(pathOf('option-chains', 'MSFT', { expiration: '12-18-2026', strikeProximity: '3' })).toBe(
    '/v3/marketdata/stream/options/chains/MSFT?expiration=12-18-2026&strikeProximity=3',
  )
})

test('interval and barsBack of tick bars are in the path, and whole numbers', () => {
  expect(pathOf('tickbars', 'MSFT', { interval: '5', barsBack: '20' })).toBe('/v2/stream/tickbars/MSFT/5/20')
  for (const bad of ['', '-1', '1.5', 'x', '1/2', '123456']) {
    expect(pathOf('tickbars', 'MSFT', { interval: bad })).toEqual(refused)
    expect(pathOf('tickbars', 'MSFT', { barsBack: bad })).toEqual(refused)
  }
})

test('symbols of futures, indices, currencies and options are accepted unchanged', () => {
  for (const symbol of ['$SPX.X', '@ESZ26', 'EURUSD', 'BRK.B', 'MSFT 261218C400', 'BTC/USD', 'A-B', 'X_1']) {
    expect(pathOf('quotes', symbol)).toBe(`/v3/marketdata/stream/quotes/${encodeURIComponent(symbol)}`)
  }
})

describe('rejects a hostile target before a request is spent', () => {
  const hostile = [
    '',
    ' ',
    ',',
    '.',
    '..',
    '../accounts',
    '../../v3/brokerage',
    'a/../b',
    'a/..',
    './a',
    '..\\a',
    'MSFT?x=1',
    'MSFT#x',
    'MSFT&x=1',
    'MSFT%2e%2e',
    '%2e%2e',
    'MSFT\r\nHost: x',
    'MSFT\u0000',
    'MS\u2028FT',
    'ＭＳＦＴ',
    '<b>',
    '"',
    "'",
    '{x}',
    'A'.repeat(41),
    '\ud800',
  ]
  test.each(STREAM_KINDS)('%s', (kind) => {
    for (const target of hostile) expect(pathOf(kind, target), JSON.stringify(target)).toEqual(refused)
  })
  for (const kind of ['orders', 'positions', 'orders-by-id'] as const) {
    test.each(['SIM-1', 'SIM/1/2', 'SIM 1', 'A'.repeat(21), '@ES', 'SIM.1'])(`${kind}: %j`, (account) =>
      expect(pathOf(kind, kind === 'orders-by-id' ? `${account}/1` : account)).toEqual(refused),
    )
  }
  test.each(['SIM1', 'SIM1/', '/1', 'SIM1/1/2', 'SIM1/..', 'SIM1/a b', 'SIM1/%2e'])(
    'orders-by-id: %j',
    (target) => expect(pathOf('orders-by-id', target)).toEqual(refused),
  )
  test.each(['barcharts', 'depth', 'depth-aggregates', 'option-chains', 'tickbars'] as const)(
    '%s accepts one symbol',
    (kind) => expect(pathOf(kind, 'MSFT,AAPL')).toEqual(refused),
  )
})

test('accepts 25 accounts and 100 symbols, and not one more', () => {
  const list = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(',')
  for (const kind of ['orders', 'positions'] as const) {
    expect(pathOf(kind, list(25, 'SIM'))).toContain('SIM24')
    expect(pathOf(kind, list(26, 'SIM'))).toEqual(refused)
  }
  expect(pathOf('orders-by-id', `${list(26, 'SIM')}/1`)).toEqual(refused)
  for (const kind of ['quotes', 'option-quotes'] as const) {
    expect(pathOf(kind, list(100, 'S'))).toContain('S99')
    expect(pathOf(kind, list(101, 'S'))).toEqual(refused)
  }
})

test('rejects options with a strange name, or a value that is not text', () => {
  for (const name of ['', '__proto__', 'a b', 'a=b', 'a&b', 'legs[0].Symbol', '1a', 'a'.repeat(33), 'é']) {
    expect(pathOf('barcharts', 'MSFT', Object.fromEntries([[name, '1']]))).toEqual(refused)
  }
  expect(pathOf('barcharts', 'MSFT', { interval: '\ud800' })).toEqual(refused)
})

test('any request gives a rejection or a path that stays within its kind', () => {
  const ROOTS = /^\/v3\/(?:marketdata|brokerage)\/stream\/|^\/v2\/stream\/tickbars\//
  const piece = fc.oneof(
    fc.constantFrom(
      'MSFT',
      '..',
      '.',
      '/',
      '%2f',
      ',',
      '?',
      '#',
      '&',
      '=',
      '\\',
      ' ',
      '\n',
      'SIM1',
      '@',
      '1',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(
      fc.constantFrom(...STREAM_KINDS),
      text,
      fc.dictionary(text, text),
      (kind, target, options) => {
        const result = streamPath({ kind, target, options })
        if (!result.ok) return
        const url = new URL(`https://host.test${result.path}`)
        expect(url.host).toBe('host.test')
        expect(url.hash).toBe('')
        expect(url.pathname).toMatch(ROOTS)
        expect(url.pathname).toBe(result.path.split('?')[0])
        // Also after a second decoding.
        expect(decodeURIComponent(url.pathname).split('/')).not.toContain('..')
        expect(result.path).toMatch(/^[!-~]+$/)
      },
    ),
    { numRuns: lawRuns(20_000) },
  )
})
