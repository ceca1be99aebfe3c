import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { SAVED_KEYS } from '../../../app/contract/key-health.ts'
import { VAULT_MIGRATIONS } from '../../../main/vault/schema.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile, tokensOf, vaultOf } from './fixtures.ts'
import { openVault, signedInVault, storedFolder } from './opened-vault.ts'

const file = (folder: string) => join(folder, 'vault.db')
const asideIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('vault.damaged-'))

test('a first start reports nothing, and only its owner can read the file', async () => {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  expect(handle.notices).toEqual([])
  expect(statSync(file(folder)).mode & 0o077).toBe(0)
})

test('a folder in place of the new file is reported in plain words', () => {
  const folder = temporaryFolder()
  mkdirSync(`${file(folder)}.new`)
  expect(openVaultFile(folder, NOW_MS)).toEqual({
    kind: 'unusable',
    line: `tokens can't be saved in ${file(folder)}: a folder is in the way`,
    notices: [],
    isThere: false,
  })
})

test.each([
  ['emptied', (path: string) => truncateSync(path, 0)],
  ['cut in its header', (path: string) => truncateSync(path, 50)],
  ['cut in a page', (path: string) => truncateSync(path, 5000)],
  [
    'given a list of free pages that it does not have',
    (path: string) => {
      const bytes = readFileSync(path)
      bytes.writeUInt32BE(3, 36)
      writeFileSync(path, bytes)
    },
  ],
  ['zeroed', (path: string) => writeFileSync(path, new Uint8Array(statSync(path).size))],
  [
    'zeroed after its header',
    (path: string) => {
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.fill(0, 100))
    },
  ],
  ['replaced by something else', (path: string) => writeFileSync(path, 'not a database'.repeat(1000))],
])('a file that was %s is renamed with its bytes, reported, and a new one works', async (_, damage) => {
  const folder = await storedFolder()
  damage(file(folder))
  const damaged = readFileSync(file(folder))
  const handle = await openVault(folder)
  expect(handle.status).toEqual({ state: 'ok' })
  const [aside, ...others] = asideIn(folder)
  expect(others).toEqual([])
  expect(readFileSync(join(folder, aside!)).equals(damaged)).toBe(true)
  expect(handle.notices).toEqual([
    expect.stringMatching(
      /^Your saved keys (are damaged|are lost: .+)\. Connect them again\. Old file: vault\.damaged/,
    ),
  ])
  expect(handle.notices[0]).toContain(aside)
  expect(handle.storedProfiles()).toMatchObject([{ id: SAVED_KEYS }])
  vaultOf(handle).signIn(profile(), held(1))
  handle.close()
  const again = await openVault(folder)
  expect(again.notices).toEqual([])
  expect(tokensOf(again).kind).toBe('found')
  proves('D2', { level: 2, cases: 1 })
})

test.each(['DROP TABLE profiles', 'DROP TABLE records', 'ALTER TABLE intents DROP COLUMN at_ms'])(
  'a file that a repair left incomplete (%s) is renamed and reported, and a new one works',
  async (loss) => {
    const folder = await storedFolder()
    const database = new DatabaseSync(file(folder))
    database.exec(`PRAGMA foreign_keys = OFF; ${loss}`)
    database.close()
    const handle = await openVault(folder)
    expect(handle.status).toEqual({ state: 'ok' })
    expect(asideIn(folder)).toHaveLength(1)
    expect(handle.notices).toEqual([expect.stringContaining('are damaged')])
    expect(handle.storedIds()).toEqual([SAVED_KEYS])
    expect(vaultOf(handle).signIn(profile(), held(1))).toMatchObject({ ok: true })
  },
)

test('cut or zeroed at any length, it starts, and either opens complete or is renamed', async () => {
  const source = readFileSync(file(await storedFolder()))
  const folder = temporaryFolder()
  let starts = 0
  for (let length = 0; length < source.length; length += 1789) {
    for (const bytes of [source.subarray(0, length), Buffer.from(source).fill(0, length)]) {
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      writeFileSync(file(folder), bytes)
      const handle = await openVault(folder)
      expect(handle.status.state).toBe('ok')
      if (handle.notices.length === 0) expect(tokensOf(handle).kind).toBe('found')
      else expect(asideIn(folder)).toHaveLength(1)
      handle.close()
      starts += 1
    }
  }
  proves('D2', { level: 2, cases: starts })
})

test('without its journal the file is complete: every commit is checkpointed at once', async () => {
  const { folder, handle } = await signedInVault()
  const copy = temporaryFolder()
  // The file alone, as after a crash in which the -wal file was lost.
  writeFileSync(file(copy), readFileSync(file(folder)))
  handle.close()
  const again = await openVault(copy)
  expect(tokensOf(again).kind).toBe('found')
})

