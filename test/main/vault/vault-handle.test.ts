import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { SAVED_KEYS } from '../../../app/contract/key-health.ts'
import { type RestoredProfile, VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { SAVED } from '../../../main/storage/storage-error.ts'
import { allowUnprotected, VaultHandle } from '../../../main/vault/vault-handle.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile, tokensOf, vaultOf } from './fixtures.ts'
import { openVault, rowsOf, storedFolder, tamper } from './opened-vault.ts'
import { testKeystore } from './test-keystore.ts'
import { unreadableProfiles } from './unreadable-profiles.ts'

const contentOf = (folder: string) =>
  ['data_keys', 'records', 'quarantine'].map((table) => rowsOf(folder, `SELECT * FROM ${table}`))

test('without a keystore nothing is written, and stored keys are unchanged and named', async () => {
  const empty = temporaryFolder()
  const handle = await VaultHandle.open({ folder: empty, wallMs: () => NOW_MS })
  expect(handle.status).toEqual({ state: 'memory' })
  expect(handle.vault).toBeUndefined()
  expect(readdirSync(empty)).toEqual([])
  const stored = await VaultHandle.open({ folder: await storedFolder(), wallMs: () => NOW_MS })
  expect(stored.status).toMatchObject({
    state: 'no-passphrase',
    line: 'Your saved keys are locked. Restart Headroom with HEADROOM_PASSPHRASE.',
  })
  expect(stored.storedIds()).toEqual(['key-1'])
  stored.close()
  proves('K1', { level: 2, cases: 1 })
})

test('the ids of stored keys have the order of the stored profiles, oldest first', async () => {
  const handle = await openVault(temporaryFolder())
  const ids = ['key-9', 'key-10', 'key-1']
  for (const id of ids) vaultOf(handle).signIn(profile({ id }), held(1))
  expect(handle.storedProfiles().map((one) => one.id)).toEqual(ids)
  expect(handle.storedIds()).toEqual(ids)
})

test('a key is gone only if the stored keys can be read and do not include it', async () => {
  const folder = await storedFolder()
  const handle = await VaultHandle.open({ folder, keystore: testKeystore(1), wallMs: () => NOW_MS })
  expect(handle.storedProfiles()).toHaveLength(1)
  const gone = () => ['key-1', 'key-2'].map((id) => handle.isGone(id))
  expect([gone(), handle.storedIds()]).toEqual([[false, true], ['key-1']])
  const repair = unreadableProfiles()
  expect([gone(), handle.storedIds()]).toEqual([[false, false], ['key-1']])
  expect(handle.storedProfiles()).toEqual([])
  repair()
  expect(gone()).toEqual([false, true])
  handle.close()
  expect(gone()).toEqual([false, false])
})

test('a file whose ids can’t be read is closed only if they were never read', async () => {
  const folder = await storedFolder()
  const handle = await openVault(folder)
  const repair = unreadableProfiles()
  expect([handle.storedIds(), handle.status.state]).toEqual([['key-1'], 'ok'])
  const unread = await openVault(folder)
  expect([unread.status.state, unread.vault, unread.storedIds()]).toEqual([
    'unreadable',
    undefined,
    [SAVED_KEYS],
  ])
  repair()
  expect(unread.storedIds()).toEqual([SAVED_KEYS])
  expect(tokensOf(handle).kind).toBe('found')
})

test('another key in the keyring reads as a changed key; nothing is changed, and the old keyring opens it', async () => {
  const folder = await storedFolder()
  const before = contentOf(folder)
  const handle = await openVault(folder, testKeystore(2))
  expect(handle.status).toMatchObject({
    state: 'key-changed',
    line: expect.stringContaining('encrypted with test'),
  })
  expect(handle.vault?.canSeal).toBe(false)
  expect(handle.storedProfiles()[0]?.about?.name).toBe('Main key')
  handle.close()
  expect(contentOf(folder)).toEqual(before)
  const again = await openVault(folder, testKeystore(1))
  expect(tokensOf(again).kind).toBe('found')
  proves('K1', { level: 2, cases: 1 })
})

test('a keystore that returns a wrong key is rejected, and nothing is changed', async () => {
  const folder = await storedFolder()
  const before = contentOf(folder)
  const keystore = testKeystore(1)
  for (const key of [new Uint8Array(32), new Uint8Array(7)]) {
    keystore.answer = { kind: 'unwrapped', key, renew: false }
    const handle = await openVault(folder, keystore)
    expect(handle.status.state).toBe('key-changed')
    handle.close()
    expect(contentOf(folder)).toEqual(before)
  }
  proves('K1', { level: 2, cases: 2 })
})

test('a stored key that was changed on disk reads as damaged, not as a changed keyring; nothing is deleted', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE data_keys SET wrapped = x'00112233'")
  const before = contentOf(folder)
  const handle = await openVault(folder, testKeystore(1))
  expect(handle.status.state).toBe('record-corrupt')
  handle.close()
  expect(contentOf(folder)).toEqual(before)
  proves('K1', { level: 2, cases: 1 })
})

