import { relative } from 'node:path'
import { z } from 'zod'

const assertion = z.looseObject({
  status: z.string(),
  fullName: z.string(),
  failureMessages: z.array(z.string()),
})
const testFile = z.looseObject({
  name: z.string(),
  status: z.string(),
  message: z.string().optional(),
  assertionResults: z.array(assertion),
})
const vitestReport = z.looseObject({ testResults: z.array(testFile) })
type TestFile = z.infer<typeof testFile>

/** Maximum number of files to retry. If more files fail, the cause is a defect and not a slow machine. */
const MAX_FILES = 10

/**
 * The files of Vitest's JSON report that are to run once more, relative to `folder`. Empty without a report.
 */
export function filesToRetry(report: unknown, folder: string): readonly string[] {
  const read = vitestReport.safeParse(report)
  const failed = read.success ? read.data.testResults.filter(({ status }) => status === 'failed') : []
  return failed.length > MAX_FILES ? [] : failed.map(({ name }) => relative(folder, name))
}

/**
 * The first report, with the results of the retried files replaced by those of the second run.
 *
 * A test that passed only in the second run keeps the failure of its first try, as with Vitest's own retry.
 * Vitest's retry is not used, because it runs a test in the state that the first try left.
 */
export function withSecondTry(first: unknown, second: unknown): unknown {
  const before = vitestReport.safeParse(first)
  const after = vitestReport.safeParse(second)
  if (!before.success || !after.success) return first
  const again = new Map(after.data.testResults.map((file) => [file.name, file]))
  const testResults = before.data.testResults.map((file) => retriedFile(file, again.get(file.name)))
  const count = (...statuses: readonly string[]) =>
    testResults.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status))
      .length
  return {
    ...before.data,
    testResults,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending', 'skipped'),
    numTodoTests: count('todo'),
  }
}

function retriedFile(first: TestFile, second: TestFile | undefined): TestFile {
  if (second === undefined) return first
  const firstTries = new Map(first.assertionResults.map((result) => [result.fullName, result]))
  const own = first.assertionResults.filter(({ status }) => status === 'failed')
  const assertionResults = second.assertionResults.map((result, index) => {
    const failed = firstTries.get(result.fullName)
    // A file that failed as a whole, for example in a hook, names no failed test. Its first test gets the
    // failure.
    const inHook = own.length === 0 && index === 0 ? [first.message ?? ''] : []
    const failureMessages = failed?.status === 'failed' ? failed.failureMessages : inHook
    return result.status === 'passed' ? { ...result, failureMessages } : result
  })
  return { ...second, assertionResults }
}
