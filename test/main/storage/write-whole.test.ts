import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeWhole } from '../../../main/storage/write-whole.ts'
import { proves } from '../../proof/proves.ts'
import { replaceDisk } from './replaced-disk.ts'
import { temporaryFolder } from './temporary-folder.ts'

const CALLS = ['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'statSync', 'renameSync'] as const
type Call = (typeof CALLS)[number]

/** The calls to the disk, in order. `instead` replaces one call. */
function disk(instead: Partial<Record<Call, (...args: never[]) => unknown>> = {}): string[] {
  const calls: string[] = []
  const noted = CALLS.map((name) => {
    const call = instead[name] ?? (fs[name] as (...args: never[]) => unknown)
    return [
      name,
      (...args: never[]) => {
        calls.push(name)
        return call(...args)
      },
    ]
  })
  replaceDisk(Object.fromEntries(noted))
  return calls
}

const fails = () => {
  throw new Error('EIO: i/o error')
}

test('the bytes are on disk before the rename', () => {
  const file = join(temporaryFolder(), 'file.json')
  const calls = disk()
  expect(writeWhole(file, 'the text')).toEqual({ ok: true })
  expect(calls).toEqual(['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'statSync', 'renameSync'])
  expect(readFileSync(file, 'utf8')).toBe('the text')
  proves('D1', { level: 1, cases: 1 })
})

test('a disk that writes one byte at a time gets them all', () => {
  const file = join(temporaryFolder(), 'file.json')
  const write = fs.writeSync as (handle: number, bytes: Uint8Array, at: number, length: number) => number
  disk({ writeSync: (handle: number, bytes: Uint8Array, at: number) => write(handle, bytes, at, 1) })
  expect(writeWhole(file, 'täxt')).toEqual({ ok: true })
  expect(readFileSync(file, 'utf8')).toBe('täxt')
})

test.each<[string, Parameters<typeof disk>[0], string]>([
  ['cannot be opened', { openSync: fails }, 'EIO: i/o error'],
  ['does not take the bytes', { writeSync: fails }, 'EIO: i/o error'],
  ['does not keep them', { fsyncSync: fails }, 'EIO: i/o error'],
  ['kept only a part', { statSync: () => ({ size: 3 }) }, 'the disk stored only part of it'],
  ['does not take the name', { renameSync: fails }, 'EIO: i/o error'],
])(
  'a disk that %s costs nothing: it is reported, the file is unchanged, and no draft is left',
  (_, instead, why) => {
    const folder = temporaryFolder()
    const file = join(folder, 'file.json')
    writeFileSync(file, 'before')
    disk(instead)
    expect(writeWhole(file, 'the text')).toEqual({ ok: false, why })
    expect(readFileSync(file, 'utf8')).toBe('before')
    expect(readdirSync(folder)).toEqual(['file.json'])
    proves('D2', { level: 2, cases: 1 })
  },
)
