import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHistoryFile } from '../../../main/history/replaceable-file.ts'
import { openDataFolder } from '../../../main/storage/data-folder.ts'
import { lockDataFolder } from '../../../main/storage/lock.ts'
import { fileSink } from '../../../main/storage/log.ts'
import { Preferences } from '../../../main/storage/preferences.ts'
import {
  createFilesPrivately,
  ensurePrivate,
  openPrivately,
  restoreFileMask,
  whyNotTrusted,
} from '../../../main/storage/private-files.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from './temporary-folder.ts'

const onPosix = test.skipIf(process.platform === 'win32')
const modeOf = (path: string) => statSync(path).mode & 0o777

/** Sets the umask of this process. No other test is affected, because each test file has its own process. */
function withUmask(mask: number): void {
  const before = process.umask(mask)
  onTestFinished(() => void process.umask(before))
}

onPosix('every file, also SQLite’s, is private under a umask that hides nothing', () => {
  withUmask(0)
  const folder = temporaryFolder()
  const lock = lockDataFolder(folder, { pid: process.pid, host: 'terminal' })
  if (lock.kind !== 'held') throw new Error(lock.line)
  const vault = openVaultFile(folder, 0)
  const history = openHistoryFile(folder, 0)
  if (vault.kind !== 'open' || history.kind !== 'open') throw new Error('not open')
  for (const { database } of [vault, history])
    database.exec('CREATE TABLE trial (x); INSERT INTO trial VALUES (1)')
  new Preferences(folder, 0, () => {}).change({ theme: 'dark' })
  const log = fileSink(folder, () => {}, 20)
  log('a line of more')
  log('than twenty bytes')
  const files = readdirSync(folder)
  for (const name of files) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600])
  expect(files).toEqual(
    expect.arrayContaining([
      ...['vault.db', 'vault.db-wal', 'vault.db-shm', 'history.db', 'history.db-wal', 'history.db-shm'],
      ...['headroom.log', 'headroom.1.log', 'preferences.json', 'lock.db', 'lock.json'],
    ]),
  )
  vault.database.close()
  history.database.close()
  lock.release()
  proves('D7', { level: 2, cases: files.length })
})

onPosix(
  'the mask of the start is restored while programs of the user are being started, and only then',
  () => {
    withUmask(0o002)
    const mask = () => {
      const now = process.umask(0)
      process.umask(now)
      return now
    }
    createFilesPrivately()
    expect(mask()).toBe(0o077)
    const first = restoreFileMask()
    const second = restoreFileMask()
    expect(mask()).toBe(0o002)
    first()
    expect(mask()).toBe(0o002)
    second()
    expect(mask()).toBe(0o077)
  },
)

onPosix.each([
  ['vault.db', (folder: string) => openVaultFile(folder, 0)],
  ['history.db', (folder: string) => openHistoryFile(folder, 0)],
  ['headroom.log', (folder: string) => fileSink(folder, () => {})('a line')],
])('%s of an earlier version that others could read is closed to them', (name, open) => {
  const folder = temporaryFolder()
  open(folder)
  const file = join(folder, name)
  chmodSync(file, 0o644)
  open(folder)
  expect(modeOf(file)).toBe(0o600)
})

onPosix('what its owner may not do with a file stays as it is', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o444)
  ensurePrivate(file)
  expect(modeOf(file)).toBe(0o400)
})

onPosix('a link in the place of a file is never followed', () => {
  const folder = temporaryFolder()
  const target = join(temporaryFolder(), 'elsewhere')
  writeFileSync(target, 'somebody’s')
  for (const name of [
    'vault.db',
    'history.db',
    'headroom.log',
    'preferences.json.new',
    'lock.db',
    'lock.json.new',
  ])
    symlinkSync(target, join(folder, name))
  const complaints: string[] = []
  fileSink(folder, (line) => complaints.push(line))('a line')
  expect(complaints).toEqual([expect.stringContaining("can't write the log")])
  expect(openVaultFile(folder, 0)).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('is a link'),
  })
  expect(openHistoryFile(folder, 0)).toMatchObject({ kind: 'failed' })
  expect(lockDataFolder(folder, { pid: 1, host: 'terminal' })).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('is a link'),
  })
  expect(() => openPrivately(join(folder, 'history.db'), 'replace')).toThrow(/ELOOP/)
  expect(new Preferences(folder, 0, () => {}).change({ theme: 'dark' })).toEqual({ ok: true })
  expect(statSync(join(folder, 'preferences.json')).isFile()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('somebody’s')
})

