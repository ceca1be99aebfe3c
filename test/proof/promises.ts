import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parseMutation } from '../mutation/results.ts'
import { originNow } from './commit.ts'
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
import { promisesDetails, promisesPage } from './promises-page.ts'
import { readRecord, recordingTo } from './record.ts'

/**
 * Runs every suite and every break: `npm run promises`. Writes `test/PROMISES.md`, and its details for a
 * release (`release/promises.md`).
 *
 * `--folder DIR` stores the results there (`suites.json`, `sabotage.json`) and uses the ones that exist. So
 * the parts can be run one by one, and an interrupted run of the mutants continues. `--tests-only` leaves out
 * the breaks, and the page says so. `--simulation FILE` is the output of `simulate:long --json`. `--out` and
 * `--details` are the paths of the pages. Results of another commit than that of the tests count as not run.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    simulation: { type: 'string' },
    'tests-only': { type: 'boolean', default: false },
    out: { type: 'string' },
    details: { type: 'string' },
  },
})
const root = fileURLToPath(new URL('../..', import.meta.url))
/** The findings of `npm run mutate`, for the commits that it names. */
const MUTATION = join(root, 'test', 'mutation', 'results.json')
const scratch = mkdtempSync(join(tmpdir(), 'headroom-promises-'))
const folder = values.folder ?? scratch
mkdirSync(folder, { recursive: true })

try {
  const suites = parseSuites(await kept('suites.json', runSuites))
  const hasBreaks = !values['tests-only'] || existsSync(join(folder, 'sabotage.json'))
  const evidence = {
    suites,
    sabotage: hasBreaks ? parseSabotage(await kept('sabotage.json', runSabotage)) : undefined,
    simulation: values.simulation ? parseSimulation(readFileSync(values.simulation, 'utf8')) : undefined,
    mutation: existsSync(MUTATION) ? parseMutation(readFileSync(MUTATION, 'utf8')) : undefined,
  }
  write(values.out ?? join(root, 'test', 'PROMISES.md'), promisesPage(evidence))
  write(values.details ?? join(root, 'release', 'promises.md'), promisesDetails(evidence))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`written: ${file}`)
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

/** The report of a suite. `undefined` if it wrote none. In that case, its count of failures shows that. */
function report<T>(suite: string, read: (report: unknown) => T): T | undefined {
  const file = join(scratch, suite)
  return existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : undefined
}

async function runSabotage(): Promise<Sabotage> {
  const file = join(scratch, 'outcomes.json')
  const origin = originNow()
  await run(['test/sabotage/run.ts', '--json', file, '--resume', join(folder, 'mutants.json')])
  return { ...origin, outcomes: [...parseOutcomes(readFileSync(file, 'utf8'))] }
}

/**
 * Runs a script and returns its stdout. Also prints it, because a suite takes many minutes. The exit code is
 * ignored, because the output shows failures too.
 */
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
