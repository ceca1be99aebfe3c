import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBounded } from '../../../main/storage/private-files.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a file is read to its last byte, and one byte more than allowed is too long', () => {
  const file = join(temporaryFolder(), 'file')
  for (const text of ['', 'x'.repeat(9), 'é'.repeat(5)]) {
    writeFileSync(file, text)
    expect(readBounded(file, 10)).toBe(text)
  }
  writeFileSync(file, 'x'.repeat(11))
  expect(readBounded(file, 10)).toBeUndefined()
  expect(() => readBounded(join(file, 'none'), 10)).toThrow('ENOTDIR')
})

test.skipIf(process.platform === 'win32')('an endless source is read only as far as allowed', () => {
  expect(readBounded('/dev/zero', 10)).toBeUndefined()
  expect(readBounded('/dev/null', 10)).toBe('')
})
