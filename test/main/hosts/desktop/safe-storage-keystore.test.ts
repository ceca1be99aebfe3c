import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type SafeStorageDeps,
  safeStorageKeystore,
} from '../../../../main/hosts/desktop/safe-storage-keystore.ts'
import { passphraseKeystore } from '../../../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../../../main/vault/vault-handle.ts'
import { proves } from '../../../proof/proves.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { held, NOW_MS, profile, tokensOf, vaultOf } from '../../vault/fixtures.ts'

const key = randomBytes(32)

type Storage = SafeStorageDeps['safeStorage']

/** Electron's functions, with a fake encryption. Its output has a prefix, as Chromium's ciphertexts do. */
function fakeSafeStorage(prefix = 'v11', changes: Partial<Storage> = {}): Storage {
  return {
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => Buffer.from(`${prefix}${[...text].reverse().join('')}`),
    decryptStringAsync: async (bytes) => {
      const text = bytes.toString()
      if (!text.startsWith(prefix)) throw new Error('no key')
      return { shouldReEncrypt: false, result: [...text.slice(prefix.length)].reverse().join('') }
    },
    getSelectedStorageBackend: () => 'gnome_libsecret',
    ...changes,
  }
}

function keystore(safeStorage: Storage, changes: Partial<SafeStorageDeps> = {}) {
  const clock = new SteppedClock()
  const deps = { safeStorage, platform: 'linux', clock, mayBeUnprotected: () => false, ...changes } as const
  return { clock, keystore: safeStorageKeystore(deps) }
}

async function wrapped(safeStorage = fakeSafeStorage()): Promise<Uint8Array> {
  const wrapping = await keystore(safeStorage, { mayBeUnprotected: () => true }).keystore.wrap(key)
  if (wrapping.kind !== 'wrapped') throw new Error(wrapping.kind)
  return wrapping.bytes
}

test('the key is read back, and the backend is recorded', async () => {
  const { keystore: store } = keystore(fakeSafeStorage())
  expect(await store.wrap(key)).toMatchObject({ kind: 'wrapped', backend: 'gnome_libsecret' })
  expect(await store.unwrap(await wrapped())).toEqual({ kind: 'unwrapped', key, renew: false })
  const mac = keystore(fakeSafeStorage(), { platform: 'darwin' }).keystore
  expect(await mac.wrap(key)).toMatchObject({ backend: 'darwin' })
})

test('a keyring that asks for encryption again is passed on', async () => {
  const result = key.toString('base64')
  const { keystore: store } = keystore(
    fakeSafeStorage('v11', { decryptStringAsync: async () => ({ shouldReEncrypt: true, result }) }),
  )
  expect(await store.unwrap(await wrapped())).toEqual({ kind: 'unwrapped', key, renew: true })
})

test('without a keyring nothing is stored unless the person agreed', async () => {
  const basic = fakeSafeStorage('v10', { getSelectedStorageBackend: () => 'basic_text' })
  expect((await keystore(basic).keystore.wrap(key)).kind).toBe('unprotected')
  expect((await keystore(basic).keystore.unwrap(await wrapped(basic))).kind).toBe('unprotected')
  const agreed = keystore(basic, { mayBeUnprotected: () => true }).keystore
  expect((await agreed.wrap(key)).kind).toBe('wrapped')
  expect((await agreed.unwrap(await wrapped(basic))).kind).toBe('unwrapped')
  proves('K2', { level: 1, cases: 1 })
})

test("Chromium's fixed password is recognised by its output, whatever the backend is called", async () => {
  const hidden = fakeSafeStorage('v10')
  expect((await keystore(hidden).keystore.wrap(key)).kind).toBe('unprotected')
  expect((await keystore(hidden).keystore.unwrap(await wrapped(hidden))).kind).toBe('unprotected')
  // On other systems, the same prefix means real encryption.
  expect((await keystore(hidden, { platform: 'darwin' }).keystore.wrap(key)).kind).toBe('wrapped')
})

test('a key under the fixed password is shown as unprotected until a keyring protects it', async () => {
  const folder = temporaryFolder()
  let prefix = 'v10'
  const changing = fakeSafeStorage('v1', {
    encryptStringAsync: async (text) => Buffer.from(`${prefix}${text}`),
    decryptStringAsync: async (bytes) => ({
      shouldReEncrypt: !bytes.toString().startsWith(prefix),
      result: bytes.toString().slice(prefix.length),
    }),
  })
  const { keystore: store } = keystore(changing, { mayBeUnprotected: () => true })
  const shown: boolean[] = []
  for (const next of ['v10', 'v10', 'v11', 'v11']) {
    prefix = next
    const handle = await VaultHandle.open({ folder, keystore: store, wallMs: () => NOW_MS })
    expect(handle.status.state).toBe('ok')
    shown.push(handle.hidesNothing)
    handle.close()
  }
  expect(shown).toEqual([true, true, false, false])
  proves('K2', { level: 1, cases: 1 })
})

