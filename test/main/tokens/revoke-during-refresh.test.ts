import { expect, test } from 'vitest'
import { SIGN_IN_TO_REVOKE } from '../../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, REFUSAL, renewal, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

/** A service that answers 200 to any revocation, also of a token that it no longer knows (RFC 7009 2.2). */
async function revokedDuring(first: HttpOutcome, second?: HttpOutcome) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const store = new RecordingStore('refresh-0', clock.wallMs())
  const revoked: unknown[] = []
  http.reply = ({ url, body = '' }) => {
    if (!url.endsWith('/revoke')) return undefined
    revoked.push(JSON.parse(body).token)
    return answerOf(200)
  }
  const keeper = keeperOf(store, {
    http,
    clock,
  })
  keeper.start()
  const revocation = keeper.revoke()
  await clock.advance(0)
  http.answer(first)
  await clock.advance(0)
  if (second) http.answer(second)
  const answer = await revocation
  expect(http.waiting).toBe(0)
  return { answer, revoked, state: keeper.refreshSummary().state, store, clock, http, keeper }
}

test('a lost response is retried once, and the newest token is revoked', async () => {
  const { answer, revoked, state, store } = await revokedDuring(
    UNKNOWN,
    renewal('a1', { refresh_token: 'refresh-1' }),
  )
  expect(answer).toEqual({ kind: 'confirmed' })
  expect([revoked, state]).toEqual([['refresh-1'], 'revoked'])
  expect(store.stored).toMatchObject({
    token: { refreshToken: 'refresh-1' },
    standing: { kind: 'revoked' },
  })
})

test('a token that the service has just rejected is not "revoked" by its 200: it asks to sign in', async () => {
  const { answer, revoked, state, clock, http, keeper } = await revokedDuring(UNKNOWN, REFUSAL)
  expect(answer).toEqual({ kind: 'refused', why: SIGN_IN_TO_REVOKE })
  expect([revoked, state]).toEqual([[], 'revoke-unconfirmed'])
  expect(keeper.refreshSummary()).not.toHaveProperty('retryAt')
  const asked = http.requests.length
  await clock.advance(3_600_000)
  expect(http.requests).toHaveLength(asked)
})

test('a rejection in the first response ends it the same way', async () => {
  const { answer, revoked } = await revokedDuring(REFUSAL)
  expect([answer.kind, revoked]).toEqual(['refused', []])
})

test('a second revocation of the rejected token sends nothing, even after a restart', async () => {
  const { answer, revoked, keeper, store, clock, http } = await revokedDuring(REFUSAL)
  expect(await keeper.revoke()).toEqual(answer)
  await keeper.tryNow()
  const restarted = keeperOf(store, { http, clock })
  expect(await restarted.revoke()).toEqual(answer)
  expect([revoked, restarted.refreshSummary().state]).toEqual([[], 'revoke-unconfirmed'])
})
