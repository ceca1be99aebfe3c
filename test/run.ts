import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Chromium, getChromium } from './browser/get-chromium.ts'
import { addCounts, type Counts, countsLine, NONE, playwrightCounts, vitestCounts } from './counts.ts'
import { getElectron } from './electron/get-electron.ts'
import { addNamed, type NamedTests, namedInBrowser, namedLines, namedUnits } from './named-tests.ts'
import { choosing, isPart, type Part } from './thorough.ts'

/**
 * `npm test`: every suite, and at the end those that failed, by name, and one line with the sum. `--part` says which of their tests (thorough.ts).
 *
 * A suite that ran no test, or ended badly without naming a failed test, counts as one failure: the line
 * must never look better than what happened.
 */
const SUITES = ['unit', 'browser'] as const
type Suite = (typeof SUITES)[number]

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const say = (line: string) => void process.stderr.write(`${line}\n`)

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    // Where the suites' own reports go, for whoever reads them; else they are thrown away.
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
  // Both before any suite: some unit tests need them as well, and a first run skips nothing that a second one runs.
  const chromium = await getChromium(say)
  await getElectron(say)
  // The browser tests run what is built, and some unit tests start it as a process of its own.
  if ((await run(['main/launch.js', '--version'], {}, 'ignore')) !== 0) return ended({ ...NONE, failed: 1 })

  const folder = values.reports ?? mkdtempSync(join(tmpdir(), 'headroom-tests-'))
  try {
    let sum = NONE
    let named: NamedTests = { failed: [], unsteady: [] }
    for (const suite of chosen) {
      const report = join(folder, suite)
      sum = addCounts(sum, await RUNNERS[suite]({ report, filters: positionals, chromium, part }))
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
}
type RunSuite = (run: SuiteRun) => Promise<Counts>

const RUNNERS: Readonly<Record<Suite, RunSuite>> = {
  unit: async ({ report, filters, chromium, part }) => {
    const vitest = join(packageFolder('vitest'), 'vitest.mjs')
    const args = ['run', '--config', 'test/vitest.config.ts', '--reporter=default', '--reporter=json']
    const found = chromium.kind === 'there' ? { HEADROOM_CHROMIUM: chromium.path } : {}
    const exitCode = await run([vitest, ...args, `--outputFile.json=${report}`, ...filters], {
      ...found,
      ...choosing(part),
    })
    return vitestCounts(read(report), exitCode)
  },
  browser: async ({ report, filters, chromium, part }) => {
    if (chromium.kind === 'missing') {
      say(chromium.line)
      return { ...NONE, failed: 1 }
    }
    const playwright = join(packageFolder('@playwright/test'), 'cli.js')
    const args = ['test', '--config', 'test/e2e/playwright.config.ts', '--reporter=list,json']
    const exitCode = await run([playwright, ...args, ...filters], {
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      HEADROOM_CHROMIUM: chromium.path,
      ...choosing(part),
    })
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

/** `undefined` when the suite wrote no report, or half of one. */
function read(report: string): unknown {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return undefined
  }
}

/** With this Node, whatever `node` is on the PATH. */
function run(
  args: readonly string[],
  extra: Record<string, string> = {},
  stdout: 1 | 'ignore' = 1,
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', stdout, 2],
      env: { ...process.env, ...extra },
    })
    child.on('error', () => resolve(1))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

process.exitCode = await main()
