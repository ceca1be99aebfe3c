import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isPart, LAW_FILES, THOROUGH_FILES } from './thorough.ts'

const tests = fileURLToPath(new URL('.', import.meta.url))

test.each([...THOROUGH_FILES, ...LAW_FILES])(
  '%s exists: a moved file would run nowhere in the thorough part',
  (file) => {
    expect(existsSync(fileURLToPath(new URL(file, import.meta.url)))).toBe(true)
  },
)

test('each file that tries less in the quick part runs in full in the thorough one', () => {
  const scaled = globSync('**/*.test.{ts,tsx}', { cwd: tests }).filter((file) =>
    /import \{ (?:lawRuns|part) \} from/.test(readFileSync(`${tests}${file}`, 'utf8')),
  )
  expect(scaled.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual(LAW_FILES.toSorted())
})

test('a part has one of three names', () => {
  expect(['quick', 'thorough', 'all', 'most'].map(isPart)).toEqual([true, true, true, false])
})
