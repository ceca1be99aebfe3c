import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { programPath } from './electron/display.ts'
import { testCache } from './electron/test-cache.ts'

const STEP_LIMIT_MS = 2 * 60_000

/** A package of Debian with programs that tests start. */
export interface DebianPackage<Program extends string> {
  readonly name: string
  /** Where each program is inside the package, such as `usr/bin/prometheus`. */
  readonly programs: Readonly<Record<Program, string>>
  /** Megabytes to download. */
  readonly size: number
  /** The tests that are left out without the package, as the start of a sentence. */
  readonly without: string
}

/**
 * The paths of a package's programs. If they are not installed on this machine, the package is downloaded and
 * unpacked into the tests' cache. It is not installed, because it might start a service. If that fails,
 * prints one line and resolves to `undefined`.
 */
export async function getPrograms<Program extends string>(
  wanted: DebianPackage<Program>,
  say: (line: string) => void,
): Promise<Readonly<Record<Program, string>> | undefined> {
  const found = findPrograms(wanted)
  if (found !== undefined) return found
  const missing = (why: string) => {
    say(`${wanted.without}: ${why}`)
    return undefined
  }
  if (programPath('apt-get') === undefined || programPath('dpkg-deb') === undefined)
    return missing(`there is no ${wanted.name}, and no apt-get to fetch it`)
  mkdirSync(testCache(), { recursive: true })
  const folder = mkdtempSync(join(testCache(), 'fetching-'))
  try {
    say(
      `no ${wanted.name} here; fetching Debian's package into ${testCache()} (${wanted.size} MB, at most 2 minutes) …`,
    )
    const download = ['apt-get', 'download', wanted.name] as const
    const isFetched =
      (await run(download, folder)) ||
      (process.getuid?.() === 0 &&
        (await run(['apt-get', 'update'], folder)) &&
        (await run(download, folder)))
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
    if (!isFetched || archive === undefined) return missing(`the package ${wanted.name} could not be fetched`)
    const unpacked = join(folder, 'unpacked')
    if (!(await run(['dpkg-deb', '-x', join(folder, archive), unpacked], folder)))
      return missing(`the package ${wanted.name} could not be unpacked`)
    renameSync(unpacked, cached(wanted))
    return findPrograms(wanted) ?? missing(`the package ${wanted.name} lacks a program`)
  } catch (error) {
    return findPrograms(wanted) ?? missing(error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The number in the folder's name has to be raised if other steps follow the unpacking. */
const cached = ({ name }: DebianPackage<string>) => join(testCache(), `${name}-1`)

function findPrograms<Program extends string>(
  wanted: DebianPackage<Program>,
): Readonly<Record<Program, string>> | undefined {
  const places: readonly ((inside: string) => string)[] = [
    (inside) => programPath(inside.slice(inside.lastIndexOf('/') + 1)) ?? `/${inside}`,
    (inside) => join(cached(wanted), inside),
  ]
  for (const place of places) {
    const entries = Object.entries<string>(wanted.programs).map(
      ([program, at]) => [program, place(at)] as const,
    )
    if (entries.every(([, path]) => isExecutable(path)))
      return Object.fromEntries(entries) as Readonly<Record<Program, string>>
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function run([command, ...args]: readonly [string, ...string[]], cwd: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], timeout: STEP_LIMIT_MS })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}
