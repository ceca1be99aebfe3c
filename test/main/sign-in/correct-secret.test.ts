import { expect, onTestFinished, test } from 'vitest'
import { Monitor } from '../../../main/monitor/monitor.ts'
import type { HttpRequest } from '../../../main/ports/ports.ts'
import { connectKey } from '../../../main/sign-in/connect-key.ts'
import { MEMORY_PROFILE_STORE, type ProfileStore } from '../../../main/sign-in/profile-store.ts'
import { signInCommands } from '../../../main/sign-in/sign-in-commands.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, REFUSAL, renewal, ScriptedHttp } from '../scripted-http.ts'

const WRONG_KEY = answerOf(401, { error: 'invalid_client', error_description: 'Unauthorized.' })
const secretIn = ({ body }: HttpRequest) => new URLSearchParams(body).get('client_secret')

/** A key with a valid token and a wrong secret. */
async function refusedKey(storage: ProfileStore = MEMORY_PROFILE_STORE) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  http.reply = (request) => {
    if (!request.url.endsWith('/oauth/token')) return answerOf(200, '{}')
    return secretIn(request) === 'CANARY-right' ? renewal('access') : WRONG_KEY
  }
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } }, storage)
  onTestFinished(() => monitor.stop())
  const { handlers } = signInCommands({
    keys: monitor,
    signIns: {
      start: () => Promise.reject(new Error('nobody signs in here')),
      cancel: () => ({ ok: true }),
      subscribe: () => () => {},
    },
    connect: (request) => connectKey(monitor, request),
    readAgain: () => {},
  })
  await handlers.connect({
    name: 'Mine',
    environment: 'custom',
    authUrl: 'https://signin.test',
    baseUrl: 'https://api.test',
    clientId: 'the-key',
    clientSecret: 'CANARY-wrong',
    refreshToken: 'CANARY-token',
  })
  await clock.advance(0)
  const asked = () => http.requests.filter(({ url }) => url.endsWith('/oauth/token'))
  const refresh = () => monitor.snapshot('key-1')?.refresh
  expect(refresh()).toMatchObject({ state: 'sign-in-required', cause: 'misconfigured' })
  return { clock, http, handlers, monitor, asked, refresh }
}

test('a right secret with an expired token leads to a sign-in', async () => {
  const { http, handlers, refresh } = await refusedKey()
  http.reply = () => REFUSAL
  expect(await handlers.correctSecret({ profile: 'key-1', clientSecret: 'CANARY-right' })).toMatchObject({
    ok: false,
    code: 'token-refused',
  })
  expect(refresh()?.cause).toBeUndefined()
})

test('a secret that cannot be stored is not sent', async () => {
  const full = {
    ...MEMORY_PROFILE_STORE,
    keepSecret: () => ({ ok: false, why: 'the disk is full' }) as const,
  }
  const { handlers, asked } = await refusedKey(full)
  const before = asked().length
  expect(await handlers.correctSecret({ profile: 'key-1', clientSecret: 'CANARY-right' })).toEqual({
    ok: false,
    code: 'not-kept',
    message: 'Saving the secret failed: the disk is full. Nothing was changed. Try again.',
  })
  expect(asked().length).toBe(before)
})

test('a refresh with the old secret is waited for, and the right one is sent after it', async () => {
  const { http, handlers, monitor, asked, refresh } = await refusedKey()
  const { reply } = http
  http.reply = () => undefined
  monitor.withProfile('key-1', (session) => session.tryNow())
  const correcting = handlers.correctSecret({ profile: 'key-1', clientSecret: 'CANARY-right' })
  http.reply = reply
  http.answer(WRONG_KEY)
  expect(await correcting).toEqual({ ok: true, profile: 'key-1' })
  expect(asked().slice(-2).map(secretIn)).toEqual(['CANARY-wrong', 'CANARY-right'])
  expect(refresh()?.state).toBe('valid')
})

test('a key that is no longer connected is reported as such', async () => {
  const { handlers } = await refusedKey()
  expect(await handlers.correctSecret({ profile: 'key-9', clientSecret: 's' })).toMatchObject({
    ok: false,
    code: 'unknown-profile',
  })
})
