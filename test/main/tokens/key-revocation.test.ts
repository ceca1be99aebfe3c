import { expect, test } from 'vitest'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { revokeTokens } from '../../../main/tokens/key-revocation.ts'
import { answerOf, NOT_SENT, REFUSAL, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'

const KEY = { authUrl: 'https://auth.test', clientId: 'id', clientSecret: 'secret' }

async function revoked(...outcomes: HttpOutcome[]) {
  const http = new ScriptedHttp()
  http.reply = () => outcomes.shift() ?? answerOf(500)
  const result = await revokeTokens(http, KEY, 'tok')
  return { result, bodies: http.requests.map(({ body = '' }) => JSON.parse(body)), requests: http.requests }
}

const SPELLING = answerOf(400, { error: 'invalid_request' })

test('sends both spellings in one JSON body, with the key, to the sign-in host', async () => {
  const { result, bodies, requests } = await revoked(answerOf(200))
  expect(result).toEqual({ kind: 'confirmed' })
  expect(bodies).toEqual([{ client_id: 'id', client_secret: 'secret', token: 'tok', refresh_token: 'tok' }])
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: 'https://auth.test/oauth/revoke',
    headers: { 'content-type': 'application/json' },
  })
})

test.each([400, 422])('a %d makes it try each spelling alone, token first', async (status) => {
  const { result, bodies } = await revoked(answerOf(status), answerOf(status), answerOf(200))
  expect(result.kind).toBe('confirmed')
  expect(bodies.map((body) => Object.keys(body).slice(2))).toEqual([
    ['token', 'refresh_token'],
    ['token'],
    ['refresh_token'],
  ])
})

test('is unconfirmed if no spelling is accepted', async () => {
  const { result, bodies } = await revoked(SPELLING, SPELLING, SPELLING)
  expect(result.kind).toBe('unconfirmed')
  expect(bodies.length).toBe(3)
})

test.each<[string, HttpOutcome, string]>([
  ['a refusal of the token', REFUSAL, 'refused'],
  ['a refusal of the key', answerOf(401, { error: 'invalid_client' }), 'refused'],
  ['503', answerOf(503), 'unconfirmed'],
  ['201', answerOf(201), 'unconfirmed'],
  ['204', answerOf(204), 'unconfirmed'],
  ['429', answerOf(429), 'unconfirmed'],
  ['a lost answer', UNKNOWN, 'unconfirmed'],
  ['not sent', NOT_SENT, 'unconfirmed'],
])('%s ends the attempt without another spelling', async (_, outcome, kind) => {
  const { result, bodies } = await revoked(outcome)
  expect(result.kind).toBe(kind)
  expect(bodies.length).toBe(1)
})
