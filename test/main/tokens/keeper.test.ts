import { expect, test } from 'vitest'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import type { TokenKeeper } from '../../../main/tokens/keeper.ts'
import { MemoryTokens } from '../../../main/vault/memory-tokens.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const KEY = { authUrl: 'https://auth.test', clientId: 'key-id', clientSecret: 'key-secret' }

function setUp(script: readonly HttpOutcome[] = []) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const outcomes = [...script]
  const startMs = clock.monotonicMs()
  const sentAtMs: number[] = []
  http.reply = () => {
    sentAtMs.push(clock.monotonicMs() - startMs)
    return outcomes.shift()
  }
  const events: MonitorEvent[] = []
  const reached: boolean[] = []
  const told: unknown[] = []
  /** Of the access token, at each event. */
  const states: string[] = []
  const keeper: TokenKeeper = keeperOf(
    MemoryTokens.signedIn('refresh-0', clock.wallMs()),
    {
      http,
      clock,
      event: (event) => {
        events.push(event)
        states.push(keeper.accessSummary().state)
      },
      reached: (ok, why, sinceMs) => {
        reached.push(ok)
        told.push([ok, why, sinceMs === undefined ? undefined : clock.wallMs() - sinceMs])
      },
    },
    KEY,
  )
  const sentTokens = () =>
    http.requests.map(
      ({ body = '' }) => new URLSearchParams(body).get('refresh_token') ?? JSON.parse(body).token,
    )
  const kinds = (kind: MonitorEvent['kind']) => events.filter((event) => event.kind === kind)
  return { clock, http, keeper, events, reached, told, states, sentAtMs, sentTokens, kinds, outcomes }
}

test('refreshes two minutes ahead of expiry, not sooner and not later', async () => {
  const { clock, keeper, sentAtMs } = setUp([renewal('a1'), renewal('a2')])
  keeper.start()
  await clock.advance(18 * MINUTE_MS - 1)
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 18 * MINUTE_MS])
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a2' })
})

test('50 callers at expiry share one request', async () => {
  const { clock, keeper, http } = setUp([renewal('a1')])
  keeper.start()
  await clock.advance(0)
  await keeper.rejected('not the token that is held')
  expect(http.requests.length).toBe(1)
  await clock.advance(15_000)
  const callers = Array.from({ length: 50 }, async () => {
    await keeper.rejected('a1')
    return keeper.access()
  })
  await clock.advance(0)
  expect(http.requests.length).toBe(2)
  http.answer(renewal('a2'))
  const got = await Promise.all(callers)
  expect(new Set(got.map((access) => access.kind === 'token' && access.value))).toEqual(new Set(['a2']))
  expect(http.requests.length).toBe(2)
  proves('T5', { level: 1, cases: 50 })
})

test('a lost answer is tried again once at once with the same token, then on the ladder', async () => {
  const { clock, keeper, sentAtMs, sentTokens, kinds } = setUp([
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    renewal('a1'),
  ])
  keeper.start()
  await clock.advance(MINUTE_MS)
  // Half a rung and half of its other half: 0.75, 1.5, 3.75 s.
  expect(sentAtMs).toEqual([0, 0, 750, 2_250, 6_000])
  expect(new Set(sentTokens())).toEqual(new Set(['refresh-0']))
  expect(kinds('sign-in-required')).toEqual([])
  expect(keeper.refreshSummary().state).toBe('valid')
})

test('ten seconds without an answer are told, with the moment it was asked, and nothing is sent for it', async () => {
  const { clock, keeper, http, told } = setUp()
  keeper.start()
  await clock.advance(9_999)
  expect(told).toEqual([])
  await clock.advance(1)
  expect(told).toEqual([[false, 'not answering', 10_000]])
  await clock.advance(9_000)
  expect([http.requests.length, told.length]).toEqual([1, 1])
  http.answer(renewal('a1'))
  await clock.advance(0)
  expect(told.slice(1)).toEqual([[true, '', undefined]])
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
})

