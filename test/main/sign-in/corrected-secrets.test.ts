import { expect, onTestFinished, test } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import type { HttpRequest } from '../../../main/ports/ports.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import {
  MEMORY_PROFILE_STORE,
  type ProfileStore,
  VaultProfileStore,
} from '../../../main/sign-in/profile-store.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, NOT_SENT, renewal, ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { profile as profileOf } from '../vault/fixtures.ts'
import { openVault } from '../vault/opened-vault.ts'

const WRONG_KEY = answerOf(401, { error: 'invalid_client', error_description: 'Unauthorized.' })
const MINUTE_MS = 60_000
const fields = ({ body }: HttpRequest) => new URLSearchParams(body)
const secretOf = (request: HttpRequest) => fields(request).get('client_secret')

const keyOf = (id: string, changes: Partial<Profile> = {}): Profile =>
  profileOf({
    id,
    name: id,
    authUrl: 'https://signin.test',
    baseUrl: `https://${id}.test`,
    clientId: 'the-key',
    clientSecret: 'CANARY-former',
    refreshToken: `CANARY-token-of-${id}`,
    probes: { budgetFraction: 0, everySeconds: {} },
    streams: [],
    ...changes,
  })

/**
 * Three profiles of one API key, such as LIVE, SIM and another user. The provider replaced the key's secret.
 */
async function threeOfOneKey(
  storage: ProfileStore = MEMORY_PROFILE_STORE,
  strangers: readonly Profile[] = [],
) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  let right = 'CANARY-former'
  http.reply = (request) => {
    if (!request.url.endsWith('/oauth/token')) return answerOf(200, '{}')
    const { hostname } = new URL(request.url)
    const taken = hostname !== 'signin.test' || [right, null].includes(secretOf(request))
    return taken ? renewal('access') : WRONG_KEY
  }
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } }, storage)
  onTestFinished(() => monitor.stop())
  const events: LoggedEvent[] = []
  monitor.subscribe({ changed: () => {}, event: (event) => events.push(event), removed: () => {} })
  for (const profile of [keyOf('live'), keyOf('sim'), keyOf('other-user'), ...strangers])
    monitor.connect(profile)
  await clock.advance(0)
  /** The requests since the last check, each with the token that it used. */
  const sent = () =>
    http.requests
      .splice(0)
      .filter(({ url }) => url.endsWith('/oauth/token'))
      .map((request) => `${fields(request).get('refresh_token')} ${secretOf(request)}`)
  const refresh = (id: string) => monitor.snapshot(id)?.refresh
  const secretIn = (id: string) => monitor.profile(id)?.clientSecret
  return {
    clock,
    http,
    monitor,
    events,
    sent,
    refresh,
    secretIn,
    replaceSecret: () => {
      right = 'CANARY-right'
    },
  }
}

/** The former secret has failed in all of them. */
async function allStopped(...args: Parameters<typeof threeOfOneKey>) {
  const set = await threeOfOneKey(...args)
  set.replaceSecret()
  await set.clock.advance(20 * MINUTE_MS)
  for (const id of ['live', 'sim', 'other-user']) expect(set.refresh(id)?.cause).toBe('misconfigured')
  set.sent()
  return set
}

test('an accepted secret repairs every profile of its API key, each with its own token', async () => {
  const { clock, monitor, refresh, sent } = await allStopped()
  expect(await monitor.correctSecret('live', 'CANARY-right')).toEqual({ ok: true })
  await clock.advance(0)
  expect(sent()).toEqual([
    'CANARY-token-of-live CANARY-right',
    'CANARY-token-of-sim CANARY-right',
    'CANARY-token-of-other-user CANARY-right',
  ])
  for (const id of ['live', 'sim', 'other-user']) expect(refresh(id)?.state).toBe('valid')
})

test('a profile with a valid access token refreshes nothing, and sends the new secret at the next refresh', async () => {
  const { clock, monitor, refresh, replaceSecret, sent } = await threeOfOneKey()
  await clock.advance(MINUTE_MS)
  replaceSecret()
  sent()
  await monitor.correctSecret('live', 'CANARY-right')
  await clock.advance(0)
  expect(sent()).toEqual(['CANARY-token-of-live CANARY-right'])
  await clock.advance(20 * MINUTE_MS)
  expect(sent()).toContain('CANARY-token-of-sim CANARY-right')
  expect(refresh('sim')?.state).toBe('valid')
})

test('a rejected secret stays with the profile it was typed for', async () => {
  const { clock, monitor, refresh, secretIn, sent } = await allStopped()
  const outcome = await monitor.correctSecret('live', 'CANARY-typo')
  expect(outcome).toMatchObject({ ok: false, code: 'not-accepted' })
  expect(JSON.stringify(outcome)).not.toContain('CANARY')
  await clock.advance(0)
  expect(sent()).toEqual(['CANARY-token-of-live CANARY-typo'])
  expect(refresh('live')).toMatchObject({ state: 'sign-in-required', cause: 'misconfigured' })
  expect(secretIn('sim')).toBe('CANARY-former')
})

