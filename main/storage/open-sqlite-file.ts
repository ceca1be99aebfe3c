import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../history/schema.ts'
import { ensurePrivate } from './private-files.ts'
import { type StorageFailure, storageFailure } from './storage-failure.ts'

export const HISTORY_FILE = 'history.db'

export type HistoryOpening =
  | { readonly kind: 'open'; readonly database: DatabaseSync; readonly setAside?: SetAside }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly cause: unknown }

export interface SetAside {
  readonly failure: StorageFailure
  readonly name: string
}

/**
 * Opens `history.db` of a data folder, never waiting for anybody.
 *
 * A file that is damaged or from a newer version is set aside under a name of its own, whole, and a new one is
 * begun: history is worth keeping, but not worth not monitoring for.
 */
export function openHistoryFile(folder: string, nowMs: number): HistoryOpening {
  const file = join(folder, HISTORY_FILE)
  try {
    const first = openOnce(file)
    if (first.kind === 'open') return first
    return begunAnew(folder, nowMs, first.failure)
  } catch (error) {
    const failure = storageFailure(error)
    if (failure !== 'corrupt') return { kind: 'failed', failure, cause: error }
    return begunAnew(folder, nowMs, failure)
  }
}

function begunAnew(folder: string, nowMs: number, failure: StorageFailure): HistoryOpening {
  try {
    const name = setHistoryAside(folder, nowMs, failure)
    const again = openOnce(join(folder, HISTORY_FILE))
    if (again.kind === 'open') return { ...again, setAside: { failure, name } }
    return { kind: 'failed', failure: again.failure, cause: undefined }
  } catch (error) {
    return { kind: 'failed', failure: storageFailure(error), cause: error }
  }
}

/** Renames the file and what belongs to it; returns its new name. Nothing may have it open. */
export function setHistoryAside(folder: string, nowMs: number, failure: StorageFailure): string {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-')
  const name = `history.${failure === 'newer' ? 'newer' : 'corrupt'}-${stamp}.db`
  for (const suffix of ['', '-wal', '-shm']) {
    const from = join(folder, `${HISTORY_FILE}${suffix}`)
    if (suffix === '' || existsSync(from)) renameSync(from, join(folder, `${name}${suffix}`))
  }
  return name
}

type Attempt =
  | { readonly kind: 'open'; readonly database: DatabaseSync }
  | { readonly kind: 'unusable'; readonly failure: StorageFailure }

function openOnce(file: string): Attempt {
  // SQLite would make it readable for all; its -wal and -shm take the mode of this one.
  ensurePrivate(file)
  const database = new DatabaseSync(file)
  try {
    // What a kill -9 leaves is in the operating system's hands and safe; only a power cut may cost the last seconds.
    database.exec(`
      PRAGMA busy_timeout = 0;
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA journal_size_limit = 16000000;
      PRAGMA cache_size = -16000;
      PRAGMA trusted_schema = OFF;
    `)
    const schema = migrate(database)
    if (schema.kind === 'newer') {
      database.close()
      return { kind: 'unusable', failure: 'newer' }
    }
    // A lock that somebody else holds shows at the first write, and now is the better moment.
    database.exec('BEGIN IMMEDIATE; COMMIT')
    return { kind: 'open', database }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/** What the file and its log take on disk. */
export function historyBytes(folder: string): number {
  return ['', '-wal']
    .map((suffix) => statSync(join(folder, `${HISTORY_FILE}${suffix}`), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}
