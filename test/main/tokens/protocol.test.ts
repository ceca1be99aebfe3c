import { expect, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { SIGN_IN_TO_REVOKE } from '../../../app/contract/snapshot.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, ScriptedHttp, UNKNOWN } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function world(changes: ConstructorParameters<typeof RecordingStore>[2] = {}) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const store = new RecordingStore('refresh-0', clock.wallMs(), changes)
  const script: HttpOutcome[] = []
  http.reply = ({ url, body = '' }) => {
    const token = new URLSearchParams(body).get('refresh_token') ?? JSON.parse(body).token
    store.steps.push(`${url.endsWith('/revoke') ? 'revoke' : 'send'} ${token}`)
    return script.shift()
  }
  const events: KeyReport[] = []
  /** Starts a keeper as a new process does: it has the store, but not the memory of the previous one. */
  const start = () => {
    const keeper = keeperOf(store, {
      http,
      clock,
      event: (event) => events.push(event),
    })
    keeper.start()
    return keeper
  }
  /** The same, and what it does within this time. */
  const run = async (ms: number) => {
    const keeper = start()
    await clock.advance(ms)
    return keeper
  }
  const kinds = (kind: KeyReport['kind']) => events.filter((event) => event.kind === kind)
  return { clock, http, store, script, events, start, run, kinds }
}

const rotated = (count: number) => renewal(`a${count}`, { refresh_token: `refresh-${count}` })

test('the intent is stored before the token is sent, and the new token before the access token is used', async () => {
  const { clock, http, store, start } = world()
  const keeper = start()
  const caller = keeper.access().then((access) => {
    store.steps.push(`use ${access.kind === 'token' ? access.value : access.why}`)
  })
  await clock.advance(0)
  http.answer(rotated(1))
  await caller
  expect(store.steps).toEqual(['intend refresh-0', 'send refresh-0', 'save refresh-1 active', 'use a1'])
  expect(store.stored).not.toHaveProperty('intent')
})

test('a lost response leaves the intent open; a start that finds it retries the same token, at once and then on schedule', async () => {
  const { clock, store, script, run, kinds } = world()
  script.push(UNKNOWN)
  const first = await run(0)
  // The process is killed while the second attempt is in flight.
  first.stop()
  expect(store.stored.intent).toMatchObject({ generation: 1 })
  store.steps.length = 0
  script.push(UNKNOWN, UNKNOWN, rotated(1))
  const second = await run(0)
  expect(store.steps.filter((step) => step.startsWith('send'))).toEqual(['send refresh-0'])
  await clock.advance(5_000)
  expect(second.refreshSummary()).toMatchObject({ state: 'valid', rotating: true })
  expect(store.stored).toMatchObject({ token: { generation: 2, refreshToken: 'refresh-1' } })
  expect(kinds('sign-in-required')).toEqual([])
  proves('T6', { level: 1, cases: 1 })
})

test('a rejection after an earlier process lost the response is reported once, and not retried', async () => {
  const { store, script, run, kinds } = world({ intent: { generation: 1, atMs: 0 } })
  script.push(REFUSAL)
  const keeper = await run(HOUR_MS)
  expect(kinds('sign-in-required')).toEqual([
    { kind: 'sign-in-required', reason: 'sign in again: the response was lost' },
  ])
  expect(store.steps.filter((step) => step.startsWith('send')).length).toBe(1)
  keeper.stop()
  const again = await run(HOUR_MS)
  expect(again.refreshSummary()).toMatchObject({ state: 'sign-in-required', stored: 'sealed' })
  expect(store.steps.filter((step) => step.startsWith('send')).length).toBe(1)
  expect(store.stored.token.refreshToken).toBe('refresh-0')
})

test('a token in an otherwise useless response is stored before it is sent', async () => {
  const { clock, store, script, run } = world()
  script.push(answerOf(502, { refresh_token: 'refresh-1' }), renewal('a1'))
  await run(0)
  expect(store.stored.token).toMatchObject({ refreshToken: 'refresh-1', doubt: { waiting: ['refresh-0'] } })
  await clock.advance(1_000)
  expect(store.stored.token).not.toHaveProperty('doubt')
  expect(store.steps).toEqual([
    'intend refresh-0',
    'send refresh-0',
    'save refresh-1 unconfirmed',
    'intend refresh-1',
    'send refresh-1',
    'save refresh-1 active',
  ])
})

test.each<[string, HttpOutcome]>([
  ['not sent', NOT_SENT],
  ['a 503', answerOf(503)],
])('%s closes the intent: nothing can have been lost', async (_, outcome) => {
  const { store, script, run } = world()
  script.push(outcome)
  await run(0)
  expect(store.stored).not.toHaveProperty('intent')
})

