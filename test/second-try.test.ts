import { expect, test } from 'vitest'
import { vitestCounts } from './counts.ts'
import { namedUnits } from './named-tests.ts'
import { filesToRetry, withSecondTry } from './second-try.ts'

const result = (status: string, fullName: string, ...failureMessages: readonly string[]) => ({
  status,
  fullName,
  failureMessages,
})
const file = (name: string, status: string, ...assertionResults: readonly object[]) => ({
  name: `/tests/${name}`,
  status,
  assertionResults,
})
const report = (...testResults: readonly object[]) => ({
  numPassedTests: 1,
  numFailedTests: 1,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults,
})
const FIRST = report(
  file('a.test.ts', 'passed', result('passed', 'adds')),
  file('deep/b.test.ts', 'failed', result('failed', 'waits', 'timed out'), result('skipped', 'counts')),
)

test('only files that failed run a second time', () => {
  expect(filesToRetry(FIRST, '/tests')).toEqual(['deep/b.test.ts'])
  expect(filesToRetry(undefined, '/tests')).toEqual([])
})

test('no file runs a second time when more than ten failed', () => {
  const failed = Array.from({ length: 11 }, (_, at) => file(`${at}.test.ts`, 'failed'))
  expect(filesToRetry(report(...failed.slice(1)), '/tests')).toHaveLength(10)
  expect(filesToRetry(report(...failed), '/tests')).toEqual([])
})

test('a test that passes on its second try counts as passed, and is named with its first failure', () => {
  const second = report(
    file('deep/b.test.ts', 'passed', result('passed', 'waits'), result('skipped', 'counts')),
  )
  const merged = withSecondTry(FIRST, second)
  expect(vitestCounts(merged, 0)).toEqual({ passed: 2, failed: 0, skipped: 1, again: 1 })
  expect(namedUnits(merged)).toEqual({
    failed: [],
    unsteady: [{ test: 'b.test.ts › waits', why: 'timed out' }],
  })
})

test('a test that fails twice is failed', () => {
  const second = report(file('deep/b.test.ts', 'failed', result('failed', 'waits', 'again')))
  const merged = withSecondTry(FIRST, second)
  expect(vitestCounts(merged, 1)).toEqual({ passed: 1, failed: 1, skipped: 0, again: 0 })
  expect(namedUnits(merged).failed).toEqual([{ test: 'b.test.ts › waits', why: 'again' }])
})

test('a file whose hook failed once is named by its first test', () => {
  const first = report({
    ...file('c.test.ts', 'failed', result('skipped', 'opens')),
    message: 'the hook timed out',
  })
  const merged = withSecondTry(first, report(file('c.test.ts', 'passed', result('passed', 'opens'))))
  expect(namedUnits(merged).unsteady).toEqual([{ test: 'c.test.ts › opens', why: 'the hook timed out' }])
})

test('without a second report the first one stands', () => {
  expect(withSecondTry(FIRST, undefined)).toBe(FIRST)
})
