import { expect, test } from 'vitest'
import { restoredState, signedIn } from '../../../app/tokens/stored-token.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { TokenStore, type TokenStoreListener } from '../../../main/tokens/token-store.ts'
import type { TokenReading } from '../../../main/vault/token-records.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, ScriptedHttp } from '../scripted-http.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'

const CLOCK = new VirtualClock()
const LISTENER: TokenStoreListener = {
  clock: CLOCK,
  nowMs: () => CLOCK.wallMs(),
  event: () => {},
  changed: () => {},
}
const rotated = () => restoredState(signedIn('refresh-1', CLOCK.wallMs()), CLOCK.wallMs())

class DamagedStore extends RecordingStore {
  override read(): TokenReading {
    return { kind: 'lost', state: 'record-corrupt' }
  }
}

test('a stop tries once more to save what the vault rejected', () => {
  const vault = new RecordingStore('refresh-0', CLOCK.wallMs())
  const store = TokenStore.stored(vault)
  store.open(LISTENER)
  vault.isFull = true
  store.save(rotated())
  expect(store.unsaved).toBe('the disk is full')
  vault.isFull = false
  store.stop()
  expect(vault.stored.token.refreshToken).toBe('refresh-1')
  expect(store.unsaved).toBeUndefined()
})

test('a store whose key was forgotten meanwhile reports nothing as saved', () => {
  const vault = new RecordingStore('refresh-0', CLOCK.wallMs())
  const store = TokenStore.stored(vault)
  const told: string[] = []
  store.open({ ...LISTENER, event: ({ kind }) => told.push(kind) })
  vault.isFull = true
  store.save(rotated())
  store.detach()
  store.save(rotated())
  expect(told).toEqual(['storage-problem'])
})

test('a vault that keeps rejecting is reported once, and again after it accepted something', () => {
  const vault = new RecordingStore('refresh-0', CLOCK.wallMs())
  const store = TokenStore.stored(vault)
  const told: string[] = []
  store.open({ ...LISTENER, event: ({ kind }) => told.push(kind) })
  vault.isFull = true
  for (let n = 0; n < 3; n += 1) store.save(rotated())
  expect(told).toEqual(['storage-problem'])
  vault.isFull = false
  store.save(rotated())
  vault.isFull = true
  store.save(rotated())
  expect(told).toEqual(['storage-problem', 'storage-ok', 'storage-problem'])
  store.stop()
})

test('a token that cannot be decrypted stays lost until a newer one is saved', () => {
  const vault = new DamagedStore('refresh-0', CLOCK.wallMs())
  const store = TokenStore.stored(vault)
  store.open(LISTENER)
  vault.isFull = true
  store.save(rotated())
  expect(store.lost).toBe('record-corrupt')
  vault.isFull = false
  store.save(rotated())
  expect(store.lost).toBeUndefined()
})

test.each([
  [false, false, false],
  [true, false, true],
  [false, true, true],
])(
  'a newer token of another process: a response lost here (%s) or there (%s) stays lost (%s)',
  (here, there, isLost) => {
    const nowMs = CLOCK.wallMs()
    const vault = new RecordingStore('refresh-0', nowMs)
    const store = TokenStore.stored(vault)
    store.open(LISTENER)
    store.use({ ...store.state, lostAnswer: here })
    const { token, standing } = signedIn('refresh-2', nowMs)
    vault.save({
      token: { ...token, generation: 2 },
      standing,
      ...(there && { intent: { generation: 2, atMs: nowMs } }),
    })
    store.takeNewest()
    expect(store.state).toMatchObject({ token: { refreshToken: 'refresh-2' }, lostAnswer: isLost })
  },
)

test.each([true, false])(
  'whether a revocation may be retried automatically (%s) survives a process that ends during it',
  (mayRevokeByItself) => {
    const nowMs = CLOCK.wallMs()
    const vault = new RecordingStore('refresh-0', nowMs)
    const store = TokenStore.stored(vault)
    store.open(LISTENER)
    store.save({ ...store.state, standing: { kind: 'revoking' }, mayRevokeByItself })
    expect(vault.stored.revocation?.byItself).toBe(mayRevokeByItself)
    const later = TokenStore.stored(vault)
    later.open(LISTENER)
    expect(later.state.mayRevokeByItself).toBe(mayRevokeByItself)
    expect('retryAtMs' in later.state.standing).toBe(mayRevokeByItself)
  },
)

