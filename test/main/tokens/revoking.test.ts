import { expect, test } from 'vitest'
import { SIGN_IN_TO_REVOKE } from '../../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { proves } from '../../proof/proves.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, UNKNOWN } from '../scripted-http.ts'
import { DAY_MS, MINUTE_MS, started } from './scripted-keeper.ts'

test('a revocation by a rejected key is sent all the same, because the token may be valid', async () => {
  const { keeper, http } = await started([answerOf(401, { error: 'invalid_client' }), answerOf(200)], 1)
  expect(await keeper.revoke()).toEqual({ kind: 'confirmed' })
  expect(http.requests.map(({ url }) => url)).toEqual([
    'https://auth.test/oauth/token',
    'https://auth.test/oauth/revoke',
  ])
})

test('a revocation during a refresh waits for it, revokes the newest token, and hands none out meanwhile', async () => {
  const { clock, keeper, http, sentTokens } = await started([renewal('a1')], 18 * MINUTE_MS)
  expect(keeper.usable()).toEqual({ kind: 'token', value: 'a1' })
  const revoked = keeper.revoke()
  expect(http.requests.length).toBe(2)
  expect(keeper.usable()).toEqual({ kind: 'none', why: 'revoking' })
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'revoking' })
  http.answer(renewal('a2', { refresh_token: 'refresh-1' }))
  await clock.advance(0)
  expect(keeper.usable()).toEqual({ kind: 'none', why: 'revoking' })
  expect(sentTokens().slice(1)).toEqual(['refresh-0', 'refresh-1'])
  http.answer(answerOf(200))
  expect(await revoked).toEqual({ kind: 'confirmed' })
  await keeper.refresh()
  await keeper.tryNow()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(3)
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
])('a revocation that gets %s shows as unconfirmed and is retried until a 200', async (_, outcome) => {
  const { clock, keeper, outcomes, kinds } = await started([renewal('a1'), outcome, outcome])
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

test('a rejected revocation is reported and not retried automatically', async () => {
  const { clock, keeper, http } = await started([renewal('a1'), REFUSAL])
  await keeper.revoke()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(2)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'revoke-unconfirmed',
    reason: SIGN_IN_TO_REVOKE,
  })
  // A service may confirm the revocation of a token that it no longer knows.
  expect(await keeper.revoke()).toEqual({ kind: 'refused', why: SIGN_IN_TO_REVOKE })
  expect(http.requests.length).toBe(2)
})

test('a revocation that a person requests after another sign-in with the key is retried', async () => {
  const { clock, keeper, outcomes } = await started([renewal('a1'), answerOf(503), answerOf(200)])
  // Another profile signs in with this API key.
  keeper.suspendRevocationRetry()
  expect((await keeper.revoke()).kind).toBe('unconfirmed')
  await clock.advance(2 * MINUTE_MS)
  expect([keeper.refreshSummary().state, outcomes]).toEqual(['revoked', []])
})

test('after a person cancels, an unconfirmed revocation waits for a person', async () => {
  const { clock, keeper, http } = await started([renewal('a1'), answerOf(503)])
  await keeper.revoke()
  keeper.suspendRevocationRetry()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(2)
  http.reply = () => answerOf(200)
  await keeper.tryNow()
  expect(keeper.refreshSummary().state).toBe('revoked')
})
