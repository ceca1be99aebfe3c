import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { TestResult } from './test-run.ts'

const testOutcome = z.object({
  status: z.string(),
  error: z.object({ message: z.string().optional() }).optional(),
})

const spec = z.object({
  title: z.string(),
  tests: z.array(
    z.object({
      projectName: z.string(),
      status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
      results: z.array(testOutcome),
    }),
  ),
})

const suite = z.object({
  specs: z.array(spec),
  get suites() {
    return z.array(suite).optional()
  },
})

/** A file that could not be loaded is listed as an error without a test. */
const browserReport = z.object({ suites: z.array(suite), errors: z.array(z.unknown()).max(0) })

/** Reads Playwright's JSON report. `undefined` for any other text, or if a file did not load. */
export function browserResults(report: unknown): readonly TestResult[] | undefined {
  const read = browserReport.safeParse(report)
  return read.success ? read.data.suites.flatMap(resultsIn) : undefined
}

function resultsIn({ specs, suites = [] }: z.infer<typeof suite>): readonly TestResult[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status !== 'skipped')
      .map(({ projectName, status, results }) => {
        const last = results.at(-1)
        const message = stripVTControlCharacters(last?.error?.message ?? '')
        const said = inOneLine(message)
        return {
          name: `${title} [${projectName}]`,
          failed: status !== 'expected',
          said,
          // The first error of a test is the cause. Later errors are ignored.
          ...(last?.status === 'failed' && isExpectation(message) && { proof: said }),
        }
      }),
  )
  return [...own, ...suites.flatMap(resultsIn)]
}

/**
 * Whether the failure is that of an `expect`, including one that waited until its own timeout.
 *
 * An `expect` that was interrupted does not count: by the end of the test's time, by a page that crashed or
 * was closed, or by a locator that matched two elements. Playwright reports these without `Timeout:`. The
 * timeout of an action does not count either.
 */
function isExpectation(message: string): boolean {
  const asked = /^Error: (?:.*?\n\n)?expect\((\w*)\)\.(?:\w+\.)*to\w+\(/s.exec(message)
  if (asked === null || message.includes('Test timeout of ')) return false
  const waitsInPage = asked[1] === 'locator' || asked[1] === 'page'
  return !waitsInPage || /^Timeout: +\d+ms$/m.test(message)
}

/** The message without the log of attempts, which is long. */
function inOneLine(message: string): string {
  const [essence = ''] = message.split(/\n\s*call log:/i, 1)
  return essence.replaceAll(/\s+/g, ' ').trim().slice(0, 240)
}
