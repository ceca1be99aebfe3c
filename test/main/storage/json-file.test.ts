import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { JsonFile } from '../../../main/storage/json-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a file of 16 MiB is read, and a larger one is set aside unread', () => {
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
  expect(problems).toEqual([expect.stringContaining('Texts were damaged and are kept as file.corrupt-')])
})

test('a file may be as long as its limit, and not a character longer', () => {
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
  expect(problems).toEqual([expect.stringContaining('Texts were damaged and are kept as file.corrupt-')])
})
