import { writeFileSync } from 'node:fs'
import type { RegisteredMutant } from './registry.ts'

/** The result of a mutant. Only `killed` proves anything. */
export type Result =
  | 'killed'
  | 'survived'
  | 'stale'
  | 'not-green-before'
  | 'does-not-type-check'
  | 'not-by-an-assertion'
  | 'broke-the-test'

export interface Outcome extends Pick<RegisteredMutant, 'promise' | 'what' | 'file' | 'test' | 'grep'> {
  readonly result: Result
  /** The name of the test that noticed the mutant. Absent if none did. */
  readonly by?: string
  /** The message of the assertion, the compiler or the runner, in one line; empty if a mutant survived. */
  readonly said: string
}

/** The result of a mutant, without the mutant. */
export type Verdict = Pick<Outcome, 'result' | 'by' | 'said'>

export function outcomeOf({ promise, what, file, test, grep }: RegisteredMutant, verdict: Verdict): Outcome {
  return { promise, what, file, test, ...(grep !== undefined && { grep }), ...verdict }
}

/** The order is the same in every run, so that two runs can be compared line by line. */
export function writeOutcomes(path: string, outcomes: readonly Outcome[]): void {
  writeFileSync(path, `${JSON.stringify(outcomes, undefined, 2)}\n`)
}

export function linesOf({ promise, what, test, result, by, said }: Outcome): string {
  const name = `${promise} ${what}`
  if (result === 'killed') return `killed   ${name}\n         ${by}: ${said}`
  const why = [by, said].filter(Boolean).join(': ')
  return `${result.toUpperCase().replaceAll('-', ' ')}  ${name}\n         ${why || test}`
}
