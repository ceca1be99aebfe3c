import fc from 'fast-check'
import { expect } from 'vitest'

/**
 * How many cases the running test has tried: runs of properties, assertions, and what a test counts itself.
 *
 * A number that a test says of itself is a claim; what is recorded is never more than what ran (PROMISES).
 */
let countedTest: string | undefined
let counted = 0

/** One more case that no property and no assertion counts, such as a process that was killed. */
export function tried(cases = 1): void {
  const { testPath = '', currentTestName = '' } = expect.getState()
  // Files that share a worker share this count, and may have tests of one name.
  const test = `${testPath} ${currentTestName}`
  if (test !== countedTest) {
    countedTest = test
    counted = 0
  }
  counted += cases
}

fc.installGlobalPlugin(fc.beforeEach(() => tried()))

/** The claim, or what ran where that is less. */
export function casesThatRan(claimed: number): number {
  tried(0)
  return Math.min(claimed, Math.max(1, counted + expect.getState().assertionCalls))
}
