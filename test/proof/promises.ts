import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parseMutation } from '../mutation/results.ts'
import { killedBefore } from '../sabotage/progress.ts'
import { commitsSince, NOT_NOTED, originNow } from './commit.ts'
import {
  parseCounts,
  parseOutcomes,
  parseSabotage,
  parseSimulation,
  parseSuites,
  type Sabotage,
  type Suites,
} from './evidence.ts'
import { failedInBrowser, failedUnits } from './failed-tests.ts'
import { promisesPage } from './promises-page.ts'
import { readRecord, recordingTo } from './record.ts'

/**
 * `npm run promises`: runs every suite and every break, and writes `test/PROMISES.md` of what they said.
 *
 * `--folder DIR` keeps what was gathered (`suites.json`, `sabotage.json`) and uses what is there already, so that the
 * parts can be run one by one, and mutants go on where a run was ended; each `--before FILE` is what an earlier run resumed
 * from: what it killed is not tried again, and stands on the page with its commit; `--simulation FILE` is what `simulate:long --json` wrote, `--sabotage FILE` what
 * `sabotage --json` did; `--out FILE` is where the page goes. What was gathered of another commit than the present one is marked on the page.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    simulation: { type: 'string' },
    sabotage: { type: 'string' },
    before: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
})
const root = fileURLToPath(new URL('../..', import.meta.url))
/** What `npm run mutate` found, of the commits that it says. */
const MUTATION = join(root, 'test', 'mutation', 'results.json')
const page = values.out ?? join(root, 'test', 'PROMISES.md')
const scratch = mkdtempSync(join(tmpdir(), 'headroom-promises-'))
const folder = values.folder ?? scratch
mkdirSync(folder, { recursive: true })

try {
  const suites = parseSuites(await kept('suites.json', runSuites))
  const sabotage = parseSabotage(await kept('sabotage.json', runSabotage))
  const simulation = values.simulation && parseSimulation(readFileSync(values.simulation, 'utf8'))
  const evidence = {
    ...{ suites, sabotage, simulation: simulation || undefined },
    ...(existsSync(MUTATION) && { mutation: parseMutation(readFileSync(MUTATION, 'utf8')) }),
  }
  writeFileSync(page, promisesPage(evidence, originNow(), commitsSince))
  console.log(`written: ${page}`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function kept(name: string, gather: () => Promise<Suites | Sabotage>): Promise<string> {
  const file = join(folder, name)
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(await gather(), undefined, 1)}\n`)
  return readFileSync(file, 'utf8')
}

async function runSuites(): Promise<Suites> {
  const record = join(scratch, 'record.ndjson')
  const origin = originNow()
  const output = await run(['test/run.ts', '--part', 'all', '--reports', scratch], recordingTo(record))
  const lines = existsSync(record) ? readRecord(readFileSync(record, 'utf8')) : []
  const failures = [
    ...(report('unit', failedUnits) ?? []),
    ...(report('browser', failedInBrowser) ?? []),
  ].map((failed) => ({ ...failed, promises: [...failed.promises] }))
  return { ...origin, ...parseCounts(output), failures, lines: [...lines] }
}

/** `undefined` where a suite wrote none: then its count of failures says so. */
function report<T>(suite: string, read: (report: unknown) => T): T | undefined {
  const file = join(scratch, suite)
  return existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

async function runSabotage(): Promise<Sabotage> {
  if (values.sabotage !== undefined) {
    const date = statSync(values.sabotage).mtime.toISOString()
    return { commit: NOT_NOTED, date, outcomes: [...parseOutcomes(readFileSync(values.sabotage, 'utf8'))] }
  }
  const file = join(scratch, 'outcomes.json')
  const origin = originNow()
  const except = values.before.flatMap((path) => ['--except', path])
  await run(['test/sabotage/run.ts', '--json', file, '--resume', join(folder, 'mutants.json'), ...except])
  const outcomes = [...parseOutcomes(readFileSync(file, 'utf8'))]
  return { ...origin, outcomes, before: earlierRuns(values.before) }
}

/** What each file's run killed; a break that several did stands with the first. */
function earlierRuns(paths: readonly string[]): NonNullable<Sabotage['before']> {
  const known = new Set<string>()
  return paths.map((path) => {
    const { commit, outcomes } = killedBefore(path)
    const fresh = outcomes.filter(({ promise, what }) => !known.has(`${promise} ${what}`))
    for (const { promise, what } of fresh) known.add(`${promise} ${what}`)
    return { commit, date: statSync(path).mtime.toISOString(), outcomes: fresh }
  })
}

/** Shows what it says, too: both take many minutes. A bad end is in what they say. */
function run(args: readonly string[], extra: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...extra },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}
