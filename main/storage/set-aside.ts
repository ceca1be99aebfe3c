import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/** A file that cannot be used. */
export interface FileToSetAside {
  readonly folder: string
  /** Without the extension: `alerts` for `alerts.json`. */
  readonly name: string
  /** The extension with its dot. */
  readonly extension: '.json' | '.db'
  /** Part of the new name. */
  readonly why: 'corrupt' | 'newer' | 'damaged' | 'unread'
}

/** The companion files of a SQLite database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const

/**
 * Renames an unusable file and its SQLite companions, so that the next write does not destroy them. Returns
 * the new name, such as `alerts.corrupt-2026-01-05T15-30-00-000Z.json`. Throws if renaming fails.
 */
export function setAside({ folder, name, extension, why }: FileToSetAside, nowMs: number): string {
  const aside = `${name}.${why}-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}${extension}`
  const path = join(folder, `${name}${extension}`)
  const companions = COMPANIONS.filter((end) => existsSync(`${path}${end}`))
  // The journal of a missing database is set aside too.
  if (companions.length === 0 || existsSync(path)) renameSync(path, join(folder, aside))
  for (const end of companions) renameSync(`${path}${end}`, join(folder, `${aside}${end}`))
  return aside
}