test('an answer in time, or a stop, leaves nobody waiting to say otherwise', async () => {
  const { clock, keeper, http, reached } = setUp()
  keeper.start()
  await clock.advance(9_000)
  http.answer(renewal('a1'))
  await clock.advance(5_000)
  expect(reached).toEqual([true])
  void keeper.refresh()
  await clock.advance(5_000)
  keeper.stop()
  await clock.advance(60_000)
  expect([reached, clock.pending]).toEqual([[true], 0])
})

test('a refresh that was not sent is not tried again at once', async () => {
  const { clock, keeper, sentAtMs } = setUp([NOT_SENT, renewal('a1')])
  keeper.start()
  await clock.advance(749)
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 750])
})

test('a refusal ends the session once, leaves no timer and is not asked about again', async () => {
  const { clock, keeper, http, kinds } = setUp([REFUSAL])
  keeper.start()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(1)
  expect(kinds('sign-in-required')).toEqual([
    { kind: 'sign-in-required', reason: 'the service no longer accepts this refresh token' },
  ])
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'sign-in-required' })
  expect(clock.pending).toBe(0)
})

test.each(['invalid_client', 'unauthorized_client', 'invalid_request'])(
  'a key that is not accepted (%s) is told apart from a sign-in that ended, and can be tried again',
  async (error) => {
    const { clock, keeper, http, kinds } = setUp([answerOf(401, { error }), renewal('a1')])
    keeper.start()
    await clock.advance(DAY_MS)
    expect(http.requests.length).toBe(1)
    const [ended] = kinds('sign-in-required')
    expect(ended).toMatchObject({ cause: 'misconfigured' })
    expect(keeper.refreshSummary()).toMatchObject({ state: 'sign-in-required', cause: 'misconfigured' })
    await keeper.tryNow()
    expect(keeper.refreshSummary()).toMatchObject({ state: 'valid' })
    expect(keeper.refreshSummary()).not.toHaveProperty('cause')
  },
)

test('a revocation by a key that is not accepted is asked for all the same: the token may be alive', async () => {
  const { clock, keeper, http } = setUp([answerOf(401, { error: 'invalid_client' }), answerOf(200)])
  keeper.start()
  await clock.advance(1)
  expect(await keeper.revoke()).toEqual({ kind: 'confirmed' })
  expect(http.requests.map(({ url }) => url)).toEqual([
    'https://auth.test/oauth/token',
    'https://auth.test/oauth/revoke',
  ])
})

test('whoever hears an event sees an access token that is not being refreshed any more', async () => {
  for (const [outcome, expected] of [
    [REFUSAL, 'none'],
    [answerOf(401, { error: 'invalid_client' }), 'none'],
    [renewal('a1'), 'valid'],
    [answerOf(503), 'none'],
  ] as const) {
    const { clock, http, keeper, states } = setUp()
    keeper.start()
    await clock.advance(0)
    expect(keeper.accessSummary().state).toBe('refreshing')
    http.answer(outcome)
    await clock.advance(0)
    expect(states.length).toBeGreaterThan(0)
    expect(new Set(states)).toEqual(new Set([expected]))
  }
})

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
  // The ladder ends at one try a minute or so: no flood.
  expect(http.requests.length).toBeLessThan(100)
  until = renewal('a1')
  await clock.advance(2 * MINUTE_MS)
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
  proves('T8', { level: 2, cases: 1 })
})

test('a redirect to another host is not an answer of the sign-in host, and its name is told', async () => {
  const redirect = answerOf(302, '', { location: 'http://portal.test/login?from=auth' })
  const { clock, keeper, told, events } = setUp([redirect, renewal('a1')])
  keeper.start()
  await clock.advance(1)
  const why = 'redirects to another host (portal.test); not followed'
  expect(told).toEqual([[false, why, undefined]])
  expect(events).toMatchObject([{ kind: 'token-refresh-failed', outcome: 'later', why }])
  expect(keeper.refreshSummary().reason).toBe(why)
  await clock.advance(MINUTE_MS)
  expect(told.at(-1)).toEqual([true, '', undefined])
})

test('a wait that the service asks for is a floor under the ladder', async () => {
  const { clock, keeper, sentAtMs } = setUp([answerOf(503, '', { 'retry-after': '40' }), renewal('a1')])
  keeper.start()
  await clock.advance(39_999)
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 40_000])
})

