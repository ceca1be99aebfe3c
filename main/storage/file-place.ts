import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Tells whether the file of an open database is still the one that was opened: one that was deleted takes writes
 * without an error, and is gone with the process. Always true of a database without a file.
 */
export function filePlace(database: DatabaseSync): () => boolean {
  const path = database.location()
  const opened = path === null ? undefined : identityOf(path)
  if (path === null || opened === undefined) return () => true
  return () => {
    const now = identityOf(path)
    return now?.device === opened.device && now.inode === opened.inode
  }
}

function identityOf(path: string): { readonly device: bigint; readonly inode: bigint } | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && { device: stats.dev, inode: stats.ino }
}
