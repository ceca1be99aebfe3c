import { z } from 'zod'

/** Whether a write to disk is durable, and if not, why in words a person can act on. */
export type Saved = { readonly ok: true } | { readonly ok: false; readonly why: string }

export const SAVED: Saved = { ok: true }

/** SQLite's primary result codes. */
const ERROR_PERM = 3
const ERROR_BUSY = 5
const ERROR_LOCKED = 6
const ERROR_NOMEM = 7
const ERROR_READONLY = 8
const ERROR_IOERR = 10
const ERROR_CORRUPT = 11
const ERROR_FULL = 13
const ERROR_CANTOPEN = 14
const ERROR_PROTOCOL = 15
const ERROR_NOLFS = 22
const ERROR_NOTADB = 26

const DAMAGED = 'the file is damaged'

/** `undefined` where it is no failure of the disk or the file, and so a bug. */
export function storageWords(error: unknown): string | undefined {
  if (isStrange(error)) return DAMAGED
  switch (sqliteCode(error)) {
    case ERROR_FULL:
      return 'the disk is full'
    case ERROR_BUSY:
    case ERROR_LOCKED:
    case ERROR_PROTOCOL:
      return 'another program has locked the file'
    case ERROR_READONLY:
    case ERROR_PERM:
      return 'the file is read-only'
    case ERROR_NOMEM:
      return 'there is too little memory'
    case ERROR_NOLFS:
      return 'the disk does not take a file of this size'
    case ERROR_IOERR:
      return 'the disk reported an error'
    case ERROR_CANTOPEN:
      return 'the file cannot be opened'
    case ERROR_CORRUPT:
    case ERROR_NOTADB:
      return DAMAGED
    default:
      return undefined
  }
}

/** A row that no program of ours stored: not of our form, or with a number that is larger than JavaScript's. */
function isStrange(error: unknown): boolean {
  if (error instanceof z.ZodError) return true
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}

export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === ERROR_CORRUPT || code === ERROR_NOTADB
}

/** The primary code: the low byte of the extended one. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  return error.errcode & 0xff
}
