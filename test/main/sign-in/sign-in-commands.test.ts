import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../app/contract/outcome.ts'
import { settingsCommands } from '../../../main/monitor/commands/settings.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import type { HttpRequest } from '../../../main/ports/ports.ts'
import { connectKey } from '../../../main/sign-in/connect-key.ts'
import { MEMORY_PROFILE_STORE } from '../../../main/sign-in/profile-store.ts'
import { signInCommands } from '../../../main/sign-in/sign-in-commands.ts'
import type { SignInTask } from '../../../main/sign-in/sign-ins.ts'
import { ShownTimes } from '../../../main/storage/shown-times.ts'
import { PATIENT } from '../../patient.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, REFUSAL, renewal, ScriptedHttp } from '../scripted-http.ts'

const KEY = {
  name: 'Mine',
  environment: 'custom',
  authUrl: 'https://signin.test',
  baseUrl: 'https://api.test',
  clientId: 'the-key',
} as const
const STARTED = { ok: true, signIn: 's', url: 'https://signin.test/', opened: true, endsAt: 0 } as const

function setUp() {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const refused = new Set<string>()
  let revokeStatus = 200
  http.reply = (request) => {
    if (request.url.endsWith('/oauth/revoke')) return answerOf(revokeStatus)
    if (!request.url.endsWith('/oauth/token')) return answerOf(200, '{}')
    return refused.has(tokenIn(request)) ? REFUSAL : renewal(`access-of-${tokenIn(request)}`)
  }
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } })
  const tasks: SignInTask[] = []
  let readAgain = () => {}
  const { handlers } = signInCommands({
    keys: monitor,
    signIns: {
      start: async (task) => {
        tasks.push(task)
        return STARTED
      },
      cancel: () => ({ ok: true }),
      subscribe: () => () => {},
    },
    connect: (request) => connectKey(monitor, request),
    readAgain: () => readAgain(),
  })
  /** Finishes the latest sign-in with this token, as `SignIns` does after the browser's redirect. */
  const bring = async (refreshToken: string): Promise<Outcome<{ readonly profile: string }>> => {
    const task = tasks.at(-1)
    if (!task) throw new Error('nobody is signing in')
    await task.prepare()
    const outcome = task.finish(refreshToken)
    await clock.advance(0)
    return outcome
  }
  const connected = async (refreshToken = 'token-1', more: { clientSecret?: string } = {}) => {
    await handlers.connect({ ...KEY, ...more, refreshToken })
    await clock.advance(0)
  }
  return {
    clock,
    http,
    monitor,
    handlers,
    tasks,
    bring,
    connected,
    refused,
    onReadAgain: (run: () => void) => {
      readAgain = run
    },
    answerRevokesWith: (status: number) => {
      revokeStatus = status
    },
    state: (id = 'key-1') => monitor.snapshot(id)?.refresh.state,
  }
}

const tokenIn = ({ body }: HttpRequest) => new URLSearchParams(body).get('refresh_token') ?? ''
const revokesIn = (http: ScriptedHttp) =>
  http.requests.filter(({ url }) => url.endsWith('/oauth/revoke')).length

describe('a new key', () => {
  it('is connected with the tokens from the browser', async () => {
    const { handlers, bring, tasks, monitor, state } = setUp()
    expect(await handlers.startSignIn({ ...KEY, clientSecret: 's3cret', extraScopes: ['Matrix'] })).toEqual(
      STARTED,
    )
    expect(monitor.profiles()).toEqual([])
    expect(tasks[0]).toMatchObject({
      key: { authUrl: 'https://signin.test', clientId: 'the-key', clientSecret: 's3cret' },
      audience: 'https://api.tradestation.com',
      extraScopes: ['Matrix'],
    })
    expect(await bring('token-1')).toEqual({ ok: true, profile: 'key-1' })
    expect(monitor.profile('key-1')).toMatchObject({ name: 'Mine', clientSecret: 's3cret' })
    expect(state()).toBe('valid')
  })

  it('with an unencrypted address gets no sign-in page', async () => {
    const { handlers, tasks } = setUp()
    const outcome = await handlers.startSignIn({ ...KEY, authUrl: 'http://signin.test' })
    expect(outcome).toMatchObject({ ok: false, code: 'bad-address' })
    expect(tasks).toEqual([])
  })

  it('of a custom service requests the typed audience, and of LIVE the public one', async () => {
    const { handlers, tasks } = setUp()
    await handlers.startSignIn({ ...KEY, audience: 'https://their.test' })
    await handlers.startSignIn({ ...KEY, environment: 'live', audience: 'https://their.test' })
    expect(tasks.map(({ audience }) => audience)).toEqual([
      'https://their.test',
      'https://api.tradestation.com',
    ])
    expect(tasks[1]?.key.authUrl).toBe('https://signin.tradestation.com')
  })

  it('by a pasted token is unconfirmed until the service accepts it', async () => {
    const { handlers, http, state, clock } = setUp()
    http.reply = () => undefined
    await handlers.connect({ ...KEY, refreshToken: 'pasted' })
    await clock.advance(0)
    expect(state()).toBe('unconfirmed')
    http.answer(renewal('access-1'))
    await clock.advance(0)
    expect(state()).toBe('valid')
  })
})

