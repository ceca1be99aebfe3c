import { expect, onTestFinished, test } from 'vitest'
import { PASSPHRASE_BACKEND } from '../../../main/ports/keystore.ts'
import { VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { passphraseKeystore } from '../../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { NOW_MS, profile } from './fixtures.ts'
import { rowsOf } from './opened-vault.ts'
import { testKeystore } from './test-keystore.ts'

const CHEAP = { N: 2, r: 1, p: 1 }

const KEYSTORES = {
  passphrase: () => passphraseKeystore('CANARY-passphrase', CHEAP),
  desktop: () => {
    const keystore = testKeystore(1)
    keystore.mayHaveWrapped = (backend) => backend !== PASSPHRASE_BACKEND
    return keystore
  },
}
type Which = keyof typeof KEYSTORES

async function opened(folder: string, which: Which) {
  const handle = await VaultHandle.open({ folder, keystore: KEYSTORES[which](), wallMs: () => NOW_MS })
  onTestFinished(() => handle.close())
  const storage = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
  const readings = () =>
    Object.fromEntries(storage.restore().map(({ profile: { id }, tokens }) => [id, tokens.read()]))
  return { handle, storage, readings }
}

/** A desktop's folder with a second data key, from a passphrase. Each data key encrypted one API key. */
async function mixedFolder(): Promise<string> {
  const folder = temporaryFolder()
  const desktop = await opened(folder, 'desktop')
  desktop.storage.signIn(profile({ id: 'of-desktop', refreshToken: 'CANARY-desktop' }), NOW_MS)
  desktop.handle.close()
  const other = await opened(folder, 'passphrase')
  await other.handle.startOver()
  other.storage.signIn(profile({ id: 'of-passphrase', refreshToken: 'CANARY-passphrase-token' }), NOW_MS)
  other.handle.close()
  return folder
}

const sealedIn = (folder: string, table: 'records' | 'quarantine') =>
  rowsOf(folder, `SELECT profile, kind, generation, data_key, sealed FROM ${table}`)

const others = [
  { here: 'passphrase', own: 'of-passphrase', other: 'of-desktop', words: 'the desktop app' },
  { here: 'desktop', own: 'of-desktop', other: 'of-passphrase', words: 'with a passphrase' },
] as const

test.each(others)(
  'opened with the $here, its own key works, and that of the other keystore is unchanged and reported',
  async ({ here, own, other, words }) => {
    const folder = await mixedFolder()
    const before = sealedIn(folder, 'records')
    const { handle, readings } = await opened(folder, here)
    expect(handle.status).toEqual({ state: 'ok' })
    const read = readings()
    expect(read[own]).toMatchObject({ kind: 'found' })
    expect(read[other]).toMatchObject({
      kind: 'lost',
      state: 'key-changed',
      why: expect.stringContaining(words),
    })
    handle.close()
    expect(sealedIn(folder, 'records')).toEqual(before)
    expect(sealedIn(folder, 'quarantine')).toEqual([])
  },
)

test.each(others)(
  'a new key, connected with the $here, leaves the other keystore’s readable there',
  async ({ here, other }) => {
    const folder = await mixedFolder()
    const first = await opened(folder, here)
    first.storage.restore()
    expect(first.storage.signIn(profile({ id: 'new' }), NOW_MS).kind).toBe('sealed')
    first.handle.close()
    expect(sealedIn(folder, 'quarantine')).toEqual([])
    const second = await opened(folder, here === 'desktop' ? 'passphrase' : 'desktop')
    expect(second.readings()[other]).toMatchObject({ kind: 'found' })
  },
)

test.each(others)(
  'a sign-in of the other keystore’s own key, with the $here, preserves every stored byte of it',
  async ({ here, other }) => {
    const folder = await mixedFolder()
    const before = sealedIn(folder, 'records').filter((row) => row['profile'] === other)
    const { handle, storage } = await opened(folder, here)
    storage.restore()
    expect(storage.signIn(profile({ id: other, refreshToken: 'CANARY-anew' }), NOW_MS).kind).toBe('sealed')
    handle.close()
    expect(sealedIn(folder, 'quarantine')).toEqual(expect.arrayContaining(before))
  },
)
