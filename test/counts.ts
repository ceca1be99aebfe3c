import { z } from 'zod'

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Tests that passed only after they had failed. Each shows a defect of the test or of what it tests. */
  readonly again: number
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0, again: 0 }

const vitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  // For a test that passed on its second try, this has the message of the first try.
  testResults: z
    .array(
      z.object({
        assertionResults: z.array(z.object({ status: z.string(), failureMessages: z.array(z.string()) })),
      }),
    )
    .default([]),
})

const playwrightReport = z.object({
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
})

export function vitestCounts(report: unknown, exitCode: number): Counts {
  const read = vitestReport.safeParse(report)
  if (!read.success) return honest(NONE, exitCode)
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = read.data
  const again = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0).length
  return honest(
    { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests, again },
    exitCode,
  )
}

export function playwrightCounts(report: unknown, exitCode: number): Counts {
  const read = playwrightReport.safeParse(report)
  if (!read.success) return honest(NONE, exitCode)
  const { expected, unexpected, flaky, skipped } = read.data.stats
  return honest({ passed: expected + flaky, failed: unexpected, skipped, again: flaky }, exitCode)
}

/** Adds one failure if no test ran, if there is no report, or if the run failed although no test did. */
function honest(counts: Counts, exitCode: number): Counts {
  const unexplained = counts.failed === 0 && (exitCode !== 0 || counts.passed === 0)
  return unexplained ? { ...counts, failed: 1 } : counts
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    again: a.again + b.again,
  }
}

export function countsLine({ passed, failed, skipped, again }: Counts): string {
  const unsteady = again > 0 ? `unsteady: ${again} passed on a second try only\n` : ''
  return `${unsteady}tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