describe('a key that has to sign in again', () => {
  it('uses its secret, even if that could not be read until now', async () => {
    const { handlers, connected, monitor, tasks, onReadAgain } = setUp()
    await connected()
    const profile = monitor.profile('key-1')
    if (profile === undefined) throw new Error('not connected')
    onReadAgain(() => monitor.connect({ ...profile, clientSecret: 'read late' }))
    await handlers.signInAgain({ profile: 'key-1' })
    expect(tasks[0]?.key.clientSecret).toBe('read late')
  })

  it('keeps its id, name, numbers and streams', async () => {
    const { handlers, bring, connected, monitor, state, refused, clock } = setUp()
    await connected()
    const opened = monitor.withProfile('key-1', ({ parts }) =>
      parts.streams.open({ kind: 'positions', target: 'A1', options: {} }),
    )
    expect(opened.ok).toBe(true)
    refused.add('token-1')
    await clock.advance(21 * 60_000)
    expect(state()).toBe('sign-in-required')
    const before = monitor.snapshot('key-1')

    expect(await handlers.signInAgain({ profile: 'key-1' })).toEqual(STARTED)
    expect(await bring('token-2')).toEqual({ ok: true, profile: 'key-1' })
    expect(state()).toBe('valid')
    const after = monitor.snapshot('key-1')
    expect(after?.profile).toEqual(before?.profile)
    expect(after?.streams.map(({ id }) => id)).toEqual(before?.streams.map(({ id }) => id))
    expect(after?.revision).toBeGreaterThan(before?.revision ?? 0)
    expect(monitor.profiles()).toEqual(['key-1'])
  })

  it('takes a pasted token as well', async () => {
    const { handlers, connected, monitor, http, clock, state } = setUp()
    await connected()
    const outcome = await handlers.replaceToken({ profile: 'key-1', refreshToken: 'token-2' })
    expect(outcome).toEqual({ ok: true, profile: 'key-1' })
    await clock.advance(0)
    expect(http.requests.map(tokenIn)).toContain('token-2')
    expect(state()).toBe('valid')
    expect(monitor.profiles()).toEqual(['key-1'])
  })

  it('keeps a setting that was changed while it waited for a revocation', async () => {
    const { handlers, connected, monitor, http, clock } = setUp()
    await connected()
    const usual = http.reply
    http.reply = (request) => (request.url.endsWith('/oauth/revoke') ? undefined : usual(request))
    const revoking = monitor.withProfile('key-1', (session) => session.revoke())
    const replacing = handlers.replaceToken({
      profile: 'key-1',
      refreshToken: 'token-2',
      cancelRevoke: true,
    })
    settingsCommands(
      monitor,
      MEMORY_PROFILE_STORE,
      new ShownTimes(undefined, 0, () => {}),
    ).handlers.setKeySettings({
      profile: 'key-1',
      budgetFraction: 0.1,
    })
    await expect.poll(() => http.waiting, PATIENT).toBe(1)
    http.answer(answerOf(200))
    await revoking
    expect(await replacing).toEqual({ ok: true, profile: 'key-1' })
    await clock.advance(0)
    expect(monitor.profile('key-1')?.probes.budgetFraction).toBe(0.1)
  })

  it('is not connected a second time when it is typed again, and uses the typed secret and name', async () => {
    const { handlers, bring, connected, monitor, refused, clock } = setUp()
    await connected('token-1', { clientSecret: 'old' })
    refused.add('token-1')
    await clock.advance(21 * 60_000)
    await handlers.startSignIn({ ...KEY, name: 'Renamed', clientSecret: 'new' })
    expect(await bring('token-2')).toEqual({ ok: true, profile: 'key-1' })
    expect(monitor.profile('key-1')).toMatchObject({ clientSecret: 'new', name: 'Renamed' })
    refused.add('token-2')
    await clock.advance(21 * 60_000)
    const { name: _, ...unnamed } = KEY
    expect(await handlers.connect({ ...unnamed, refreshToken: 'token-3' })).toMatchObject({ ok: true })
    expect(monitor.profile('key-1')?.name).toBe('Renamed')
    expect(monitor.profiles()).toEqual(['key-1'])
  })

  it('uses its existing secret, or the new one that is typed', async () => {
    const { handlers, bring, connected, monitor, tasks } = setUp()
    await connected('token-1', { clientSecret: 'old' })
    await handlers.signInAgain({ profile: 'key-1' })
    expect(tasks.at(-1)?.key.clientSecret).toBe('old')
    await handlers.signInAgain({ profile: 'key-1', clientSecret: 'new' })
    expect(tasks.at(-1)?.key.clientSecret).toBe('new')
    expect(monitor.profile('key-1')?.clientSecret).toBe('old')
    await bring('token-2')
    expect(monitor.profile('key-1')?.clientSecret).toBe('new')
  })

  it('that was forgotten during the sign-in stays forgotten', async () => {
    const { handlers, bring, connected, monitor } = setUp()
    await connected()
    await handlers.signInAgain({ profile: 'key-1' })
    monitor.disconnect('key-1')
    expect(await bring('token-2')).toMatchObject({ ok: false, code: 'unknown-profile' })
    expect(monitor.profiles()).toEqual([])
  })
})