test('a missing secret store is unavailable, another key is rejected: they are distinguished', async () => {
  const none = fakeSafeStorage('v11', { isAsyncEncryptionAvailable: async () => false })
  expect((await keystore(none).keystore.unwrap(await wrapped())).kind).toBe('unavailable')
  expect((await keystore(none).keystore.wrap(key)).kind).toBe('unavailable')
  const failing = fakeSafeStorage('v11', {
    isAsyncEncryptionAvailable: () => Promise.reject(new Error('no bus')),
  })
  expect((await keystore(failing).keystore.unwrap(await wrapped())).kind).toBe('unavailable')
  expect((await keystore(fakeSafeStorage('v12')).keystore.unwrap(await wrapped())).kind).toBe('refused')
})

test.each(['isAsyncEncryptionAvailable', 'encryptStringAsync', 'decryptStringAsync'] as const)(
  'a locked keyring in %s is waited for up to a deadline, and its unlocking is reported',
  async (call) => {
    let answer = () => {}
    const late = new Promise<never>((_, reject) => {
      answer = () => reject(new Error('answered'))
    })
    const { keystore: store, clock } = keystore(fakeSafeStorage('v11', { [call]: () => late }))
    const bytes = await wrapped()
    const asked = call === 'encryptStringAsync' ? store.wrap(key) : store.unwrap(bytes)
    await settleMicrotasks()
    clock.advance(2_999)
    await settleMicrotasks()
    clock.advance(1)
    const outcome = await asked
    if (outcome.kind !== 'waiting') throw new Error(outcome.kind)
    answer()
    await outcome.settled
  },
)

test('a keyring that is not open yet is retried, and no key is lost', async () => {
  let isOpen = false
  const opened = fakeSafeStorage()
  const { keystore: store, clock } = keystore({
    ...opened,
    decryptStringAsync: (bytes) =>
      isOpen
        ? opened.decryptStringAsync(bytes)
        : Promise.reject(
            new Error('safeStorage.decryptStringAsync is temporarily unavailable. Please try again.'),
          ),
  })
  const bytes = await wrapped()
  const outcome = await store.unwrap(bytes)
  if (outcome.kind !== 'waiting') throw new Error(outcome.kind)
  expect(outcome.why).toContain('is locked')
  let isSettled = false
  void outcome.settled.then(() => {
    isSettled = true
  })
  clock.advance(4_999)
  await settleMicrotasks()
  expect(isSettled).toBe(false)
  isOpen = true
  clock.advance(1)
  await settleMicrotasks()
  expect(isSettled).toBe(true)
  expect(await store.unwrap(bytes)).toMatchObject({ kind: 'unwrapped', key })
  proves('K1', { level: 1, cases: 1 })
})

test('no source calls safeStorage synchronously', () => {
  const folder = new URL('../../../../main/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(100)
  const calls = /\b(encryptString|decryptString|isEncryptionAvailable|setUsePlainTextEncryption)\b/
  expect(sources.filter((name) => calls.test(readFileSync(new URL(name, folder), 'utf8')))).toEqual([])
})

async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

test('a folder encrypted by one host is not damaged for the other, and opens where it was encrypted', async () => {
  const words = passphraseKeystore('the words', { N: 16, r: 8, p: 1 })
  const desktop = keystore(fakeSafeStorage()).keystore
  for (const [own, other, by] of [
    [desktop, words, 'desktop'],
    [words, desktop, 'passphrase'],
  ] as const) {
    const open = (asked: typeof own) => VaultHandle.open({ folder, keystore: asked, wallMs: () => NOW_MS })
    const folder = temporaryFolder()
    const first = await open(own)
    vaultOf(first).signIn(profile(), held(1))
    first.close()
    const elsewhere = await open(other)
    expect(elsewhere.status).toMatchObject({ state: 'key-changed', sealedBy: by })
    elsewhere.close()
    const again = await open(own)
    expect([again.status.state, tokensOf(again).kind]).toEqual(['ok', 'found'])
    again.close()
  }
  proves('K1', { level: 2, cases: 2 })
})
