import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { JsonFile } from '../../../main/storage/json-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a file of 16 MiB is read, and a larger one is renamed unread', () => {
  const folder = temporaryFolder()
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.string() })
  const problems: string[] = []
  const read = (bytes: number) => {
    writeFileSync(join(folder, 'file.json'), '"text"'.padEnd(bytes))
    return file.read('none', 0, (problem) => void problems.push(problem))
  }
  expect(read(16 << 20)).toBe('text')
  expect(problems).toEqual([])
  expect(read((16 << 20) + 1)).toBe('none')
  expect(problems).toEqual([
    expect.stringContaining('Texts: the file is damaged and was renamed to file.corrupt-'),
  ])
})

test('a file may be as long as its limit, and not one character longer', () => {
  const folder = temporaryFolder()
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.string(), maxLength: 10 })
  const problems: string[] = []
  const read = (text: string) => {
    writeFileSync(join(folder, 'file.json'), text)
    return file.read('none', 0, (problem) => void problems.push(problem))
  }
  expect(read('"12345678"')).toBe('12345678')
  expect(problems).toEqual([])
  expect(read('"123456789"')).toBe('none')
  expect(problems).toEqual([
    expect.stringContaining('Texts: the file is damaged and was renamed to file.corrupt-'),
  ])
})

test('an unreadable file is renamed before a new one replaces it', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'file.json')
  // Nobody can read a link to itself, root included.
  symlinkSync(path, path)
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.string() })
  const problems: string[] = []
  expect(file.read('none', 0, (problem) => void problems.push(problem))).toBe('none')
  expect(problems).toEqual([expect.stringContaining("Texts: can't read the file")])
  expect([file.write('new'), file.write('newer')]).toEqual([{ ok: true }, { ok: true }])
  expect(readlinkSync(join(folder, ASIDE.replace('corrupt', 'unread')))).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('"newer"\n')
  expect(readdirSync(folder)).toHaveLength(2)
})

test('a byte order mark before the text is ignored', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file.json'), '\uFEFF"text"')
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.string() })
  expect(file.read('none', 0, () => {})).toBe('text')
})

const ASIDE = 'file.corrupt-1970-01-01T00-00-00-000Z.json'

test.each([
  [{ schemaVersion: 2 }, 1, 'newer'],
  [{ schemaVersion: 2 }, 2, 'corrupt'],
  [{ schemaVersion: 2 }, undefined, 'corrupt'],
  [{ schemaVersion: '2' }, 1, 'corrupt'],
])('an unknown file with %j is for version %s a %s one', (content, schemaVersion, state) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file.json'), JSON.stringify(content))
  const file = new JsonFile({
    folder,
    name: 'file',
    what: 'Texts',
    schema: z.string(),
    ...(schemaVersion !== undefined && { schemaVersion }),
  })
  const problems: string[] = []
  expect(file.read('none', 0, (problem) => void problems.push(problem))).toBe('none')
  expect(readdirSync(folder)).toEqual([ASIDE.replace('corrupt', state)])
  const words = state === 'newer' ? 'was written by a newer version of Headroom and' : 'is damaged and was'
  expect(problems).toEqual([expect.stringContaining(`Texts: the file ${words} renamed to file.${state}-`)])
})

test('a damaged file that cannot be renamed is reported with the reason', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file.json'), '{')
  mkdirSync(join(folder, ASIDE))
  const problems: string[] = []
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.string() })
  expect(file.read('none', 0, (problem) => void problems.push(problem))).toBe('none')
  expect(problems).toEqual([
    'Texts: the file is damaged, and renaming it failed (a folder is in the way); defaults are used',
  ])
})

test('written data can be read again, in a form that a person can edit', () => {
  const folder = temporaryFolder()
  const file = new JsonFile({ folder, name: 'file', what: 'Texts', schema: z.object({ text: z.string() }) })
  const problems: string[] = []
  expect(file.read('none', 0, (problem) => void problems.push(problem))).toBe('none')
  expect(file.write({ text: 'é' })).toEqual({ ok: true })
  expect(file.read('none', 0, (problem) => void problems.push(problem))).toEqual({ text: 'é' })
  expect(problems).toEqual([])
})
