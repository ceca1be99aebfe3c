import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { type Outcome, outcomeOf, type Result, type Verdict } from './outcome.ts'
import type { RegisteredMutant } from './registry.ts'

const RESULTS = [
  'killed',
  'survived',
  'stale',
  'not-green-before',
  'does-not-type-check',
  'not-by-an-assertion',
  'broke-the-test',
] as const satisfies readonly Result[]

const progress = z.object({
  commit: z.string(),
  outcomes: z.array(
    z.object({
      promise: z.string(),
      what: z.string(),
      file: z.string(),
      test: z.string(),
      grep: z.string().exactOptional(),
      result: z.enum(RESULTS),
      by: z.string().exactOptional(),
      said: z.string(),
      /** A hash of the mutant's change. A mutant that was rewritten has no outcome yet. */
      change: z.string(),
    }),
  ),
})

/** Whether the sources of another commit equal those of the present one, except for the lists of mutants. */
export type IsSameSource = (commit: string) => boolean

/**
 * The outcomes of a run, written to a file as they arrive, so that an interrupted run can continue.
 *
 * Outcomes of other sources are left out, because a page describes one state of the sources. If only lists of
 * mutants differ, an outcome stays valid as long as its mutant is unchanged.
 */
export class Progress {
  readonly #path: string | undefined
  readonly #commit: string
  readonly #outcomes: z.infer<typeof progress>['outcomes'] = []

  constructor(path: string | undefined, commit: string, isSameSource: IsSameSource = () => false) {
    this.#path = path
    this.#commit = commit
    if (path === undefined || !existsSync(path)) return
    const found = progress.parse(JSON.parse(readFileSync(path, 'utf8')))
    if (found.commit === commit || isSameSource(found.commit)) this.#outcomes.push(...found.outcomes)
  }

  /** The mutant's outcome of an earlier run of the same sources. */
  resultOf(mutant: RegisteredMutant): Outcome | undefined {
    const found = this.#outcomes.find(
      ({ promise, what, file, change }) =>
        promise === mutant.promise &&
        what === mutant.what &&
        file === mutant.file &&
        change === changeOf(mutant),
    )
    if (found === undefined) return undefined
    const { change: _, ...outcome } = found
    return { ...outcome, promise: mutant.promise }
  }

  /** Keeps a mutant's outcome and returns it. */
  add(mutant: RegisteredMutant, verdict: Verdict): Outcome {
    const outcome = outcomeOf(mutant, verdict)
    this.#outcomes.push({ ...outcome, change: changeOf(mutant) })
    if (this.#path === undefined) return outcome
    writeFileSync(
      this.#path,
      `${JSON.stringify({ commit: this.#commit, outcomes: this.#outcomes }, undefined, 1)}\n`,
    )
    return outcome
  }
}

function changeOf({ find, replace, test, grep }: RegisteredMutant): string {
  return createHash('sha256')
    .update(JSON.stringify([find, replace, test, grep ?? '']))
    .digest('hex')
    .slice(0, 16)
}