const elsewhere = [
  { by: 'desktop', backend: 'gnome_libsecret', own: 'passphrase', answer: 'damaged' },
  { by: 'desktop', backend: 'darwin', own: 'passphrase', answer: 'damaged' },
  { by: 'passphrase', backend: 'passphrase', own: 'kwallet6', answer: 'refused' },
  { by: 'passphrase', backend: 'passphrase', own: 'kwallet6', answer: 'other bytes' },
] as const

test.each(elsewhere)(
  'data encrypted by $backend is recognised under $own, which calls it $answer; nothing is changed',
  async ({ by, backend, own, answer }) => {
    const folder = await storedFolder()
    tamper(folder, `UPDATE data_keys SET backend = '${backend}'`)
    const before = contentOf(folder)
    const keystore = testKeystore(1)
    keystore.mayHaveWrapped = (recorded) => (recorded === 'passphrase') === (own === 'passphrase')
    keystore.answer =
      answer === 'other bytes'
        ? { kind: 'unwrapped', key: new Uint8Array(7), renew: true }
        : { kind: answer, why: 'not mine' }
    const handle = await openVault(folder, keystore)
    expect(handle.status).toMatchObject({ state: 'key-changed', sealedBy: by })
    expect(handle.status).toMatchObject({ line: expect.not.stringContaining('damaged') })
    expect(keystore.calls).toEqual(['unwrap'])
    expect(handle.vault?.canSeal).toBe(false)
    handle.close()
    expect(contentOf(folder)).toEqual(before)
    proves('K1', { level: 2, cases: 1 })
  },
)

test('data of another kind of keystore reads as damaged in place, and a wrong passphrase takes precedence', async () => {
  const folder = await storedFolder()
  const keystore = testKeystore(2)
  const handle = await openVault(folder, keystore)
  await handle.startOver()
  handle.close()
  tamper(folder, "UPDATE data_keys SET backend = 'win32' WHERE id = 2")
  keystore.secret = 3
  keystore.mayHaveWrapped = (recorded) => recorded === 'test'
  const wrong = await openVault(folder, keystore)
  expect(wrong.status).toMatchObject({ state: 'key-changed', line: expect.stringContaining('another key') })
  wrong.close()
  tamper(folder, "UPDATE data_keys SET wrapped = x'00', backend = 'win32'")
  const damaged = await openVault(folder, keystore)
  expect(damaged.status.state).toBe('record-corrupt')
  proves('K1', { level: 2, cases: 2 })
})

test('a keystore that opens it is accepted, whatever else is recorded', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE data_keys SET backend = 'gnome_libsecret'")
  const keystore = testKeystore(1)
  keystore.mayHaveWrapped = () => false
  const handle = await openVault(folder, keystore)
  expect(handle.status).toEqual({ state: 'ok' })
})

test('a damaged canary does not lose the key if a record still opens: it is written again', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE data_keys SET canary = x'00'")
  const handle = await openVault(folder, testKeystore(1))
  expect(handle.status).toEqual({ state: 'ok' })
  expect(tokensOf(handle).kind).toBe('found')
  handle.close()
  tamper(folder, 'DELETE FROM records')
  const again = await openVault(folder, testKeystore(1))
  expect(again.status).toEqual({ state: 'ok' })
})

test('a damaged canary with records that do not open is a changed key', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE data_keys SET canary = x'00'; UPDATE records SET sealed = zeroblob(60)")
  const handle = await openVault(folder, testKeystore(1))
  expect(handle.status.state).toBe('key-changed')
  proves('K1', { level: 2, cases: 1 })
})

test.each([
  { kind: 'unavailable', why: 'no keyring' },
  { kind: 'unprotected', why: 'this desktop has no keyring' },
] as const)('$kind is reported, and nothing is stored or changed', async (answer) => {
  const folder = await storedFolder()
  const before = contentOf(folder)
  const keystore = testKeystore(1)
  keystore.answer = answer
  const handle = await openVault(folder, keystore)
  expect(handle.status).toMatchObject({ state: answer.kind, line: expect.stringContaining(answer.why) })
  await handle.startOver()
  expect(handle.vault?.canSeal).toBe(false)
  expect(vaultOf(handle).signIn(profile(), held(1))).toMatchObject({ ok: false })
  handle.close()
  expect(contentOf(folder)).toEqual(before)
  const fresh = temporaryFolder()
  const first = await openVault(fresh, keystore)
  expect(first.status.state).toBe(answer.kind)
  first.close()
  expect(contentOf(fresh)).toEqual([[], [], []])
  proves('K1', { level: 2, cases: 1 })
})

