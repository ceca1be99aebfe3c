import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { blockFor, ensurePrivate } from './private-files.ts'
import { fileIdentity } from './sqlite-file.ts'
import { fileErrorText, SQLITE, sqliteCode } from './storage-error.ts'
import { systemErrorCode } from './system-error.ts'
import { writeWhole } from './write-whole.ts'

export interface LockHolder {
  readonly pid: number
  readonly host: 'desktop' | 'browser' | 'terminal'
  /** Set by a command that releases the lock within a second. Other processes wait for the release. */
  readonly isBrief?: true
}

export type LockAttempt =
  | { readonly kind: 'held'; readonly release: () => void }
  | { readonly kind: 'busy'; readonly holder?: LockHolder; readonly line: string }
  | { readonly kind: 'unusable'; readonly line: string }

/** Maximum wait for a holder with `isBrief`. Milliseconds. */
const MAX_BRIEF_MS = 5_000
/** Maximum wait in milliseconds for a holder that has not written its name to the side file yet. */
const MAX_UNNAMED_MS = 250
const RETRY_MS = 10

/** References to all locks, because the garbage collector would close an unreferenced database. */
const HELD = new Set<DatabaseSync>()

/**
 * Locks a data folder for one process. Two processes that refresh one rotating token would end each other's
 * sign-in.
 *
 * The lock is an exclusive SQLite transaction without writes. The operating system releases it when the
 * locking process ends, so the lock can't be stale.
 *
 * A side file identifies the holder and can be read while the lock is held. If the lock file is deleted while
 * its holder runs, another process could create a new lock file and lock it. The side file reveals that the
 * holder still runs.
 */
export function lockDataFolder(folder: string, holder: LockHolder): LockAttempt {
  const sideFile = join(folder, 'lock.json')
  const file = join(folder, 'lock.db')
  const opening = openPatiently(file, sideFile)
  if (opening.kind === 'unusable') return { kind: 'unusable', line: `can't lock ${folder}: ${opening.why}` }
  const former = readHolder(sideFile)
  // Either another process uses the folder, or the folder's file system has no working locks. An attempt to
  // lock a new file shows which is the case.
  if (opening.kind === 'busy') return canLock(folder) ? busy(folder, former) : withoutLocks(folder)
  const marks = { folder: fileIdentity(folder), file: fileIdentity(file), started: startOf(process.pid) }
  if (former !== undefined && isAlive(former.pid)) {
    const lostItsFile = hasLostItsFile(former, marks)
    if (lostItsFile || isOpenToOthers(file)) {
      opening.database.close()
      return lostItsFile ? busy(folder, former) : withoutLocks(folder)
    }
  }
  const written = writeWhole(sideFile, JSON.stringify({ ...holder, ...marks }))
  if (!written.ok) {
    opening.database.close()
    return { kind: 'unusable', line: `can't lock ${folder}: ${written.why}` }
  }
  HELD.add(opening.database)
  const release = () => {
    if (!HELD.delete(opening.database)) return
    try {
      // The side file is deleted before the lock is released. Afterwards, the file could belong to the next
      // holder.
      rmSync(sideFile, { force: true })
    } catch {
      // No reader needs the file after the lock is released.
    }
    opening.database.close()
  }
  return { kind: 'held', release }
}

type Opening =
  | { readonly kind: 'open'; readonly database: DatabaseSync }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unusable'; readonly why: string }

/**
 * Opens the file. If another process holds it only briefly (`isBrief`), waits for that process. Blocks the
 * event loop, because nothing may run before the lock is held.
 */
function openPatiently(file: string, sideFile: string): Opening {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const opening = openExclusively(file)
    if (opening.kind !== 'busy') return opening
    const holder = readHolder(sideFile)
    const most = holder === undefined ? MAX_UNNAMED_MS : holder.isBrief ? MAX_BRIEF_MS : 0
    if (waitedMs >= most) return opening
    blockFor(RETRY_MS)
  }
}

