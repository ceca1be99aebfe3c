import { expect, test } from 'vitest'
import type { KeeperDeps } from '../../../main/tokens/keeper.ts'
import type { TokenReading } from '../../../main/vault/token-records.ts'
import type { VaultTokens } from '../../../main/vault/vault.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, renewal, ScriptedHttp } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

/** Bugs of others, which must not cost a token. */

const MINUTE_MS = 60_000

function world(
  wrap: (store: RecordingStore) => VaultTokens = (store) => store,
  more: Partial<KeeperDeps> = {},
) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const store = new RecordingStore('refresh-0', clock.wallMs())
  let count = 0
  http.reply = ({ url }) => {
    count += 1
    return url.endsWith('/revoke')
      ? answerOf(200)
      : renewal(`a${count}`, { refresh_token: `refresh-${count}` })
  }
  const told: string[] = []
  const errors: unknown[] = []
  const keeper = keeperOf(wrap(store), {
    http,
    clock,
    event: (event) => told.push(event.kind === 'storage-problem' ? event.what : event.kind),
    onListenerError: (cause) => errors.push(cause),
    ...more,
  })
  return { clock, http, store, keeper, told, errors }
}

test('a listener that throws ends no refresh, revocation or schedule, and is named', async () => {
  const oops = () => {
    throw new Error('a window broke')
  }
  const { clock, http, store, keeper, errors } = world(undefined, {
    event: oops,
    changed: oops,
    reached: oops,
  })
  const said = keeper.refresh().then(
    ({ kind }) => kind,
    () => 'rejected',
  )
  expect(await said).toBe('renewed')
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
  await clock.advance(20 * MINUTE_MS)
  expect(http.requests).toHaveLength(2)
  expect(store.stored.token.refreshToken).toBe('refresh-2')
  expect(await keeper.revoke()).toEqual({ kind: 'confirmed' })
  expect(errors.length).toBeGreaterThan(3)
})

test.each(['intend', 'save', 'note'] as const)(
  'a store whose %s throws costs no token: the new one is used, and saved when the store works again',
  async (method) => {
    let isBroken = true
    const fail = () => {
      if (isBroken) throw new RangeError('with refresh-1 in its words')
    }
    const { clock, http, store, keeper, told } = world((inner) => ({
      read: () => inner.read(),
      intend: (intent, token) => {
        if (method === 'intend') fail()
        return inner.intend(intent, token)
      },
      save: (tokens) => {
        if (method === 'save') fail()
        return inner.save(tokens)
      },
      note: () => {
        if (method === 'note') fail()
      },
    }))
    keeper.start()
    await clock.advance(0)
    expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
    expect(keeper.refreshSummary().stored).toBe(method === 'save' ? 'memory' : 'sealed')
    isBroken = false
    await clock.advance(5_000)
    expect(store.stored.token.refreshToken).toBe('refresh-1')
    expect(keeper.refreshSummary()).toMatchObject({ stored: 'sealed' })
    expect(http.requests).toHaveLength(1)
    expect(told.join('\n')).not.toContain('refresh-1 in its words')
    expect(told.filter((line) => line.includes('RangeError'))).toHaveLength(method === 'note' ? 0 : 1)
    proves('T7', { level: 2, cases: 1 })
  },
)

test('a store that was unreadable at the start is read again when a person retries, and continues', async () => {
  let isLocked = true
  const locked: TokenReading = { kind: 'unreadable', why: 'another program has locked the file' }
  const { clock, http, store, keeper } = world((inner) => ({
    read: () => (isLocked ? locked : inner.read()),
    intend: (intent, token) => inner.intend(intent, token),
    save: (tokens) => inner.save(tokens),
    note: () => {},
  }))
  keeper.start()
  await clock.advance(0)
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: expect.stringContaining('another program has locked the file'),
  })
  await keeper.tryNow()
  expect(http.requests).toHaveLength(0)
  isLocked = false
  await keeper.tryNow()
  expect(keeper.refreshSummary().state).toBe('valid')
  expect(store.stored.token.refreshToken).toBe('refresh-1')
})

test('an unsaved token shows the reason, and is saved when a person retries', async () => {
  const { clock, http, store, keeper } = world()
  store.isFull = true
  keeper.start()
  await clock.advance(0)
  expect(keeper.refreshSummary()).toMatchObject({ stored: 'memory', unsaved: 'the disk is full' })
  store.isFull = false
  await keeper.tryNow()
  expect(keeper.refreshSummary()).toMatchObject({ stored: 'sealed' })
  expect(keeper.refreshSummary()).not.toHaveProperty('unsaved')
  expect(store.stored.token.refreshToken).toBe('refresh-1')
  expect(http.requests).toHaveLength(1)
})

test('half a surrogate pair in a token from the service crashes nothing and loops nowhere', async () => {
  const { clock, http, keeper, told } = world()
  const half = '\ud800'
  http.reply = () => renewal('a1', { refresh_token: `refresh-${half}` })
  keeper.start()
  await clock.advance(0)
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
  await clock.advance(60 * MINUTE_MS)
  expect(http.requests).toHaveLength(4)
  expect(http.requests[1]?.body).toContain('refresh_token=refresh-%EF%BF%BD')
  expect(await keeper.revoke()).toMatchObject({ kind: 'confirmed' })
  expect(told.at(-1)).toBe('revoked')
})

test('a network that throws counts as a lost response: reported, retried on schedule, and no end of a session', async () => {
  const { clock, http, keeper, errors } = world()
  const reply = http.reply
  http.reply = () => {
    throw new TypeError('a bug of the network')
  }
  keeper.start()
  await clock.advance(MINUTE_MS)
  expect(keeper.refreshSummary().state).toBe('unconfirmed')
  const tries = http.requests.length
  expect(tries).toBeGreaterThan(3)
  expect(tries).toBeLessThan(12)
  expect(errors.length).toBe(tries)
  http.reply = reply
  await keeper.tryNow()
  expect(keeper.refreshSummary().state).toBe('valid')
  http.reply = () => {
    throw new TypeError('a bug of the network')
  }
  expect(await keeper.revoke()).toMatchObject({ kind: 'unconfirmed' })
  keeper.stop()
})
