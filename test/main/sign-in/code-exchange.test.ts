import { expect, test } from 'vitest'
import { exchangeCode, type SigningKey } from '../../../main/sign-in/code-exchange.ts'
import { proves } from '../../proof/proves.ts'
import { answerOf, NOT_SENT, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'

const GRANTED = ['openid', 'offline_access']

const KEY: SigningKey = { authUrl: 'https://signin.test', clientId: 'the-key' }
const CODE = {
  callback: new URLSearchParams('code=the-code&state=s'),
  state: 's',
  redirectUri: 'http://localhost:31022',
  verifier: 'v'.repeat(43),
}
const GRANT = {
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_in: 1200,
  token_type: 'Bearer',
  scope: 'openid offline_access',
  id_token: 'opaque, and no JWT at all',
}

async function exchange(
  outcome: ReturnType<typeof answerOf>,
  key: SigningKey = KEY,
  code: Parameters<typeof exchangeCode>[2] = CODE,
) {
  const http = new ScriptedHttp()
  http.reply = () => outcome
  const result = await exchangeCode(http, key, code)
  return { result, requests: http.requests, form: new URLSearchParams(http.requests[0]?.body) }
}

test('a key with a secret sends it in the body, and accepts an opaque id_token', async () => {
  const { result, requests, form } = await exchange(answerOf(200, GRANT), {
    ...KEY,
    clientSecret: 'the secret',
  })
  expect(result).toEqual({ kind: 'granted', refreshToken: 'refresh-1', scopes: GRANTED })
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({ method: 'POST', url: 'https://signin.test/oauth/token' })
  expect(requests[0]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
  expect(Object.fromEntries(form)).toEqual({
    grant_type: 'authorization_code',
    client_id: 'the-key',
    client_secret: 'the secret',
    code: 'the-code',
    redirect_uri: 'http://localhost:31022',
    code_verifier: CODE.verifier,
  })
})

test('a PKCE key sends its verifier and no secret', async () => {
  const { form } = await exchange(answerOf(200, GRANT))
  expect(form.get('code_verifier')).toBe(CODE.verifier)
  expect(form.has('client_secret')).toBe(false)
})

test('an issuer in the redirect is accepted, whatever its spelling', async () => {
  const callback = new URLSearchParams('code=the-code&state=s&iss=https://signin.test/')
  const { result } = await exchange(answerOf(200, GRANT), KEY, { ...CODE, callback })
  expect(result.kind).toBe('granted')
})

test.each([
  ['no type', { ...GRANT, token_type: undefined }],
  ['its type in capitals', { ...GRANT, token_type: 'BEARER' }],
  ['an unreadable lifetime', { ...GRANT, expires_in: 'soon' }],
])(
  'a readable refresh token is saved from a response with %s, because the code is spent',
  async (_, body) => {
    const { result } = await exchange(answerOf(200, body))
    expect(result).toEqual({ kind: 'granted', refreshToken: 'refresh-1', scopes: GRANTED })
  },
)

test.each([
  [200, { refresh_token: 'is missing' }],
  [200, { ...GRANT, access_token: 'a\nb' }],
  [302, GRANT],
  [400, { refresh_token: 'is not allowed' }],
  [422, { code: 'is required', refresh_token: 'is required' }],
  [429, { refresh_token: 'too many' }],
  [503, { refresh_token: 'unavailable' }],
])('a %d that is no complete grant signs nobody in with its string: %j', async (status, body) => {
  const { result } = await exchange(answerOf(status, body))
  expect(result.kind).not.toBe('granted')
  proves('T10', { level: 2, cases: 1 })
})

test.each([
  [403, { error: 'invalid_grant' }, 'code-refused'],
  [400, { error: 'invalid_grant' }, 'code-refused'],
  [401, { error: 'invalid_client' }, 'misconfigured'],
  [401, { error: 'access_denied' }, 'misconfigured'],
  [400, { error: 'invalid_target' }, 'refused'],
  [400, '<html>portal</html>', 'later'],
  [503, '<html>down</html>', 'later'],
  [302, '', 'later'],
  [204, '', 'answer-lost'],
  [200, '<html>portal</html>', 'answer-lost'],
  [200, { ...GRANT, token_type: 'mac' }, 'answer-lost'],
  [200, { ...GRANT, token_type: 7 }, 'answer-lost'],
  [200, { access_token: 'a', token_type: 'Bearer' }, 'no-refresh-token'],
  [200, { access_token: 'a', token_type: 'Bearer', id_token: 'opaque' }, 'no-refresh-token'],
])('status %i with %j reads as %s', async (status, body, kind) => {
  expect((await exchange(answerOf(status, body))).result.kind).toBe(kind)
})

test('a redirect to another host is reported with that host’s name', async () => {
  const { result } = await exchange(answerOf(302, '', { location: 'https://portal.test/?code=c' }))
  expect(result).toEqual({ kind: 'later', why: 'redirected to another host (portal.test); not followed' })
})

test('an unsent request is distinguished from a lost response', async () => {
  expect((await exchange(NOT_SENT)).result).toEqual({ kind: 'not-sent', why: 'connection refused' })
  expect((await exchange(UNKNOWN)).result).toEqual({ kind: 'answer-lost', why: 'connection lost' })
})

test('the code is sent once, whatever the outcome', async () => {
  for (const outcome of [NOT_SENT, UNKNOWN, answerOf(503), answerOf(200, 'no')]) {
    expect((await exchange(outcome)).requests).toHaveLength(1)
  }
})
