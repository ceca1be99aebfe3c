import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from './system-error.ts'

/** Mode of every file of the app: private to its owner from the first byte on (PROMISES D7). */
export const PRIVATE_MODE = 0o600

const OTHERS_MAY = 0o077
const OTHERS_MAY_WRITE = 0o022
const ALL_MAY_WRITE = 0o002
const STICKY = 0o1000
/** The flag that makes opening a link fail. 0 on Windows, which has no such flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

/**
 * The umask at the start of this process. `undefined` until `createFilesPrivately` has replaced it, and on
 * Windows, which has no umask.
 */
let formerMask: number | undefined
/** Number of other programs that are being started. */
let starting = 0

/** Makes new files of this process and its children private, including those that libraries create. */
export function createFilesPrivately(): void {
  if (process.platform !== 'win32') formerMask = process.umask(OTHERS_MAY)
}

/**
 * Restores the original umask until the returned function is called. A program that is started in the
 * meantime, such as a browser, inherits this umask for every file that it saves.
 *
 * The app's own files stay private, because each is created with `PRIVATE_MODE`.
 */
export function restoreFileMask(): () => void {
  if (formerMask === undefined) return () => {}
  process.umask(formerMask)
  starting += 1
  return () => {
    starting -= 1
    if (starting === 0) process.umask(OTHERS_MAY)
  }
}

/**
 * Opens a file for writing, to append to it (`append`) or to replace its content (`replace`). A new file is
 * private. Links are rejected.
 */
export function openPrivately(file: string, how: 'append' | 'replace'): number {
  const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = constants
  const mode = how === 'append' ? O_APPEND : O_TRUNC
  return openSync(file, O_WRONLY | O_CREAT | NO_FOLLOW | mode, PRIVATE_MODE)
}

/**
 * Makes sure that a file exists and is private before a library opens it by its path. A file from an earlier
 * version may be readable by others. Throws for a link.
 *
 * An existing file is not opened, because closing it would release SQLite's locks on it in this process
 * (POSIX).
 */
export function ensurePrivate(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) {
    closeSync(openSync(file, 'wx', PRIVATE_MODE))
    return
  }
  if (found.isSymbolicLink()) throw new Error(`${file} is a link`)
  if (process.platform !== 'win32' && (found.mode & OTHERS_MAY) !== 0) chmodSync(file, found.mode & 0o700)
}

/**
 * Why a folder can't be trusted with secrets, as the end of a sentence. `undefined` if it can.
 *
 * A folder can't be trusted if it belongs to another user, if others may write to it or replace it, or if a
 * file in it is a link, a pipe or a device. Windows is not checked, because its access lists have no mode.
 */
export function whyNotTrusted(
  folder: string,
  userId: number | undefined = process.getuid?.(),
): string | undefined {
  if (userId === undefined) return undefined
  const path = realpathSync(folder)
  const { uid, mode } = statSync(path)
  if (uid !== userId) return 'it belongs to another user'
  if ((mode & OTHERS_MAY_WRITE) !== 0)
    return 'other users can write to it; run chmod go-w on it (exFAT has no modes)'
  const open = foldersAbove(path).find((above) => {
    const found = statSync(above).mode
    return (found & ALL_MAY_WRITE) !== 0 && (found & STICKY) === 0
  })
  if (open !== undefined) return `any user can replace it, because all users can write to ${open}`
  for (const name of readdirSync(path)) {
    const found = lstatSync(join(path, name), { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) return `it contains ${name}, a link; move ${name} away`
    // Opening a pipe would block until another program opens it.
    if (found?.isFIFO() || found?.isCharacterDevice() || found?.isBlockDevice())
      return `it contains ${name}, a pipe or a device; move ${name} away`
  }
  return undefined
}

function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...foldersAbove(parent)]
}

/**
 * With this flag, opening a pipe does not wait for the pipe's writer. 0 on Windows, where opening a pipe
 * never waits.
 */
const NON_BLOCKING = constants.O_NONBLOCK ?? 0
/** Interval of attempts to read a pipe, and their total duration, in milliseconds. */
const PIPE_WAIT = { everyMs: 10, mostMs: 10_000 } as const

/**
 * Reads a file as text. `undefined` if it is longer than `maxBytes`. Throws the system's error.
 *
 * Reading stops at this length, because the size of a device or a pipe, such as a shell's `<(…)`, is unknown.
 * If a pipe's writer makes Headroom wait longer than `mostMs` in total, throws ETIMEDOUT.
 */
export function readBounded(
  path: string,
  maxBytes: number,
  mostMs: number = PIPE_WAIT.mostMs,
): string | undefined {
  const file = openSync(path, constants.O_RDONLY | NON_BLOCKING)
  try {
    const isPipe = fstatSync(file).isFIFO()
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let waitedMs = 0; length < bytes.length; ) {
      const got = readNow(file, bytes, length)
      if (got !== undefined && got > 0) length += got
      else if (got === 0 && !(isPipe && length === 0)) break
      else {
        if (waitedMs >= mostMs) throw Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })
        waitedMs += PIPE_WAIT.everyMs
        blockFor(PIPE_WAIT.everyMs)
      }
    }
    return length > maxBytes ? undefined : bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/** Number of bytes that were read without waiting. `undefined` if no bytes are available yet. */
function readNow(file: number, bytes: Buffer, at: number): number | undefined {
  try {
    return readSync(file, bytes, at, bytes.length - at, null)
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return undefined
    throw error
  }
}

/** Blocks this thread for `ms` milliseconds. Nothing else runs meanwhile. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
