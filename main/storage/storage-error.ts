import { z } from 'zod'
import { systemErrorCode, systemErrorText } from './system-error.ts'

/** Whether a write to disk is durable. If not, `why` is the reason, in words for a person. */
export type Saved = { readonly ok: true } | { readonly ok: false; readonly why: string }

export const SAVED: Saved = { ok: true }

/**
 * Why a database file could not be read or written. `corrupt` and `newer` are permanent. The others may be
 * temporary.
 */
export type StorageFailure = 'full' | 'locked' | 'corrupt' | 'newer' | 'not-allowed' | 'other'

/** Primary result codes of SQLite. A primary code is the low byte of an extended code. */
export const SQLITE = {
  perm: 3,
  busy: 5,
  locked: 6,
  noMem: 7,
  readOnly: 8,
  ioErr: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  noLfs: 22,
  notADb: 26,
} as const
/**
 * SQLITE_FULL, and the extended codes that some systems return if the disk is full or a quota is exceeded:
 * SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE.
 */
const FULL: readonly number[] = [SQLITE.full, SQLITE.ioErr | (3 << 8), SQLITE.ioErr | (19 << 8)]

/** The extended result code of an error of SQLite. `undefined` for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' ? code : undefined
}

export function storageFailure(error: unknown): StorageFailure {
  const code = sqliteCode(error)
  if (code !== undefined && FULL.includes(code)) return 'full'
  switch (code === undefined ? undefined : code & 0xff) {
    case undefined:
      break
    case SQLITE.busy:
    case SQLITE.locked:
      return 'locked'
    case SQLITE.corrupt:
    case SQLITE.notADb:
      return 'corrupt'
    case SQLITE.perm:
    case SQLITE.readOnly:
    case SQLITE.cantOpen:
      return 'not-allowed'
    default:
      return 'other'
  }
  switch (systemErrorCode(error)) {
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
  // Headroom can't have written a row of another form, or with an integer beyond 2^53.
  if (error instanceof z.ZodError) return DAMAGED
  if (error instanceof RangeError && systemErrorCode(error) === 'ERR_OUT_OF_RANGE') return DAMAGED
  const code = sqliteCode(error)
  if (code === undefined) return undefined
  if (FULL.includes(code)) return 'the disk is full'
  switch (code & 0xff) {
    case SQLITE.busy:
    case SQLITE.locked:
    case SQLITE.protocol:
      return 'another program has locked the file'
    case SQLITE.readOnly:
    case SQLITE.perm:
      return 'the file is read-only'
    case SQLITE.noMem:
      return 'not enough memory'
    case SQLITE.noLfs:
      return 'the file is too large for the disk'
    case SQLITE.ioErr:
      return 'the disk reported an error'
    case SQLITE.cantOpen:
      return 'opening the file failed'
    case SQLITE.corrupt:
    case SQLITE.notADb:
      return DAMAGED
    default:
      return undefined
  }
}

/** Like `storageErrorText`, but also for an error of the system, such as a missing permission. */
export const fileErrorText = (error: unknown): string => storageErrorText(error) ?? systemErrorText(error)

/** Why a write or read failed that should not be able to fail. The error's message may contain anything. */
export const unexpectedText = (error: unknown): string =>
  `the store failed unexpectedly (${error instanceof Error ? error.name : typeof error})`

/** The line for stored data that can't be read. `why` is the end of the sentence. */
export const unreadable = (
  what: 'the history' | 'the journal of orders',
  folder: string,
  why: string,
): string => `can't read ${what} in ${folder}: ${why}`
