import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHeaders } from '../../../app/service/headers.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'

const NAMES = [
  'x-ratelimit-limit',
  'x-ratelimit-period',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-resource',
  'x-concurrency-limit',
  'x-concurrency-remaining',
  'x-concurrency-resource',
  'x-ts-request-id',
] as const

const sample = {
  'x-ratelimit-limit': '500',
  'x-ratelimit-period': '300',
  'x-ratelimit-remaining': '499',
  'x-ratelimit-reset': '1',
  'x-ratelimit-resource': 'quote-change-stream',
  'x-concurrency-limit': '40',
  'x-concurrency-remaining': '39',
  'x-concurrency-resource': 'streaming-positions',
  'x-ts-request-id': 'abc-123',
}

test('every header of service 2.2 is read', () => {
  expect(readHeaders(sample)).toEqual({
    rate: {
      limit: 500,
      periodSeconds: 300,
      remaining: 499,
      resetSeconds: 1,
      resource: 'quote-change-stream',
    },
    concurrency: { limit: 40, remaining: 39, resource: 'streaming-positions' },
    requestId: 'abc-123',
    oddities: [],
  })
})

test('headers whose names came in any case are read once their names are in lower case', () => {
  const spelled = new Headers({ 'X-Ratelimit-Limit': '251', 'X-RATELIMIT-REMAINING': '250' })
  expect(readHeaders(Object.fromEntries(spelled)).rate).toEqual({ limit: 251, remaining: 250 })
})

test('a response without quota headers has no reading, and no oddities', () => {
  expect(readHeaders({ 'content-type': 'application/json', date: 'today' })).toEqual({ oddities: [] })
  expect(readHeaders({})).toEqual({ oddities: [] })
})

test('whichever pieces are missing, the others are read', () => {
  fc.assert(
    fc.property(fc.subarray([...NAMES]), (present) => {
      const headers = Object.fromEntries(present.map((name) => [name, sample[name]]))
      const reading = readHeaders(headers)
      expect(reading.oddities).toEqual([])
      expect(reading.rate !== undefined).toBe(present.some((name) => name.startsWith('x-ratelimit')))
      expect(reading.concurrency !== undefined).toBe(present.some((name) => name.startsWith('x-conc')))
      expect(reading.rate?.limit).toBe(present.includes('x-ratelimit-limit') ? 500 : undefined)
      expect(reading.rate?.remaining).toBe(present.includes('x-ratelimit-remaining') ? 499 : undefined)
      expect(reading.requestId).toBe(present.includes('x-ts-request-id') ? 'abc-123' : undefined)
    }),
  )
})

describe('an implausible number is left out and named, never quoted', () => {
  test.each([
    '-1',
    '+5',
    '5,0',
    '5, 5',
    '5;5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    'null',
    '',
    ' ',
    '٥',
    '５',
    '1 000',
    '12345678901234567890',
    'true',
    '5\u0000',
  ])('%j', (value) => {
    for (const name of NAMES.filter((one) => !one.endsWith('resource') && !one.endsWith('id'))) {
      const reading = readHeaders({ ...sample, [name]: value })
      expect(JSON.stringify(reading.oddities)).toContain(name)
      if (value.trim() !== '') expect(reading.oddities.join()).not.toContain(value)
    }
    expect(readHeaders({ 'x-ratelimit-remaining': value }).rate).toBeUndefined()
  })
})

test('white space around a number is not odd', () => {
  expect(readHeaders({ 'x-ratelimit-remaining': ' 5\t' })).toEqual({ rate: { remaining: 5 }, oddities: [] })
})

test('rounds fractions cautiously: counts down, seconds up', () => {
  const headers = {
    'x-ratelimit-limit': '320.0',
    'x-ratelimit-period': '300.0',
    'x-ratelimit-remaining': '205.78',
    'x-ratelimit-reset': '107.08',
    'x-concurrency-limit': '40.0',
    'x-concurrency-remaining': '3.9',
  }
  expect(readHeaders(headers)).toEqual({
    rate: { limit: 320, periodSeconds: 300, remaining: 205, resetSeconds: 108 },
    concurrency: { limit: 40, remaining: 3 },
    oddities: [],
  })
})

