import { basename } from 'node:path'
import { z } from 'zod'

/** A test by its file and name, with the first lines of its failure message. */
export interface NamedTest {
  readonly test: string
  readonly why: string
}

export interface NamedTests {
  readonly failed: readonly NamedTest[]
  /** Tests that passed only on a second try. */
  readonly unsteady: readonly NamedTest[]
}

const MAX_LINES = 12
const MAX_LINE_LENGTH = 300

const vitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

const playwrightSpec = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(
    z.object({
      projectName: z.string(),
      status: z.string(),
      results: z.array(z.object({ error: z.object({ message: z.string().optional() }).optional() })),
    }),
  ),
})
const playwrightSuite = z.object({
  specs: z.array(playwrightSpec),
  get suites() {
    return z.array(playwrightSuite).optional()
  },
})
const playwrightReport = z.object({ suites: z.array(playwrightSuite) })

/**
 * The tests of Vitest's JSON report, in which a passed test with a failure had a second try. Empty without a
 * report.
 */
export function namedUnits(report: unknown): NamedTests {
  const read = vitestReport.safeParse(report)
  if (!read.success) return { failed: [], unsteady: [] }
  const failed: NamedTest[] = []
  const unsteady: NamedTest[] = []
  for (const { name, status, message, assertionResults } of read.data.testResults) {
    const file = basename(name)
    const before = failed.length
    for (const { status, fullName, failureMessages } of assertionResults) {
      const named = { test: `${file} › ${fullName.trim()}`, why: firstLines(failureMessages) }
      if (status === 'failed') failed.push(named)
      else if (status === 'passed' && failureMessages.length > 0) unsteady.push(named)
    }
    if (status === 'failed' && failed.length === before)
      failed.push({ test: `${file} › the file as a whole`, why: firstLines([message ?? '']) })
  }
  return { failed, unsteady }
}

/** The tests of Playwright's JSON report. Empty without a report. */
export function namedInBrowser(report: unknown): NamedTests {
  const read = playwrightReport.safeParse(report)
  const failed: NamedTest[] = []
  const unsteady: NamedTest[] = []
  const visit = ({ specs, suites }: z.infer<typeof playwrightSuite>) => {
    for (const { title, file, tests } of specs)
      for (const { projectName, status, results } of tests) {
        const why = firstLines(results.flatMap(({ error }) => error?.message ?? []))
        const named = { test: `[${projectName}] ${file} › ${title}`, why }
        if (status === 'unexpected') failed.push(named)
        else if (status === 'flaky') unsteady.push(named)
      }
    for (const suite of suites ?? []) visit(suite)
  }
  for (const suite of read.success ? read.data.suites : []) visit(suite)
  return { failed, unsteady }
}

export function addNamed(a: NamedTests, b: NamedTests): NamedTests {
  return { failed: [...a.failed, ...b.failed], unsteady: [...a.unsteady, ...b.unsteady] }
}

/** Printed at the end of a run, so that its last lines include them. Empty if nothing failed. */
export function namedLines({ failed, unsteady }: NamedTests): string {
  const told = (word: string, tests: readonly NamedTest[]) =>
    tests.map(({ test, why }) => `${word}: ${test}\n${why.replace(/^/gm, '    ')}\n`)
  return [...told('unsteady', unsteady), ...told('failed', failed)].join('')
}

function firstLines(messages: readonly string[]): string {
  const lines = messages.join('\n').split('\n').slice(0, MAX_LINES)
  return lines.map((line) => line.slice(0, MAX_LINE_LENGTH)).join('\n')
}
