import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedIn } from '../../../app/tokens/stored-token.ts'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import { TokenStore } from '../../../main/tokens/token-store.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, REFUSAL, renewal, ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, profile, tokensOf, vaultOf } from '../vault/fixtures.ts'
import { openVault } from '../vault/opened-vault.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'
import { MINUTE_MS, setUp, started } from './scripted-keeper.ts'

const HOUR_MS = 60 * MINUTE_MS

/** A service that accepts only one token, and whose errors quote the field's name. */
function honouring(token: string) {
  const { clock, http, keeper, sentTokens } = setUp()
  const odd: HttpOutcome[] = []
  http.reply = ({ body = '' }) =>
    odd.shift() ?? (new URLSearchParams(body).get('refresh_token') === token ? renewal('a') : REFUSAL)
  return { clock, keeper, sentTokens, odd }
}

test.each<[string, HttpOutcome]>([
  ['a 503', answerOf(503, { refresh_token: 'unavailable' })],
  ['a 500 with other errors', answerOf(500, { errors: 1, refresh_token: 'internal error' })],
  ['a 422 by field name', answerOf(422, { refresh_token: 'is required' })],
  ['a 429', answerOf(429, { refresh_token: 'too many' })],
  ['a 302', answerOf(302, { refresh_token: 'moved' }, { location: 'https://elsewhere.test' })],
  ['a 200 without an access token', answerOf(200, { refresh_token: 'none' })],
  ['a 200 with an access token that cannot be used', renewal('a\n', { refresh_token: 'text' })],
  ['an access token of null', renewal('a', { access_token: null, refresh_token: 'text' })],
])(
  '%s with a string instead of the refresh token costs nothing: the good one is sent again',
  async (_, answer) => {
    const { clock, keeper, odd } = honouring('refresh-0')
    odd.push(answer, answer, answer)
    keeper.start()
    await clock.advance(20 * MINUTE_MS)
    expect(keeper.refreshSummary().state).toBe('valid')
    expect(await keeper.access()).toEqual({ kind: 'token', value: 'a' })
    proves('T8', { level: 2, cases: 1 })
  },
)

test.each([0, 1, 5])(
  'an ended session still ends after %d unreadable responses, reported once',
  async (count) => {
    const { clock, http, keeper, kinds, sentTokens } = setUp()
    let sent = 0
    http.reply = () => (++sent <= count ? answerOf(500, { refresh_token: `text ${sent}` }) : REFUSAL)
    keeper.start()
    await clock.advance(HOUR_MS)
    expect(kinds('sign-in-required')).toHaveLength(1)
    // Each doubtful token is sent once. There are at most four of them, in addition to the newest one.
    expect(sentTokens().length).toBeLessThanOrEqual(count + 5)
  },
)

test('a rejection that repeats the token is a rejection', async () => {
  const { keeper } = await started([answerOf(400, { error: 'invalid_grant', refresh_token: 'other' })])
  expect(keeper.refreshSummary().state).toBe('sign-in-required')
})

test('a wrong client secret says nothing about the token in doubt: both are kept for the right one', async () => {
  const { keeper, sentTokens } = await started(
    [
      answerOf(502, { refresh_token: 'refresh-1' }),
      answerOf(401, { error: 'invalid_client' }),
      REFUSAL,
      renewal('a'),
    ],
    MINUTE_MS,
  )
  expect(keeper.refreshSummary()).toMatchObject({ state: 'sign-in-required', cause: 'misconfigured' })
  await keeper.refresh()
  expect(sentTokens()).toEqual(['refresh-0', 'refresh-1', 'refresh-1', 'refresh-0'])
})

test('each candidate is stored before it is sent, so that a crash continues with it', async () => {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const store = new RecordingStore('refresh-0', clock.wallMs())
  const keeper = keeperOf(store, { http, clock })
  const storedAtSending: unknown[] = []
  http.reply = ({ body = '' }) => {
    storedAtSending.push([new URLSearchParams(body).get('refresh_token'), store.stored.token.refreshToken])
    return storedAtSending.length === 1 ? answerOf(503, { refresh_token: 'refresh-1' }) : REFUSAL
  }
  keeper.start()
  await clock.advance(MINUTE_MS)
  expect(storedAtSending).toEqual([
    ['refresh-0', 'refresh-0'],
    ['refresh-1', 'refresh-1'],
    ['refresh-0', 'refresh-0'],
  ])
  keeper.stop()
})

test('malformed responses are retried less than once a minute', async () => {
  for (const bad of [
    renewal('a\n', { refresh_token: 'x' }),
    renewal('a\n'),
    answerOf(200, '[]'),
    answerOf(200, '{"a"'),
  ]) {
    const { clock, http, keeper, sentAtMs } = setUp()
    http.reply = () => {
      sentAtMs.push(clock.monotonicMs())
      return bad
    }
    keeper.start()
    await clock.advance(HOUR_MS)
    for (const from of sentAtMs)
      expect(sentAtMs.filter((at) => at >= from && at < from + 5 * MINUTE_MS).length).toBeLessThan(5)
  }
  proves('T10', { level: 2, cases: 4 })
})