test.each(['0.5', '.5', '5.', '5.5.5', '1e3', '-1.0', '0x10', '5,5'])('%j is no limit', (limit) => {
  const { rate, oddities } = readHeaders({ 'x-ratelimit-limit': limit })
  expect(rate).toBeUndefined()
  expect(oddities).toHaveLength(1)
})

describe('leaves out a Reset that is not a number of seconds to full', () => {
  const resetOf = (reset: string, period?: string) =>
    readHeaders({
      'x-ratelimit-reset': reset,
      ...(period !== undefined && { 'x-ratelimit-period': period }),
    }).rate?.resetSeconds

  test('an epoch time in seconds or milliseconds, with and without a period', () => {
    for (const epoch of ['1767225600', '1767225600000']) {
      expect(resetOf(epoch, '300')).toBeUndefined()
      expect(resetOf(epoch)).toBeUndefined()
    }
  })
  test('milliseconds to full', () => expect(resetOf('300000', '300')).toBeUndefined())
  test('accepts the period itself', () => expect(resetOf('300', '300')).toBe(300))
  test('accepts a little over the period', () => expect(resetOf('301', '300')).toBe(301))
  test.each(['302', '600'])('%s s of 300: neither model takes that long', (reset) => {
    expect(resetOf(reset, '300')).toBeUndefined()
  })
  test('accepts zero', () => expect(resetOf('0', '300')).toBe(0))
})

test('rejects more Remaining than Limit, accepts equal', () => {
  const remaining = (left: string) =>
    readHeaders({ 'x-ratelimit-limit': '250', 'x-ratelimit-remaining': left }).rate?.remaining
  expect(remaining('250')).toBe(250)
  expect(remaining('251')).toBeUndefined()
  const slots = (left: string) =>
    readHeaders({ 'x-concurrency-limit': '40', 'x-concurrency-remaining': left }).concurrency?.remaining
  expect(slots('40')).toBe(40)
  expect(slots('41')).toBeUndefined()
})

test('rejects a limit of 0 and a period of 0, which would divide by zero', () => {
  expect(readHeaders({ 'x-ratelimit-limit': '0', 'x-ratelimit-period': '0' }).rate).toBeUndefined()
})

test('accepts a limit that no table names', () => {
  expect(readHeaders({ 'x-ratelimit-limit': '251' }).rate).toEqual({ limit: 251 })
})

test('names of any length are cut to one a window can show', () => {
  const reading = readHeaders({ 'x-ratelimit-resource': 'a'.repeat(1e6), 'x-ts-request-id': 'b'.repeat(1e6) })
  expect(reading.rate?.resource).toHaveLength(64)
  expect(reading.requestId).toHaveLength(64)
  expect(readHeaders({ 'x-ratelimit-resource': '  ' }).rate).toBeUndefined()
})

test('garbage is parsed or ignored: never a throw, never a number that is not whole and in range', () => {
  const runs = lawRuns(100_000)
  const numberLike = fc.oneof(
    fc.integer().map(String),
    fc.double().map(String),
    fc.integer({ min: 0, max: 600 }).map(String),
    fc.integer({ min: 0, max: 600 }).map((n) => `${n}, ${n}`),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => String(date.getTime() / 1000)),
  )
  const value = fc.oneof(
    numberLike,
    numberLike,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('__proto__', 'NaN', ''),
  )
  const headers = fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: fc.string() }),
    value,
    { maxKeys: 10 },
  )
  fc.assert(
    fc.property(headers, (raw) => {
      const { rate = {}, concurrency = {}, oddities } = readHeaders(raw)
      const { resource: _r, ...rateNumbers } = rate
      const { resource: _c, ...slotNumbers } = concurrency
      for (const number of [...Object.values(rateNumbers), ...Object.values(slotNumbers)]) {
        if (!Number.isSafeInteger(number) || number < 0) expect.fail(`${number} from ${JSON.stringify(raw)}`)
      }
      if (rate.limit !== undefined && (rate.remaining ?? 0) > rate.limit) expect.fail('more than the limit')
      if (rate.limit === 0 || rate.periodSeconds === 0) expect.fail('zero')
      if ((rate.resetSeconds ?? 0) > (rate.periodSeconds ?? 604_800) + 1) expect.fail('absurd Reset')
      if (oddities.length > 6) expect.fail('more oddities than numbers')
    }),
    { numRuns: runs },
  )
  proves('Q4', { level: 2, cases: runs })
})
