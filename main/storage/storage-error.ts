/** Whether a write to disk is durable, and if not, why, in words for a person. */
export type Saved = { readonly ok: true } | { readonly ok: false; readonly why: string }

export const SAVED: Saved = { ok: true }

/** Why a database file could not be read or written. `corrupt` and `newer` last; the others may pass. */
export type StorageFailure = 'full' | 'locked' | 'corrupt' | 'newer' | 'not-allowed' | 'other'

const SQLITE_PERM = 3
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26
/** SQLITE_IOERR_WRITE, which some systems return on a full disk or over a quota. */
const IOERR_WRITE = SQLITE_IOERR | (3 << 8)

/** The failure that an error of SQLite or of the file system stands for. */
export function storageFailure(error: unknown): StorageFailure {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (typeof code === 'number') {
    if (code === IOERR_WRITE) return 'full'
    switch (code & 0xff) {
      case SQLITE_FULL:
        return 'full'
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        return 'locked'
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
        return 'corrupt'
      case SQLITE_PERM:
      case SQLITE_READONLY:
      case SQLITE_CANTOPEN:
        return 'not-allowed'
      default:
        return 'other'
    }
  }
  const system = error instanceof Error && 'code' in error ? error.code : undefined
  switch (system) {
    // An integer beyond 2^53, which Headroom never stores: every read of it would fail.
    case 'ERR_OUT_OF_RANGE':
      return 'corrupt'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'full'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENOENT':
      return 'not-allowed'
    default:
      return 'other'
  }
}
