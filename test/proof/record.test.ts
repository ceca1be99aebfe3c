import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { proves } from './proves.ts'
import { readRecord, recordingTo } from './record.ts'
import { tried } from './tried.ts'

test('a test that proves something adds a line with its name and place, if there is a record', () => {
  const file = join(temporaryFolder(), 'record')
  writeFileSync(file, '')
  for (const [name, value] of Object.entries(recordingTo(file))) vi.stubEnv(name, value)
  tried(7)
  proves(['T1', 'T3'], { level: 3, cases: 7 })
  vi.unstubAllEnvs()
  const own = {
    kind: 'proved',
    runner: 'vitest',
    file: 'proof/record.test.ts',
    test: 'a test that proves something adds a line with its name and place, if there is a record',
    level: 3,
    cases: 7,
  }
  expect(readRecord(readFileSync(file, 'utf8'))).toEqual([
    { ...own, promise: 'T1' },
    { ...own, promise: 'T3' },
  ])
})

test('a test without a case proves nothing', () => {
  const file = join(temporaryFolder(), 'record')
  for (const [name, value] of Object.entries(recordingTo(file))) vi.stubEnv(name, value)
  expect(() => proves('T1', { level: 2, cases: 0 })).toThrow()
  vi.unstubAllEnvs()
})
