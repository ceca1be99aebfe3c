import { expect, test } from 'vitest'
import { addCounts, countsLine, playwrightCounts, vitestCounts } from './counts.ts'

const vitest = (passed: number, failed: number, pending = 0) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  numTodoTests: 0,
})
const playwright = (expected: number, unexpected: number, flaky = 0, skipped = 0) => ({
  stats: { expected, unexpected, flaky, skipped },
})

test('what the suites report is summed in one line', () => {
  const sum = addCounts(vitestCounts(vitest(10, 0), 0), playwrightCounts(playwright(4, 0, 1), 0))
  expect(countsLine(sum)).toBe('unsteady: 1 passed on a second try only\ntests: 15 passed, 0 failed')
})

test('a unit test that passed only on its second try is counted as such', () => {
  const assertionResults = [
    { status: 'passed', failureMessages: [] },
    { status: 'passed', failureMessages: ['timed out'] },
  ]
  const counts = vitestCounts({ ...vitest(2, 0), testResults: [{ assertionResults }] }, 0)
  expect(counts).toEqual({ passed: 2, failed: 0, skipped: 0, again: 1 })
})

test('failed and skipped tests are named', () => {
  const sum = addCounts(vitestCounts(vitest(10, 2, 3), 1), playwrightCounts(playwright(4, 1, 0, 1), 1))
  expect(countsLine(sum)).toBe('tests: 14 passed, 3 failed, 4 skipped')
})

test('a suite that ran no test failed', () => {
  expect(vitestCounts(vitest(0, 0), 0).failed).toBe(1)
  expect(playwrightCounts(playwright(0, 0, 0, 5), 0).failed).toBe(1)
})

test('a suite that ended badly without a failed test failed', () => {
  expect(vitestCounts(vitest(10, 0), 1)).toEqual({ passed: 10, failed: 1, skipped: 0, again: 0 })
  expect(playwrightCounts(playwright(10, 0), 1).failed).toBe(1)
})

test('a suite without a report failed', () => {
  expect(vitestCounts(undefined, 0).failed).toBe(1)
  expect(playwrightCounts({ stats: 'none' }, 0).failed).toBe(1)
})
