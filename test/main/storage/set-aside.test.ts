import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setAside } from '../../../main/storage/set-aside.ts'
import { temporaryFolder } from './temporary-folder.ts'

const AT_MS = Date.UTC(2026, 0, 5, 15, 30)
const MARK = 'damaged-2026-01-05T15-30-00-000Z'

function folderWith(...names: readonly string[]): string {
  const folder = temporaryFolder()
  for (const name of names) writeFileSync(join(folder, name), name)
  return folder
}

test('a database is renamed with all of SQLite’s side files, and nothing else is', () => {
  const folder = folderWith('a.db', 'a.db-wal', 'a.db-shm', 'a.db-journal', 'ab.db')
  const aside = setAside({ folder, name: 'a', extension: '.db', why: 'damaged' }, AT_MS)
  expect(aside).toBe(`a.${MARK}.db`)
  expect(readdirSync(folder).sort()).toEqual(
    [aside, `${aside}-wal`, `${aside}-shm`, `${aside}-journal`, 'ab.db'].sort(),
  )
})

test('the journal of a missing database is renamed alone', () => {
  const folder = folderWith('a.db-wal')
  setAside({ folder, name: 'a', extension: '.db', why: 'damaged' }, AT_MS)
  expect(readdirSync(folder)).toEqual([`a.${MARK}.db-wal`])
})

test('a missing file is an error', () => {
  expect(() =>
    setAside({ folder: temporaryFolder(), name: 'a', extension: '.json', why: 'corrupt' }, AT_MS),
  ).toThrow('ENOENT')
})