test('a locked keyring delays a start only while it is locked', async () => {
  const folder = await storedFolder()
  const keystore = testKeystore(1)
  let unlock = () => {}
  const settled = new Promise<void>((resolve) => {
    unlock = resolve
  })
  keystore.answer = { kind: 'waiting', why: 'the keyring has not answered', settled }
  const before = contentOf(folder)
  const handle = await openVault(folder, keystore)
  expect(handle.status.state).toBe('waiting')
  expect(contentOf(folder)).toEqual(before)
  const told = new Promise<void>((resolve) => handle.onSettled(resolve))
  keystore.answer = undefined
  unlock()
  await told
  expect(handle.status).toEqual({ state: 'ok' })
  expect(tokensOf(handle).kind).toBe('found')
  proves('K1', { level: 2, cases: 1 })
})

test('a keyring that responds after exit is ignored', async () => {
  const keystore = testKeystore(1)
  let unlock = () => {}
  const settled = new Promise<void>((resolve) => {
    unlock = resolve
  })
  keystore.answer = { kind: 'waiting', why: 'the keyring has not answered', settled }
  const handle = await openVault(await storedFolder(), keystore)
  handle.close()
  keystore.answer = undefined
  unlock()
  await settled
  expect(vaultOf(handle).canSeal).toBe(false)
  expect(handle.status.state).toBe('waiting')
})

test('a key that does not open can still be forgotten', async () => {
  const folder = await storedFolder()
  const handle = await openVault(folder, testKeystore(2))
  expect(vaultOf(handle).forget('key-1')).toEqual({ ok: true })
  expect(handle.storedIds()).toEqual([])
})

test('starting over adds a key, and records of the old key open again when it returns', async () => {
  const folder = await storedFolder()
  const handle = await openVault(folder, testKeystore(2))
  await handle.startOver()
  expect(handle.status).toEqual({ state: 'ok' })
  expect(tokensOf(handle)).toEqual({ kind: 'lost', state: 'key-changed' })
  vaultOf(handle).signIn(profile({ id: 'key-2' }), held(1, 'CANARY-second'))
  handle.close()
  const back = await openVault(folder, testKeystore(1))
  expect(tokensOf(back, 'key-1').kind).toBe('found')
  expect(tokensOf(back, 'key-2')).toEqual({ kind: 'lost', state: 'key-changed' })
  back.close()
})

test('a keystore that renewed its own key has the data key wrapped again', async () => {
  const folder = await storedFolder()
  const keystore = testKeystore(1)
  keystore.renew = true
  const handle = await openVault(folder, keystore)
  expect(keystore.calls).toEqual(['unwrap', 'wrap'])
  expect(tokensOf(handle).kind).toBe('found')
})

test('a store that another program locks is unreadable, names no key and is not changed', async () => {
  const folder = await storedFolder()
  const other = new DatabaseSync(join(folder, 'vault.db'))
  other.exec('BEGIN IMMEDIATE')
  const handle = await openVault(folder)
  expect(handle.status).toMatchObject({
    state: 'unreadable',
    line: expect.stringContaining('another program'),
  })
  expect(handle.storedIds()).toEqual([SAVED_KEYS])
  other.exec('ROLLBACK')
  other.close()
  expect(existsSync(join(folder, 'vault.db'))).toBe(true)
  const again = await openVault(folder)
  expect(tokensOf(again).kind).toBe('found')
})

test('a lock in between is reported at the write, and the next write succeeds', async () => {
  const folder = await storedFolder()
  const handle = await openVault(folder)
  const other = new DatabaseSync(join(folder, 'vault.db'))
  other.exec('BEGIN IMMEDIATE')
  const next = held(2)
  expect(vaultOf(handle).tokens('key-1').save(next)).toEqual({
    ok: false,
    why: 'another program has locked the file',
  })
  expect(tokensOf(handle)).toMatchObject({ stored: { token: { generation: 1 } } })
  other.exec('ROLLBACK')
  other.close()
  expect(vaultOf(handle).tokens('key-1').save(next)).toEqual({ ok: true })
})

