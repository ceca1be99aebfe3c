import { spawn } from 'node:child_process'
import {
  cpSync,
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
    const report = join(this.#folder, 'sabotage-report.json')
    rmSync(report, { force: true })
    await this.#run([
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...['--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile.json=${report}`],
      file,
    ])
    return testRunOf(textOf(report))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #run(args: readonly string[]): Promise<{ readonly output: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: SLOWEST_RUN_MS,
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