test('a store that no keeper has opened yet can fail to save, and be stopped', () => {
  const vault = new RecordingStore('refresh-0', CLOCK.wallMs())
  const store = TokenStore.stored(vault)
  vault.isFull = true
  store.save(rotated())
  vault.isFull = false
  store.stop()
  expect(vault.stored.token.refreshToken).toBe('refresh-1')
})

test('a token that cannot be decrypted is lost, for the reason that its vault gives', () => {
  const store = TokenStore.stored(new DamagedStore('refresh-0', CLOCK.wallMs()), {
    seal: () => undefined,
    whyLost: (state) => `${state}, by another program`,
  })
  store.open(LISTENER)
  expect(store.lost).toBe('record-corrupt')
  expect(store.read()).toMatchObject({ kind: 'lost', why: 'record-corrupt, by another program' })
  expect(store.state.standing).toMatchObject({ reason: 'record-corrupt, by another program' })
})

test('a key without a token sends nothing, and reports it', async () => {
  const http = new ScriptedHttp()
  const keeper = keeperOf(new DamagedStore('refresh-0', CLOCK.wallMs()), { http, clock: CLOCK })
  expect(await keeper.refresh()).toEqual({ kind: 'not-sent', why: 'no token to send' })
  expect(http.requests).toEqual([])
})

test('the sign-in host is not mentioned if there was no token to send it', async () => {
  const said: unknown[] = []
  const deps = {
    http: new ScriptedHttp(),
    clock: CLOCK,
    reached: (...told: unknown[]) => void said.push(told),
  }
  await keeperOf(new DamagedStore('refresh-0', CLOCK.wallMs()), deps).refresh()
  expect(said).toEqual([])
})

test('secrets of a response are registered before they are stored, and hidden wherever they are repeated', async () => {
  const [accessToken, refreshToken] = ['access-token-that-came', 'refresh-token-that-came']
  const notes: string[] = []
  class NotingStore extends RecordingStore {
    override note(step?: string, _generation?: number, token?: string): void {
      notes.push(`${step} ${token} of ${this.stored.token.refreshToken}`)
    }
  }
  const http = new ScriptedHttp()
  http.reply = () =>
    answerOf(200, {
      ...{ access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer', expires_in: 1200 },
      scope: `openid ${accessToken}`,
    })
  const secrets = new Redactor()
  const keeper = keeperOf(new NotingStore('refresh-token-of-before', CLOCK.wallMs()), {
    ...{ http, clock: CLOCK, secrets },
  })
  const outcome = await keeper.refresh()
  expect(outcome.kind).toBe('renewed')
  expect(notes).toEqual([
    'sent refresh-token-of-before of refresh-token-of-before',
    `received ${refreshToken} of refresh-token-of-before`,
  ])
  expect('scopes' in outcome && outcome.scopes.join(' ')).not.toContain(accessToken)
  expect(secrets.clean(`${accessToken} ${refreshToken}`)).not.toContain('token-that-came')
})

test('a token that can be decrypted is not lost, whatever the sealer would report for one that can’t', () => {
  const store = TokenStore.stored(new RecordingStore('refresh-0', CLOCK.wallMs()), {
    seal: () => undefined,
    whyLost: () => 'by another program',
  })
  store.open(LISTENER)
  expect(store.read()).not.toHaveProperty('why')
  expect(store.lost).toBeUndefined()
  expect(store.state.token?.refreshToken).toBe('refresh-0')
})

test('without a token nothing is saved, and the stored one stays', () => {
  const vault = new DamagedStore('refresh-0', CLOCK.wallMs())
  const before = structuredClone(vault.stored)
  const store = TokenStore.stored(vault)
  store.open(LISTENER)
  expect(store.state.token).toBeUndefined()
  store.save(store.state)
  expect(vault.steps).toEqual([])
  expect(store.unsaved).toBeUndefined()
  expect(vault.stored).toEqual(before)
  expect(store.lost).toBe('record-corrupt')
})