test('a keystore that throws does not prevent a start: nothing is stored, and that is reported', async () => {
  const broken = {
    wrap: () => Promise.reject(new RangeError('CANARY in its words')),
    unwrap: () => Promise.reject(new RangeError('CANARY in its words')),
  }
  const handle = await VaultHandle.open({ folder: temporaryFolder(), keystore: broken, wallMs: () => NOW_MS })
  expect(handle.status).toMatchObject({ state: 'unavailable', line: expect.stringContaining('RangeError') })
  expect(JSON.stringify(handle.status)).not.toContain('CANARY')
})

test('starting over creates a key if the stored one is damaged, and none if its keystore is only unavailable', async () => {
  const damaged = await storedFolder()
  tamper(damaged, "UPDATE data_keys SET wrapped = x'00112233'")
  const over = await openVault(damaged, testKeystore(1))
  await over.startOver()
  expect(over.status).toEqual({ state: 'ok' })
  expect(vaultOf(over).canSeal).toBe(true)
  over.close()
  const keystore = testKeystore(1)
  keystore.answer = { kind: 'unavailable', why: 'no keyring' }
  const unavailable = await openVault(await storedFolder(), keystore)
  keystore.calls.length = 0
  keystore.answer = undefined
  await unavailable.startOver()
  expect(keystore.calls).toEqual([])
  expect(unavailable.vault?.canSeal).toBe(false)
  unavailable.close()
})

test('two calls at once start over with one key, so that what is stored meanwhile can be read', async () => {
  const keystore = testKeystore(2)
  const handle = await openVault(await storedFolder(), keystore)
  const { wrap } = keystore
  const stored = Promise.withResolvers<void>()
  let wraps = 0
  keystore.wrap = async (key) => {
    if (++wraps > 1) await stored.promise
    return wrap(key)
  }
  const [first, second] = [handle.startOver(), handle.startOver()]
  await first
  vaultOf(handle).signIn(profile({ id: 'key-2' }), held(1, 'CANARY-second'))
  stored.resolve()
  await second
  expect(wraps).toBe(1)
  expect(handle.storedProfiles()).toContainEqual(
    expect.objectContaining({ id: 'key-2', reading: expect.objectContaining({ kind: 'found' }) }),
  )
})

test('a store closed while the keystore creates a new key stays closed, without an error', async () => {
  const folder = await storedFolder()
  const before = contentOf(folder)
  const keystore = testKeystore(2)
  const handle = await openVault(folder, keystore)
  const over = handle.startOver()
  handle.close()
  await over
  expect(handle.status.state).toBe('key-changed')
  expect(contentOf(folder)).toEqual(before)
})

test('a key of another length is rejected even if the canary is damaged and nothing else is stored', async () => {
  const folder = temporaryFolder()
  const first = await openVault(folder, testKeystore(1))
  first.close()
  tamper(folder, "UPDATE data_keys SET canary = x'00'")
  const keystore = testKeystore(1)
  keystore.answer = { kind: 'unwrapped', key: new Uint8Array(7), renew: false }
  const handle = await openVault(folder, keystore)
  expect(handle.status.state).not.toBe('ok')
  expect(handle.vault?.canSeal ?? false).toBe(false)
})

test('while the keyring is locked no address is called changed', async () => {
  const keystore = testKeystore(1)
  keystore.answer = { kind: 'unavailable', why: 'no keyring' }
  const handle = await openVault(await storedFolder(), keystore)
  const [found] = handle.storedProfiles()
  expect(JSON.stringify(found)).not.toContain('another program changed')
  expect(found?.about?.name).toBe('Main key')
})

test('with two open data keys, a mark by either of them is accepted', async () => {
  const folder = await storedFolder()
  const handle = await openVault(folder, testKeystore(2))
  await handle.startOver()
  vaultOf(handle).signIn(profile({ id: 'key-2' }), held(1, 'CANARY-second'))
  handle.close()
  const both = {
    ...testKeystore(2),
    unwrap: async (wrapped: Uint8Array) => ({
      kind: 'unwrapped' as const,
      key: wrapped.slice(1),
      renew: false,
    }),
  }
  const again = await openVault(folder, both)
  expect(again.storedProfiles().map(({ id, reading }) => [id, reading.kind])).toEqual([
    ['key-1', 'found'],
    ['key-2', 'found'],
  ])
  // The newest data key encrypts everything, including data that an older one had encrypted.
  expect(vaultOf(again).tokens('key-1').save(held(2))).toEqual({ ok: true })
  again.close()
  const sealing = "SELECT data_key FROM records WHERE profile = 'key-1' AND kind = 'refresh-token'"
  expect(rowsOf(folder, `${sealing} ORDER BY generation`)).toEqual([{ data_key: 1 }, { data_key: 2 }])
})

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
