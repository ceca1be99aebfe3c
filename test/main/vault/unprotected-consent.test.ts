import { expect, onTestFinished, test } from 'vitest'
import { type RestoredProfile, VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { SAVED } from '../../../main/storage/storage-error.ts'
import { allowUnprotected, VaultHandle } from '../../../main/vault/vault-handle.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { NOW_MS, profile } from './fixtures.ts'
import { rowsOf } from './opened-vault.ts'
import { testKeystore } from './test-keystore.ts'

/** A desktop without a keyring. It protects nothing, and says so until a person agrees. */
async function withoutKeyring(folder = temporaryFolder(), agreed = false) {
  let isAgreed = agreed
  const inner = testKeystore()
  const unprotected = { kind: 'unprotected', why: 'this desktop has no keyring' } as const
  const keystore = {
    ...inner,
    hidesNothing: () => true,
    wrap: async (key: Uint8Array) => (isAgreed ? inner.wrap(key) : unprotected),
    unwrap: async (wrapped: Uint8Array) => (isAgreed ? inner.unwrap(wrapped) : unprotected),
  }
  const handle = await VaultHandle.open({ folder, keystore, wallMs: () => NOW_MS })
  onTestFinished(() => handle.close())
  const storage: VaultProfileStore = new VaultProfileStore(handle, { startsOver: true, changed: () => {} })
  const restored: RestoredProfile[] = []
  handle.onSettled(() => void restored.push(...storage.restore()))
  const agree = () => {
    isAgreed = true
    return SAVED
  }
  return { folder, handle, storage, agree, restored }
}

test('nothing is stored unprotected until a person agrees; afterwards the window still says so', async () => {
  const { folder, handle, storage, agree } = await withoutKeyring()
  const tokens = storage.signIn(profile(), NOW_MS)
  expect([tokens.kind, storage.keystore('key-1'), handle.storedIds()]).toEqual(['memory', 'unprotected', []])
  expect(await allowUnprotected(handle, agree)).toEqual({ ok: true })
  expect([tokens.kind, storage.keystore('key-1'), handle.storedIds()]).toEqual([
    'sealed',
    'unprotected',
    ['key-1'],
  ])
  handle.close()
  const next = await withoutKeyring(folder, true)
  expect(next.storage.restore().map((restored) => restored.profile.id)).toEqual(['key-1'])
  expect(next.storage.keystore('key-1')).toBe('unprotected')
  proves('K2', { level: 1, cases: 1 })
})

test('two windows that agree at once create one key, and both are notified', async () => {
  const { folder, handle, storage, agree } = await withoutKeyring()
  storage.signIn(profile(), NOW_MS)
  const answers = await Promise.all([allowUnprotected(handle, agree), allowUnprotected(handle, agree)])
  expect(answers).toEqual([{ ok: true }, { ok: true }])
  handle.close()
  expect(rowsOf(folder, 'SELECT count(*) AS count FROM data_keys')).toEqual([{ count: 1 }])
})

test('without the agreement a later start neither reads nor writes data stored under it', async () => {
  const first = await withoutKeyring(undefined, true)
  first.storage.signIn(profile(), NOW_MS)
  first.handle.close()
  const { handle, storage } = await withoutKeyring(first.folder)
  expect(handle.status.state).toBe('unprotected')
  expect(storage.restore().map(({ tokens }) => tokens.read().kind)).toEqual(['lost'])
  expect(storage.signIn(profile({ id: 'key-2' }), NOW_MS).kind).toBe('memory')
  expect(handle.storedIds()).toEqual(['key-1'])
  proves('K2', { level: 1, cases: 1 })
})

test('agreeing again opens the data stored under it, in the same run', async () => {
  const first = await withoutKeyring(undefined, true)
  first.storage.signIn(profile(), NOW_MS)
  first.handle.close()
  const { handle, storage, agree, restored } = await withoutKeyring(first.folder)
  expect(storage.restore().map(({ tokens }) => tokens.read().kind)).toEqual(['lost'])
  expect(await allowUnprotected(handle, agree)).toEqual({ ok: true })
  expect(restored.map(({ tokens }) => tokens.read().kind)).toEqual(['found'])
  expect(restored[0]?.profile).toMatchObject({ id: 'key-1', clientSecret: 'CANARY-client-secret' })
  expect(storage.restore()).toEqual([])
})

test('an agreement that cannot be saved changes nothing', async () => {
  const { handle, storage } = await withoutKeyring()
  storage.signIn(profile(), NOW_MS)
  const full = () => ({ ok: false, why: 'the disk is full' }) as const
  expect(await allowUnprotected(handle, full)).toMatchObject({
    ok: false,
    code: 'not-kept',
    message: expect.stringContaining('the disk is full'),
  })
  expect([handle.status.state, handle.storedIds()]).toEqual(['unprotected', []])
})

test('with any other problem there is nothing to agree to', async () => {
  const handle = await VaultHandle.open({
    folder: temporaryFolder(),
    keystore: testKeystore(),
    wallMs: () => NOW_MS,
  })
  onTestFinished(() => handle.close())
  let asked = 0
  const keep = () => {
    asked += 1
    return SAVED
  }
  expect(await allowUnprotected(handle, keep)).toMatchObject({ ok: false, code: 'not-needed' })
  const { handle: bare } = await withoutKeyring()
  expect(await allowUnprotected(bare, undefined)).toMatchObject({ ok: false, code: 'not-needed' })
  expect(asked).toBe(0)
})
