import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Saved } from '../../../main/storage/storage-error.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile, tokensOf, vaultOf } from './fixtures.ts'
import { openVault, rowsOf, signedInVault, storedFolder, tamper } from './opened-vault.ts'
import { testKeystore } from './test-keystore.ts'

const rotated = (generation: number) => ({
  token: {
    generation,
    refreshToken: `CANARY-refresh-${generation}`,
    signedInAtMs: NOW_MS,
    rotatedAtMs: NOW_MS + generation,
    keepsToken: false,
  },
  standing: { kind: 'active' as const },
})

test('a sign-in is there at the next start, with secrets and settings', async () => {
  const folder = temporaryFolder()
  const first = await openVault(folder)
  expect(vaultOf(first).signIn(profile(), held(1))).toEqual({ ok: true, generation: 1 })
  first.close()
  const again = await openVault(folder)
  expect(again.status).toEqual({ state: 'ok' })
  const { id, refreshToken, clientSecret, ...about } = profile()
  expect(again.storedProfiles()).toMatchObject([
    {
      id,
      about: { ...about, hasClientSecret: true },
      clientSecret,
      reading: { kind: 'found', stored: held(1, refreshToken) },
    },
  ])
})

test('a secret stored later opens at the next start, and affects neither the token nor an earlier damaged one', async () => {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  const { clientSecret: _, ...secretless } = profile()
  vaultOf(handle).signIn(secretless, held(1))
  expect(vaultOf(handle).keepSecret({ id: 'key-1', clientSecret: 'CANARY-first' })).toEqual({ ok: true })
  tamper(folder, "UPDATE records SET sealed = zeroblob(60) WHERE kind = 'client-secret'")
  expect(vaultOf(handle).keepSecret({ id: 'key-1', clientSecret: 'CANARY-second' })).toEqual({ ok: true })
  expect(rowsOf(folder, 'SELECT kind FROM quarantine')).toEqual([{ kind: 'client-secret' }])
  handle.close()
  const again = await openVault(folder)
  expect(again.storedProfiles()).toMatchObject([
    { clientSecret: 'CANARY-second', reading: { kind: 'found', stored: held(1) } },
  ])
})

test('a new generation closes the intent, and the old token is deleted from the file', async () => {
  const { folder, handle } = await signedInVault()
  const tokens = vaultOf(handle).tokens('key-1')
  expect(tokens.intend({ generation: 1, atMs: NOW_MS }, 'CANARY-refresh-1')).toEqual({ ok: true })
  expect(tokensOf(handle)).toMatchObject({ stored: { intent: { generation: 1, atMs: NOW_MS } } })
  expect(tokens.save(rotated(2))).toEqual({ ok: true })
  expect(tokensOf(handle)).toEqual({ kind: 'found', stored: rotated(2) })
  handle.close()
  expect(
    rowsOf(folder, "SELECT generation, sealed IS NULL AS gone FROM records WHERE kind = 'refresh-token'"),
  ).toEqual([
    { generation: 1, gone: 1 },
    { generation: 2, gone: 0 },
  ])
})

test('the signed-in user is stored with the token', async () => {
  const { folder, handle } = await signedInVault()
  const { token, standing } = rotated(2)
  vaultOf(handle)
    .tokens('key-1')
    .save({ token: { ...token, subject: 'auth0|1' }, standing })
  handle.close()
  const again = await openVault(folder)
  expect(tokensOf(again)).toMatchObject({ stored: { token: { subject: 'auth0|1' } } })
})

test('metadata of three generations is kept', async () => {
  const { folder, handle } = await signedInVault()
  for (let generation = 2; generation <= 6; generation += 1)
    vaultOf(handle).tokens('key-1').save(rotated(generation))
  handle.close()
  const kept = rowsOf(folder, "SELECT generation FROM records WHERE kind = 'refresh-token'")
  expect(kept.map((row) => row['generation'])).toEqual([4, 5, 6])
})

test('the end of a session is stored next to its token, which stays', async () => {
  const { handle } = await signedInVault()
  const tokens = vaultOf(handle).tokens('key-1')
  tokens.intend({ generation: 1, atMs: NOW_MS }, 'CANARY-refresh-1')
  const ended = { ...held(1), standing: { kind: 'sign-in-required', reason: 'refused' } } as const
  tokens.save(ended)
  expect(tokensOf(handle)).toEqual({
    kind: 'found',
    stored: ended,
  })
})

