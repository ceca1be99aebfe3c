import { z } from 'zod'
import { systemErrorCode } from './system-error.ts'

/** Whether a write to disk is durable. If not, `why` is the reason, in words for a person. */
export type Saved = { readonly ok: true } | { readonly ok: false; readonly why: string }

/** The result of a write that is durable. */
export const SAVED: Saved = { ok: true }

/**
 * Why a database file could not be read or written. `corrupt` and `newer` are permanent. The others may be
 * temporary.
 */
export type StorageFailure = 'full' | 'locked' | 'corrupt' | 'newer' | 'not-allowed' | 'other'

/** Primary result codes of SQLite. A primary code is the low byte of an extended code. */
const SQLITE_PERM = 3
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_NOMEM = 7
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_PROTOCOL = 15
const SQLITE_NOLFS = 22
const SQLITE_NOTADB = 26
/** SQLITE_IOERR_WRITE, which some systems return if the disk is full or a quota is exceeded. */
const IOERR_WRITE = SQLITE_IOERR | (3 << 8)

/** The kind of failure that caused an error of SQLite or the file system. */
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
  const system = systemErrorCode(error)
  switch (system) {
    // Headroom never stores an integer beyond 2^53. Such an integer makes every read fail.
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

const DAMAGED = 'the file is damaged'

/**
 * The text for an error of a database file, as the end of a sentence. `undefined` if neither the disk nor the
 * file caused it. Such an error is a bug.
 */
export function storageErrorText(error: unknown): string | undefined {
  if (isForeignRow(error)) return DAMAGED
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  switch (error.errcode & 0xff) {
    case SQLITE_FULL:
      return 'the disk is full'
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return 'another program has locked the file'
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return 'the file is read-only'
    case SQLITE_NOMEM:
      return 'not enough memory'
    case SQLITE_NOLFS:
      return 'the file is too large for the disk'
    case SQLITE_IOERR:
      return 'the disk reported an error'
    case SQLITE_CANTOPEN:
      return 'opening the file failed'
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return DAMAGED
    default:
      return undefined
  }
}

/** The line for stored data that can't be read. `why` is the end of the sentence. */
export const unreadable = (
  what: 'the history' | 'the journal of orders',
  folder: string,
  why: string,
): string => `can't read ${what} in ${folder}: ${why}`

/**
 * Whether an error is about a row that Headroom can't have written. Such a row has another form, or an
 * integer beyond 2^53.
 */
function isForeignRow(error: unknown): boolean {
  if (error instanceof z.ZodError) return true
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}
