import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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

test.skipIf(process.platform === 'win32')(
  'a pipe is read once somebody writes, and not waited for longer',
  async () => {
    const pipe = join(temporaryFolder(), 'pipe')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    expect(() => readBounded(pipe, 10, 50)).toThrow('timed out')
    const writer = spawn('sh', ['-c', 'printf half > "$1"', 'sh', pipe])
    const ended = once(writer, 'exit')
    expect(readBounded(pipe, 10)).toBe('half')
    await ended
  },
)