test('data next to an encrypted token keeps the form that earlier versions read', async () => {
  const { folder, handle } = await signedInVault()
  vaultOf(handle).tokens('key-1').save(rotated(2))
  handle.close()
  const rows = rowsOf(folder, "SELECT about FROM records WHERE kind = 'refresh-token' ORDER BY generation")
  expect(rows.map(({ about }) => JSON.parse(String(about)))).toEqual([
    { signedInAtMs: NOW_MS, keepsToken: false, standing: { kind: 'unconfirmed' } },
    { signedInAtMs: NOW_MS, rotatedAtMs: NOW_MS + 2, keepsToken: false, standing: { kind: 'active' } },
  ])
})

test('a failed write of any kind is reported as failed, and the next one is stored', async () => {
  const folder = temporaryFolder()
  const opened: DatabaseSync[] = []
  const handle = await VaultHandle.open({
    folder,
    keystore: testKeystore(),
    wallMs: () => NOW_MS,
    openFile: (...asked) => {
      const opening = openVaultFile(...asked)
      if (opening.kind !== 'unusable') opened.push(opening.database)
      return opening
    },
  })
  const vault = vaultOf(handle)
  vault.signIn(profile(), held(1))
  const before = handle.storedProfiles()
  const tokens = vault.tokens('key-1')
  const writes: (() => Saved)[] = [
    () => tokens.save(held(2)),
    () => tokens.intend({ generation: 1, atMs: NOW_MS }, 'CANARY-refresh-1'),
    () => vault.keepSettings({ id: 'key-1', probes: { budgetFraction: 0.5, everySeconds: {} } }),
    () => vault.keepSecret({ id: 'key-1', clientSecret: 'CANARY-second' }),
    () => vault.keepDesk('key-1', 'CANARY-desk'),
    () => vault.forgetDesk('key-1'),
    () => vault.signIn(profile({ id: 'key-2' }), held(1)),
    () => vault.forget('key-1'),
  ]
  for (const database of opened) database.exec('PRAGMA query_only = ON')
  for (const write of writes) expect(write()).toEqual({ ok: false, why: expect.stringMatching(/./) })
  expect(handle.storedProfiles()).toMatchObject(
    before.map(({ id, about, reading }) => ({ id, about, reading })),
  )
  for (const database of opened) database.exec('PRAGMA query_only = OFF')
  for (const write of writes) expect(write()).toMatchObject({ ok: true })
  expect(handle.storedProfiles().map(({ id }) => id)).toEqual(['key-2'])
  handle.close()
  for (const write of writes) expect(write()).toEqual({ ok: false, why: 'the vault is closed' })
  expect(tokens.read()).toEqual({ kind: 'unreadable', why: 'the vault is closed' })
  expect(vault.desk('key-1')).toEqual({ kind: 'unreadable', why: 'the vault is closed' })
})

test.each([true, false])(
  'whether a pending revocation is retried automatically (%s) is stored',
  async (byItself) => {
    const { folder, handle: first } = await signedInVault()
    const revocation = { reason: 'no answer', byItself }
    vaultOf(first)
      .tokens('key-1')
      .save({ ...held(1), revocation })
    first.close()
    const again = await openVault(folder)
    expect(tokensOf(again)).toMatchObject({ stored: { revocation } })
    again.close()
    tamper(folder, "UPDATE outbox SET about = '{'")
    const damaged = await openVault(folder)
    expect(tokensOf(damaged)).toMatchObject({
      stored: { revocation: { reason: expect.stringMatching(/quit before/), byItself: true } },
    })
  },
)

