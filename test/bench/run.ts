import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { originNow } from '../proof/commit.ts'
import { benchPage } from './bench-page.ts'
import { BENCH_NAMES, BENCHES, type BenchName } from './benches.ts'
import { type Circumstances, type Entry, failedEntry, measuredEntry, parseEntries } from './entry.ts'
import { machineWords, thisMachine } from './machine.ts'
import { benchResult, ratioOf } from './result.ts'

/**
 * Runs every bench in a separate process, one after the other, and writes `test/BENCH.md`: `npm run bench --
 * [--only NAME]… [--long] [--minutes 10] [--from FILE] [--json] [--out FILE]`.
 *
 * `--json` prints one object instead, with a key for each bench. `--from` reads the output of such a run, and
 * runs only the benches that are not in it. `--minutes` is the length of the real run. With `--json` or
 * `--only`, a page is written only to the file of `--out`, because it may be incomplete.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    long: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
})
const tests = fileURLToPath(new URL('..', import.meta.url))
const machine = machineWords(thisMachine())
const LONGEST_MS = 3 * 3_600_000

const unknown = values.only.filter((name) => !(BENCH_NAMES as readonly string[]).includes(name))
if (unknown.length > 0) {
  process.stderr.write(`--only takes one of ${BENCH_NAMES.join(', ')}; ${unknown.join(', ')} is none\n`)
  process.exitCode = 2
} else await main()

async function main(): Promise<void> {
  const known = values.from === undefined ? [] : parseEntries(readFileSync(values.from, 'utf8'))
  const entries = new Map<BenchName, Entry>(known)
  const chosen = BENCH_NAMES.filter((name) => values.only.length === 0 || values.only.includes(name))
  for (const name of chosen) {
    if (entries.has(name)) continue
    process.stderr.write(`${name} …\n`)
    const entry = await run(name)
    entries.set(name, entry)
    process.stderr.write(`${line(entry)}\n`)
  }
  const origin = originNow()
  if (values.json) console.log(JSON.stringify({ machine, ...origin, ...Object.fromEntries(entries) }))
  const isWhole = values.only.length === 0 && !values.json
  const page = values.out ?? (isWhole ? fileURLToPath(new URL('../BENCH.md', import.meta.url)) : undefined)
  if (page === undefined) return
  writeFileSync(page, benchPage(entries, origin))
  process.stderr.write(`written: ${page}\n`)
}

async function run(name: BenchName): Promise<Entry> {
  const origin = originNow()
  const loadBefore = Math.round((loadavg()[0] ?? 0) * 10) / 10
  const fromMs = performance.now()
  const { output, errors } = await outputOf(name)
  const around: Circumstances = {
    ...origin,
    machine,
    loadBefore,
    seconds: (performance.now() - fromMs) / 1000,
  }
  const last = output.trim().split('\n').at(-1) ?? ''
  try {
    return measuredEntry(benchResult.parse(JSON.parse(last)), around)
  } catch {
    const said = errors.split('\n').find((text) => /Error:/.test(text)) ?? 'it printed no result'
    return failedEntry(said.trim(), around)
  }
}

function argsOf(name: BenchName): readonly string[] {
  const { args, longArgs } = BENCHES[name]
  if (values.minutes !== undefined) {
    if (name === 'memoryReal') return ['--minutes', values.minutes]
    if (name === 'desktopMemory') return ['--of', 'memory', '--minutes', values.minutes]
  }
  return values.long ? longArgs : args
}

function outputOf(name: BenchName): Promise<{ readonly output: string; readonly errors: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--expose-gc', BENCHES[name].script, ...argsOf(name), '--json'], {
      cwd: tests,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
    })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.on('error', (error) => resolve({ output, errors: `Error: ${error.message}` }))
    child.on('close', () => resolve({ output, errors }))
  })
}

function line(entry: Entry): string {
  if (entry.ours === null) return `  not measured: ${entry.why}`
  const missed = entry.aims.filter(({ isMet }) => !isMet).map(({ what }) => `, MISSED: ${what}`)
  return `  ${entry.ours} ${entry.unit}${entry.ratio === null ? '' : `, ${ratioOf(entry)} times better`}${missed.join('')}`
}
