import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedRuntime } from '../../main/hosts/terminal/electron-runtime.ts'
import { CARRIED, testCache } from './test-cache.ts'

/** A runtime of Electron that tests may start. */
export interface ElectronRuntime {
  /** The folder as Electron is distributed: the executable with its libraries, locales and resources. */
  readonly dist: string
  readonly executable: string
  /**
   * The version in the file `version` next to the executable. The user agent of a page shows the version that
   * really runs.
   */
  readonly version: string
}

export interface RuntimePlaces {
  readonly platform: NodeJS.Platform
  /** The value of HEADROOM_ELECTRON_DIST. */
  readonly named: string | undefined
  /** The executable that the package `electron` unpacked. */
  readonly installed: () => string | undefined
  /** Where a runtime from the npm registry is unpacked to. */
  readonly carried: string
  readonly isExecutable: (path: string) => boolean
  /** The version in a folder. `undefined` if it has no version file. */
  readonly versionOf: (dist: string) => string | undefined
}

const EXECUTABLES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
}

/**
 * The first runtime that exists: the one named by a person, the one of the package `electron`, or the one
 * that an earlier run downloaded.
 */
export function findElectron(places: RuntimePlaces = thisMachine()): ElectronRuntime | undefined {
  const inDist = EXECUTABLES[places.platform] ?? 'electron'
  const runtimeIn = (dist: string): ElectronRuntime | undefined => {
    const executable = join(dist, inDist)
    const version = places.versionOf(dist)
    return version !== undefined && places.isExecutable(executable)
      ? { dist, executable, version }
      : undefined
  }
  // If the named runtime does not exist, no other one is used silently.
  if (places.named !== undefined && places.named !== '') return runtimeIn(places.named)
  const installed = places.installed()
  const dists = [...(installed === undefined ? [] : [installed.slice(0, -inDist.length - 1)]), places.carried]
  return dists.map(runtimeIn).find((found) => found !== undefined)
}

/**
 * Whether a runtime is too old for the app. `node:sqlite` exists since Electron 35 and asynchronous
 * safeStorage since 42.
 */
export function lacksWhatTheAppUses({ version }: ElectronRuntime): boolean {
  return Number.parseInt(version, 10) < 42
}

function thisMachine(): RuntimePlaces {
  return {
    platform: process.platform,
    named: process.env['HEADROOM_ELECTRON_DIST'],
    installed: installedRuntime,
    carried: join(testCache(), CARRIED.folder),
    isExecutable: (path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    },
    versionOf: (dist) => {
      const file = join(dist, 'version')
      return existsSync(file) ? readFileSync(file, 'utf8').trim().replace(/^v/, '') : undefined
    },
  }
}