test('a lost response stays an open intent through failures that say nothing about the token', async () => {
  const { clock, store, script, run } = world()
  script.push(UNKNOWN, UNKNOWN, NOT_SENT, answerOf(503))
  const keeper = await run(4_000)
  expect(script).toEqual([])
  expect(store.stored).toHaveProperty('intent')
  script.push(rotated(1))
  await clock.advance(MINUTE_MS)
  expect(keeper.refreshSummary().state).toBe('valid')
  expect(store.stored).not.toHaveProperty('intent')
})

test('a key whose token cannot be decrypted sends nothing, even when a person presses "try now"', async () => {
  const { clock, http, store, start } = world()
  store.read = () => ({ kind: 'lost', state: 'record-corrupt' })
  const keeper = start()
  await keeper.tryNow()
  await clock.advance(HOUR_MS)
  expect(http.requests).toEqual([])
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: 'the saved token is damaged',
  })
  expect(clock.pending).toBe(0)
})

test('a wrong client secret is retried at the next start', async () => {
  const { store, script, run } = world()
  script.push(answerOf(401, { error: 'invalid_client' }), renewal('a1'))
  const first = await run(0)
  expect(first.refreshSummary().state).toBe('sign-in-required')
  first.stop()
  const second = await run(0)
  expect(second.refreshSummary().state).toBe('valid')
  expect(store.stored.standing.kind).toBe('active')
})

test('a full disk: the new token is used from memory, reported once, and saved when there is room', async () => {
  const { clock, store, script, run, kinds } = world()
  store.isFull = true
  script.push(rotated(1), rotated(2))
  const keeper = await run(0)
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
  expect(keeper.refreshSummary().stored).toBe('memory')
  expect(store.stored.token.refreshToken).toBe('refresh-0')
  await clock.advance(10 * MINUTE_MS)
  const told = kinds('storage-problem')
  expect(told).toEqual([
    {
      kind: 'storage-problem',
      what: expect.stringContaining('recording an upcoming refresh failed: the disk is full'),
    },
    {
      kind: 'storage-problem',
      what: expect.stringContaining('in memory only: the disk is full'),
      unsaved: 'refresh-token',
    },
  ])
  store.isFull = false
  await clock.advance(MINUTE_MS)
  expect(store.stored.token.refreshToken).toBe('refresh-1')
  expect(keeper.refreshSummary().stored).toBe('sealed')
  await clock.advance(10 * MINUTE_MS)
  expect(store.steps.filter((step) => step.startsWith('send'))).toEqual(['send refresh-0', 'send refresh-1'])
  proves('T7', { level: 1, cases: 1 })
})

test('an unsaved token is saved once more at exit', async () => {
  const { clock, store, script, run } = world()
  store.isFull = true
  script.push(rotated(1))
  const keeper = await run(0)
  store.isFull = false
  keeper.stop()
  expect(store.stored.token.refreshToken).toBe('refresh-1')
  expect(clock.pending).toBe(0)
})

test('a response after exit is stored, but not used', async () => {
  const { clock, http, store, run, events } = world()
  const keeper = await run(0)
  keeper.stop()
  const idle = keeper.idle()
  http.answer(rotated(1))
  await idle
  expect(store.stored.token.refreshToken).toBe('refresh-1')
  expect(events).toEqual([])
  expect(clock.pending).toBe(0)
})

test('the stored token wins if it is newer than the one in memory', async () => {
  const { clock, store, script, run } = world()
  script.push(renewal('a1'), renewal('a2'))
  await run(0)
  store.save({
    ...store.stored,
    token: { ...store.stored.token, generation: 5, refreshToken: 'refresh-5' },
  })
  await clock.advance(18 * MINUTE_MS)
  expect(store.steps.at(-2)).toBe('send refresh-5')
})

test('the end of the 24 hours is announced an hour and a quarter of an hour ahead, once each', async () => {
  const { clock, http, start, kinds } = world()
  let count = 0
  http.reply = () => {
    count += 1
    return rotated(count)
  }
  start()
  const endsAt = clock.wallMs() + 24 * HOUR_MS
  await clock.advance(23 * HOUR_MS - 1)
  expect(kinds('sign-in-due')).toEqual([])
  await clock.advance(1)
  expect(kinds('sign-in-due')).toEqual([{ kind: 'sign-in-due', endsAt }])
  await clock.advance(45 * MINUTE_MS - 1)
  expect(kinds('sign-in-due')).toHaveLength(1)
  await clock.advance(1)
  expect(kinds('sign-in-due')).toHaveLength(2)
  await clock.advance(2 * HOUR_MS)
  expect(kinds('sign-in-due')).toHaveLength(2)
  proves('T12', { level: 1, cases: 2 })
})

