import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SIGN_IN_TO_REVOKE } from '../../../app/contract/snapshot.ts'
import type { HttpHeaders, HttpOutcome } from '../../../app/service/headers.ts'
import {
  processRevokeAnswer as process,
  REVOKE_SPELLINGS,
  revokeRequest,
} from '../../../app/tokens/revocation.ts'

const key = { authUrl: 'https://sign-in.test', clientId: 'id' }
const processRevokeAnswer = (outcome: HttpOutcome) => process(outcome, 'https://sign-in.test/oauth/revoke')
const answer = (status: number, body = '', headers: HttpHeaders = {}) =>
  processRevokeAnswer({ kind: 'answer', status, headers, body })

test('both spellings of service 4.2 go in one body first, then each alone, `token` first', () => {
  const bodies = REVOKE_SPELLINGS.map((spelling) => JSON.parse(revokeRequest(key, 'r-1', spelling).body))
  expect(bodies).toEqual([
    { client_id: 'id', token: 'r-1', refresh_token: 'r-1' },
    { client_id: 'id', token: 'r-1' },
    { client_id: 'id', refresh_token: 'r-1' },
  ])
})

test('the request is JSON to /oauth/revoke, with the secret if the key has one', () => {
  const request = revokeRequest({ ...key, clientSecret: 's"1' }, 'r-1', ['token'])
  expect(request.url).toBe('https://sign-in.test/oauth/revoke')
  expect(request.headers['content-type']).toBe('application/json')
  expect(JSON.parse(request.body)).toEqual({ client_id: 'id', client_secret: 's"1', token: 'r-1' })
})

test('only a 200 confirms', () => {
  expect(answer(200)).toEqual({ kind: 'confirmed' })
  for (const status of [100, 201, 202, 204, 301, 302, 304, 401, 403, 404, 408, 429, 500, 502, 503]) {
    expect(answer(status).kind, `${status}`).toBe('unconfirmed')
  }
  expect(processRevokeAnswer({ kind: 'not-sent', why: 'offline' }).kind).toBe('unconfirmed')
  expect(processRevokeAnswer({ kind: 'unknown', why: 'timeout' }).kind).toBe('unconfirmed')
})

test('the sign-in page of a network confirms nothing, whatever its status', () => {
  expect(answer(200, '<!doctype html><title>Welcome</title>')).toEqual({
    kind: 'unconfirmed',
    why: 'response from something else, such as a network’s sign-in page',
  })
  expect(answer(200, '\n <html>').kind).toBe('unconfirmed')
  expect(answer(200, '{}').kind).toBe('confirmed')
})

test('a redirect to another host confirms nothing, and is reported with that host’s name', () => {
  expect(answer(307, '', { location: 'https://portal.test/?r-1' })).toEqual({
    kind: 'unconfirmed',
    why: 'redirected to another host (portal.test); not followed',
  })
})

test('a 400 or 422 that does not name the token or the key leads to the other spelling', () => {
  for (const status of [400, 422]) {
    for (const body of ['', '{}', '[]', 'null', '{"error":"invalid_request"}', '{"error":7}', '<html>']) {
      expect(answer(status, body)).toEqual({ kind: 'spelling' })
    }
  }
})

test('distinguishes a rejected token from a rejected key, whatever the status', () => {
  for (const status of [400, 401, 403, 422]) {
    for (const error of ['invalid_grant', 'invalid_token']) {
      expect(answer(status, JSON.stringify({ error }))).toEqual({
        kind: 'refused',
        why: SIGN_IN_TO_REVOKE,
      })
    }
    expect(answer(status, '{"error":"invalid_client"}')).toEqual({
      kind: 'refused',
      why: 'the service rejected this API key or secret',
    })
  }
})

test('no response makes it throw, or confirms except a 200 that is not a page', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.json(), fc.string()), (status, body) => {
      const isPage = body.trimStart().startsWith('<')
      expect(answer(status, body).kind === 'confirmed').toBe(status === 200 && !isPage)
    }),
    { numRuns: 5_000 },
  )
})