describe('while a revocation of the same key is unconfirmed (R4)', () => {
  const unconfirmed = async () => {
    const all = setUp()
    await all.connected()
    all.answerRevokesWith(503)
    await all.monitor.withProfile('key-1', (session) => session.revoke())
    expect(all.state()).toBe('revoke-unconfirmed')
    return all
  }

  it('every way to connect asks for confirmation first', async () => {
    const { handlers, tasks, monitor } = await unconfirmed()
    const refusal = { ok: false, code: 'revoke-pending' }
    expect(await handlers.startSignIn(KEY)).toMatchObject(refusal)
    expect(await handlers.signInAgain({ profile: 'key-1' })).toMatchObject(refusal)
    expect(await handlers.connect({ ...KEY, refreshToken: 'token-2' })).toMatchObject(refusal)
    expect(await handlers.replaceToken({ profile: 'key-1', refreshToken: 'token-2' })).toMatchObject(refusal)
    expect(tasks).toEqual([])
    expect(monitor.profiles()).toEqual(['key-1'])
  })

  it('a repeated revocation says whether it is retried', async () => {
    const { monitor } = await unconfirmed()
    const again = () => monitor.withProfile('key-1', (session) => session.revoke())
    expect(await again()).toMatchObject({ message: expect.stringContaining('Retrying') })
    await monitor.suspendRevocationRetry(KEY)
    expect(await again()).toMatchObject({ message: expect.stringContaining('Revoke again') })
  })

  it('another key does not ask', async () => {
    const { handlers } = await unconfirmed()
    expect(await handlers.startSignIn({ ...KEY, clientId: 'another' })).toEqual(STARTED)
  })

  it('continues when the person agrees, and no late retry ends the new sign-in', async () => {
    const { handlers, bring, http, clock, state, answerRevokesWith } = await unconfirmed()
    await handlers.signInAgain({ profile: 'key-1', cancelRevoke: true })
    await bring('token-2')
    const revokes = revokesIn(http)
    answerRevokesWith(200)
    await clock.advance(2 * 3_600_000)
    expect(revokesIn(http)).toBe(revokes)
    expect(state()).toBe('valid')
  })

  it('keeps retrying when the person does not agree', async () => {
    const { handlers, http, clock, state, answerRevokesWith } = await unconfirmed()
    await handlers.startSignIn(KEY)
    const revokes = revokesIn(http)
    answerRevokesWith(200)
    await clock.advance(3_600_000)
    expect(revokesIn(http)).toBeGreaterThan(revokes)
    expect(state()).toBe('revoked')
  })

  it('waits for a revocation in progress before it spends the code', async () => {
    const { handlers, tasks, http, clock, monitor, connected } = setUp()
    await connected()
    http.reply = () => undefined
    const revoking = monitor.withProfile('key-1', (session) => session.revoke())
    await clock.advance(0)
    await handlers.signInAgain({ profile: 'key-1', cancelRevoke: true })
    let isPrepared = false
    const prepared = tasks[0]?.prepare().then(() => {
      isPrepared = true
    })
    await clock.advance(1_000)
    expect(isPrepared).toBe(false)
    http.answer(answerOf(200))
    await Promise.all([revoking, prepared])
    expect(isPrepared).toBe(true)
  })
})
