import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { restoredState, type StoredTokens, signedIn } from '../../../app/tokens/stored-token.ts'
import { MEMORY_PROFILE_STORE, VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import type { TokenStore } from '../../../main/tokens/token-store.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile } from '../vault/fixtures.ts'
import { storedFolder, tamper } from '../vault/opened-vault.ts'
import { testKeystore } from '../vault/test-keystore.ts'

async function opened(folder: string, keystore = testKeystore(), startsOver = true) {
  const handle = await VaultHandle.open({ folder, keystore, wallMs: () => NOW_MS })
  onTestFinished(() => handle.close())
  let changes = 0
  const storage = new VaultProfileStore(handle, { startsOver, changed: () => (changes += 1) })
  return { handle, storage, changes: () => changes }
}

const profilesOf = (storage: VaultProfileStore) => storage.restore().map((restored) => restored.profile)

const tokenOf = (tokens: TokenStore | undefined) => {
  const reading = tokens?.read()
  return reading?.kind === 'found' ? reading.stored.token.refreshToken : reading
}

/** Saves these tokens, as a keeper does. Returns the reason if that failed. */
const save = (tokens: TokenStore, stored: StoredTokens) => {
  tokens.save(restoredState(stored, NOW_MS))
  return tokens.unsaved
}

/** A keyring that waits for its password. */
function lockedKeystore() {
  const keystore = testKeystore()
  let unlock = () => {}
  const settled = new Promise<void>((resolve) => {
    unlock = resolve
  })
  keystore.answer = { kind: 'waiting', why: 'the keyring is locked', settled }
  return {
    keystore,
    unlock: async (handle: VaultHandle) => {
      const opened = new Promise<void>((resolve) => handle.onSettled(resolve))
      keystore.answer = undefined
      unlock()
      await opened
    },
  }
}

test('a sign-in is encrypted at once and restored with its settings and its secret', async () => {
  const folder = temporaryFolder()
  const first = await opened(folder)
  const key = profile({ audience: 'https://service.test', rotationMinutes: 40 })
  expect(first.storage.signIn(key, NOW_MS).kind).toBe('sealed')
  expect(first.storage.keystore('key-1')).toBe('ok')
  first.handle.close()
  const { storage } = await opened(folder)
  expect(profilesOf(storage)).toEqual([key])
  expect(storage.restore()).toEqual([])
})

test('the built-in simulator is never stored', async () => {
  const { handle, storage } = await opened(temporaryFolder())
  expect(storage.signIn(profile({ environment: 'simulator' }), NOW_MS).kind).toBe('memory')
  expect(storage.keystore('key-1')).toBe('memory')
  expect(handle.storedIds()).toEqual([])
})

test('settings of a key that waits for encryption are encrypted with it', async () => {
  const folder = temporaryFolder()
  const { keystore, unlock } = lockedKeystore()
  const { handle, storage } = await opened(folder, keystore)
  storage.signIn(profile(), NOW_MS)
  const chosen = profile({ rotationMinutes: 7, probes: { budgetFraction: 0.1, everySeconds: {} } })
  expect(storage.keepsSettings(chosen)).toBe(false)
  expect(storage.keepSettings(chosen)).toEqual({ ok: true })
  await unlock(handle)
  storage.restore()
  expect(storage.keepsSettings(chosen)).toBe(true)
  handle.close()
  const { storage: again } = await opened(folder)
  expect(profilesOf(again)).toEqual([chosen])
})

test('a setting of an encrypted key leaves its other stored data unchanged', async () => {
  const folder = temporaryFolder()
  const { handle, storage } = await opened(folder)
  storage.signIn(profile(), NOW_MS)
  storage.signIn(profile({ id: 'key-2' }), NOW_MS)
  const changes = { rotationMinutes: 7, probes: { enabled: false, budgetFraction: 0.1, everySeconds: {} } }
  expect(storage.keepSettings({ ...profile(changes), name: 'Not stored by this' })).toEqual({ ok: true })
  handle.close()
  expect(storage.keepSettings(profile(changes))).toEqual({ ok: false, why: 'the vault is closed' })
  const { storage: again } = await opened(folder)
  expect(profilesOf(again)).toEqual([profile(changes), profile({ id: 'key-2' })])
})

test('a new sign-in replaces the key’s old one, and a response to the old one changes nothing', async () => {
  const { storage } = await opened(temporaryFolder())
  const former = storage.signIn(profile(), NOW_MS)
  const now = storage.signIn(profile({ refreshToken: 'CANARY-new' }), NOW_MS)
  expect(save(former, held(7, 'CANARY-late'))).toBeUndefined()
  former.intend()
  expect(tokenOf(now)).toBe('CANARY-new')
  expect(now.read()).not.toHaveProperty('stored.intent')
})

test('a forgotten key accepts no more data', async () => {
  const { handle, storage } = await opened(temporaryFolder())
  const tokens = storage.signIn(profile(), NOW_MS)
  expect(storage.forget('key-1')).toEqual({ ok: true })
  expect(save(tokens, held(2))).toBeUndefined()
  expect(handle.storedIds()).toEqual([])
  expect(storage.forget('key-1')).toEqual({ ok: true })
})

test('a key connected while the keyring is locked is encrypted in its latest state once it unlocks', async () => {
  const folder = await storedFolder()
  const { keystore, unlock } = lockedKeystore()
  const { handle, storage } = await opened(folder, keystore)
  expect(storage.keystore('simulator')).toBe('waiting')
  expect(storage.ids()).toEqual(['key-1'])
  const tokens = storage.signIn(profile({ id: 'key-2', refreshToken: 'CANARY-a' }), NOW_MS)
  expect(storage.keystore('key-2')).toBe('memory')
  save(tokens, held(4, 'CANARY-b'))
  expect(tokens.kind).toBe('memory')
  await unlock(handle)
  expect(storage.restore().map((restored) => restored.profile.id)).toEqual(['key-1'])
  expect(tokens.kind).toBe('sealed')
  expect(storage.keystore('key-2')).toBe('ok')
  expect(tokens.read()).toMatchObject({ stored: { token: { generation: 4, refreshToken: 'CANARY-b' } } })
})

test('a sign-in encrypted late continues above the record it replaced, and its next token is the one found', async () => {
  const folder = temporaryFolder()
  const first = await opened(folder)
  save(first.storage.signIn(profile(), NOW_MS), held(40, 'CANARY-before'))
  first.handle.close()
  const { keystore, unlock } = lockedKeystore()
  const { handle, storage } = await opened(folder, keystore)
  const tokens = storage.signIn(profile({ refreshToken: 'CANARY-a' }), NOW_MS)
  save(tokens, held(3, 'CANARY-b'))
  await unlock(handle)
  expect(storage.restore()).toEqual([])
  expect(tokens.kind).toBe('sealed')
  expect(tokens.read()).toMatchObject({ stored: { token: { generation: 41, refreshToken: 'CANARY-b' } } })
  expect(tokens.state.token).toMatchObject({ generation: 41, refreshToken: 'CANARY-b' })
  tokens.intend()
  expect(tokens.read()).toMatchObject({ stored: { intent: { generation: 41 } } })
  save(tokens, held(42, 'CANARY-c'))
  expect(tokens.read()).toMatchObject({ stored: { token: { generation: 42, refreshToken: 'CANARY-c' } } })
  handle.close()
  const { storage: next } = await opened(folder)
  expect(tokenOf(next.restore()[0]?.tokens)).toBe('CANARY-c')
})

test('a pending revocation is encrypted with its key', async () => {
  const { keystore, unlock } = lockedKeystore()
  const { handle, storage } = await opened(temporaryFolder(), keystore)
  const tokens = storage.signIn(profile(), NOW_MS)
  const revocation = { reason: 'no answer', byItself: true }
  save(tokens, { ...held(1), revocation })
  await unlock(handle)
  tokens.intend()
  expect(tokens.kind).toBe('sealed')
  expect(tokens.read()).toMatchObject({ stored: { revocation } })
})

test('with another key in the keyring the stored key is shown as unreadable, and signing in again encrypts it anew', async () => {
  const folder = await storedFolder()
  const { handle, storage, changes } = await opened(folder, testKeystore(2))
  const [restored] = storage.restore()
  expect(restored?.profile).toMatchObject({ name: 'Main key', refreshToken: '' })
  expect(restored?.tokens.read()).toMatchObject({ kind: 'lost', why: expect.stringContaining('another key') })
  expect(storage.keystore('key-1')).toBe('key-changed')
  const tokens = storage.signIn(profile({ refreshToken: 'CANARY-new' }), NOW_MS)
  await expect.poll(changes, PATIENT).toBe(1)
  expect(handle.status).toEqual({ state: 'ok' })
  expect(tokens.kind).toBe('sealed')
  expect(storage.keystore('key-1')).toBe('ok')
})

test('a key whose secret could not be read at the start opens with it once it can be read', async () => {
  const folder = await storedFolder()
  let isBroken = (_kind: unknown) => true
  const openFile: typeof openVaultFile = (...where) => {
    const opening = openVaultFile(...where)
    if (opening.kind === 'unusable') return opening
    const prepare = opening.database.prepare.bind(opening.database)
    opening.database.prepare = (sql) => {
      const statement = prepare(sql)
      const get = statement.get.bind(statement)
      return Object.assign(statement, {
        get: (...values: Parameters<typeof get>) => {
          if (!sql.includes('records') || !values.some(isBroken)) return get(...values)
          throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
        },
      })
    }
    return opening
  }
  const handle = await VaultHandle.open({ folder, keystore: testKeystore(), wallMs: () => NOW_MS, openFile })
  onTestFinished(() => handle.close())
  const storage = new VaultProfileStore(handle, { startsOver: true, changed: () => {} })
  const [restored] = storage.restore()
  const { clientSecret: _, ...withoutSecret } = profile({ refreshToken: '' })
  expect(restored?.profile).toEqual(withoutSecret)
  const clock = new VirtualClock()
  restored?.tokens.open({ clock, event: () => {}, changed: () => {}, nowMs: () => NOW_MS })
  isBroken = (kind) => kind === 'client-secret'
  expect(storage.restore()).toEqual([])
  // The token can be read again, but must not be sent without its secret.
  restored?.tokens.readIfLost()
  expect(restored?.tokens.state.token).toBeUndefined()
  isBroken = () => false
  expect(storage.restore().map((again) => again.profile)).toEqual([profile()])
  expect(storage.restore()).toEqual([])
})

test('with a passphrase that may be mistyped, nothing is encrypted anew', async () => {
  const folder = await storedFolder()
  const { handle, storage } = await opened(folder, testKeystore(2), false)
  storage.restore()
  const tokens = storage.signIn(profile({ refreshToken: 'CANARY-new' }), NOW_MS)
  expect(tokens.kind).toBe('memory')
  expect(handle.status.state).toBe('key-changed')
})

test('the desk of an encrypted key is found at the next start, until it is forgotten alone or with its key', async () => {
  const folder = temporaryFolder()
  const first = await opened(folder)
  first.storage.signIn(profile(), NOW_MS)
  first.storage.signIn(profile({ id: 'key-2' }), NOW_MS)
  for (const id of ['key-1', 'key-2'])
    expect(first.storage.keepDesk(id, `CANARY-of-${id}`)).toEqual({ ok: true })
  first.handle.close()
  const { storage } = await opened(folder)
  expect(storage.desk('key-1')).toEqual({ kind: 'none' })
  storage.restore()
  expect(storage.desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-of-key-1' })
  storage.signIn(profile({ refreshToken: 'CANARY-again' }), NOW_MS)
  expect(storage.desk('key-1').kind).toBe('found')
  expect(storage.forgetDesk('key-1')).toEqual({ ok: true })
  expect(storage.desk('key-1')).toEqual({ kind: 'none' })
  expect(storage.forget('key-2')).toEqual({ ok: true })
  expect(storage.desk('key-2')).toEqual({ kind: 'none' })
  expect(storage.keepDesk('key-2', 'CANARY-late')).toEqual({ ok: false, why: 'this key is not stored' })
})

test('the desk of a key that waits for encryption is in memory, and encrypted with the key', async () => {
  const folder = temporaryFolder()
  const { keystore, unlock } = lockedKeystore()
  const { handle, storage } = await opened(folder, keystore)
  storage.signIn(profile(), NOW_MS)
  storage.signIn(profile({ id: 'key-2' }), NOW_MS)
  for (const id of ['key-1', 'key-2']) storage.keepDesk(id, 'CANARY-desk')
  expect(storage.desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-desk' })
  expect(handle.vault?.desk('key-1')).toEqual({ kind: 'none' })
  expect(storage.forgetDesk('key-2')).toEqual({ ok: true })
  storage.signIn(profile({ refreshToken: 'CANARY-again' }), NOW_MS)
  await unlock(handle)
  storage.restore()
  expect(handle.vault?.desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-desk' })
  expect(storage.desk('key-1').kind).toBe('found')
  expect(storage.desk('key-2')).toEqual({ kind: 'none' })
})

test('a damaged key leaves the others unchanged', async () => {
  const folder = temporaryFolder()
  const stored = await opened(folder)
  stored.storage.signIn(profile(), NOW_MS)
  stored.storage.signIn(profile({ id: 'key-2' }), NOW_MS)
  stored.handle.vault?.tokens('key-2').save({ ...held(2), standing: 'nonsense' as never })
  stored.handle.close()
  const { storage } = await opened(folder)
  const [first, second] = storage.restore()
  expect(tokenOf(first?.tokens)).toBe('CANARY-refresh-1')
  expect(second?.tokens.read()).toMatchObject({ kind: 'lost', state: 'record-corrupt' })
  expect(storage.keystore('key-1')).toBe('ok')
  expect(storage.keystore('key-2')).toBe('record-corrupt')
})

test('memory storage keeps a sign-in only for its process', () => {
  const tokens = MEMORY_PROFILE_STORE.signIn(profile(), NOW_MS)
  expect(tokens.read()).toEqual({
    kind: 'found',
    stored: signedIn('CANARY-refresh-1', NOW_MS),
  })
  expect(MEMORY_PROFILE_STORE.keystore('key-1')).toBe('memory')
  expect(MEMORY_PROFILE_STORE.forget('key-1')).toEqual({ ok: true })
})

test('whatever the store rejects reads as unsaved: a token, an intent, a setting, a secret and a sign-in', async () => {
  const folder = temporaryFolder()
  const { storage } = await opened(folder)
  const tokens = storage.signIn(profile(), NOW_MS)
  // It accepts writes without an error, but they are lost when this process ends.
  rmSync(join(folder, 'vault.db'))
  const unsaved = { ok: false, why: 'vault.db or vault.db-wal was removed or replaced' }
  const problems: KeyReport[] = []
  const { clock, nowMs } = { clock: new VirtualClock(), nowMs: () => NOW_MS }
  tokens.open({ clock, nowMs, event: (event) => problems.push(event), changed: () => {} })
  expect(save(tokens, held(2))).toBe(unsaved.why)
  tokens.intend()
  expect(problems).toEqual([
    {
      kind: 'storage-problem',
      what: `the new token is in memory only: ${unsaved.why}`,
      unsaved: 'refresh-token',
    },
    { kind: 'storage-problem', what: `recording an upcoming refresh failed: ${unsaved.why}` },
  ])
  expect(storage.keepSettings(profile({ rotationMinutes: 7 }))).toEqual(unsaved)
  expect(storage.keepSecret(profile({ clientSecret: 'CANARY-other' }))).toEqual(unsaved)
  expect(storage.keepDesk('key-1', 'CANARY-desk')).toEqual(unsaved)
  expect(storage.forgetDesk('key-1')).toEqual(unsaved)
  const late = storage.signIn(profile({ id: 'key-2' }), NOW_MS)
  expect(late.kind).toBe('memory')
  expect(storage.keystore('key-2')).toBe('memory')
  expect(save(late, held(3))).toBe(unsaved.why)
  expect(storage.forget('key-1')).toEqual(unsaved)
  proves('T7', { level: 2, cases: 8 })
})

test('a key with an unreadable name and addresses is reported by its id, with what to do', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE profiles SET about = '{'")
  const { storage } = await opened(folder)
  expect(storage.notices()).toEqual([])
  storage.restore()
  expect(storage.notices()).toEqual([
    expect.stringMatching(/saved key key-1 are damaged\. Connect that key again/),
  ])
})

test('the switch for orders survives a restart, without the other settings of this run', async () => {
  const folder = temporaryFolder()
  const first = await opened(folder)
  const key = profile({ isGiven: true })
  first.storage.signIn(key, NOW_MS)
  const ofThisRun = { ...key, probes: { budgetFraction: 0.5, everySeconds: {} }, orders: 'stopped' } as const
  expect(first.storage.keepOrders(ofThisRun)).toEqual({ ok: true })
  first.handle.close()
  const { storage } = await opened(folder)
  expect(profilesOf(storage)).toEqual([{ ...key, orders: 'stopped' }])
})

test('a switch that this version does not know lets no order pass', async () => {
  const folder = temporaryFolder()
  const first = await opened(folder)
  first.storage.signIn(profile({ orders: 'on' }), NOW_MS)
  first.handle.close()
  tamper(folder, `UPDATE profiles SET about = json_set(about, '$.orders', 'always')`)
  const { storage } = await opened(folder)
  expect(storage.restore().map((restored) => restored.profile.orders)).toEqual(['stopped'])
})
