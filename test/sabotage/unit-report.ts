import { z } from 'zod'
import type { TestResult } from './test-run.ts'

const unitReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

/** Reads Vitest's JSON report of one file, or of the only file. */
export function unitResults(report: unknown, file = ''): readonly TestResult[] | undefined {
  const read = unitReport.safeParse(report)
  if (!read.success) return undefined
  const chosen = read.data.testResults.filter(({ name }) => name.endsWith(file))
  return chosen.flatMap(({ assertionResults }) =>
    assertionResults.map(({ status, fullName, failureMessages }) => {
      const proof = failureMessages.find(isAssertion)
      return {
        name: fullName,
        failed: status === 'failed',
        said: firstLine(failureMessages[0]),
        ...(proof !== undefined && { proof: firstLine(proof) }),
      }
    }),
  )
}

/**
 * Whether a failure is that of an assertion: an expectation, a property's counterexample, or a law of the
 * simulation, whose message names its seed or its rule.
 */
function isAssertion(message: string): boolean {
  if (/timed? ?out/i.test(firstLine(message))) return false
  return /^AssertionError|^Error: Property failed|^Error: /.test(message)
}

const firstLine = (text: string | undefined): string => text?.split('\n', 1)[0]?.slice(0, 160) ?? ''
