import { parseArgs } from 'node:util'
import { getChromium } from '../browser/get-chromium.ts'
import { getElectron } from '../electron/get-electron.ts'
import { onlyMutantsDiffer, originNow } from '../proof/commit.ts'
import { linesOf, type Outcome, type Verdict, writeOutcomes } from './outcome.ts'
import { Progress } from './progress.ts'
import { nameOf, needsBrowser, prove, proveAll } from './prove.ts'
import { MUTANTS, type RegisteredMutant } from './registry.ts'
import type { TestRun } from './test-run.ts'
import { Workshop } from './workshop.ts'

/**
 * Breaks each promise on purpose and shows which assertion notices: `node test/sabotage/run.ts [--only T6]
 * [--in main/tokens] [--shard 1/2] [--json FILE] [--resume FILE]`.
 *
 * Exits with 1 if a mutant survives, does not compile, or makes its test fail in any other way. `--json` also
 * writes the outcomes to a file. `--resume` writes each outcome as soon as it is known, so that an
 * interrupted run of the same commit can continue, or of a commit in which only mutants differ. `--shard I/N`
 * takes every Nth mutant from the Ith on, so that N runs can share a machine, each with its own file to
 * resume.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    in: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    json: { type: 'string' },
    resume: { type: 'string' },
  },
})
const [shard = 1, shards = 1] = values.shard.split('/').map(Number)
const chosen = MUTANTS.filter(
  ({ promise, file }, at) =>
    at % shards === shard - 1 &&
    (values.only === undefined || promise === values.only) &&
    (values.in === undefined || file.startsWith(values.in)),
)

// If they can't be installed, this is reported once here. The proofs that need them then fail before any
// mutant.
if (chosen.some(needsBrowser)) await getChromium((line) => console.error(line))
if (chosen.some(({ test }) => test.startsWith('desktop/'))) await getElectron((line) => console.error(line))
const progress = new Progress(values.resume, originNow().commit, onlyMutantsDiffer)
const remaining = chosen.filter((mutant) => progress.resultOf(mutant) === undefined)
const workshop = new Workshop()
const outcomes: Outcome[] = []
try {
  const before = await workshop.complaints()
  const runs = await proveAll(workshop, remaining)
  for (const mutant of chosen) {
    const known = progress.resultOf(mutant)
    const outcome =
      known ?? progress.add(mutant, notGreen(runs.get(nameOf(mutant))) ?? (await verdictOn(mutant, before)))
    outcomes.push(outcome)
    console.log(linesOf(outcome))
  }
} finally {
  workshop.remove()
}
if (values.json !== undefined) writeOutcomes(values.json, outcomes)
const killed = outcomes.filter(({ result }) => result === 'killed').length
console.log(`${killed} of ${chosen.length} mutants killed by an assertion`)
if (killed < chosen.length || chosen.length === 0) process.exitCode = 1

/** A test that fails without the mutant can't notice it. */
function notGreen(run: TestRun | undefined): Verdict | undefined {
  if (run?.kind === 'green') return undefined
  const result = 'not-green-before'
  if (run === undefined) return { result, said: 'the test was not run' }
  return run.kind === 'broken' ? { result, said: run.why } : { result, by: run.test, said: run.said }
}

async function verdictOn(mutant: RegisteredMutant, before: ReadonlySet<string>): Promise<Verdict> {
  const original = workshop.read(mutant.file)
  const parts = original.split(mutant.find)
  if (parts.length !== 2) {
    return { result: 'stale', said: `its text occurs ${parts.length - 1} times in ${mutant.file}` }
  }
  workshop.write(mutant.file, parts.join(mutant.replace))
  try {
    const complaint = [...(await workshop.complaints())].find((line) => !before.has(line))
    if (complaint !== undefined) return { result: 'does-not-type-check', said: complaint }
    const run = await prove(workshop, mutant)
    switch (run.kind) {
      case 'red':
        return { result: 'killed', by: run.test, said: run.said }
      case 'green':
        return { result: 'survived', said: '' }
      case 'unproved':
        return { result: 'not-by-an-assertion', by: run.test, said: run.said }
      case 'broken':
        return { result: 'broke-the-test', said: run.why }
    }
  } finally {
    workshop.write(mutant.file, original)
  }
}
