import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Outcome, Result } from './outcome.ts'
import type { Mutant } from './registry.ts'

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
    }),
  ),
})

/**
 * The outcomes of a run under way, written to a file as they come: a run that was ended goes on where it was.
 *
 * Outcomes of another commit than `commit` are left out: each page is of one state of the sources.
 */
export class Progress {
  readonly #path: string | undefined
  readonly #commit: string
  readonly #outcomes: z.infer<typeof progress>['outcomes'] = []

  constructor(path: string | undefined, commit: string) {
    this.#path = path
    this.#commit = commit
    if (path === undefined || !existsSync(path)) return
    const found = progress.parse(JSON.parse(readFileSync(path, 'utf8')))
    if (found.commit === commit) this.#outcomes.push(...found.outcomes)
  }

  /** The mutant's outcome of an earlier run of the same commit. */
  resultOf(mutant: Mutant): Outcome | undefined {
    const found = this.#outcomes.find(
      ({ promise, what, file }) => promise === mutant.promise && what === mutant.what && file === mutant.file,
    )
    return found && { ...found, promise: mutant.promise }
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome)
    if (this.#path === undefined) return
    writeFileSync(
      this.#path,
      `${JSON.stringify({ commit: this.#commit, outcomes: this.#outcomes }, undefined, 1)}\n`,
    )
  }
}
