import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CALLER_WAIT_MS, maxWaitMsOf, sameAsOf } from '../../../app/gateway/request-fields.ts'

test.each([
  ['wait=10', 10],
  ['respond-async, wait=10', 10],
  ['WAIT = "10" ; foo', 10],
  ['wait=0', 0],
  ['wait=300', 300],
  ['wait=301', 300],
  ['wait=99999999999999999999999', 300],
  // The first `wait` counts, and a comma within quotes separates nothing.
  ['wait=5, wait=9', 5],
  ['foo="a, wait=1", wait=7', 7],
  ['foo="\\", wait=1", wait=7', 7],
  ['wait=3, foo="', 3],
])('Prefer %j sets a longest wait of %i s', (prefer, seconds) => {
  expect(maxWaitMsOf(prefer)).toBe(seconds * 1000)
})

test.each([
  undefined,
  '',
  'wait',
  'wait=',
  'wait=soon',
  'wait=-1',
  'wait=1.5',
  'await=5',
  'foo; wait=5',
  'wait=5 6',
  // A quoted string that does not end takes the rest.
  'foo=", wait=5',
  'foo="\\", wait=5',
  'foo="\\',
])('Prefer %j sets no longest wait', (prefer) => {
  expect(maxWaitMsOf(prefer)).toBe(CALLER_WAIT_MS.usual)
})

test('any input gives a longest wait within bounds', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^(wait ?= ?"?\d{0,5}"?[;, ]*|"|\\){0,6}$/))
  fc.assert(
    fc.property(text, (prefer) => {
      const maxWaitMs = maxWaitMsOf(prefer)
      expect(maxWaitMs >= 0 && maxWaitMs <= CALLER_WAIT_MS.max).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test.each(['"', '"\\', '\\"', 'a"', ',"', '" ', '"a', '""a,', 'wait ', 'wait=1 ', ' '])(
  'reads 100 kB of %j in linear time',
  (part) => {
    const beganMs = performance.now()
    for (const end of ['', '"', '\\', ',x']) maxWaitMsOf(`${part.repeat(100_000 / part.length)}${end}`)
    expect(performance.now() - beganMs).toBeLessThan(1_000)
  },
)

const get = { method: 'GET', pathAndQuery: '/v3/a?b', accept: 'application/json', acceptEncoding: undefined }

test('equal requests have equal path, query, Accept and Accept-Encoding', () => {
  expect(sameAsOf({ ...get })).toBe(sameAsOf(get))
  const others = [
    { ...get, pathAndQuery: '/v3/a?B' },
    { ...get, pathAndQuery: '/v3/a%3Fb' },
    { ...get, accept: undefined },
    { ...get, accept: undefined, acceptEncoding: 'application/json' },
    { ...get, acceptEncoding: 'gzip' },
  ]
  expect(new Set([get, ...others].map(sameAsOf)).size).toBe(others.length + 1)
})

test('only GET is shared', () => {
  expect(sameAsOf({ ...get, method: 'POST' })).toBeUndefined()
  expect(sameAsOf({ ...get, method: 'HEAD' })).toBeUndefined()
})
