import { expect, test } from 'vitest'
import { ApiClient } from '../../../main/api/client.ts'
import type { AcquirePermit } from '../../../main/api/permit.ts'
import { Reachability } from '../../../main/network/reachability.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import type { Access } from '../../../main/tokens/keeper.ts'
import { proves } from '../../proof/proves.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { answerOf, NOT_SENT, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'
import { startedTap } from './started-tap.ts'

const GET = { method: 'GET', path: '/v3/brokerage/accounts' } as const
const QUOTA = quotaHeaders(319, 1)

function setUp(acquirePermit?: AcquirePermit) {
  const { timeline, ledger, events, event, random, tap } = startedTap()
  const http = new ScriptedHttp()
  const rejected: string[] = []
  const accepted: string[] = []
  const tokens: Access[] = [{ kind: 'token', value: 'a1' }]
  const client = new ApiClient({
    baseUrl: 'https://api.test',
    http,
    secrets: new Redactor(),
    tap,
    reachability: new Reachability(timeline, random, event),
    access: async () => tokens[0]!,
    usable: () => tokens[0]!,
    rejected: async (value) => {
      rejected.push(value)
      if (tokens.length > 1) tokens.shift()
    },
    accepted: (_, path) => void accepted.push(path),
    turns: () => acquirePermit,
  })
  const low = () => ledger.view(timeline.now()).find(({ category }) => category === 'Accounts')?.low
  return { client, http, events, rejected, accepted, tokens, low }
}

test('sends the bearer in a header, and no secret in the URL', async () => {
  const { client, http } = setUp()
  http.reply = () => answerOf(200, '{}', QUOTA)
  expect(await client.request(GET)).toEqual({ kind: 'answered', status: 200, body: '{}', hasQuota: true })
  expect(http.requests).toMatchObject([
    { url: 'https://api.test/v3/brokerage/accounts', headers: { authorization: 'Bearer a1' } },
  ])
})

test('after a 401 the request is retried once with the new token', async () => {
  const { client, http, rejected, tokens } = setUp()
  tokens.push({ kind: 'token', value: 'a2' })
  http.reply = ({ headers }) => answerOf(headers['authorization'] === 'Bearer a2' ? 200 : 401, '', QUOTA)
  expect(await client.request(GET)).toMatchObject({ kind: 'answered', status: 200 })
  expect(rejected).toEqual(['a1'])
  expect(http.requests.length).toBe(2)
})

test('a second 401 is the result, and is attributed to the token it was sent with', async () => {
  const { client, http, rejected, accepted, tokens } = setUp()
  tokens.push({ kind: 'token', value: 'a2' })
  http.reply = () => answerOf(401)
  expect(await client.request(GET)).toMatchObject({ kind: 'answered', status: 401 })
  expect(http.requests.length).toBe(2)
  expect([rejected, accepted]).toEqual([['a1', 'a2'], []])
})

test.each([
  [200, true],
  [403, true],
  [404, true],
  [429, false],
  [503, false],
])('whether a response of %d accepts the token: %s', async (status, isAccepted) => {
  const { client, http, rejected, accepted } = setUp()
  http.reply = () => answerOf(status, '', { 'content-type': 'application/json' })
  await client.request(GET)
  expect([rejected, accepted]).toEqual([[], isAccepted ? [GET.path] : []])
})

test('a rejected token is not sent again', async () => {
  const { client, http } = setUp()
  http.reply = () => answerOf(401)
  expect(await client.request(GET)).toMatchObject({ kind: 'answered', status: 401 })
  expect(http.requests.length).toBe(1)
})

test('without a token nothing is sent', async () => {
  const { client, http, tokens } = setUp()
  tokens[0] = { kind: 'none', why: 'revoked' }
  expect(await client.request(GET)).toEqual({ kind: 'no-token', why: 'revoked' })
  expect(http.requests).toEqual([])
})

