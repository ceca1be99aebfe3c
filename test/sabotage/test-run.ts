/** The result of one test file, or of the requested tests in it. */
export type TestRun =
  /** It did not load, or wrote no report. */
  | { readonly kind: 'broken'; readonly why: string }
  | { readonly kind: 'green' }
  /** It failed by an assertion. `said` is its message, and `test` is the name of the test. */
  | { readonly kind: 'red'; readonly test: string; readonly said: string; readonly count: number }
  /** It failed, but not by an assertion. A crash or a timeout proves nothing. */
  | { readonly kind: 'unproved'; readonly test: string; readonly said: string }

/** One test as either runner reports it. */
export interface TestResult {
  readonly name: string
  readonly failed: boolean
  /** The message of the failure, if it was an assertion. */
  readonly proof?: string
  /** The message of the failure. */
  readonly said: string
}

export function testRunOf(results: readonly TestResult[] | undefined): TestRun {
  if (results === undefined) return { kind: 'broken', why: 'no report was written' }
  if (results.length === 0) return { kind: 'broken', why: 'no test was found' }
  const failed = results.filter((result) => result.failed)
  const [first] = failed
  if (!first) return { kind: 'green' }
  const proofs = failed.flatMap(({ name, proof }) => (proof === undefined ? [] : [{ name, proof }]))
  const [found] = proofs
  return found === undefined
    ? { kind: 'unproved', test: first.name, said: first.said }
    : { kind: 'red', test: found.name, said: found.proof, count: proofs.length }
}