test('no generation is reused, not even that of a record in quarantine', async () => {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  vaultOf(handle).signIn(profile(), held(7))
  handle.close()
  tamper(folder, 'UPDATE records SET sealed = zeroblob(60)')
  const again = await openVault(folder)
  expect(again.storedProfiles()).toMatchObject([{ reading: { kind: 'lost', state: 'record-corrupt' } }])
  expect(vaultOf(again).signIn(profile(), held(1))).toEqual({ ok: true, generation: 8 })
  again.close()
  const generations = (table: string) => rowsOf(folder, `SELECT kind, generation FROM ${table} ORDER BY kind`)
  expect(generations('quarantine')).toEqual([
    { kind: 'client-secret', generation: 1 },
    { kind: 'refresh-token', generation: 7 },
  ])
  expect(generations('records')).toEqual([
    { kind: 'client-secret', generation: 2 },
    { kind: 'refresh-token', generation: 8 },
  ])
})

test('a pending revocation survives the process, and a new sign-in withdraws it', async () => {
  const { folder, handle: first } = await signedInVault()
  const pending = { reason: 'no answer', byItself: true }
  vaultOf(first)
    .tokens('key-1')
    .save({ ...held(1), revocation: pending })
  first.close()
  const again = await openVault(folder)
  expect(tokensOf(again)).toMatchObject({ stored: { revocation: pending } })
  vaultOf(again).signIn(profile(), held(1, 'CANARY-new'))
  const reading = tokensOf(again)
  expect(reading).toMatchObject({ stored: { token: { generation: 2, refreshToken: 'CANARY-new' } } })
  expect(reading).not.toHaveProperty('stored.revocation')
  proves('R4', { level: 1, cases: 1 })
})

test('a forgotten key is deleted from the file, and the others stay', async () => {
  const { folder, handle } = await signedInVault()
  vaultOf(handle).signIn(profile({ id: 'key-2', name: 'Second key' }), held(1, 'CANARY-refresh-1'))
  expect(vaultOf(handle).forget('key-1')).toEqual({ ok: true })
  expect(handle.storedProfiles().map(({ id }) => id)).toEqual(['key-2'])
  expect(vaultOf(handle).knows('key-1', 'CANARY-refresh-1')).toBe(false)
  expect(bytesIn(folder)).not.toContain('Main key')
  expect(bytesIn(folder)).toContain('Second key')
})

test('a token is recognised as an earlier one, whatever happened to it', async () => {
  const { handle } = await signedInVault()
  const tokens = vaultOf(handle).tokens('key-1')
  for (let generation = 2; generation < 120; generation += 1) {
    tokens.note('sent', generation, `CANARY-refresh-${generation}`)
    tokens.save(rotated(generation))
  }
  expect(vaultOf(handle).knows('key-1', 'CANARY-refresh-1')).toBe(true)
  expect(vaultOf(handle).knows('key-1', 'CANARY-refresh-119')).toBe(true)
  expect(vaultOf(handle).knows('key-1', 'CANARY-refresh-2')).toBe(false)
  expect(vaultOf(handle).knows('key-1', 'another')).toBe(false)
})

test('no file in the folder contains a byte of a secret, in any encoding', async () => {
  const { folder, handle } = await signedInVault()
  const tokens = vaultOf(handle).tokens('key-1')
  tokens.note('intended', 1, 'CANARY-refresh-1')
  tokens.save(rotated(2))
  const whileOpen = bytesIn(folder)
  handle.close()
  for (const bytes of [whileOpen, bytesIn(folder)]) {
    for (const form of [
      'CANARY',
      Buffer.from('CANARY-re').toString('base64'),
      Buffer.from('CANARY').toString('hex'),
    ]) {
      expect(bytes).not.toContain(form)
    }
  }
})

test('a record moved to another profile or another generation does not decrypt', async () => {
  const { folder, handle } = await signedInVault()
  vaultOf(handle).signIn(profile({ id: 'key-2' }), held(1, 'CANARY-other'))
  handle.close()
  tamper(
    folder,
    `UPDATE records SET sealed = (SELECT sealed FROM records WHERE profile = 'key-1' AND kind = 'refresh-token')
     WHERE profile = 'key-2' AND kind = 'refresh-token'`,
  )
  const again = await openVault(folder)
  expect(tokensOf(again, 'key-2')).toEqual({ kind: 'lost', state: 'record-corrupt' })
  expect(tokensOf(again, 'key-1').kind).toBe('found')
})