function openExclusively(file: string, retried = false): Opening {
  let database: DatabaseSync | undefined
  try {
    makeForOwner(file)
    database = new DatabaseSync(file)
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    return { kind: 'open', database }
  } catch (error) {
    database?.close()
    const code = sqliteCode(error)
    if (code === SQLITE.busy) return { kind: 'busy' }
    if (code === SQLITE.notADb && !retried) {
      // The file is not a database, so it can't be locked. It is replaced, because a lock file has no content
      // to lose.
      rmSync(file, { force: true })
      return openExclusively(file, true)
    }
    if (code !== undefined && LOCK_FAILURES.has(code & 0xff)) return { kind: 'unusable', why: NO_LOCKS }
    return { kind: 'unusable', why: fileErrorText(error) }
  }
}

const NO_LOCKS =
  "file locks don't work there, perhaps because it is a network folder; choose a folder on a local disk with --data"
/**
 * The primary codes of a failed lock. Beginning an exclusive transaction accesses only the file's header, so
 * these errors have no other cause.
 */
const LOCK_FAILURES: ReadonlySet<number> = new Set([SQLITE.ioErr, SQLITE.protocol, SQLITE.noLfs])

const withoutLocks = (folder: string): LockAttempt => ({
  kind: 'unusable',
  line: `can't lock ${folder}: ${NO_LOCKS}`,
})

/** Whether file locks work in a folder, tested with a new file. */
function canLock(folder: string): boolean {
  const file = join(folder, `lock-trial-${process.pid}.db`)
  try {
    const trial = openExclusively(file)
    if (trial.kind === 'open') trial.database.close()
    return trial.kind === 'open'
  } finally {
    for (const end of ['', '-journal']) rmSync(`${file}${end}`, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/**
 * A script for another process, which tries to take the lock that this process holds. If it succeeds, file
 * locks don't work here.
 */
const TRY = `
  const { DatabaseSync } = require('node:sqlite')
  try { new DatabaseSync(process.argv[1]).exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE'); process.stdout.write('taken') } catch {}
`

/**
 * Whether another process can also take the lock, tested with a second Node process. Electron can't start
 * such a process, so the result is `false` there.
 */
function isOpenToOthers(file: string): boolean {
  if (process.versions['electron'] !== undefined) return false
  const { stdout } = spawnSync(process.execPath, ['--eval', TRY, file], { encoding: 'utf8', timeout: 10_000 })
  return stdout === 'taken'
}

/**
 * Creates the lock file privately. If SQLite created it, all users could read the file, and any of them could
 * then hold the lock.
 */
function makeForOwner(file: string): void {
  try {
    ensurePrivate(file)
  } catch (error) {
    // Another process created it at the same time.
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

/**
 * Whether a live process still uses the folder although its lock file was deleted and created again. The side
 * file records the folder and when the process started. If `folder` differs, this folder is a copy. If
 * `started` differs, the process id was reused.
 */
function hasLostItsFile({ pid, folder, file, started }: SideFile, marks: Marks): boolean {
  if (file === undefined || folder !== marks.folder || file === marks.file) return false
  return started === startOf(pid)
}

/**
 * When a process started, in ticks since the computer started. `undefined` if the system does not report it.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, which may contain anything. So the fields are counted after
    // the last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function busy(folder: string, holder: LockHolder | undefined): LockAttempt {
  const who =
    holder === undefined ? 'another Headroom' : `another Headroom (${holder.host}, pid ${holder.pid})`
  const line = `${who} is using ${folder}; stop it, or choose another folder with --data`
  return holder === undefined ? { kind: 'busy', line } : { kind: 'busy', holder, line }
}

const holderFile = z.object({
  pid: z.int().positive(),
  host: z.enum(['desktop', 'browser', 'terminal']),
  isBrief: z.literal(true).exactOptional(),
  /** Identity of the locked folder, of its lock file, and of this run of the process. */
  folder: z.string().exactOptional(),
  file: z.string().exactOptional(),
  started: z.string().exactOptional(),
})
type SideFile = Readonly<z.output<typeof holderFile>>
type Marks = Readonly<Record<'folder' | 'file' | 'started', string | undefined>>

function readHolder(sideFile: string): SideFile | undefined {
  try {
    return holderFile.parse(JSON.parse(readFileSync(sideFile, 'utf8')))
  } catch {
    return undefined // not written yet, or damaged; the message then names no process
  }
}
