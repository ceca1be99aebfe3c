import fc from 'fast-check'
import { expect } from 'vitest'

/**
 * Counts the cases of the running test: runs of properties, assertions, and cases that the test itself
 * reports.
 *
 * A number in a test is only a claim. So the recorded number is never larger than this count (PROMISES).
 */
let countedTest: string | undefined
let counted = 0

/** One more case that no property and no assertion counts, such as a process that was killed. */
export function tried(cases = 1): void {
  const { testPath = '', currentTestName = '' } = expect.getState()
  // Test files that share a worker share this count, and may have tests with equal names.
  const test = `${testPath} ${currentTestName}`
  if (test !== countedTest) {
    countedTest = test
    counted = 0
  }
  counted += cases
}

fc.installGlobalPlugin(fc.beforeEach(() => tried()))

/** The claimed number, or the number of cases that ran if that is smaller. */
export function casesThatRan(claimed: number): number {
  tried(0)
  return Math.min(claimed, Math.max(1, counted + expect.getState().assertionCalls))
}
