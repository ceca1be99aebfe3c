import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Clock, Log } from '../ports/ports.ts'
import { setAside } from '../storage/set-aside.ts'
import { filePlace, migrate, openSqlite } from '../storage/sqlite-file.ts'
import { type StorageFailure, storageFailure } from '../storage/storage-error.ts'
import { HistoryFile } from './history-file.ts'
import { HISTORY_MIGRATIONS } from './schema.ts'

const NAME = 'history'
export const HISTORY_FILE = `${NAME}.db`

/** With these settings, a kill -9 loses no committed write. A power cut loses at most the last seconds. */
const PRAGMAS = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA journal_size_limit = 16000000;
  PRAGMA cache_size = -16000;
  PRAGMA trusted_schema = OFF;
`

export interface ReplaceableFileDeps {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  readonly problem: (sentence: string) => void
}

export type FileOpening =
  | { readonly kind: 'opened' }
  /** The file was damaged and an empty one has replaced it. */
  | { readonly kind: 'replaced' }
  | Extract<HistoryOpening, { kind: 'failed' }>

/**
 * Maximum number of times a damaged file is replaced in one run, because a failing disk can damage each new
 * file too.
 */
const MAX_REPLACED = 3

/**
 * `history.db` of a data folder. Monitoring must not depend on the file. If the file is damaged or from a
 * newer version, it is set aside and replaced by an empty file.
 */
export class ReplaceableFile {
  readonly #deps: ReplaceableFileDeps
  #file: HistoryFile | undefined
  #isInPlace = () => true
  #replaced = 0

  constructor(deps: ReplaceableFileDeps) {
    this.#deps = deps
  }

  get file(): HistoryFile | undefined {
    return this.#file
  }

  open(): FileOpening {
    const { folder, clock } = this.#deps
    const opening = openHistoryFile(folder, clock.wallMs())
    if (opening.kind === 'failed') return opening
    try {
      this.#use(opening).catchUp(clock.wallMs())
      return { kind: 'opened' }
    } catch (error) {
      this.#file = undefined
      if (opening.database.isOpen) opening.database.close()
      const failure = storageFailure(error)
      if (failure === 'corrupt' && !opening.setAside) return this.replace(failure)
      return { kind: 'failed', failure, cause: error }
    }
  }

  /** Sets the file aside and opens an empty one. */
  replace(failure: StorageFailure): FileOpening {
    const { folder, clock } = this.#deps
    this.close()
    this.#replaced += 1
    if (this.#replaced > MAX_REPLACED) return { kind: 'failed', failure, cause: undefined }
    const opening = openEmpty(folder, failure, clock.wallMs())
    if (opening.kind === 'failed') return opening
    try {
      this.#use(opening)
      return { kind: 'replaced' }
    } catch (error) {
      return { kind: 'failed', failure: storageFailure(error), cause: error }
    }
  }

  /** Closes the file if it was removed or replaced from outside, because writes to it would be lost. */
  closeIfRemoved(): void {
    if (this.#file === undefined || this.#isInPlace()) return
    this.close()
    this.#deps.problem('History file removed or replaced. A new one is in use; monitoring continues.')
    this.#deps.log.note('the history file was removed or replaced')
  }

  close(): void {
    try {
      this.#file?.close()
    } catch (error) {
      this.#deps.log.note('closing the history file failed', { cause: error })
    }
    this.#file = undefined
  }

  #use({ database, setAside: aside }: Extract<HistoryOpening, { kind: 'open' }>): HistoryFile {
    if (aside) {
      this.#deps.problem(historySentence(aside.failure, aside.name))
      this.#deps.log.note('the history file was set aside', aside)
    }
    this.#file = new HistoryFile(database)
    this.#isInPlace = filePlace(database)
    return this.#file
  }
}

export type HistoryOpening =
  | {
      readonly kind: 'open'
      readonly database: DatabaseSync
      /** Why a former file was renamed, and its new name. */
      readonly setAside?: { readonly failure: StorageFailure; readonly name: string }
    }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly cause: unknown }

/** Opens `history.db` without waiting for another program's lock. Never throws. */
export function openHistoryFile(folder: string, nowMs: number): HistoryOpening {
  try {
    const database = openOnce(folder)
    return database ? { kind: 'open', database } : openEmpty(folder, 'newer', nowMs)
  } catch (error) {
    const failure = storageFailure(error)
    return failure === 'corrupt'
      ? openEmpty(folder, failure, nowMs)
      : { kind: 'failed', failure, cause: error }
  }
}

/** Renames the file, which must not be open, and opens an empty one. */
function openEmpty(folder: string, failure: StorageFailure, nowMs: number): HistoryOpening {
  try {
    const why = failure === 'newer' ? 'newer' : 'corrupt'
    const name = setAside({ folder, name: NAME, extension: '.db', why }, nowMs)
    const database = openOnce(folder)
    if (database) return { kind: 'open', database, setAside: { failure, name } }
    return { kind: 'failed', failure: 'newer', cause: undefined }
  } catch (error) {
    return { kind: 'failed', failure: storageFailure(error), cause: error }
  }
}

/** `undefined` for a file from a newer version. */
function openOnce(folder: string): DatabaseSync | undefined {
  const database = openSqlite(join(folder, HISTORY_FILE), { pragmas: PRAGMAS, busyMs: 0 })
  try {
    if (migrate(database, HISTORY_MIGRATIONS).kind === 'current') return database
    database.close()
    return undefined
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

export function historyBytes(folder: string): number {
  return ['', '-wal']
    .map((end) => statSync(join(folder, `${HISTORY_FILE}${end}`), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}

/** One sentence for a person. `aside` is the name of the unusable file, if it was set aside. */
export function historySentence(failure: StorageFailure, aside?: string): string {
  const kept = aside === undefined ? '' : ` It was renamed to ${aside}.`
  switch (failure) {
    case 'full':
      return 'Disk full. History is paused; monitoring continues.'
    case 'locked':
      return 'Another program has locked the history file. History is paused; monitoring continues.'
    case 'corrupt':
      return `The history file is damaged.${kept} Monitoring continues.`
    case 'newer':
      return `The history file was written by a newer version of Headroom.${kept} Monitoring continues.`
    case 'not-allowed':
      return 'Can’t write the history file. Check its permissions; monitoring continues.'
    case 'other':
      return 'The history file failed; see the log. Monitoring continues.'
  }
}