test('a rotated token is adopted: the next refresh sends it', async () => {
  const { clock, keeper, sentTokens } = setUp([
    renewal('a1', { refresh_token: 'refresh-1' }),
    renewal('a2', { refresh_token: 'refresh-2' }),
    renewal('a3', { refresh_token: 'refresh-3' }),
  ])
  keeper.start()
  await clock.advance(40 * MINUTE_MS)
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-2'])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid', rotating: true })
})

test('a key whose answers bring no refresh token keeps its own', async () => {
  const { clock, keeper, sentTokens } = setUp([renewal('a1'), renewal('a2')])
  keeper.start()
  await clock.advance(20 * MINUTE_MS)
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-0'])
  expect(keeper.refreshSummary().rotating).toBe(false)
})

test('a readable refresh token in an answer that is otherwise broken is kept', async () => {
  const { clock, keeper, sentTokens } = setUp([
    answerOf(200, { refresh_token: 'refresh-1', access_token: 7 }),
    renewal('a1'),
  ])
  keeper.start()
  await clock.advance(1_000)
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1'])
})

test('a malformed answer reads as one, not as a host that is away, and is tried again on the ladder', async () => {
  const bad = renewal('a\r\nb', { refresh_token: 'refresh-1' })
  const { clock, keeper, sentAtMs, sentTokens, events, reached } = setUp([bad, bad, renewal('a1')])
  keeper.start()
  await clock.advance(500)
  const why = 'the access token in the answer cannot be used'
  expect(events).toMatchObject([{ kind: 'token-refresh-failed', outcome: 'malformed', why }])
  expect(reached).toEqual([true])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'unconfirmed', reason: why })
  await clock.advance(MINUTE_MS)
  expect(sentAtMs).toEqual([0, 750, 2_250])
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-1'])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid' })
  expect(keeper.refreshSummary()).not.toHaveProperty('reason')
})

test('a refusal after a malformed answer is no lost answer: the token that was sent still was the newest', async () => {
  const { clock, keeper } = setUp([renewal('a\n'), REFUSAL])
  keeper.start()
  await clock.advance(MINUTE_MS)
  expect(keeper.refreshSummary().reason).toBe('the service no longer accepts this refresh token')
})

test('a refusal after a lost answer says that the answer was lost, also on a key never seen to rotate', async () => {
  const { clock, keeper } = setUp([UNKNOWN, REFUSAL])
  keeper.start()
  await clock.advance(1)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: 'sign in again: the answer was lost',
  })
})

test('on a key that keeps its token a lost answer is no reason', async () => {
  const { clock, keeper } = setUp([renewal('a1'), UNKNOWN, REFUSAL])
  keeper.start()
  await clock.advance(19 * MINUTE_MS)
  expect(keeper.refreshSummary().reason).toBe('the service no longer accepts this refresh token')
})

test('after the 24 hours of a rotating key the refusal is explained by them', async () => {
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
    reason: "the refresh token's 24 hours ended",
  })
})

test.each([1_000, 10 * MINUTE_MS, 3 * DAY_MS])(
  'after %d ms of sleep at most one refresh is sent',
  async (sleptMs) => {
    const { clock, keeper, http } = setUp([renewal('a1'), renewal('a2')])
    keeper.start()
    await clock.advance(10 * MINUTE_MS)
    clock.sleep(sleptMs)
    keeper.wake()
    await clock.advance(1_000)
    expect(http.requests.length).toBe(sleptMs >= 8 * MINUTE_MS ? 2 : 1)
    const access = await keeper.access()
    expect(access).toEqual({ kind: 'token', value: http.requests.length === 2 ? 'a2' : 'a1' })
    proves('T9', { level: 2, cases: 1 })
  },
)

test('sleep that nobody announced is noticed within a minute', async () => {
  const { clock, keeper, http } = setUp([renewal('a1'), renewal('a2')])
  keeper.start()
  await clock.advance(5 * MINUTE_MS)
  clock.sleep(15 * MINUTE_MS)
  await clock.advance(MINUTE_MS)
  expect(http.requests.length).toBe(2)
})