test('a tampered record is set aside with its bytes, stays reported, and a new sign-in works', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE records SET sealed = zeroblob(60) WHERE kind = 'refresh-token'")
  const again = await openVault(folder)
  expect(again.status).toEqual({ state: 'ok' })
  expect(tokensOf(again)).toEqual({ kind: 'lost', state: 'record-corrupt' })
  expect(tokensOf(again)).toEqual({ kind: 'lost', state: 'record-corrupt' })
  expect(vaultOf(again).signIn(profile(), held(1, 'CANARY-new'))).toMatchObject({ ok: true })
  expect(tokensOf(again)).toMatchObject({ stored: { token: { refreshToken: 'CANARY-new' } } })
  again.close()
  expect(rowsOf(folder, 'SELECT length(sealed) AS bytes FROM quarantine')).toEqual([{ bytes: 60 }])
})

test('unreadable metadata and settings are reported, and nothing is deleted', async () => {
  const folder = temporaryFolder()
  const keystore = testKeystore()
  const handle = await openVault(folder, keystore)
  vaultOf(handle).signIn(profile(), held(1))
  handle.close()
  tamper(
    folder,
    "UPDATE profiles SET about = '{'; UPDATE records SET about = '[]' WHERE kind = 'refresh-token'",
  )
  const again = await openVault(folder, keystore)
  expect(again.storedProfiles()).toMatchObject([
    { id: 'key-1', reading: { kind: 'lost', state: 'record-corrupt' } },
  ])
})

test.each(['authUrl', 'baseUrl', 'clientId'])(
  'a stored %s changed from outside gets no request: the key reports it, and its token stays',
  async (field) => {
    const folder = await storedFolder()
    tamper(folder, `UPDATE profiles SET about = json_set(about, '$.${field}', 'https://elsewhere.test')`)
    const again = await openVault(folder)
    const [found] = again.storedProfiles()
    expect(found?.reading).toMatchObject({
      kind: 'lost',
      state: 'record-corrupt',
      why: expect.stringContaining('addresses'),
    })
    expect(found).not.toHaveProperty('clientSecret')
    // A new sign-in must not go to a changed address.
    expect(found).not.toHaveProperty('about')
    expect(found?.tokens.read()).toEqual(found?.reading)
    expect(tokensOf(again)).toMatchObject({ kind: 'found' })
    // A new sign-in repairs it.
    vaultOf(again).signIn(profile(), held(2))
    expect(again.storedProfiles()[0]?.reading.kind).toBe('found')
  },
)

test('a profile without its mark, or with another’s, is not trusted', async () => {
  const { folder, handle } = await signedInVault()
  vaultOf(handle).signIn(profile({ id: 'key-2', authUrl: 'https://other.test' }), held(1))
  handle.close()
  tamper(
    folder,
    `UPDATE profiles SET about = json_remove(about, '$.mark') WHERE id = 'key-1';
     UPDATE profiles SET about = json_set(about, '$.mark', 'x') WHERE id = 'key-2'`,
  )
  const again = await openVault(folder)
  expect(again.storedProfiles().map(({ reading }) => reading.kind)).toEqual(['lost', 'lost'])
  // No client secret is read for them, even if the data key of the token can't be opened.
  tamper(folder, "PRAGMA foreign_keys = OFF; UPDATE records SET data_key = 9 WHERE kind = 'refresh-token'")
  for (const found of (await openVault(folder)).storedProfiles()) expect(found.clientSecret).toBeUndefined()
})

test('an invalid address does not prevent a start', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE profiles SET about = json_set(about, '$.authUrl', 'nowhere')")
  const again = await openVault(folder)
  expect(again.storedProfiles()).toEqual([expect.not.objectContaining({ about: expect.anything() })])
})

test('a key whose client secret cannot be decrypted cannot be used, and reports it', async () => {
  const folder = await storedFolder()
  tamper(folder, "UPDATE records SET sealed = zeroblob(60) WHERE kind = 'client-secret'")
  const again = await openVault(folder)
  const [found] = again.storedProfiles()
  expect(found?.reading).toMatchObject({ kind: 'lost', state: 'record-corrupt' })
  expect(found?.tokens.read()).toEqual(found?.reading)
})

