import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivate } from './private-files.ts'
import { fileErrorText, unreadable } from './storage-error.ts'

export interface SqliteOptions {
  readonly pragmas: string
  /** Maximum time that a statement waits for another program's lock, in milliseconds. */
  readonly busyMs: number
}

/**
 * Opens a database file. If it is missing, creates it as a private file. Throws SQLite's errors.
 *
 * If SQLite created the file, all users could read it. The -wal and -shm files get the mode of the main file.
 */
export function openSqlite(file: string, { pragmas, busyMs }: SqliteOptions): DatabaseSync {
  ensurePrivate(file)
  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true })
  try {
    database.exec(pragmas)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export type SchemaState =
  | { readonly kind: 'current' }
  /** The file is from a later version, whose tables are unknown. It is left unchanged. */
  | { readonly kind: 'newer'; readonly version: number }

/**
 * Runs the migrations that a file of an older version needs, in one transaction. Migration n turns version n
 * into n + 1. If SQLite fails, throws its error and leaves the file unchanged.
 *
 * The transaction is opened even if no migration is needed. This shows whether the file can be written.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): SchemaState {
  const version = versionOf(database)
  if (version > migrations.length) return { kind: 'newer', version }
  return transaction(database, () => {
    for (const step of migrations.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
    return { kind: 'current' }
  })
}

/** A file that was opened read-only, or the line that says why it can't be read. */
export type ReadOnlyOpening<T> =
  | { readonly kind: 'open'; readonly file: T }
  | { readonly kind: 'failed'; readonly line: string }

/** A database file of a data folder, its content, and the newest version of its tables. */
export interface FileToRead {
  readonly folder: string
  readonly name: string
  readonly what: 'history' | 'journal of orders'
  readonly newest: number
}

/** Opens a database file read-only, even while an app is writing it. `read` prepares its statements. */
export function openReadOnly<T>(
  { folder, name, what, newest }: FileToRead,
  read: (database: DatabaseSync) => T,
): ReadOnlyOpening<T> {
  const path = join(folder, name)
  const failed = (why: string) => ({ kind: 'failed', line: unreadable(`the ${what}`, folder, why) }) as const
  if (!existsSync(path)) return { kind: 'failed', line: `there is no ${what} in ${folder}` }
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true })
    if (versionOf(database) <= newest) return { kind: 'open', file: read(database) }
    database.close()
    return failed('it was written by a newer version of Headroom')
  } catch (error) {
    if (database?.isOpen) database.close()
    return failed(fileErrorText(error))
  }
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.['user_version'])

/** Runs `run` as one transaction. Returns after its changes are committed. */
export function transaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = run()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has already rolled back after some failures, such as a full disk.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/**
 * Returns a function that checks whether the file of an open database is still in place, with its -wal file.
 * The result is always true for a database without a file.
 *
 * A deleted or replaced file accepts writes without an error, but the writes are lost when the process ends.
 */
export function filePlace(database: DatabaseSync): () => boolean {
  const path = database.location()
  const opened = path === null ? undefined : fileIdentity(path)
  if (path === null || opened === undefined) return () => true
  const log = fileIdentity(`${path}-wal`)
  return () => fileIdentity(path) === opened && (log === undefined || fileIdentity(`${path}-wal`) === log)
}

/** Identifies a file or folder independently of its name. `undefined` if it is missing. */
export function fileIdentity(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