test('without a permit nothing is sent, and the answer has the queue’s reason', async () => {
  const { client, http } = setUp(async () => ({ why: 'the queue is full' }))
  expect(await client.request(GET)).toEqual({ kind: 'unreachable', why: 'the queue is full', sent: false })
  expect(http.requests).toEqual([])
})

test('an unsent request costs nothing; a lost one may have counted', async () => {
  const { client, http, low, events } = setUp()
  http.reply = () => NOT_SENT
  expect(await client.request(GET)).toEqual({
    kind: 'unreachable',
    why: 'connection refused',
    sent: false,
  })
  expect(low()).toBe(320)
  http.reply = () => UNKNOWN
  expect(await client.request(GET)).toMatchObject({ kind: 'unreachable', sent: true })
  expect(low()).toBe(319)
  expect(events.map(({ kind }) => kind)).toEqual(['service-unreachable'])
})

test.each([
  ['a page', answerOf(200, '<html>Sign in</html>', { 'content-type': 'text/html' })],
  ['a page that does not say so', answerOf(200, ' <html>Sign in</html>')],
  ['a redirect to another host', answerOf(302, '', { location: 'http://portal.test/' })],
])(
  '%s instead of a response is not the service: no quota is read and the host counts as unreachable',
  async (_, outcome) => {
    const { client, http, low, events } = setUp()
    http.reply = () => outcome
    const why = outcome.kind === 'answer' && outcome.status === 200 ? 'something else' : 'portal.test'
    expect(await client.request(GET)).toMatchObject({
      kind: 'unreachable',
      why: expect.stringContaining(why),
      sent: true,
    })
    expect(low()).toBe(319)
    await client.request(GET)
    expect(events).toMatchObject([{ kind: 'service-unreachable', host: 'api.test' }])
    http.reply = () => answerOf(200, '{}', QUOTA)
    await client.request(GET)
    expect(events).toMatchObject([{}, { kind: 'service-back', host: 'api.test', id: events[0]?.id }])
  },
)

test('a rejection may be an HTML page, and still counts as a response', async () => {
  const { client, http, events } = setUp()
  http.reply = () => answerOf(404, '<html>Cannot GET</html>', { 'content-type': 'text/html' })
  expect(await client.request(GET)).toMatchObject({ kind: 'answered', status: 404 })
  expect(events).toEqual([
    { kind: 'requests-refused', category: 'Accounts', status: 404, id: expect.any(String) },
  ])
})

test('a 429 returns the time to wait', async () => {
  const { client, http } = setUp()
  http.reply = () =>
    answerOf(429, '{"Message":"Rate quota exceeded"}', { ...QUOTA, 'x-ratelimit-reset': '7' })
  expect(await client.request(GET)).toMatchObject({ kind: 'limited' })
  expect(http.requests.length).toBe(1)
})

test('a token revoked while a request waits for it is not sent', async () => {
  const { client, http, tokens } = setUp()
  http.reply = () => answerOf(200, '{}', QUOTA)
  const waiting = client.request(GET)
  tokens[0] = { kind: 'none', why: 'revoke-unconfirmed' }
  expect(await waiting).toEqual({ kind: 'no-token', why: 'revoke-unconfirmed' })
  expect(http.requests).toEqual([])
  proves('R3', { level: 1, cases: 1 })
})

test('after stop, nothing is sent, not even requests that waited for a token', async () => {
  const { client, http, tokens } = setUp()
  http.reply = () => answerOf(200, '{}', QUOTA)
  const waiting = client.request(GET)
  client.stop()
  expect(await waiting).toMatchObject({ kind: 'no-token' })
  expect(await client.request(GET)).toMatchObject({ kind: 'no-token' })
  expect(http.requests).toEqual([])
  expect(tokens).toHaveLength(1)
})

test('after stop during a refresh for a rejected token, the request is not retried', async () => {
  const { client, http, tokens } = setUp()
  tokens.push({ kind: 'token', value: 'a2' })
  http.reply = () => {
    client.stop()
    return answerOf(401)
  }
  expect(await client.request(GET)).toMatchObject({ kind: 'answered', status: 401 })
  expect(http.requests).toHaveLength(1)
})
