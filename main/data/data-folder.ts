import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import envPaths from 'env-paths'

export type DataFolderOpening =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'unusable'; readonly line: string }

/** Without the suffix env-paths adds by default, so that every host finds the same folder. */
export function defaultDataFolder(): string {
  return envPaths('Headroom', { suffix: '' }).data
}

/** Creates the folder where needed, for its owner only, and makes sure that files can be written in it. */
export function openDataFolder(folder: string): DataFolderOpening {
  const path = resolve(folder)
  const unusable = (why: string): DataFolderOpening => ({
    kind: 'unusable',
    line: `cannot keep data in ${path}: ${why}`,
  })
  try {
    const created = mkdirSync(path, { recursive: true, mode: 0o700 })
    const found = statSync(path)
    if (!found.isDirectory()) return unusable('it is not a folder')
    // A folder that was there may be one of somebody's own choosing; only ours is tightened.
    if (created === undefined && isOpenToOthers(found.mode) && isOurs(found.uid)) chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return { kind: 'open', path }
  } catch (error) {
    return unusable(reason(error))
  }
}

const isOpenToOthers = (mode: number) => (mode & 0o077) !== 0

function isOurs(uid: number): boolean {
  return process.getuid?.() === uid
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'no permission to write there'
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file is in the way'
    case 'ENOSPC':
      return 'the disk is full'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}
