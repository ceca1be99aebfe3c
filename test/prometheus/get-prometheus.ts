import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programPath } from '../electron/display.ts'
import { testCache } from '../electron/test-cache.ts'

export interface Prometheus {
  readonly server: string
  /** Its checker, `promtool`. */
  readonly tool: string
}

const STEP_LIMIT_MS = 2 * 60_000
const CACHED = 'prometheus-1'

/** This machine's Prometheus, or else the one that was fetched for the tests. */
function findPrometheus(): Prometheus | undefined {
  const [server, tool] = [programPath('prometheus'), programPath('promtool')]
  if (server !== undefined && tool !== undefined) return { server, tool }
  const folder = join(testCache(), CACHED, 'usr', 'bin')
  const cached = { server: join(folder, 'prometheus'), tool: join(folder, 'promtool') }
  try {
    for (const path of Object.values(cached)) accessSync(path, constants.X_OK)
    return cached
  } catch {
    return undefined
  }
}

/**
 * A real Prometheus. If the machine has none, Debian's package is fetched and unpacked into the tests' cache:
 * installed, it would start a service. `undefined` where it cannot be had, which is said in one line.
 */
export async function getPrometheus(say: (line: string) => void): Promise<Prometheus | undefined> {
  const found = findPrometheus()
  if (found !== undefined) return found
  const missing = (why: string) => {
    say(`the metrics are not given to a real Prometheus: ${why}`)
    return undefined
  }
  if (programPath('apt-get') === undefined || programPath('dpkg-deb') === undefined)
    return missing('there is none, and no apt-get to fetch it')
  mkdirSync(testCache(), { recursive: true })
  const folder = mkdtempSync(join(testCache(), 'fetching-'))
  try {
    say(`no Prometheus here; fetching Debian's package into ${testCache()} (20 MB, at most 2 minutes) …`)
    const download = ['apt-get', 'download', 'prometheus'] as const
    const isFetched =
      (await run(download, folder)) ||
      (process.getuid?.() === 0 &&
        (await run(['apt-get', 'update'], folder)) &&
        (await run(download, folder)))
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
    if (!isFetched || archive === undefined) return missing('its package could not be fetched')
    const unpacked = join(folder, 'unpacked')
    if (!(await run(['dpkg-deb', '-x', join(folder, archive), unpacked], folder)))
      return missing('its package could not be unpacked')
    renameSync(unpacked, join(testCache(), CACHED))
    return findPrometheus() ?? missing('its package holds no prometheus and promtool')
  } catch (error) {
    return findPrometheus() ?? missing(error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run([command, ...args]: readonly [string, ...string[]], cwd: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], timeout: STEP_LIMIT_MS })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}