test('a warning missed during sleep is shown on waking, and only the nearer one', async () => {
  const { clock, http, run, kinds } = world()
  let count = 0
  http.reply = () => rotated(++count)
  const keeper = await run(22 * HOUR_MS)
  clock.sleep(110 * MINUTE_MS)
  keeper.wake()
  await clock.advance(MINUTE_MS)
  expect(kinds('sign-in-due')).toHaveLength(1)
  proves('T12', { level: 1, cases: 1 })
})

test('a default key has no 24 hours and no warning', async () => {
  const { http, run, kinds } = world()
  http.reply = () => renewal('a')
  const keeper = await run(25 * HOUR_MS)
  expect(kinds('sign-in-due')).toEqual([])
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid', rotating: false })
  expect(keeper.refreshSummary()).not.toHaveProperty('endsAt')
  proves('T12', { level: 1, cases: 1 })
})

test('the 24 hours are counted from the sign-in, across restarts', async () => {
  const { clock, http, store, run } = world()
  let count = 0
  http.reply = () => rotated(++count)
  const signedInAtMs = clock.wallMs()
  const first = await run(5 * HOUR_MS)
  first.stop()
  const second = await run(0)
  expect(second.refreshSummary()).toMatchObject({ rotating: true, endsAt: signedInAtMs + 24 * HOUR_MS })
  expect(store.stored.token.signedInAtMs).toBe(signedInAtMs)
})

test('a revocation is stored before it is sent, and retried by a later process until a 200', async () => {
  const { clock, store, script, start, run, kinds } = world()
  script.push(renewal('a1'), answerOf(503))
  const first = await run(0)
  store.steps.length = 0
  await first.revoke()
  expect(store.steps).toEqual(['save refresh-0 active', 'revoke refresh-0', 'save refresh-0 active'])
  expect(store.stored.revocation).toMatchObject({ byItself: true })
  first.stop()
  script.push(answerOf(200))
  const second = start()
  expect(second.refreshSummary().state).toBe('revoke-unconfirmed')
  expect(await second.access()).toEqual({ kind: 'none', why: 'revoke-unconfirmed' })
  await clock.advance(0)
  expect(second.refreshSummary().state).toBe('revoked')
  expect(kinds('revoked')).toHaveLength(1)
  expect(store.stored).not.toHaveProperty('revocation')
  second.stop()
  const third = await run(HOUR_MS)
  expect(third.refreshSummary().state).toBe('revoked')
  expect(script).toEqual([])
})

test('a process killed during a revocation continues it at the next start', async () => {
  const { clock, store, script, run } = world()
  script.push(renewal('a1'))
  const first = await run(0)
  void first.revoke()
  await clock.advance(0)
  expect(store.stored.revocation).toMatchObject({ byItself: true })
  script.push(answerOf(200))
  const second = await run(0)
  expect(second.refreshSummary().state).toBe('revoked')
})

test('after a person cancels, no later process revokes by itself either', async () => {
  const { store, script, run } = world()
  script.push(renewal('a1'), answerOf(503))
  const first = await run(0)
  await first.revoke()
  first.suspendRevocationRetry()
  first.stop()
  store.steps.length = 0
  const second = await run(24 * HOUR_MS)
  expect(second.refreshSummary().state).toBe('revoke-unconfirmed')
  expect(store.steps).toEqual([])
})

test('a revocation during a refresh revokes the newest token, and stores it first', async () => {
  const { http, store, script, run } = world()
  const keeper = await run(0)
  const revoked = keeper.revoke()
  script.push(answerOf(200))
  http.answer(rotated(1))
  await revoked
  expect(store.steps).toEqual([
    'intend refresh-0',
    'send refresh-0',
    'save refresh-0 active',
    'save refresh-1 active',
    'revoke refresh-1',
    'save refresh-1 revoked',
  ])
  proves('R2', { level: 1, cases: 1 })
})

test('an ended session does not become "revoked": it asks to sign in to revoke, and sends nothing', async () => {
  const { store, script, run, kinds } = world()
  script.push(REFUSAL)
  const keeper = await run(0)
  store.steps.length = 0
  expect(await keeper.revoke()).toEqual({ kind: 'refused', why: SIGN_IN_TO_REVOKE })
  expect(store.steps).toEqual([])
  expect(keeper.refreshSummary().state).toBe('sign-in-required')
  expect(kinds('revoked')).toEqual([])
})