test('a journal without its file is renamed and reported', async () => {
  const folder = temporaryFolder()
  writeFileSync(`${file(folder)}-wal`, 'a journal')
  const handle = await openVault(folder)
  expect(handle.notices).toEqual([expect.stringContaining('missing')])
  expect(asideIn(folder)).toEqual([expect.stringMatching(/\.db-wal$/)])
  proves('D2', { level: 1, cases: 1 })
})

test('a half-made new file does not block a start', async () => {
  const folder = temporaryFolder()
  writeFileSync(`${file(folder)}.new`, 'half')
  const handle = await openVault(folder)
  expect(handle.status).toEqual({ state: 'ok' })
  expect(handle.notices).toEqual([])
})

test('a folder in place of the file is reported in one line, and nothing in it changes', async () => {
  const folder = await storedFolder()
  renameSync(file(folder), join(folder, 'elsewhere.db'))
  const opening = openVaultFile(join(folder, 'elsewhere.db'), NOW_MS)
  expect(opening).toMatchObject({ kind: 'unusable', line: expect.stringContaining("can't be saved") })
})

test('an older file is migrated with its content', async () => {
  const folder = await storedFolder()
  const steps = [...VAULT_MIGRATIONS, "ALTER TABLE profiles ADD COLUMN note TEXT NOT NULL DEFAULT 'none'"]
  const opening = openVaultFile(folder, NOW_MS, steps)
  if (opening.kind !== 'open') throw new Error(opening.line)
  expect(opening.database.prepare('SELECT id, note FROM profiles').all()).toEqual([
    { id: 'key-1', note: 'none' },
  ])
  expect(opening.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: steps.length })
  opening.database.close()
})

test('a failed migration leaves the file at its version', async () => {
  const folder = await storedFolder()
  const opening = openVaultFile(folder, NOW_MS, [
    ...VAULT_MIGRATIONS,
    'CREATE TABLE added (x); SELECT nothing FROM nowhere',
  ])
  expect(opening.kind).toBe('unusable')
  const handle = await openVault(folder)
  expect(tokensOf(handle).kind).toBe('found')
})

test('a file from a newer version is rejected in one line, and not changed', async () => {
  const folder = await storedFolder()
  const database = new DatabaseSync(file(folder))
  database.exec(`PRAGMA user_version = ${VAULT_MIGRATIONS.length + 1}`)
  database.close()
  const before = readFileSync(file(folder))
  const handle = await openVault(folder)
  expect(handle.status).toMatchObject({
    state: 'unreadable',
    line: expect.stringContaining('newer version'),
  })
  expect(handle.vault).toBeUndefined()
  handle.close()
  expect(readFileSync(file(folder)).equals(before)).toBe(true)
})

test.skipIf(process.platform === 'win32').each([
  ['removed', (folder: string) => rmSync(folder, { recursive: true }), undefined],
  [
    'replaced',
    (folder: string) => {
      renameSync(file(folder), `${file(folder)}.old`)
      writeFileSync(file(folder), 'of another program')
    },
    (folder: string) => renameSync(`${file(folder)}.old`, file(folder)),
  ],
])(
  'a file that was %s while open saves nothing until it is back, and reports it',
  async (_, lose, putBack) => {
    const folder = temporaryFolder()
    const handle = await openVault(folder)
    expect(vaultOf(handle).signIn(profile(), held(1))).toMatchObject({ ok: true })
    lose(folder)
    expect(vaultOf(handle).signIn(profile(), held(2))).toEqual({
      ok: false,
      why: 'vault.db or vault.db-wal was removed or replaced',
    })
    if (putBack === undefined) return
    putBack(folder)
    expect(vaultOf(handle).signIn(profile(), held(3))).toMatchObject({ ok: true })
  },
)

test('commits survive a power cut, and deleted data is overwritten', () => {
  const opening = openVaultFile(temporaryFolder(), NOW_MS)
  if (opening.kind !== 'open') throw new Error(opening.line)
  const { database } = opening
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  expect({
    journal_mode: pragma('journal_mode'),
    // 2 means FULL: the journal reaches the disk before a commit is acknowledged.
    synchronous: pragma('synchronous'),
    fullfsync: pragma('fullfsync'),
    secure_delete: pragma('secure_delete'),
    wal_autocheckpoint: pragma('wal_autocheckpoint'),
    foreign_keys: pragma('foreign_keys'),
    busy_timeout: pragma('busy_timeout'),
  }).toEqual({
    journal_mode: 'wal',
    synchronous: 2,
    fullfsync: 1,
    secure_delete: 1,
    wal_autocheckpoint: 1,
    foreign_keys: 1,
    busy_timeout: 250,
  })
  database.close()
  proves('D1', { level: 1, cases: 1 })
})
