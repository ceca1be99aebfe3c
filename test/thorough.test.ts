import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isPart, THOROUGH_FILES } from './thorough.ts'

test.each(THOROUGH_FILES)('%s is there: a file that moved would run nowhere in the thorough part', (file) => {
  expect(existsSync(fileURLToPath(new URL(file, import.meta.url)))).toBe(true)
})

test('a part has one of three names', () => {
  expect(['quick', 'thorough', 'all', 'most'].map(isPart)).toEqual([true, true, true, false])
})
