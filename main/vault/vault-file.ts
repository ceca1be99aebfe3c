import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SAVED_KEYS } from '../../app/contract/key-health.ts'
import { COMPANIONS, setAside } from '../storage/set-aside.ts'
import { migrate, openSqlite } from '../storage/sqlite-file.ts'
import { fileErrorText, storageFailure } from '../storage/storage-error.ts'
import { hadKeys } from './newest-commit.ts'
import { VAULT_MIGRATIONS } from './schema.ts'

export type VaultFileOpening =
  | {
      readonly kind: 'open'
      readonly database: DatabaseSync
      /** Notices for a person about files that were set aside, with the names of these files. */
      readonly notices: readonly string[]
    }
  /** The file can't be used. It is left unchanged, and nothing is stored in this run of the app. */
  | {
      readonly kind: 'unusable'
      readonly line: string
      readonly notices: readonly string[]
      /** Whether a file exists. The file may contain keys. */
      readonly isThere: boolean
    }

const NAME = 'vault'
/** Maximum wait for another program's lock, in milliseconds. The wait blocks everything else. */
const BUSY_MS = 250

/**
 * Opens `vault.db`: SQLite in WAL mode with `synchronous=FULL`. Committed data survives a crash of the
 * machine and a full disk.
 *
 * An unreadable file is renamed, never replaced or deleted. A file from a newer version is left unchanged.
 */
export function openVaultFile(
  folder: string,
  nowMs: number,
  migrations: readonly string[] = VAULT_MIGRATIONS,
): VaultFileOpening {
  const file = join(folder, `${NAME}.db`)
  const notices: string[] = []
  let hasLost = false
  const unusable = (line: string, isThere = true): VaultFileOpening => ({
    kind: 'unusable',
    line,
    notices,
    isThere,
  })
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const aside = strangeBeginning(file)
    if (aside !== undefined) {
      const said = keepAside(folder, nowMs, aside)
      notices.push(said.line)
      if (!said.ok) return unusable(said.line)
      hasLost = true
    }
    const missing = hasLost ? undefined : missingKeys(folder)
    if (missing !== undefined) {
      notices.push(missing)
      hasLost = true
    }
    const isThere = existsSync(file)
    const opened = isThere ? migrated(open(file), migrations) : create(file, migrations)
    switch (opened.kind) {
      case 'damaged': {
        const said = keepAside(folder, nowMs, 'are damaged')
        notices.push(said.line)
        if (!said.ok) return unusable(said.line)
        hasLost = true
        continue
      }
      case 'unusable':
        return unusable(`tokens can't be saved in ${file}: ${opened.why}`, isThere)
      case 'open':
        if (hasLost) rememberLost(opened.database, nowMs)
        return { kind: 'open', database: opened.database, notices }
    }
  }
  return unusable(`tokens can't be saved in ${file}: the file is damaged`)
}

type Opened =
  | { readonly kind: 'open'; readonly database: DatabaseSync }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'unusable'; readonly why: string }

/**
 * Creates the file under another name, and renames it once it has the newest version's tables. So `vault.db`
 * is never incomplete, and an empty `vault.db` means that another program emptied it.
 */
function create(file: string, migrations: readonly string[]): Opened {
  const draft = `${file}.new`
  try {
    for (const end of ['', ...COMPANIONS]) rmSync(`${draft}${end}`, { force: true })
  } catch (error) {
    return { kind: 'unusable', why: fileErrorText(error) }
  }
  const opened = migrated(open(draft), migrations)
  if (opened.kind !== 'open') return opened
  try {
    // `close` also merges the write-ahead log into the file, but ignores a full disk.
    opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    opened.database.close()
    renameSync(draft, file)
    syncFolder(join(file, '..'))
  } catch (error) {
    return { kind: 'unusable', why: fileErrorText(error) }
  }
  return open(file)
}

