/** What became of one test file. */
export type TestRun =
  /** It did not load, or wrote no report. */
  | { readonly kind: 'broken'; readonly why: string }
  | { readonly kind: 'green' }
  /** By an assertion: `said` is its first line, `test` the name of the test. */
  | { readonly kind: 'red'; readonly test: string; readonly said: string; readonly count: number }
  /** Red, but not by an assertion: a crash or a timeout proves nothing. */
  | { readonly kind: 'unproved'; readonly test: string; readonly said: string }

interface Result {
  readonly status: string
  readonly fullName: string
  readonly failureMessages: readonly string[]
}

/** Reads the JSON report of the test runner: of one file, or of the only one. */
export function testRunOf(report: string | undefined, file = ''): TestRun {
  const results = resultsIn(report, file)
  if (results === undefined) return { kind: 'broken', why: 'no report was written' }
  if (results.length === 0) return { kind: 'broken', why: 'no test was found' }
  const failed = results.filter(({ status }) => status === 'failed')
  const [first] = failed
  if (!first) return { kind: 'green' }
  const proving = failed.filter(({ failureMessages }) => failureMessages.some(isAssertion))
  const [proof] = proving
  if (!proof) return { kind: 'unproved', test: first.fullName, said: firstLine(first.failureMessages[0]) }
  const said = firstLine(proof.failureMessages.find(isAssertion))
  return { kind: 'red', test: proof.fullName, said, count: proving.length }
}

/** An expectation, a property's counterexample, or a law of the simulation, which names its seed or its rule. */
function isAssertion(message: string): boolean {
  if (/timed? ?out/i.test(firstLine(message))) return false
  return /^AssertionError|^Error: Property failed|^Error: /.test(message)
}

const firstLine = (text: string | undefined): string => text?.split('\n', 1)[0]?.slice(0, 160) ?? ''

function resultsIn(report: string | undefined, file: string): readonly Result[] | undefined {
  if (report === undefined) return undefined
  try {
    const { testResults } = JSON.parse(report) as {
      testResults: { name: string; assertionResults: Result[] }[]
    }
    const chosen = testResults.filter(({ name }) => name.endsWith(file))
    return chosen.flatMap(({ assertionResults }) => assertionResults)
  } catch {
    return undefined
  }
}
