import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TestRun, testRunOf } from './test-run.ts'

const LEFT_OUT = new Set(['node_modules', 'dist', 'release', '.git'])
const SLOWEST_RUN_MS = 240_000

/**
 * A copy of the tree in which things may be broken.
 *
 * Packages are linked one by one, so that the compiler's and the test runner's caches stay in the copy.
 */
export class Workshop {
  readonly #folder: string

  constructor() {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    this.#folder = mkdtempSync(join(tmpdir(), 'headroom-sabotage-'))
    cpSync(root, this.#folder, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
    // Some tests run a part as another user of this machine.
    chmodSync(this.#folder, 0o755)
    // Programs that are started serve what is built; nothing here breaks that.
    if (existsSync(join(root, 'dist'))) symlinkSync(join(root, 'dist'), join(this.#folder, 'dist'))
    const packages = join(this.#folder, 'node_modules')
    mkdirSync(packages)
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (!/^\.(?:cache|vite)/.test(name)) symlinkSync(join(root, 'node_modules', name), join(packages, name))
    }
  }

  read(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), text)
  }

  /** What the compiler complains about, one line each. */
  async complaints(): Promise<ReadonlySet<string>> {
    const { output } = await this.#run([join('node_modules', 'typescript', 'bin', 'tsc'), '-b'])
    return new Set(output.split('\n').filter((line) => / error TS\d+: /.test(line)))
  }

  async test(file: string): Promise<TestRun> {
    return testRunOf(await this.#report([file], SLOWEST_RUN_MS))
  }

  /** All of them in one run, which is quicker than one by one. */
  async tests(files: readonly string[]): Promise<ReadonlyMap<string, TestRun>> {
    const report = await this.#report(files, files.length * SLOWEST_RUN_MS)
    return new Map(files.map((file) => [file, testRunOf(report, file)]))
  }

  async #report(files: readonly string[], timeoutMs: number): Promise<string | undefined> {
    const report = join(this.#folder, 'sabotage-report.json')
    rmSync(report, { force: true })
    const vitest = join('node_modules', 'vitest', 'vitest.mjs')
    const flags = ['--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile.json=${report}`]
    await this.#run([vitest, 'run', ...flags, ...files], timeoutMs)
    return textOf(report)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #run(args: readonly string[], timeoutMs = SLOWEST_RUN_MS): Promise<{ readonly output: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
      })
      let output = ''
      child.stdout.on('data', (part: Buffer) => (output += part.toString()))
      child.stderr.on('data', (part: Buffer) => (output += part.toString()))
      child.on('error', () => resolve({ output }))
      child.on('close', () => resolve({ output }))
    })
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