test('a secret that could not be tried reaches the others once it is accepted', async () => {
  const { clock, http, monitor, secretIn, refresh } = await allStopped()
  const { reply } = http
  http.reply = () => NOT_SENT
  expect(await monitor.correctSecret('live', 'CANARY-right')).toMatchObject({
    code: 'not-confirmed',
    message: expect.stringContaining('connection refused'),
  })
  expect(secretIn('sim')).toBe('CANARY-former')
  http.reply = reply
  monitor.withProfile('live', (session) => session.tryNow())
  await clock.advance(0)
  expect(secretIn('sim')).toBe('CANARY-right')
  for (const id of ['live', 'sim']) expect(refresh(id)?.state).toBe('valid')
})

test('a response to the old secret says nothing about the new one', async () => {
  const { clock, http, monitor, secretIn, refresh } = await allStopped()
  const { reply } = http
  http.reply = () => undefined
  monitor.withProfile('live', (session) => session.tryNow())
  const correcting = monitor.correctSecret('live', 'CANARY-typo')
  http.answer(renewal('late'))
  await clock.advance(0)
  http.answer(WRONG_KEY)
  http.reply = reply
  expect(await correcting).toMatchObject({ code: 'not-accepted' })
  await clock.advance(0)
  expect(secretIn('sim')).toBe('CANARY-former')
  expect(refresh('sim')?.cause).toBe('misconfigured')
})

test('another secret at a new sign-in reaches the others too', async () => {
  const { clock, monitor, refresh } = await allStopped()
  const known = monitor.profile('live')
  if (known === undefined) throw new Error('the key is connected')
  monitor.signedInAgain({ ...known, clientSecret: 'CANARY-right', refreshToken: 'CANARY-new' })
  await clock.advance(0)
  expect(refresh('sim')?.state).toBe('valid')
  expect(refresh('other-user')?.state).toBe('valid')
})

test('other API keys, the same one at another host, and a sign-in without a secret are unchanged', async () => {
  const { clientSecret: _, ...withoutSecret } = keyOf('pkce')
  const { monitor, secretIn } = await allStopped(MEMORY_PROFILE_STORE, [
    keyOf('other-key', { clientId: 'another-key' }),
    keyOf('other-host', { authUrl: 'https://elsewhere.test' }),
    withoutSecret,
  ])
  await monitor.correctSecret('live', 'CANARY-right')
  expect(secretIn('sim')).toBe('CANARY-right')
  expect(secretIn('other-key')).toBe('CANARY-former')
  expect(secretIn('other-host')).toBe('CANARY-former')
  expect(secretIn('pkce')).toBeUndefined()
})

test('a refresh with the old secret meanwhile is followed by one with the new', async () => {
  const { clock, http, monitor, refresh, sent } = await allStopped()
  const { reply } = http
  http.reply = (request) =>
    fields(request).get('refresh_token')?.endsWith('sim') ? undefined : reply(request)
  monitor.withProfile('sim', (session) => session.tryNow())
  await monitor.correctSecret('live', 'CANARY-right')
  http.reply = reply
  http.answer(WRONG_KEY)
  await clock.advance(0)
  expect(sent().filter((one) => one.includes('sim'))).toEqual([
    'CANARY-token-of-sim CANARY-former',
    'CANARY-token-of-sim CANARY-right',
  ])
  expect(refresh('sim')?.state).toBe('valid')
})

test('if it cannot be stored for one profile, that one is named and unchanged, and the rest continue', async () => {
  const storage: ProfileStore = {
    ...MEMORY_PROFILE_STORE,
    keepSecret: ({ id }) => (id === 'sim' ? { ok: false, why: 'the disk is full' } : { ok: true }),
  }
  const { clock, events, monitor, refresh, secretIn, sent } = await allStopped(storage)
  expect(await monitor.correctSecret('live', 'CANARY-right')).toEqual({ ok: true })
  await clock.advance(0)
  expect(events.filter(({ kind }) => kind === 'storage-problem')).toMatchObject([
    {
      profile: 'sim',
      what: "can't save the corrected secret of “live” for this key: the disk is full; correct it here",
    },
  ])
  expect(JSON.stringify(events)).not.toContain('CANARY')
  expect(secretIn('sim')).toBe('CANARY-former')
  expect(sent().filter((one) => one.includes('sim'))).toEqual([])
  expect(refresh('other-user')?.state).toBe('valid')
})

test('each profile is encrypted with the new secret before it is sent, and opens with it at the next start', async () => {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  const { clock, http, monitor } = await allStopped(
    new VaultProfileStore(handle, { startsOver: false, changed: () => {} }),
  )
  const secrets = (from: typeof handle) => from.storedProfiles().map(({ clientSecret }) => clientSecret)
  const { reply } = http
  const whenSent: unknown[] = []
  http.reply = (request) => {
    const at = ['live', 'sim'].findIndex((id) => fields(request).get('refresh_token')?.endsWith(id))
    if (at >= 0) whenSent.push(secrets(handle)[at])
    return reply(request)
  }
  await monitor.correctSecret('live', 'CANARY-right')
  await clock.advance(0)
  expect(whenSent).toEqual(['CANARY-right', 'CANARY-right'])
  handle.close()
  const again = await openVault(folder)
  expect(secrets(again)).toEqual(['CANARY-right', 'CANARY-right', 'CANARY-right'])
  const stored = { token: { refreshToken: 'CANARY-token-of-live' } }
  expect(again.storedProfiles()[0]?.reading).toMatchObject({ kind: 'found', stored })
  again.close()
})
