import { expect } from 'vitest'
import type { Level, PromiseId } from './promise-list.ts'
import { type Proof, recordNotRun, recordProof, type Where } from './record.ts'
import { casesThatRan } from './tried.ts'

/**
 * To be called at the end of a test, when its assertions have passed. Of the claimed cases, only those count
 * that ran (tried.ts).
 */
export function proves(promise: PromiseId | readonly PromiseId[], proof: Proof): void {
  const test = expect.getState().currentTestName ?? ''
  const cases = casesThatRan(proof.cases)
  for (const id of [promise].flat()) recordProof(here(), test, id, { ...proof, cases })
}

/** To be called if a test of this level is skipped on this machine. */
export function cannotProve(promise: PromiseId, level: Level, why: string): void {
  recordNotRun(here(), promise, level, why)
}

function here(): Where {
  return { runner: 'vitest', path: expect.getState().testPath ?? '' }
}
