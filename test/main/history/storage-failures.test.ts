import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { HistoryFile } from '../../../main/history/history-file.ts'
import { openHistoryFile } from '../../../main/history/replaceable-file.ts'
import { SCHEMA_VERSION } from '../../../main/history/schema.ts'
import { storageFailure } from '../../../main/storage/storage-error.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import {
  CATEGORY,
  chartOf,
  EPOCH_MS,
  PROFILE,
  record,
  reportOn,
  sampleAt,
  startedStore,
} from './started-store.ts'

const rows = (folder: string) => {
  const database = new DatabaseSync(join(folder, 'history.db'))
  const count = database.prepare('SELECT count(*) AS count FROM samples').get()?.['count']
  database.close()
  return count
}

test('a locked file is reported once, waited for, and loses nothing', () => {
  const folder = temporaryFolder()
  const started = startedStore(folder)
  record(started, 5, () => 1)
  const other = new DatabaseSync(join(folder, 'history.db'))
  other.exec('BEGIN IMMEDIATE')
  record(started, 60, () => 2)
  expect(started.problems).toEqual([expect.stringContaining('Another program has locked')])
  expect(started.store.status()).toMatchObject({ kind: 'failing', failure: 'locked', lost: 0 })
  other.exec('ROLLBACK')
  other.close()
  started.clock.advance(30_000)
  expect(started.store.status().kind).toBe('ok')
  expect(rows(folder)).toBe(65)
  expect(started.problems).toHaveLength(1)
})

test('two episodes are reported twice', () => {
  const folder = temporaryFolder()
  const started = startedStore(folder)
  for (let episode = 0; episode < 2; episode += 1) {
    const other = new DatabaseSync(join(folder, 'history.db'))
    other.exec('BEGIN IMMEDIATE')
    record(started, 10, () => 2)
    other.exec('ROLLBACK')
    other.close()
    started.clock.advance(30_000)
  }
  expect(started.problems).toHaveLength(2)
})

test('a file that is locked from the start is opened when it unlocks', () => {
  const folder = temporaryFolder()
  startedStore(folder).store.close()
  const other = new DatabaseSync(join(folder, 'history.db'))
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  const started = startedStore(folder)
  record(started, 5, () => 1)
  expect(chartOf(started.store, 0, EPOCH_MS, 2)).toBeUndefined()
  expect(started.problems).toEqual([expect.stringContaining('has locked')])
  other.close()
  started.clock.advance(30_000)
  expect(rows(folder)).toBe(5)
})

test('a damaged file is renamed, and a new one is started', () => {
  const folder = temporaryFolder()
  const garbage = 'this was a history once'.repeat(100)
  writeFileSync(join(folder, 'history.db'), garbage)
  const started = startedStore(folder)
  record(started, 2, () => 1)
  expect(started.problems).toEqual([expect.stringMatching(/damaged.*history\.corrupt-.*\.db/)])
  const aside = readdirSync(folder).find((name) => name.startsWith('history.corrupt-'))
  expect(readFileSync(join(folder, aside ?? ''), 'utf8')).toBe(garbage)
  expect(rows(folder)).toBe(2)
})

test('damage within the file is detected on access, and waiting entries are written to the new file', () => {
  const folder = temporaryFolder()
  const before = startedStore(folder)
  record(before, 3_000, (second) => second % 300)
  before.store.close()
  const file = join(folder, 'history.db')
  const bytes = readFileSync(file)
  bytes.fill(0x5a, 4_096 * 3, bytes.length - 4_096)
  writeFileSync(file, bytes)
  const started = startedStore(folder)
  record(started, 5, () => 1)
  expect(started.problems).toEqual([expect.stringContaining('damaged')])
  expect(started.store.status().kind).toBe('ok')
  expect(rows(folder)).toBe(5)
})

test('a file of a newer version is renamed, complete', () => {
  const folder = temporaryFolder()
  startedStore(folder).store.close()
  const newer = new DatabaseSync(join(folder, 'history.db'))
  newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}; CREATE TABLE of_tomorrow (x)`)
  newer.close()
  const started = startedStore(folder)
  expect(started.problems).toEqual([expect.stringMatching(/newer version of Headroom.*history\.newer-/)])
  record(started, 2, () => 1)
  expect(rows(folder)).toBe(2)
  const aside = readdirSync(folder).find((name) => /^history\.newer-.*\.db$/.test(name))
  const kept = new DatabaseSync(join(folder, aside ?? ''))
  expect(kept.prepare('SELECT * FROM of_tomorrow').all()).toEqual([])
  kept.close()
})

test('an unusable file is reported, and nothing else happens', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'history.db'))
  const started = startedStore(folder)
  record(started, 100, () => 1)
  expect(started.problems).toEqual([expect.stringContaining('permissions')])
  expect(reportOn(started.store, 0, EPOCH_MS)).toBeUndefined()
})

test('on a full disk no entry is dropped, and writing continues when there is room', () => {
  const folder = temporaryFolder()
  const opening = openHistoryFile(folder, EPOCH_MS)
  if (opening.kind !== 'open') throw new Error('not opened')
  const { database } = opening
  const file = new HistoryFile(database)
  const entries = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'sample' as const,
      profile: PROFILE,
      category: CATEGORY,
      sample: sampleAt(EPOCH_MS + (from + index) * 1000, index % 300),
    }))
  file.write(entries(0, 100), EPOCH_MS + 100_000)
  const pages = database.prepare('PRAGMA page_count').get()?.['page_count']
  database.exec(`PRAGMA max_page_count = ${pages}`)
  let failure: unknown
  try {
    file.write(entries(100, 5_000), EPOCH_MS + 5_100_000)
  } catch (error) {
    failure = error
  }
  expect(storageFailure(failure)).toBe('full')
  expect(database.prepare('SELECT count(*) AS n FROM samples').get()).toEqual({ n: 100 })
  database.exec('PRAGMA max_page_count = 1000000')
  file.write(entries(100, 5_000), EPOCH_MS + 5_100_000)
  expect(database.prepare('SELECT count(*) AS n FROM samples').get()).toEqual({ n: 5_100 })
  expect(database.prepare('SELECT count(*) AS n FROM minutes').get()).toEqual({ n: 85 })
  file.close()
})