function open(file: string): Opened {
  let database: DatabaseSync | undefined
  try {
    database = openSqlite(file, { pragmas: '', busyMs: BUSY_MS })
    // Opening a connection reads only the page that identifies the file as a database. `quick_check` reads
    // the other pages.
    const [found] = database.prepare('PRAGMA quick_check(1)').all()
    if (found?.['quick_check'] !== 'ok') {
      database.close()
      return { kind: 'damaged' }
    }
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = 1;
      PRAGMA secure_delete = ON;
      -- Each commit goes into the main file at once, so that the file is whole even without its journal.
      PRAGMA wal_autocheckpoint = 1;
    `)
    return { kind: 'open', database }
  } catch (error) {
    database?.close()
    return storageFailure(error) === 'corrupt'
      ? { kind: 'damaged' }
      : { kind: 'unusable', why: fileErrorText(error) }
  }
}

/** Brings an opened file to the newest version. Closes a file that can't be used. */
function migrated(opened: Opened, migrations: readonly string[]): Opened {
  if (opened.kind !== 'open') return opened
  const { database } = opened
  const result = migrateVault(database, migrations)
  if (result.kind !== 'open') database.close()
  return result
}

function migrateVault(database: DatabaseSync, migrations: readonly string[]): Opened {
  try {
    const schema = migrate(database, migrations)
    if (schema.kind === 'current') {
      return isComplete(database, migrations) ? { kind: 'open', database } : { kind: 'damaged' }
    }
    const why = `it has the newer version ${schema.version}, but this Headroom reads up to version ${migrations.length}`
    return { kind: 'unusable', why: `${why}; update Headroom, or choose another folder with --data` }
  } catch (error) {
    return { kind: 'unusable', why: fileErrorText(error) }
  }
}

/** Whether the file has all tables and columns. A repair by another program could have lost some of them. */
function isComplete(database: DatabaseSync, migrations: readonly string[]): boolean {
  const complete = new DatabaseSync(':memory:')
  try {
    migrate(complete, migrations)
    const found = new Set(columnsOf(database))
    return columnsOf(complete).every((column) => found.has(column))
  } finally {
    complete.close()
  }
}

const columnsOf = (database: DatabaseSync): readonly string[] =>
  database
    .prepare(
      `SELECT tables.name || '.' || columns.name AS name
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
    )
    .all()
    .map(({ name }) => String(name))

/** The notice for a folder whose `vault.db` was removed while it stored keys. */
export function missingKeys(folder: string): string | undefined {
  const file = join(folder, `${NAME}.db`)
  if (existsSync(file) || !hadKeys(folder)) return undefined
  return `Your saved keys are missing: ${file} was removed. Quit Headroom and put it back, or connect them again.`
}

/** Whether `vault.db` may contain keys. True if the file lists a key, or can't be read. */
export function mayHoldKeys(folder: string): boolean {
  const file = join(folder, `${NAME}.db`)
  if (![file, `${file}-wal`].some((path) => existsSync(path))) return false
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database.prepare('SELECT 1 FROM profiles LIMIT 1').get() !== undefined
    } finally {
      database.close()
    }
  } catch {
    return true
  }
}

/**
 * Stores a placeholder, `SAVED_KEYS`, for lost keys whose names can't be read. It stays until a person
 * connects the keys again or disconnects the placeholder.
 */
function rememberLost(database: DatabaseSync, nowMs: number): void {
  database.prepare('INSERT OR IGNORE INTO profiles VALUES (?, ?, ?)').run(SAVED_KEYS, '', Math.round(nowMs))
}

/**
 * The message for a file that SQLite would silently treat as a new database. Such a file must not be opened.
 */
function strangeBeginning(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === 0) return 'are lost: their file was empty'
  if (size === undefined && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    return 'are missing: only their journal was there'
  }
  return undefined
}

function keepAside(
  folder: string,
  nowMs: number,
  what: string,
): { readonly ok: boolean; readonly line: string } {
  try {
    const kept = setAside({ folder, name: NAME, extension: '.db', why: 'damaged' }, nowMs)
    return {
      ok: true,
      line: `Your saved keys ${what}. Connect them again. Old file: ${kept}`,
    }
  } catch (error) {
    return {
      ok: false,
      line: `Your saved keys ${what}, and their file can't be renamed: ${fileErrorText(error)}. Move ${NAME}.db out of ${folder}.`,
    }
  }
}

/** Syncs a folder, so that a new file in it survives a crash of the machine. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
