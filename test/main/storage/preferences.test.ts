import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Preferences } from '../../../main/storage/preferences.ts'
import { writeWhole } from '../../../main/storage/write-whole.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const ASIDE = 'preferences.corrupt-2026-01-02T03-04-05-006Z.json'
const fileIn = (folder: string) => join(folder, 'preferences.json')
function opened(folder: string) {
  const notices: string[] = []
  const preferences = new Preferences(folder, NOW_MS, (sentence) => notices.push(sentence))
  return { preferences, notices }
}
const stored = (folder: string): unknown => JSON.parse(readFileSync(fileIn(folder), 'utf8'))

test('without a file the defaults apply, and nothing is written', () => {
  const folder = temporaryFolder()
  const { preferences, notices } = opened(folder)
  expect(preferences.read()).toEqual({ theme: 'system', storeUnprotected: false })
  expect(notices).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('a change is loaded at the next start', () => {
  const folder = temporaryFolder()
  const { preferences } = opened(folder)
  expect(preferences.change({ theme: 'dark' })).toEqual({ ok: true })
  expect(preferences.read().theme).toBe('dark')
  expect(opened(folder).preferences.read().theme).toBe('dark')
  expect(readdirSync(folder)).toEqual(['preferences.json'])
})

test.each(['', '{"theme":"da', 'null', '[]', '5', '"dark"', '\u0000\u0000'])(
  'the damaged file %j is renamed complete, and the defaults apply',
  (text) => {
    const folder = temporaryFolder()
    writeFileSync(fileIn(folder), text)
    const { preferences, notices } = opened(folder)
    expect(preferences.read()).toEqual({ theme: 'system', storeUnprotected: false })
    expect(notices).toEqual([expect.stringContaining(ASIDE)])
    expect(readFileSync(join(folder, ASIDE), 'utf8')).toBe(text)
    expect(readdirSync(folder)).toEqual([ASIDE])
  },
)

test('data of a newer version survives a change by this one', () => {
  const folder = temporaryFolder()
  writeFileSync(
    fileIn(folder),
    JSON.stringify({ schemaVersion: 7, theme: 'contrast', window: { wide: true } }),
  )
  const { preferences, notices } = opened(folder)
  expect(notices).toEqual([])
  expect(preferences.read().theme).toBe('system')
  expect(stored(folder)).toMatchObject({ theme: 'contrast' })
  preferences.change({ theme: 'light' })
  expect(stored(folder)).toEqual({ schemaVersion: 7, theme: 'light', window: { wide: true } })
})

test('a failed write is returned as a value, and the old preferences stay', () => {
  const folder = temporaryFolder()
  const { preferences } = opened(folder)
  preferences.change({ theme: 'dark' })
  mkdirSync(`${fileIn(folder)}.new`)
  expect(preferences.change({ theme: 'light' }).ok).toBe(false)
  expect(preferences.read().theme).toBe('dark')
  expect(stored(folder)).toMatchObject({ theme: 'dark' })
})

test('an unreadable file is left alone', () => {
  const folder = temporaryFolder()
  mkdirSync(fileIn(folder))
  const { preferences, notices } = opened(folder)
  expect(preferences.read()).toEqual({ theme: 'system', storeUnprotected: false })
  expect(notices).toEqual([expect.stringContaining("can't read the file (a folder is in the way)")])
  expect(readdirSync(folder)).toEqual(['preferences.json'])
})

test('whatever the file contains, opening it never throws', () => {
  const folder = temporaryFolder()
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      writeFileSync(fileIn(folder), text)
      expect(['system', 'light', 'dark']).toContain(opened(folder).preferences.read().theme)
    }),
    { numRuns: 50 },
  )
})

test('a failed write leaves the file it was to replace', () => {
  const file = join(temporaryFolder(), 'file')
  expect(writeWhole(file, 'one')).toEqual({ ok: true })
  mkdirSync(`${file}.new`)
  expect(writeWhole(file, 'two').ok).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe('one')
})

test('a file of gigabytes is renamed without being read', () => {
  const folder = temporaryFolder()
  const bytes = 3 * 2 ** 30
  writeFileSync(fileIn(folder), '')
  truncateSync(fileIn(folder), bytes)
  const { preferences, notices } = opened(folder)
  expect(preferences.read().theme).toBe('system')
  expect(notices).toEqual([expect.stringContaining(ASIDE)])
  expect(statSync(join(folder, ASIDE)).size).toBe(bytes)
})
