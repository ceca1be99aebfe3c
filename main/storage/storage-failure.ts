/** Why the history file could not be read or written. `corrupt` and `newer` files are set aside, the rest may pass. */
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
/** The write part of SQLITE_IOERR: what some systems say on a full disk or over a quota. */
const IOERR_WRITE = SQLITE_IOERR | (3 << 8)

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
    // A number that is larger than JavaScript's: no program of ours stored it, and every read would fail on it.
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

/** One sentence for a person. `aside` is the name under which a file that cannot be used is kept. */
export function storageSentence(failure: StorageFailure, aside?: string): string {
  const kept = aside === undefined ? '' : ` It is kept as ${aside}, and a new one was begun.`
  switch (failure) {
    case 'full':
      return 'The disk is full: history is not kept until there is room. Monitoring goes on.'
    case 'locked':
      return 'The history file is locked by another program: it is written again as soon as that lets go. Monitoring goes on.'
    case 'corrupt':
      return `The history file is damaged.${kept} Monitoring goes on.`
    case 'newer':
      return `The history file was written by a newer Headroom.${kept} Monitoring goes on.`
    case 'not-allowed':
      return 'The history file cannot be opened or written: check its permissions. Monitoring goes on.'
    case 'other':
      return 'The history file cannot be used; the log says why. Monitoring goes on.'
  }
}