describe('the desk of a key', () => {
  test('is opened at the next start, replaces a former one, and is deleted with its key', async () => {
    const { folder, handle: first } = await signedInVault()
    expect(vaultOf(first).desk('key-1')).toEqual({ kind: 'none' })
    expect(vaultOf(first).keepDesk('key-1', 'CANARY-desk-1')).toEqual({ ok: true })
    expect(vaultOf(first).keepDesk('key-1', 'CANARY-desk-2')).toEqual({ ok: true })
    expect(vaultOf(first).signIn(profile(), held(1, 'CANARY-new'))).toMatchObject({ ok: true })
    first.close()
    expect(bytesIn(folder)).not.toContain('CANARY')
    const again = await openVault(folder)
    expect(vaultOf(again).desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-desk-2' })
    expect(tokensOf(again).kind).toBe('found')
    expect(vaultOf(again).forget('key-1')).toEqual({ ok: true })
    vaultOf(again).signIn(profile(), held(1))
    expect(vaultOf(again).desk('key-1')).toEqual({ kind: 'none' })
  })

  test('can be deleted alone, and its secret is then in no file', async () => {
    const { folder, handle } = await signedInVault()
    vaultOf(handle).keepDesk('key-1', 'CANARY-desk')
    const sealed = sealedDesk(folder)
    expect(vaultOf(handle).forgetDesk('key-1')).toEqual({ ok: true })
    expect(vaultOf(handle).desk('key-1')).toEqual({ kind: 'none' })
    expect(tokensOf(handle).kind).toBe('found')
    expect(bytesIn(folder)).not.toContain(sealed)
  })

  test('is set aside if it is damaged, stays reported, and can be replaced or deleted', async () => {
    const { folder, handle } = await signedInVault()
    vaultOf(handle).keepDesk('key-1', 'CANARY-desk')
    tamper(folder, "UPDATE records SET sealed = zeroblob(60) WHERE kind = 'desk'")
    const lost = { kind: 'lost', state: 'record-corrupt' }
    expect(vaultOf(handle).desk('key-1')).toEqual(lost)
    expect(vaultOf(handle).desk('key-1')).toEqual(lost)
    expect(tokensOf(handle).kind).toBe('found')
    expect(quarantined(folder)).toEqual([{ kind: 'desk', generation: 1, bytes: 60 }])
    expect(vaultOf(handle).keepDesk('key-1', 'CANARY-other')).toEqual({ ok: true })
    expect(vaultOf(handle).desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-other' })
    tamper(folder, "UPDATE records SET sealed = zeroblob(60) WHERE kind = 'desk'")
    expect(vaultOf(handle).desk('key-1')).toEqual(lost)
    expect(vaultOf(handle).forgetDesk('key-1')).toEqual({ ok: true })
    expect(vaultOf(handle).desk('key-1')).toEqual({ kind: 'none' })
  })

  test('of another keyring is kept until that keyring returns, unless it is replaced', async () => {
    const { folder, handle: first } = await signedInVault(testKeystore(1))
    vaultOf(first).keepDesk('key-1', 'CANARY-desk')
    first.close()
    const other = await openVault(folder, testKeystore(2))
    expect(vaultOf(other).keepDesk('key-1', 'CANARY-no')).toEqual({ ok: false, why: 'the vault is locked' })
    await other.startOver()
    expect(vaultOf(other).desk('key-1')).toEqual({ kind: 'lost', state: 'key-changed' })
    expect(quarantined(folder)).toEqual([])
    expect(vaultOf(other).keepDesk('key-1', 'CANARY-other')).toEqual({ ok: true })
    expect(quarantined(folder)).toMatchObject([{ kind: 'desk', generation: 1 }])
    other.close()
    const returned = await openVault(folder, testKeystore(2))
    expect(vaultOf(returned).desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-other' })
  })
})

function bytesIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('\n')
}

const quarantined = (folder: string) =>
  rowsOf(folder, 'SELECT kind, generation, length(sealed) AS bytes FROM quarantine')

const sealedDesk = (folder: string) =>
  Buffer.from(
    rowsOf(folder, "SELECT sealed FROM records WHERE kind = 'desk'")[0]?.['sealed'] as Uint8Array,
  ).toString('latin1')
