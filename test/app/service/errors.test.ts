import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusedBy as refusedByReading } from '../../../app/service/errors.ts'
import { type HttpHeaders, readHeaders } from '../../../app/service/headers.ts'

const refusedBy = (headers: HttpHeaders, body: string) => refusedByReading(readHeaders(headers), body)

const body = (Message: unknown) => JSON.stringify({ Error: 'TooManyRequests', Message })
const slotsFull = { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' }
const slotsLeft = { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '3' }
const rateEmpty = { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '0' }
const rateLeft = { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '120' }

test('a known Message decides, whatever the headers', () => {
  for (const headers of [
    {},
    slotsFull,
    rateEmpty,
    { ...slotsFull, ...rateLeft },
    { ...slotsLeft, ...rateEmpty },
  ]) {
    expect(refusedBy(headers, body('Rate quota exceeded'))).toBe('rate')
    expect(refusedBy(headers, body('Stream quota exceeded'))).toBe('concurrency')
  }
})

test('full slots do not turn a rate-limited request into a stream rejection', () => {
  expect(refusedBy({ ...slotsFull, ...rateEmpty }, body('Rate quota exceeded'))).toBe('rate')
})

test('without a known Message the headers decide, slots first', () => {
  for (const text of ['', 'nothing', '[]', '"Rate quota exceeded"', body('Slow down'), body(7), body(null)]) {
    expect(refusedBy({ ...slotsFull, ...rateEmpty }, text)).toBe('concurrency')
    expect(refusedBy({ ...slotsFull, ...rateLeft }, text)).toBe('concurrency')
    expect(refusedBy({ ...slotsLeft, ...rateEmpty }, text)).toBe('rate')
    expect(refusedBy(rateEmpty, text)).toBe('rate')
  }
})

test('without either, the 429 is unattributed', () => {
  for (const text of ['', '<html><h1>429</h1>', body('Slow down'), '{']) {
    expect(refusedBy({}, text)).toBe('unattributed')
    expect(refusedBy(slotsLeft, text)).toBe('unattributed')
    expect(refusedBy({ 'x-concurrency-remaining': '-0' }, text)).toBe('unattributed')
  }
  expect(refusedBy({ 'content-length': '64', date: 'x' }, body('Rate quota exceeded'))).toBe('rate')
  expect(refusedBy({ 'content-length': '64', date: 'x' }, body('Stream quota exceeded'))).toBe('concurrency')
})

test('no body makes it throw', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json())
  fc.assert(
    fc.property(text, (any) => {
      expect(['rate', 'concurrency', 'unattributed']).toContain(refusedBy({}, any))
    }),
    { numRuns: 5_000 },
  )
})
