import { expect, test } from 'vitest'
import { z } from 'zod'
import { storageErrorText, storageFailure } from '../../../main/storage/storage-error.ts'

const sqlite = (errcode: unknown) => Object.assign(new Error('an error of SQLite'), { errcode })
const system = (code: string) => Object.assign(new Error('an error of the system'), { code })
const beyond = Object.assign(new RangeError('too large'), { code: 'ERR_OUT_OF_RANGE' })

test.each([
  [13, 'full', 'the disk is full'],
  [5, 'locked', 'another program has locked the file'],
  [6 | (1 << 8), 'locked', 'another program has locked the file'],
  [15, 'other', 'another program has locked the file'],
  [8, 'not-allowed', 'the file is read-only'],
  [3, 'not-allowed', 'the file is read-only'],
  [14, 'not-allowed', 'opening the file failed'],
  [7, 'other', 'not enough memory'],
  [22, 'other', 'the file is too large for the disk'],
  [10, 'other', 'the disk reported an error'],
  [10 | (3 << 8), 'full', 'the disk is full'],
  [10 | (19 << 8), 'full', 'the disk is full'],
  [11, 'corrupt', 'the file is damaged'],
  [26, 'corrupt', 'the file is damaged'],
  [1, 'other', undefined],
])('the result code %d of SQLite is %s, with the text: %s', (code, failure, text) => {
  expect(storageFailure(sqlite(code))).toBe(failure)
  expect(storageErrorText(sqlite(code))).toBe(text)
})

test('a row that Headroom never stores means a damaged file', () => {
  expect(storageErrorText(beyond)).toBe('the file is damaged')
  expect(storageErrorText(new z.ZodError([]))).toBe('the file is damaged')
  expect(storageFailure(beyond)).toBe('corrupt')
})

test.each([
  new RangeError('without a code'),
  Object.assign(new RangeError('another'), { code: 'ERR_OTHER' }),
  system('ERR_OUT_OF_RANGE'),
  new Error('without a code'),
  sqlite('13'),
  { errcode: 13 },
  undefined,
])('an error that does not concern the file has no text: %s', (error) => {
  expect(storageErrorText(error)).toBeUndefined()
})

test.each<readonly [string, string]>([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ...['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ENOENT'].map(
    (code) => [code, 'not-allowed'] as const,
  ),
  ['EIO', 'other'],
])('%s of the system is %s', (code, failure) => {
  expect(storageFailure(system(code))).toBe(failure)
  expect(storageFailure({ code })).toBe('other')
})
