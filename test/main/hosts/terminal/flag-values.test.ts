import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROBED_CATEGORIES } from '../../../../app/service/categories.ts'
import { readStreamText } from '../../../../app/service/stream-text.ts'
import { probeRequest } from '../../../../main/api/prober.ts'
import { probeFlag, trafficFlag } from '../../../../main/hosts/terminal/category-flags.ts'
import {
  addressFlag,
  decimal,
  faultFlag,
  type ParsedFlag,
  portFlag,
  secondsFlag,
  secondsOrZeroFlag,
  textFlag,
  timeFlag,
  wordFlag,
} from '../../../../main/hosts/terminal/flag-values.ts'

const readAs = <T>(result: ParsedFlag<T>): T => {
  if (!result.ok) throw new Error(`expected ${result.expected}`)
  return result.value
}
const refuses = (result: ParsedFlag<unknown>) => expect(result.ok).toBe(false)

test('a port is a whole number up to 65535', () => {
  expect(readAs(portFlag('0'))).toBe(0)
  expect(readAs(portFlag('65535'))).toBe(65_535)
  for (const text of ['65536', '99999', 'abc', '', ' 80', '-1', '8.0', '0x50', '1e3']) refuses(portFlag(text))
})

test('a duration is a plain decimal above zero', () => {
  expect(readAs(secondsFlag('0.5'))).toBe(0.5)
  expect(readAs(secondsFlag('2000000'))).toBe(2_000_000)
  for (const text of ['0', '-1', '', 'NaN', 'Infinity', '1e3', '2000001', '5s', '1,5'])
    refuses(secondsFlag(text))
  expect(readAs(secondsOrZeroFlag('0'))).toBe(0)
})

test('a parsed decimal is the number that was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 999 }), (whole, part) => {
      expect(decimal(`${whole}.${part}`)).toBe(Number(`${whole}.${part}`))
    }),
  )
})

test('a time is on a day that exists', () => {
  expect(readAs(timeFlag('2028-02-29'))).toBe(Date.UTC(2028, 1, 29))
  expect(readAs(timeFlag('2026-01-05T15:30+01:00'))).toBe(Date.UTC(2026, 0, 5, 14, 30))
  for (const text of ['2026-02-29', '2026-04-31', '2026-13-01', '2026-01-05T25:00', '05.01.2026'])
    refuses(timeFlag(text))
})

test('traffic names categories that have a request quota', () => {
  expect(readAs(trafficFlag('Positions=1.0,Accounts=0.2')).steady).toEqual({ Positions: 1, Accounts: 0.2 })
  expect(readAs(trafficFlag('marketdepth stream=0')).steady).toEqual({ 'MarketDepth Stream': 0 })
  for (const text of [
    'nonsense=1',
    'Positions',
    'Positions=',
    'Positions=-1',
    'Positions=1=2',
    '',
    'Positions=1,',
  ]) {
    refuses(trafficFlag(text))
  }
  refuses(trafficFlag('Positions=1,positions=2'))
  refuses(trafficFlag('Order Stream=1'))
  refuses(trafficFlag('__proto__=1'))
})

test('traffic can have bursts and a steady rate, and a category may have several', () => {
  const [of, more] = ['Positions=2.5@120/300', 'positions=1@60/60']
  expect(readAs(trafficFlag(`Positions=0.5,${of},${more}`))).toEqual({
    steady: { Positions: 0.5 },
    bursts: [
      { category: 'Positions', perSecond: 2.5, onSeconds: 120, offSeconds: 180 },
      { category: 'Positions', perSecond: 1, onSeconds: 60, offSeconds: 0 },
    ],
  })
  expect(readAs(trafficFlag(of))).toMatchObject({ steady: {}, bursts: [{ perSecond: 2.5 }] })
  for (const spell of [
    '',
    '120',
    '/300',
    '120/',
    '300/120',
    '0/300',
    '-1/300',
    '1/2/3',
    '1/2@3/4',
    'x/300',
  ]) {
    refuses(trafficFlag(`Positions=1@${spell}`))
  }
  for (const pace of ['Positions', 'Nothing=1', 'Positions=x', '']) refuses(trafficFlag(`${pace}@120/300`))
})

