import { expect, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { SIGN_IN_TO_REVOKE } from '../../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

const SECOND_MS = 1_000
const IN_DOUBT = 'a refresh response was lost, so the valid token is unknown'
const ROTATED = renewal('a9', { refresh_token: 'refresh-9' })

/** A service that answers 200 to any revocation, also of a token that it no longer knows (RFC 7009 2.2). */
function world(
  refreshes: readonly HttpOutcome[],
  stored: ConstructorParameters<typeof RecordingStore>[2] = {},
) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const store = new RecordingStore('refresh-0', clock.wallMs(), stored)
  const outcomes = [...refreshes]
  const wire: string[] = []
  http.reply = ({ url, body = '' }) => {
    if (url.endsWith('/revoke')) {
      wire.push(`revoke ${JSON.parse(body).token}`)
      return answerOf(200)
    }
    wire.push(`refresh ${new URLSearchParams(body).get('refresh_token')}`)
    return outcomes.shift() ?? UNKNOWN
  }
  const events: KeyReport[] = []
  const keeper = keeperOf(store, {
    http,
    clock,
    event: (event) => events.push(event),
  })
  return { clock, store, keeper, wire, outcomes, events, kinds: () => events.map(({ kind }) => kind) }
}

/** Both responses to the first refresh are lost, so the third attempt waits for its time in the schedule. */
async function waiting(then: readonly HttpOutcome[]) {
  const all = world([UNKNOWN, UNKNOWN, ...then])
  all.keeper.start()
  await all.clock.advance(1)
  return all
}

test('a revocation while a lost response waits for its retry first finds out which token is live', async () => {
  const { keeper, wire, store } = await waiting([ROTATED])
  expect(await keeper.revoke()).toEqual({ kind: 'confirmed' })
  expect(wire.slice(2)).toEqual(['refresh refresh-0', 'revoke refresh-9'])
  // The intent is stored before the token is sent. The new token is stored before it is revoked.
  const last = store.steps.lastIndexOf('intend refresh-0')
  expect(store.steps.slice(last)).toEqual([
    'intend refresh-0',
    'save refresh-9 active',
    'save refresh-9 revoked',
  ])
})

test.each([
  ['lost again', UNKNOWN],
  ['a 503', answerOf(503)],
  ['offline', NOT_SENT],
])('until that is known (%s) no token is revoked, and it shows as unconfirmed', async (_, outcome) => {
  const { clock, keeper, wire, outcomes, kinds, events } = await waiting([outcome, outcome])
  expect(await keeper.revoke()).toMatchObject({ kind: 'unconfirmed', why: expect.stringContaining(IN_DOUBT) })
  expect(keeper.refreshSummary()).toMatchObject({ state: 'revoke-unconfirmed', retryAt: expect.any(Number) })
  expect(wire.slice(2)).toEqual(['refresh refresh-0'])
  expect(await keeper.access()).toEqual({ kind: 'none', why: 'revoke-unconfirmed' })
  outcomes.push(ROTATED)
  await clock.advance(180 * SECOND_MS)
  expect(wire.slice(-2)).toEqual(['refresh refresh-0', 'revoke refresh-9'])
  expect([keeper.refreshSummary().state, kinds().at(-1)]).toEqual(['revoked', 'revoked'])
  // The revocation is retried, not the refresh, so no time for a refresh is announced.
  const failed = events.filter(({ kind }) => kind === 'token-refresh-failed').slice(2)
  for (const event of failed) expect(event).not.toHaveProperty('retryAt')
})

test('a token that turns out to be dead is not "revoked" by a 200: it asks to sign in', async () => {
  const { clock, keeper, wire } = await waiting([REFUSAL])
  expect(await keeper.revoke()).toEqual({ kind: 'refused', why: SIGN_IN_TO_REVOKE })
  await clock.advance(3_600 * SECOND_MS)
  expect(wire.slice(2)).toEqual(['refresh refresh-0'])
})

test('a rejected secret is reported, and nothing is retried automatically', async () => {
  const { clock, keeper, wire } = await waiting([answerOf(401, { error: 'invalid_client' })])
  expect(await keeper.revoke()).toMatchObject({ kind: 'refused', why: expect.stringContaining('secret') })
  await clock.advance(3_600 * SECOND_MS)
  expect(wire.filter((line) => line.startsWith('revoke'))).toEqual([])
})

test('a revocation during a refresh whose responses are both lost is in doubt as well', async () => {
  const { clock, keeper, wire } = world([UNKNOWN, answerOf(503)])
  keeper.start()
  const revocation = keeper.revoke()
  await clock.advance(1)
  expect((await revocation).kind).toBe('unconfirmed')
  expect(wire).toEqual(['refresh refresh-0', 'refresh refresh-0'])
})

test('a revocation that an earlier run left open, with an open refresh, continues the same way', async () => {
  const { clock, keeper, wire } = world([ROTATED], {
    intent: { generation: 1, atMs: 0 },
    revocation: { reason: 'no response before Headroom quit', byItself: true },
  })
  keeper.start()
  await clock.advance(1)
  expect(wire).toEqual(['refresh refresh-0', 'revoke refresh-9'])
})

test('a key without rotation is never in doubt: it is revoked at once', async () => {
  const { clock, keeper, wire } = world([renewal('a1'), UNKNOWN, UNKNOWN])
  keeper.start()
  await clock.advance(18 * 60 * SECOND_MS)
  expect(await keeper.revoke()).toEqual({ kind: 'confirmed' })
  expect(wire).toEqual(['refresh refresh-0', 'refresh refresh-0', 'refresh refresh-0', 'revoke refresh-0'])
})
