import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { dataFolderOf, thisAccount } from './home-folder.ts'
import { whyNotTrusted } from './private-files.ts'
import { systemErrorCode, systemErrorText } from './system-error.ts'

export type DataFolderOpening =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'unusable'; readonly line: string }

/** The default data folder, the same for every host. `undefined` if the account has no home folder. */
export const defaultDataFolder = (): string | undefined => dataFolderOf(thisAccount(), 'Headroom')

export const NO_HOME = 'no home folder: HOME is empty or not an absolute path; choose a folder with --data'

/**
 * Opens a data folder. If it is missing, creates it as a private folder. Checks that files can be written in
 * it, and that no other user can create or replace files in it.
 */
export function openDataFolder(folder: string | undefined): DataFolderOpening {
  if (folder === undefined) return { kind: 'unusable', line: NO_HOME }
  const path = resolve(folder)
  const unusable = (why: string): DataFolderOpening => ({
    kind: 'unusable',
    line: `can't use the data folder ${path}: ${why}`,
  })
  try {
    makeFolder(path)
    if (!statSync(path).isDirectory()) return unusable('a file is in the way')
    const distrust = whyNotTrusted(path)
    if (distrust !== undefined) return unusable(`${distrust}; choose a folder of your own with --data`)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    // The real path, because a link could point elsewhere later.
    return { kind: 'open', path: realpathSync(path) }
  } catch (error) {
    return unusable(reason(error))
  }
}

/**
 * Creates a folder level by level. Node's recursive mkdir would never return if a parent exists but reports
 * ENOENT, as in /proc.
 *
 * An existing folder keeps its mode, because other users may need to list it. Our files in it are private.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process created it at the same time.
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

function reason(error: unknown): string {
  const code = systemErrorCode(error)
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'no permission to write'
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENOENT':
      return 'creating it failed'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file is in the way'
    case 'ENOSPC':
      return 'the disk is full'
    default:
      return systemErrorText(error)
  }
}
