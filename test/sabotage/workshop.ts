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

const LEFT_OUT = new Set(['node_modules', 'release', 'test-results', '.git'])
const SLOWEST_RUN_MS = 240_000

export interface RunOptions {
  readonly timeoutMs?: number
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * A copy of the project that can be broken, built and tested.
 *
 * Each package is linked separately, so that the caches of the compiler and of the test runner stay in the
 * copy.
 */
export class Workshop {
  readonly folder: string

  constructor() {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    this.folder = mkdtempSync(join(tmpdir(), 'headroom-sabotage-'))
    const filter = (path: string) => !LEFT_OUT.has(basename(path))
    // Keeps the files' times, from which the launcher knows that no build is necessary.
    cpSync(root, this.folder, { recursive: true, preserveTimestamps: true, filter })
    // Some tests run a process as another user of this machine.
    chmodSync(this.folder, 0o755)
    const packages = join(this.folder, 'node_modules')
    mkdirSync(packages)
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (!/^\.(?:cache|vite)/.test(name)) symlinkSync(join(root, 'node_modules', name), join(packages, name))
    }
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  /** The compiler's error messages, one per line. */
  async complaints(): Promise<ReadonlySet<string>> {
    const { output } = await this.run([join('node_modules', 'typescript', 'bin', 'tsc'), '-b'])
    return new Set(output.split('\n').filter((line) => / error TS\d+: /.test(line)))
  }

  /** Builds `dist/` from the sources, as every start does. Returns the reason if that fails. */
  async build(): Promise<string | undefined> {
    const { exitCode, output } = await this.run([join('main', 'launch.js'), '--version'])
    return exitCode === 0 ? undefined : output.trim().slice(-240)
  }

  /**
   * Runs a script with this Node. Returns the parsed content of `report`, the file that the script writes.
   */
  async reported(args: readonly string[], report: string, options: RunOptions = {}): Promise<unknown> {
    const path = join(this.folder, report)
    rmSync(path, { force: true })
    await this.run(args, options)
    if (!existsSync(path)) return undefined
    try {
      return JSON.parse(readFileSync(path, 'utf8'))
    } catch {
      return undefined // half of one
    }
  }

  run(
    args: readonly string[],
    { timeoutMs = SLOWEST_RUN_MS, environment = {} }: RunOptions = {},
  ): Promise<{ readonly exitCode: number | undefined; readonly output: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
        env: { ...process.env, ...environment },
      })
      let output = ''
      child.stdout.on('data', (part: Buffer) => (output += part.toString()))
      child.stderr.on('data', (part: Buffer) => (output += part.toString()))
      child.on('error', () => resolve({ exitCode: undefined, output }))
      child.on('close', (code) => resolve({ exitCode: code ?? undefined, output }))
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
