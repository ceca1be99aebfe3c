import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { originNow } from '../proof/commit.ts'
import { Workshop } from '../sabotage/workshop.ts'
import { type MutationResults, mutationText, parseMutation, resultsOf } from './results.ts'

/**
 * Mutation testing with StrykerJS, a few files at a time: `npm run mutate -- [--in main/vault] [--for 280]
 * [--seed 1] [--share 0.1] [--again] [--jobs 2]`.
 *
 * Takes files in an order that the seed decides, until the seconds of `--for` are over, and adds the results
 * to `test/mutation/results.json`. Files with a result are only tried again with `--again`. The seed selects
 * a share of the lines of each file (`--share 1`: all lines). Only the unit tests of the file's folder count,
 * because tests of processes, fuzz tests and browser tests take too long for thousands of mutants. Texts are
 * not mutated, because other tests check them.
 */
const { values } = parseArgs({
  options: {
    in: { type: 'string' },
    for: { type: 'string', default: '280' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '0.1' },
    again: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
})

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'main/vault': ['main/vault/*.test.ts', 'main/hosts/terminal/passphrase-check.test.ts'],
  'main/tokens': ['main/tokens/*.test.ts'],
  'main/hosts/browser': ['main/hosts/browser/*.test.ts'],
  'main/control': ['main/control/*.test.ts'],
  'main/storage': ['main/storage/*.test.ts'],
  'app/quota': ['app/quota/*.test.ts'],
  'app/gateway': ['app/gateway/*.test.ts'],
  'main/gateway': ['main/gateway/*.test.ts'],
  'app/tokens': ['app/tokens/*.test.ts'],
  'app/streams': ['app/streams/*.test.ts'],
  'app/conditions': ['app/conditions/*.test.ts'],
  'app/status': ['app/status/*.test.ts', 'app/conditions/*.test.ts'],
  'app/alerts': ['app/alerts/*.test.ts'],
  'app/plan': ['app/plan/*.test.ts'],
  'main/api': ['main/api/*.test.ts'],
  'main/network': ['main/network/*.test.ts', 'main/ports/*.test.ts'],
  'main/streams': ['main/streams/*.test.ts'],
  'main/sign-in': ['main/sign-in/*.test.ts'],
  'main/hosts/desktop': ['main/hosts/desktop/*.test.ts'],
}
/** Each of the last five files takes longer than all other tests of its folder together. */
const LEFT_OUT = [
  '**/*.process.test.ts',
  '**/*fuzz*.test.ts',
  '**/oidc-provider.test.ts',
  '**/scheduler-laws.test.ts',
  '**/shared-laws.test.ts',
  '**/verdict-laws.test.ts',
  '**/churn.test.ts',
]
/**
 * Stryker runs tests in threads. These share the umask, the memory and the file locks of their process, so
 * tests of these do not work there.
 */
const NOT_IN_THREADS = [
  'only the owner may open the socket',
  'keep no more memory',
  'the mask of the start is restored',
  'a second attempt in the same process does not release the lock of the first',
]
/**
 * Tests of whole days, of thousands of orders and of every file length take about ten seconds each. Mutants
 * that only they would notice count as survived. If a test blocked its thread for a minute, Vitest would lose
 * it, and Stryker's first run would fail.
 */
const TOO_LONG = [
  'at half a bucket',
  'the floored numbers are in order',
  'the mean error is at most half a request',
  'over a virtual day with',
  'cut or zeroed at any length, it starts, and either opens complete or is renamed',
  'no order of calls and no reading',
  'no order of answers makes a row',
  'a rolling interval is never taken for fixed windows',
  'a fixed window is recognised from the first header',
  'use elsewhere is never invented',
  'with own traffic only',
  'with others on the key the floor',
  'never forecasts an end while others are silent',
  'bursts that the bucket gets over',
  'steady use elsewhere is found by the second header',
  'the rate elsewhere settles near',
  'a burst elsewhere is found within two observations',
  'cut at every byte',
  'a program that is killed with requests',
  'an answer is read no faster than its caller',
  'a request that cannot make it within its patience is refused at once',
  'requests that wait end with 503 and the reason',
  'a reader that reads nothing stops neither',
  'by whatever address of this machine',
  'connections do not end the stream',
  'connections of a program',
  'each of hundreds of connections',
  'strangers end no connection',
  'fetch and curl read one stream',
  'seven programs read one option chain',
  'a state over 16 MiB',
  'a stream with ever new symbols',
  'an outage \\(',
  'a 429 is not waited out here: the queue knows when the level allows another try',
  'where others use the whole refill, programs',
  'critical programs go on beside others',
  'longer than is read at once has the token nowhere',
]
const NOT_RUN = `^(?!.*(?:${[...NOT_IN_THREADS, ...TOO_LONG].join('|')}))`
/**
 * Maximum number of lines in a slice. A slice ends after some time, so that other work does not wait too long
 * for the machine.
 */
