import { expect, test } from 'vitest'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { proves } from '../../proof/proves.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, UNKNOWN } from '../scripted-http.ts'
import { DAY_MS, MINUTE_MS, setUp, started } from './scripted-keeper.ts'

test('a rejection ends the session once, leaves no timer and is not retried', async () => {
  const { clock, keeper, http, kinds } = await started([REFUSAL], DAY_MS)
  expect(http.requests.length).toBe(1)
  expect(kinds('sign-in-required')).toEqual([
    { kind: 'sign-in-required', reason: 'the service rejected this refresh token' },
  ])
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'sign-in-required' })
  expect(clock.pending).toBe(0)
})

test.each(['invalid_client', 'unauthorized_client', 'invalid_request'])(
  'a rejected key (%s) is distinguished from an ended sign-in, and can be retried',
  async (error) => {
    const { keeper, http, kinds } = await started([answerOf(401, { error }), renewal('a1')], DAY_MS)
    expect(http.requests.length).toBe(1)
    const [ended] = kinds('sign-in-required')
    expect(ended).toMatchObject({ cause: 'misconfigured' })
    expect(keeper.refreshSummary()).toMatchObject({ state: 'sign-in-required', cause: 'misconfigured' })
    await keeper.tryNow()
    expect(keeper.refreshSummary()).toMatchObject({ state: 'valid' })
    expect(keeper.refreshSummary()).not.toHaveProperty('cause')
  },
)

test.each<[string, HttpOutcome]>([
  ['offline', NOT_SENT],
  ['500', answerOf(500)],
  ['503 with an OAuth body', answerOf(503, { error: 'invalid_grant' })],
  ['429', answerOf(429, { error: 'invalid_grant' })],
  ['a captive portal', answerOf(200, '<html>Sign in to the network</html>')],
  ['a redirecting portal', answerOf(302, '', { location: 'http://portal.test' })],
  ['a proxy that wants a password', answerOf(407, '<html>Proxy</html>')],
  ['a proxy that forbids', answerOf(403, '<html>Forbidden</html>')],
  ['an empty 400', answerOf(400)],
  ['a lost connection', UNKNOWN],
  ['a body cut short', answerOf(200, '{"access_token":"a')],
])('%s for an hour never ends a session', async (_, outcome) => {
  const { clock, keeper, http, kinds } = setUp()
  let until = outcome
  http.reply = () => until
  keeper.start()
  await clock.advance(60 * MINUTE_MS)
  expect(kinds('sign-in-required')).toEqual([])
  expect(keeper.refreshSummary().state).toBe('unconfirmed')
  // The schedule ends at about one attempt a minute, so the service is not flooded.
  expect(http.requests.length).toBeLessThan(100)
  until = renewal('a1')
  await clock.advance(2 * MINUTE_MS)
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
  proves('T8', { level: 2, cases: 1 })
})

test('a redirect to another host is not a response of the sign-in host, and its name is reported', async () => {
  const redirect = answerOf(302, '', { location: 'http://portal.test/login?from=auth' })
  const { clock, keeper, told, events } = await started([redirect, renewal('a1')], 1)
  const why = 'redirected to another host (portal.test); not followed'
  expect(told).toEqual([[false, why, undefined]])
  expect(events).toMatchObject([{ kind: 'token-refresh-failed', outcome: 'later', why }])
  expect(keeper.refreshSummary().reason).toBe(why)
  await clock.advance(MINUTE_MS)
  expect(told.at(-1)).toEqual([true, '', undefined])
})

test('a rejection after a malformed response is no lost response: the token sent was still the newest', async () => {
  const { keeper } = await started([renewal('a\n'), REFUSAL], 2 * MINUTE_MS)
  expect(keeper.refreshSummary().reason).toBe('the service rejected this refresh token')
})

test('a rejection after a lost response names the loss, even for a key never seen to rotate', async () => {
  const { keeper } = await started([UNKNOWN, REFUSAL], 1)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: 'sign in again: the response was lost',
  })
})

test('for a key without rotation a lost response is no reason', async () => {
  const { keeper } = await started([renewal('a1'), UNKNOWN, REFUSAL], 19 * MINUTE_MS)
  expect(keeper.refreshSummary().reason).toBe('the service rejected this refresh token')
})

test('after the 24 hours of a rotating key the rejection is explained by them', async () => {
  const { clock, keeper, http } = setUp()
  let count = 0
  http.reply = () => {
    count += 1
    return clock.monotonicMs() < DAY_MS ? renewal(`a${count}`, { refresh_token: `r${count}` }) : REFUSAL
  }
  keeper.start()
  await clock.advance(DAY_MS - 1)
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid', endsAt: clock.wallMs() + 1 })
  await clock.advance(30 * MINUTE_MS)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: '24 hours have passed since the sign-in',
  })
})

test('a malformed response is reported as such, not as an unreachable host, and is retried on a slow schedule', async () => {
  const bad = renewal('a\r\nb', { refresh_token: 'refresh-1' })
  const { clock, keeper, sentAtMs, sentTokens, events, reached } = await started(
    [bad, bad, renewal('a1')],
    500,
  )
  const why = 'the response has no usable access token'
  expect(events).toMatchObject([{ kind: 'token-refresh-failed', outcome: 'malformed', why }])
  expect(reached).toEqual([true])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'unconfirmed', reason: why })
  await clock.advance(6 * MINUTE_MS)
  expect(sentAtMs).toEqual([0, 90_000, 315_000])
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-1'])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid' })
  expect(keeper.refreshSummary()).not.toHaveProperty('reason')
})
