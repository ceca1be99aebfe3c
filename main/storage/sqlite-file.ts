import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivate } from './private-files.ts'

export interface SqliteOptions {
  /** `PRAGMA` statements to run after opening. */
  readonly pragmas: string
  /** How long a statement waits for another program's lock, in milliseconds. */
  readonly busyMs: number
}

/**
 * Opens a database file. Creates it, as a private file, if it is missing. Throws SQLite's errors.
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

/** The schema of a file after `migrate`. */
export type SchemaState =
  | { readonly kind: 'current' }
  /** Written by a later version, whose tables are unknown; left unchanged. */
  | { readonly kind: 'newer'; readonly version: number }

/**
 * Runs the migrations that a file of an older version lacks, in one transaction; the one at index n leads
 * from version n to n + 1. Throws SQLite's errors; the file is then unchanged.
 *
 * A transaction is opened even if there is nothing to migrate, because it shows whether the file can be
 * written.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): SchemaState {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > migrations.length) return { kind: 'newer', version }
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
    database.exec('COMMIT')
    return { kind: 'current' }
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/**
 * Detects whether the file of an open database, or its -wal file with the newest writes, has been deleted or
 * replaced: a deleted file accepts writes without an error, and these are lost when the process ends. Always
 * true for a database without a file.
 */
export function filePlace(database: DatabaseSync): () => boolean {
  const path = database.location()
  const opened = path === null ? undefined : fileIdentity(path)
  if (path === null || opened === undefined) return () => true
  const log = fileIdentity(`${path}-wal`)
  return () => fileIdentity(path) === opened && (log === undefined || fileIdentity(`${path}-wal`) === log)
}

/** Identifies a file or folder independently of its name; `undefined` if it is missing. */
export function fileIdentity(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