onPosix('a file opened to be replaced is emptied, one to be appended is not', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, 'before')
  closeSync(openPrivately(file, 'append'))
  expect(readFileSync(file, 'utf8')).toBe('before')
  closeSync(openPrivately(file, 'replace'))
  expect(readFileSync(file, 'utf8')).toBe('')
})

onPosix.each([
  ['others may write to', 0o777, 'other users can write to it; run chmod go-w on it (exFAT has no modes)'],
  ['its group may write to', 0o770, 'other users can write to it; run chmod go-w on it (exFAT has no modes)'],
  [
    'only others may write to',
    0o702,
    'other users can write to it; run chmod go-w on it (exFAT has no modes)',
  ],
])('a folder that %s is refused with a line, and nothing is written there', (_, mode, why) => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  chmodSync(folder, mode)
  expect(openDataFolder(folder)).toEqual({
    kind: 'unusable',
    line: `can't use the data folder ${folder}: ${why}; choose a folder of your own with --data`,
  })
  expect(readdirSync(folder)).toEqual([])
})

onPosix('a pipe in the place of a file is reported, because opening it would wait for ever', () => {
  const folder = temporaryFolder()
  expect(spawnSync('mkfifo', [join(folder, 'gateway.json')]).status).toBe(0)
  expect(openDataFolder(folder)).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('it contains gateway.json, a pipe or a device; move gateway.json away'),
  })
})

onPosix('a folder that others may list only, or that is reached over a link, is taken', () => {
  const root = temporaryFolder()
  const folder = join(root, 'data')
  mkdirSync(folder, { mode: 0o755 })
  symlinkSync(folder, join(root, 'link'))
  expect(openDataFolder(folder).kind).toBe('open')
  expect(openDataFolder(join(root, 'link')).kind).toBe('open')
  chmodSync(folder, 0o777)
  expect(openDataFolder(join(root, 'link')).kind).toBe('unusable')
})

onPosix('a folder of another user is refused, whatever its mode', () => {
  const folder = temporaryFolder()
  expect(whyNotTrusted(folder, (process.getuid?.() ?? 0) + 1)).toBe('it belongs to another user')
  expect(whyNotTrusted(folder, process.getuid?.())).toBeUndefined()
})

onPosix(
  'a folder that any user may replace is refused, unless only owners may (the sticky bit of /tmp)',
  () => {
    const above = temporaryFolder()
    const folder = join(above, 'one', 'data')
    mkdirSync(folder, { recursive: true })
    chmodSync(above, 0o777)
    expect(openDataFolder(folder)).toMatchObject({
      kind: 'unusable',
      line: expect.stringContaining(`any user can replace it, because all users can write to ${above}`),
    })
    chmodSync(above, 0o1777)
    expect(openDataFolder(folder).kind).toBe('open')
  },
)

onPosix('a link in the folder is refused by its name', () => {
  const folder = temporaryFolder()
  symlinkSync('/nowhere', join(folder, 'history.db'))
  expect(openDataFolder(folder)).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('it contains history.db, a link; move history.db away'),
  })
  expect(existsSync('/nowhere')).toBe(false)
})

test('a platform without user ids judges nothing', () => {
  expect(whyNotTrusted('/', undefined)).toBe(process.getuid === undefined ? undefined : whyNotTrusted('/'))
})

onPosix(
  'a link that led to the folder when it was opened may lead elsewhere later: what was looked at is used',
  () => {
    const root = temporaryFolder()
    const folder = join(root, 'data')
    const link = join(root, 'link')
    mkdirSync(folder, { mode: 0o700 })
    symlinkSync(folder, link)
    const opening = openDataFolder(link)
    expect(opening).toEqual({ kind: 'open', path: realpathSync(folder) })
    rmSync(link)
    symlinkSync(temporaryFolder(), link)
    if (opening.kind === 'open') new Preferences(opening.path, 0, () => {}).change({ theme: 'dark' })
    expect(readdirSync(folder)).toEqual(['preferences.json'])
    proves('D7', { level: 2, cases: 1 })
  },
)
