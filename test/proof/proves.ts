import { expect } from 'vitest'
import type { Level, PromiseId } from './promise-list.ts'
import { type Proof, recordNotRun, recordProof, type Where } from './record.ts'

/** Called at the end of a test, when its assertions have passed, with how many cases it tried. */
export function proves(promise: PromiseId | readonly PromiseId[], proof: Proof): void {
  const test = expect.getState().currentTestName ?? ''
  for (const id of [promise].flat()) recordProof(here(), test, id, proof)
}

/** Called where a test of this level is skipped on this machine. */
export function cannotProve(promise: PromiseId, level: Level, why: string): void {
  recordNotRun(here(), promise, level, why)
}

function here(): Where {
  return { runner: 'vitest', path: expect.getState().testPath ?? '' }
}
