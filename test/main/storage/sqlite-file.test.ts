import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { migrate, openSqlite } from '../../../main/storage/sqlite-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

const OPTIONS = { pragmas: 'PRAGMA journal_mode = DELETE', busyMs: 0 }
const STEPS = ['CREATE TABLE one (x)', 'CREATE TABLE two (x)']

function opened(file = join(temporaryFolder(), 'file.db'), options = OPTIONS): DatabaseSync {
  const database = openSqlite(file, options)
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  return database
}

const tablesOf = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => row['name'])
const versionOf = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.['user_version']

test('a new file is private, and its pragmas apply', () => {
  const file = join(temporaryFolder(), 'file.db')
  const database = opened(file, { ...OPTIONS, pragmas: 'PRAGMA cache_size = 123' })
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(database.prepare('PRAGMA cache_size').get()).toEqual({ cache_size: 123 })
  expect(database.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
})

test.skipIf(process.platform !== 'linux')('a file whose pragmas fail is closed', () => {
  const file = join(temporaryFolder(), 'file.db')
  expect(() => opened(file, { ...OPTIONS, pragmas: 'SELECT * FROM none' })).toThrow('no such table')
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return undefined
    }
  })
  expect(links).not.toContain(file)
})

test('a new file gets all migrations, an older one those it lacks, a current one none', () => {
  const database = opened()
  expect(migrate(database, STEPS.slice(0, 1))).toEqual({ kind: 'current' })
  expect([tablesOf(database), versionOf(database)]).toEqual([['one'], 1])
  expect(migrate(database, STEPS)).toEqual({ kind: 'current' })
  expect([tablesOf(database), versionOf(database)]).toEqual([['one', 'two'], 2])
  expect(migrate(database, STEPS)).toEqual({ kind: 'current' })
  expect([tablesOf(database), versionOf(database), database.isTransaction]).toEqual([
    ['one', 'two'],
    2,
    false,
  ])
})

test('the file of a later version is unchanged', () => {
  const database = opened()
  database.exec('PRAGMA user_version = 3')
  expect(migrate(database, STEPS)).toEqual({ kind: 'newer', version: 3 })
  expect([tablesOf(database), versionOf(database)]).toEqual([[], 3])
})

test('a failed migration rolls back the ones before it', () => {
  const database = opened()
  expect(() => migrate(database, [...STEPS, 'CREATE TABLE one (y)'])).toThrow('already exists')
  expect([tablesOf(database), versionOf(database), database.isTransaction]).toEqual([[], 0, false])
})

test('a current file that cannot be written is detected when it is opened', () => {
  const file = join(temporaryFolder(), 'file.db')
  migrate(opened(file), STEPS)
  const other = opened(file)
  other.exec('BEGIN IMMEDIATE')
  expect(() => migrate(opened(file), STEPS)).toThrow('locked')
})