test('probes override the budget for the named categories, and none turns them off', () => {
  expect(readAs(probeFlag('Accounts=30,Positions=60'))).toEqual({
    enabled: true,
    everySeconds: { Accounts: 30, Positions: 60 },
  })
  expect(readAs(probeFlag('none'))).toEqual({ budgetFraction: 0, everySeconds: {} })
  for (const text of ['Nope=3', 'Accounts=0', 'Accounts=0.5', 'none,Accounts=1', '']) refuses(probeFlag(text))
})

test('a stream category has no automatic check: only opening a stream shows its headers', () => {
  refuses(probeFlag('Barchart Stream=30'))
})

test('a stream is a kind, a target and its endpoint’s parameters', () => {
  expect(readAs(readStreamText('positions:SIM1001, SIM1002'))).toEqual({
    kind: 'positions',
    target: 'SIM1001,SIM1002',
    options: {},
  })
  expect(readAs(readStreamText('barcharts:MSFT?interval=5&unit=Minute'))).toEqual({
    kind: 'barcharts',
    target: 'MSFT',
    options: { interval: '5', unit: 'Minute' },
  })
  expect(readAs(readStreamText('option-quotes:MSFT 261218C400')).target).toBe('MSFT 261218C400')
  expect(readAs(readStreamText('orders-by-id:SIM1001/1,2')).target).toBe('SIM1001/1,2')
})

test.each([
  'foo:bar',
  'positions',
  'positions:',
  'positions:,',
  'quotes:MSFT,',
  'quotes:A/B',
  'quotes:..',
  'barcharts:MSFT,AAPL',
  'barcharts:MSFT?',
  'barcharts:MSFT?interval=5?unit=Minute',
  'barcharts:MSFT?interval=5&interval=6',
  'barcharts:MSFT?interval=',
  'barcharts:MSFT?__proto__=1',
  'orders-by-id:SIM1001',
  'orders-by-id:SIM1001/',
  'orders-by-id:SIM1001/1/2',
  'quotes:A\nB',
  '',
])('the stream %j is rejected', (text) => {
  refuses(readStreamText(text))
})

test('no text makes a stream parser throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void readStreamText(text)))
  fc.assert(fc.property(fc.string(), (text) => void readStreamText(`quotes:${text}`)))
})

test('an address is an https origin, or http on loopback', () => {
  expect(readAs(addressFlag('https://signin.example.com/'))).toBe('https://signin.example.com')
  for (const text of ['http://127.0.0.1:4790', 'http://localhost:4790', 'http://[::1]:4790']) {
    expect(readAs(addressFlag(text))).toBe(text)
  }
  for (const text of [
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'https://user:pass@example.com',
    'https://example.com/path',
    'https://example.com/?q',
    'https://example.com/#f',
    'ftp://127.0.0.1',
    'example.com',
    '',
  ]) {
    refuses(addressFlag(text))
  }
})

test('a fault is a known name, with an optional count', () => {
  for (const text of ['goaway-v2', 'refresh-503:3', 'refresh-503:always']) {
    expect(readAs(faultFlag(text))).toBe(text)
  }
  for (const text of ['nope', '', 'goaway-v2:0', 'goaway-v2:often', 'goaway-v2:1:2']) refuses(faultFlag(text))
})

test('words must match exactly, and a text is not the next flag', () => {
  expect(readAs(wordFlag(['auto', 'browser'])('auto'))).toBe('auto')
  refuses(wordFlag(['auto', 'browser'])('Auto'))
  expect(readAs(textFlag('a folder'))).toBe('a folder')
  for (const text of ['', ' ', '--json', 'a\u0000b']) refuses(textFlag(text))
})

test('a category that cannot be checked is rejected with a line that names those that can', () => {
  for (const category of ['Option Risk Reward', 'Quote Change Stream', 'Order Stream']) {
    const flag = probeFlag(`${category}=30`)
    if (flag.ok) throw new Error(`${category} was taken`)
    expect(flag.expected).toBe(
      `none, or one of the categories Accounts, Order Details, Balances, Positions, Quote Snapshot, Option Expirations, Option Strikes, Option Spread Types; not "${category}"`,
    )
  }
})

test('each category that the flag accepts is one that the prober checks', () => {
  for (const category of PROBED_CATEGORIES) {
    readAs(probeFlag(`${category}=30`))
    expect(probeRequest(category, { account: 'SIM1', symbol: 'MSFT' })).toBeDefined()
  }
})