const SLICE_LINES = 40 / Number(values.share)
const MIN_SLICE_SECONDS = 60

const root = fileURLToPath(new URL('../..', import.meta.url))
const resultsFile = join(root, 'test', 'mutation', 'results.json')
const seed = Number(values.seed)
const share = Number(values.share)
const endsAt = performance.now() + Number(values.for) * 1000
const results = readResults()
const workshop = new Workshop()
try {
  for (const [folder, tests] of Object.entries(FOLDERS)) {
    if (values.in !== undefined && !folder.startsWith(values.in)) continue
    const files = shuffled(sourcesOf(folder), seed)
    results.folders[folder] = files.length
    const left = files.filter((file) => values.again || results.files[file] === undefined)
    for (const slice of slicesOf(left)) {
      const seconds = (endsAt - performance.now()) / 1000
      if (seconds < MIN_SLICE_SECONDS) break
      const report = await mutate(slice, tests, seconds)
      if (report === undefined) console.error(`not finished: ${slice.join(', ')}`)
      else Object.assign(results.files, resultsOf(report, originNow(), slice))
      for (const file of slice) console.log(lineOf(file))
      writeFileSync(resultsFile, mutationText(results))
    }
  }
} finally {
  workshop.remove()
}

async function mutate(files: readonly string[], tests: readonly string[], seconds: number): Promise<unknown> {
  workshop.write(
    'test/mutation/vitest.config.ts',
    `import { defineConfig } from 'vitest/config'
     export default defineConfig({ test: {
       root: ${JSON.stringify(join(workshop.folder, 'test'))}, include: ${JSON.stringify(tests)},
       setupFiles: ['mutation/worker-thread.ts'], testNamePattern: ${JSON.stringify(NOT_RUN)},
       exclude: ${JSON.stringify(LEFT_OUT)}, environment: 'node', testTimeout: 120_000, pool: 'threads', maxWorkers: 1,
     } })`,
  )
  const config = {
    // Otherwise Stryker would rewrite tsconfig files, for which it needs TypeScript's former API. This is a
    // copy of the project, so it can be changed in place.
    inPlace: true,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate: files.flatMap(sampledLines),
    mutator: { excludedMutations: ['StringLiteral'] },
    coverageAnalysis: 'perTest',
    concurrency: Number(values.jobs),
    timeoutMS: 5_000,
    timeoutFactor: 2,
    reporters: ['json'],
    jsonReporter: { fileName: 'mutation.json' },
    tempDirName: 'stryker-tmp',
    allowConsoleColors: false,
  }
  workshop.write('stryker.config.json', JSON.stringify(config))
  const stryker = join('node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const report = 'mutation.json'
  rmSync(join(workshop.folder, report), { force: true })
  const { output } = await workshop.run([stryker, 'run', 'stryker.config.json'], {
    timeoutMs: Math.floor(seconds * 1000),
  })
  if (existsSync(join(workshop.folder, report))) return JSON.parse(workshop.read(report))
  console.error(output.slice(-2_000))
  return undefined
}

function readResults(): MutationResults {
  if (!existsSync(resultsFile)) return { seed, share, folders: {}, files: {} }
  const known = parseMutation(readFileSync(resultsFile, 'utf8'))
  if (known.seed !== seed || known.share !== share) return { seed, share, folders: {}, files: {} }
  // Files that were moved or deleted lose their results.
  const files = Object.entries(known.files).filter(([file]) => existsSync(join(root, file)))
  return { ...known, files: Object.fromEntries(files) }
}

/** Files with types alone have no mutants. */
function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `${folder}/${name}`)
}

function slicesOf(files: readonly string[]): readonly (readonly string[])[] {
  const slices: string[][] = []
  let lines = Number.POSITIVE_INFINITY
  for (const file of files) {
    const length = readFileSync(join(root, file), 'utf8').split('\n').length
    if (lines + length > SLICE_LINES) {
      slices.push([])
      lines = 0
    }
    slices.at(-1)?.push(file)
    lines += length
  }
  return slices
}

/**
 * The mutated lines of a file in Stryker's notation. The share is the same for each file, and the seed
 * selects the lines.
 */
function sampledLines(file: string): readonly string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n').length
  const numbers = Array.from({ length: lines }, (_, index) => `${file}:${index + 1}-${index + 1}`)
  return shuffled(numbers, seed + lines).slice(0, Math.ceil(lines * share))
}

/**
 * A Fisher–Yates shuffle with the generator mulberry32. The same seed gives the same order on every machine.
 */
function shuffled(files: readonly string[], start: number): readonly string[] {
  let state = start
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const order = [...files]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1))
    ;[order[last], order[other]] = [order[other] ?? '', order[last] ?? '']
  }
  return order
}

function lineOf(file: string): string {
  const found = results.files[file]
  if (found === undefined) return `${file}: no mutants, or not finished`
  const { killed, timedOut, survivors } = found
  return `${file}: ${killed + timedOut} of ${killed + timedOut + survivors.length} mutants noticed`
}