test('a revocation with two tokens in doubt first finds out which is live, and shows "revoked" for no other', async () => {
  const { clock, keeper, http, sentTokens } = setUp()
  http.reply = ({ url, body = '' }) => {
    // RFC 7009: a 200 also for an unknown token.
    if (url.endsWith('/revoke')) return answerOf(200)
    const sent = new URLSearchParams(body).get('refresh_token')
    if (http.requests.length === 1) return answerOf(503, { refresh_token: 'not a token' })
    return sent === 'refresh-0' ? renewal('a') : REFUSAL
  }
  keeper.start()
  await clock.advance(0)
  await keeper.revoke()
  expect(sentTokens().at(-1)).toBe('refresh-0')
  expect(keeper.refreshSummary().state).toBe('revoked')
})

test('the tokens in doubt are encrypted together, and a later process falls back', async () => {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  vaultOf(handle).signIn(profile(), held(1, 'refresh-0'))
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  http.reply = () => answerOf(503, { refresh_token: 'CANARY-text-of-an-error' })
  const keeper = keeperOf(vaultOf(handle).tokens('key-1'), { http, clock })
  keeper.start()
  await clock.advance(0)
  keeper.stop()
  handle.close()
  const again = await openVault(folder)
  expect(tokensOf(again)).toMatchObject({
    kind: 'found',
    stored: {
      token: {
        refreshToken: 'CANARY-text-of-an-error',
        doubt: { honoured: 'refresh-0', waiting: ['refresh-0'] },
      },
    },
  })
  http.reply = ({ body = '' }) => (body.endsWith('refresh-0') ? renewal('a') : REFUSAL)
  const next = keeperOf(vaultOf(again).tokens('key-1'), { http, clock })
  next.start()
  await clock.advance(0)
  expect(next.refreshSummary().state).toBe('valid')
  const settled = tokensOf(again)
  expect(settled.kind === 'found' && settled.stored.token).toMatchObject({ refreshToken: 'refresh-0' })
  expect(settled.kind === 'found' && settled.stored.token).not.toHaveProperty('doubt')
  next.stop()
  again.close()
})

type Step =
  | 'rotate'
  | 'rotate-malformed'
  | 'rotate-502'
  | 'text-503'
  | 'text-200'
  | 'text-422'
  | 'lost'
  | 'restart'
const STEPS: readonly Step[] = [
  'rotate',
  'rotate-malformed',
  'rotate-502',
  'text-503',
  'text-200',
  'text-422',
  'lost',
  'restart',
]

test('whatever a service responds, a key whose newest token arrived in a response recovers once it responds correctly', async () => {
  const runs = 1_000
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 12 }), async (plan) => {
      const clock = new VirtualClock()
      const http = new ScriptedHttp()
      const store = TokenStore.signedIn(signedIn('live-0', clock.wallMs()))
      const steps = [...plan]
      let count = 0
      let live = 'live-0'
      http.reply = ({ body = '' }) => {
        // Ends the session when an old token is reused, as services that rotate do.
        const sent = new URLSearchParams(body).get('refresh_token') ?? ''
        if (sent !== live && sent.startsWith('live-')) live = 'ended: an old token was sent again'
        const step = steps.shift()
        const rotate = () => {
          if (sent !== live) return undefined
          live = `live-${++count}`
          return live
        }
        switch (step) {
          case undefined:
          case 'rotate':
          case 'restart': {
            const next = rotate()
            return next === undefined ? REFUSAL : renewal(`a${count}`, { refresh_token: next })
          }
          case 'rotate-malformed': {
            const next = rotate()
            return next === undefined ? REFUSAL : renewal('a\n', { refresh_token: next })
          }
          case 'rotate-502': {
            const next = rotate()
            return next === undefined ? answerOf(502) : answerOf(502, { refresh_token: next })
          }
          case 'text-503':
            return answerOf(503, { refresh_token: `no token ${http.requests.length}` })
          case 'text-200':
            return answerOf(200, { refresh_token: `no token ${http.requests.length}` })
          case 'text-422':
            return answerOf(422, { refresh_token: 'is required' })
          case 'lost':
            return { kind: 'not-sent', why: 'offline' }
        }
      }
      let keeper = keeperOf(store, { http, clock })
      keeper.start()
      for (let turn = 0; turn < 40 && steps.length > 0; turn += 1) {
        if (steps[0] === 'restart') {
          steps.shift()
          keeper.stop()
          await keeper.idle()
          keeper = keeperOf(store, { http, clock })
          keeper.start()
        }
        await clock.advance(20 * MINUTE_MS)
      }
      await clock.advance(20 * MINUTE_MS)
      if (live.startsWith('ended')) return
      if (keeper.refreshSummary().state !== 'valid') expect.fail(`${plan.join(' ')}: ${live}`)
    }),
    { numRuns: runs },
  )
  proves('T8', { level: 2, cases: runs })
})
