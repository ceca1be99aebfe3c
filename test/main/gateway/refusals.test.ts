import { expect, test } from 'vitest'
import { noToken, problemOf, unavailable } from '../../../main/gateway/refusals.ts'
import { quotaHeaders } from '../quota-headers.ts'

const RATE = { limit: 320, periodSeconds: 300, remaining: 0, resetSeconds: 12 }

test('a request with a late turn gets a 429 of the quota, with its turn', () => {
  expect(
    problemOf({ kind: 'refuse', request: 1, why: 'too-late', retryAfterSeconds: 7, rate: RATE }, undefined),
  ).toEqual({
    status: 429,
    detail: 'Not sent: the wait for this quota would exceed your maximum wait; retry in about 7 s.',
    proxyError: 'http_request_denied',
    error: 'TooManyRequests',
    message: 'Rate quota exceeded',
    headers: {
      'retry-after': '7',
      ...quotaHeaders(0, 12),
    },
  })
})

test('leaves out unknown quota fields', () => {
  const bare = problemOf({ kind: 'refuse', request: 1, why: 'too-late' }, undefined)
  expect(bare.detail).toBe('Not sent: the wait for this quota would exceed your maximum wait.')
  expect(bare.headers).toEqual({})
  const rate = { remaining: 3 }
  expect(problemOf({ kind: 'refuse', request: 1, why: 'too-late', rate }, undefined).headers).toEqual({
    'x-ratelimit-remaining': '3',
  })
})

test('reports a full queue as full', () => {
  const full = problemOf({ kind: 'refuse', request: 1, why: 'queue-full', retryAfterSeconds: 2 }, undefined)
  expect(full).toMatchObject({
    status: 429,
    detail: 'Not sent: the queue is full; retry in about 2 s.',
    message: 'queue full',
    headers: { 'retry-after': '2' },
  })
})

test('an unusable key is a 503 with the reason, if known', () => {
  const refused = { kind: 'refuse', request: 1, why: 'unavailable' } as const
  expect(problemOf(refused, 'the tokens were revoked')).toEqual({
    ...unavailable('the tokens were revoked'),
    headers: {},
  })
  expect(problemOf({ ...refused, retryAfterSeconds: 4 }, undefined)).toEqual({
    status: 503,
    detail: 'Not sent: the key is unavailable.',
    proxyError: 'destination_unavailable',
    headers: { 'retry-after': '4' },
  })
})

test.each([
  [{ why: 'sign-in-required' }, 'sign in with this key in Headroom'],
  [{ why: 'revoked' }, 'the tokens of this key are revoked; sign in again in Headroom'],
  [{ why: 'revoking' }, 'the tokens of this key are revoked; sign in again in Headroom'],
  [{ why: 'revoke-unconfirmed' }, 'the tokens of this key are revoked; sign in again in Headroom'],
  [{ why: 'active' }, 'the access token is being renewed'],
  [
    { why: 'active', failure: 'the sign-in host answered 503' },
    'renewing the access token failed (the sign-in host answered 503)',
  ],
])('without a token of a key in the state %o: %s', (access, words) =>
  expect(noToken({ kind: 'none', ...access }, 0)).toEqual({
    status: 503,
    detail: `Not sent: ${words}.`,
    proxyError: 'destination_unavailable',
  }),
)

test('without a token the caller gets the time of the next refresh', () => {
  const access = { kind: 'none', why: 'active', failure: 'connection refused' } as const
  const retryAfter = (retryAtMs: number) => noToken({ ...access, retryAtMs }, 10_000).headers
  expect([12_001, 11_000, 10_000].map(retryAfter)).toEqual(
    ['3', '1', '1'].map((seconds) => ({ 'retry-after': seconds })),
  )
})