test.each([-DAY_MS, DAY_MS])(
  'a wall clock that is set %d ms off causes at most one refresh',
  async (jumpMs) => {
    const { clock, keeper, http } = setUp()
    http.reply = () => renewal(`a${http.requests.length}`)
    keeper.start()
    await clock.advance(5 * MINUTE_MS)
    clock.jumpWall(jumpMs)
    await clock.advance(10 * MINUTE_MS)
    expect(http.requests.length).toBeLessThanOrEqual(2)
    expect(keeper.accessSummary().state).toBe('valid')
    proves('T9', { level: 2, cases: 1 })
  },
)

test('a token refused a moment after it was issued is not replaced again and again', async () => {
  const { clock, keeper, http } = setUp([renewal('a1')])
  keeper.start()
  await clock.advance(1_000)
  for (let count = 0; count < 20; count += 1) await keeper.rejected('a1')
  expect(http.requests.length).toBe(1)
})

test('a token refused many times while the sign-in host is away leaves the ladder in charge', async () => {
  const { clock, keeper, http } = setUp([renewal('a1')])
  keeper.start()
  await clock.advance(MINUTE_MS)
  http.reply = () => NOT_SENT
  for (let count = 0; count < 20; count += 1) await keeper.rejected('a1')
  expect(http.requests.length).toBe(2)
})

test('a lifetime of seconds does not make a hot loop', async () => {
  const { clock, keeper, http } = setUp()
  http.reply = () => renewal('a', { expires_in: 0 })
  keeper.start()
  await clock.advance(10 * MINUTE_MS)
  expect(http.requests.length).toBeLessThanOrEqual(41)
})

test('after stop nothing is sent, whoever asks', async () => {
  const { clock, keeper, http } = setUp([renewal('a1')])
  keeper.start()
  await clock.advance(MINUTE_MS)
  keeper.stop()
  await keeper.rejected('a1')
  await keeper.refresh()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(1)
  expect(clock.pending).toBe(0)
})

test('a revocation during a refresh waits for it and revokes the newest token', async () => {
  const { clock, keeper, http, sentTokens } = setUp()
  keeper.start()
  await clock.advance(0)
  const revoked = keeper.revoke()
  expect(http.requests.length).toBe(1)
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'revoking' })
  http.answer(renewal('a1', { refresh_token: 'refresh-1' }))
  await clock.advance(0)
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1'])
  http.answer(answerOf(200))
  expect(await revoked).toEqual({ kind: 'confirmed' })
  await keeper.refresh()
  await keeper.tryNow()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(2)
  expect(keeper.canUseService).toBe(false)
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'revoked' })
  proves('R2', { level: 1, cases: 1 })
})

test.each<[string, HttpOutcome]>([
  ['503', answerOf(503)],
  ['204', answerOf(204)],
  ['a portal', answerOf(302)],
  ['a lost answer', UNKNOWN],
  ['offline', NOT_SENT],
])('a revocation that meets %s reads not confirmed and is tried again until a 200', async (_, outcome) => {
  const { clock, keeper, outcomes, kinds } = setUp([renewal('a1'), outcome, outcome])
  keeper.start()
  await clock.advance(0)
  expect((await keeper.revoke()).kind).toBe('unconfirmed')
  expect(keeper.refreshSummary().state).toBe('revoke-unconfirmed')
  expect(kinds('revoked')).toEqual([])
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'revoke-unconfirmed' })
  outcomes.push(answerOf(200))
  await clock.advance(2 * MINUTE_MS)
  expect(keeper.refreshSummary().state).toBe('revoked')
  expect(kinds('revoked').length).toBe(1)
  proves('R1', { level: 2, cases: 1 })
})

test('a revocation that is refused says so and is not tried again by itself', async () => {
  const { clock, keeper, http } = setUp([renewal('a1'), REFUSAL])
  keeper.start()
  await clock.advance(0)
  await keeper.revoke()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(2)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'revoke-unconfirmed',
    reason: 'the service no longer accepts this token',
  })
})

test('after standing down an unconfirmed revocation waits for a person', async () => {
  const { clock, keeper, http } = setUp([renewal('a1'), answerOf(503)])
  keeper.start()
  await clock.advance(0)
  await keeper.revoke()
  keeper.standDown()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(2)
  http.reply = () => answerOf(200)
  await keeper.tryNow()
  expect(keeper.refreshSummary().state).toBe('revoked')
})
