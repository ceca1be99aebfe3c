import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Chromium, getChromium } from './browser/get-chromium.ts'
import { addCounts, type Counts, countsLine, NONE, playwrightCounts, vitestCounts } from './counts.ts'
import { getElectron } from './electron/get-electron.ts'
import { addNamed, type NamedTests, namedInBrowser, namedLines, namedUnits } from './named-tests.ts'
import { type PlannedSuite, progressLine, progressMessage } from './progress/progress.ts'
import { filesToRetry, withSecondTry } from './second-try.ts'
import { choosing, isPart, type Part } from './thorough.ts'

/**
 * `npm test`: runs every suite, then prints the names of the failed tests and one line with the sum. `--part`
 * selects the tests (thorough.ts).
 *
 * A suite that ran no test, or failed without naming a failed test, counts as one failure. The line must
 * never look better than the result.
 */
const SUITES = ['unit', 'browser'] as const
type Suite = (typeof SUITES)[number]

/** Seconds that each suite takes on two cores, by part. */
const SECONDS: Readonly<Record<Part, Readonly<Record<Suite, number>>>> = {
  quick: { unit: 180, browser: 330 },
  thorough: { unit: 480, browser: 400 },
  all: { unit: 620, browser: 700 },
}
const COUNTED: Readonly<Record<Suite, string>> = { unit: 'files', browser: 'tests' }
const PROGRESS_EVERY_MS = 15_000

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const tests = fileURLToPath(new URL('.', import.meta.url))
const say = (line: string) => void process.stderr.write(`${line}\n`)

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    // The folder for the suites' own reports. Without it, the reports are deleted.
    options: {
      only: { type: 'string' },
      part: { type: 'string', default: 'quick' },
      reports: { type: 'string' },
    },
    allowPositionals: true,
  })
  const chosen = SUITES.filter((suite) => values.only === undefined || values.only === suite)
  if (chosen.length === 0) {
    say(`--only takes one of ${SUITES.join(', ')}`)
    return 2
  }
  const { part } = values
  if (!isPart(part)) {
    say('--part takes one of quick, thorough, all')
    return 2
  }
  // Both are installed before any suite, because some unit tests need them too. Otherwise the first run would
  // skip tests that the second run executes.
  const chromium = await getChromium(say)
  await getElectron(say)
  // The browser tests run the built app, and some unit tests start it as a separate process.
  if ((await run(['main/launch.js', '--version'], { stdout: 'ignore' })) !== 0)
    return ended({ ...NONE, failed: 1 })

  const folder = values.reports ?? mkdtempSync(join(tmpdir(), 'headroom-tests-'))
  try {
    let sum = NONE
    let named: NamedTests = { failed: [], unsteady: [] }
    const suites = chosen.map((name) => ({ name, counted: COUNTED[name], seconds: SECONDS[part][name] }))
    const startedMs = performance.now()
    for (const [at, suite] of chosen.entries()) {
      const report = join(folder, suite)
      const watch = sayProgress(suites, at, startedMs)
      sum = addCounts(sum, await RUNNERS[suite]({ report, filters: positionals, chromium, part, watch }))
      named = addNamed(named, NAMED[suite](read(report)))
    }
    return ended(sum, named)
  } finally {
    if (values.reports === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

function ended(sum: Counts, named: NamedTests = { failed: [], unsteady: [] }): number {
  process.stdout.write(`\n${namedLines(named)}${countsLine(sum)}\n`)
  return sum.failed === 0 ? 0 : 1
}

interface SuiteRun {
  readonly report: string
  readonly filters: readonly string[]
  readonly chromium: Chromium
  readonly part: Part
  /** Follows the messages of a suite's process. */
  readonly watch: (child: ChildProcess) => void
}
type RunSuite = (run: SuiteRun) => Promise<Counts>

const RUNNERS: Readonly<Record<Suite, RunSuite>> = {
  unit: async ({ report, filters, chromium, part, watch }) => {
    const vitest = join(packageFolder('vitest'), 'vitest.mjs')
    const reporters = ['default', 'json', join(tests, 'progress/vitest-reporter.ts')]
    const args = [
      'run',
      '--config',
      'test/vitest.config.ts',
      ...reporters.map((name) => `--reporter=${name}`),
    ]
    const extra = {
      ...(chromium.kind === 'there' && { HEADROOM_CHROMIUM: chromium.path }),
      ...choosing(part),
    }
    const exitCode = await run([vitest, ...args, `--outputFile.json=${report}`, ...filters], { extra, watch })
    const retried = filesToRetry(read(report), tests)
    if (retried.length === 0) return vitestCounts(read(report), exitCode)
    // The second try runs in a new process, because the old one has the state that the first try left.
    say(`running ${retried.join(', ')} once more …`)
    const second = `${report}.second`
    const secondExitCode = await run([vitest, ...args, `--outputFile.json=${second}`, ...retried], { extra })
    writeFileSync(report, JSON.stringify(withSecondTry(read(report), read(second))))
    return vitestCounts(read(report), secondExitCode)
  },
  browser: async ({ report, filters, chromium, part, watch }) => {
    if (chromium.kind === 'missing') {
      say(chromium.line)
      return { ...NONE, failed: 1 }
    }
    const playwright = join(packageFolder('@playwright/test'), 'cli.js')
    const reporters = `list,json,${join(tests, 'progress/playwright-reporter.ts')}`
    const args = ['test', '--config', 'test/e2e/playwright.config.ts', `--reporter=${reporters}`]
    const extra = {
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      HEADROOM_CHROMIUM: chromium.path,
      ...choosing(part),
    }
    const exitCode = await run([playwright, ...args, ...filters], { extra, watch })
    return playwrightCounts(read(report), exitCode)
  },
}

const NAMED: Readonly<Record<Suite, (report: unknown) => NamedTests>> = {
  unit: namedUnits,
  browser: namedInBrowser,
}

function packageFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`))
}

/** `undefined` if the suite wrote no report or an incomplete one. */
function read(report: string): unknown {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return undefined
  }
}

/** Prints the progress of suite `at` from time to time. */
function sayProgress(suites: readonly PlannedSuite[], at: number, startedMs: number): SuiteRun['watch'] {
  let saidMs = Number.NEGATIVE_INFINITY
  return (child) =>
    child.on('message', (received) => {
      const message = progressMessage.safeParse(received)
      const nowMs = performance.now()
      if (!message.success || nowMs - saidMs < PROGRESS_EVERY_MS) return
      saidMs = nowMs
      say(progressLine({ suites, at, message: message.data, elapsedMs: nowMs - startedMs }))
    })
}

interface RunOptions {
  readonly extra?: Readonly<Record<string, string>>
  readonly stdout?: 'pipe' | 'ignore'
  readonly watch?: SuiteRun['watch']
}

/** Runs a script with this Node, whatever `node` is on the PATH. */
function run(
  args: readonly string[],
  { extra = {}, stdout = 'pipe', watch }: RunOptions = {},
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      // The output goes through a pipe, because on a terminal both runners overwrite lines of each other.
      stdio: ['ignore', stdout, 2, 'ipc'],
      env: { ...process.env, ...extra, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
    })
    child.stdout?.pipe(process.stdout, { end: false })
    watch?.(child)
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

process.exitCode = await main()
