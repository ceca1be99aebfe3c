import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { failedInBrowser, failedUnits, promisesIn } from './failed-tests.ts'

const socketTest = fileURLToPath(new URL('../main/tokens/socket.test.ts', import.meta.url))
const rootDir = fileURLToPath(new URL('../e2e', import.meta.url))

test('a failed unit test is named with its file and that file’s promises', () => {
  const results = [
    { status: 'passed', fullName: 'one' },
    { status: 'failed', fullName: 'two' },
  ]
  const report = { testResults: [{ name: socketTest, status: 'failed', assertionResults: results }] }
  expect(failedUnits(report)).toEqual([
    { file: 'main/tokens/socket.test.ts', test: 'two', promises: ['T1', 'T2', 'T3', 'T4'] },
  ])
})

test('a file that did not load, or whose setup failed, has failed as a whole', () => {
  const report = { testResults: [{ name: socketTest, status: 'failed', assertionResults: [] }] }
  expect(failedUnits(report)).toMatchObject([{ test: 'the file as a whole' }])
})

test('a failed browser test is found however deep it lies', () => {
  const spec = (title: string, ok: boolean) => ({ title, file: 'lost-window.spec.ts', ok })
  const report = {
    config: { rootDir },
    suites: [{ specs: [spec('one', true)], suites: [{ specs: [spec('two', false)] }] }],
  }
  expect(failedInBrowser(report)).toEqual([
    { file: 'e2e/lost-window.spec.ts', test: 'two', promises: ['W6'] },
  ])
})

test('a file that proves nothing names no promise', () => {
  expect(promisesIn("expect('T1').toBe('T1')")).toEqual([])
  expect(promisesIn("import { proves } from '../proof/proves.ts'\nproves('T12', x)")).toEqual(['T12'])
})
