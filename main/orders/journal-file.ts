import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { MINUTE_MS } from '../../app/contract/units.ts'
import type { JournalEntry } from '../../app/orders/ports.ts'
import type { RecognisedBy } from '../../app/orders/recognition.ts'
import { setAside } from '../storage/set-aside.ts'
import {
  filePlace,
  migrate,
  openReadOnly,
  openSqlite,
  type ReadOnlyOpening,
  transaction,
} from '../storage/sqlite-file.ts'
import { type StorageFailure, storageFailure } from '../storage/storage-error.ts'

/** The outcome of an order. */
export interface Settlement extends Pick<JournalEntry, 'outcome'> {
  readonly status?: number
  readonly orderIds?: readonly string[]
  readonly latencyMs?: number
}

/** An entry with the hashes by which its order is recognised. */
export interface HashedEntry extends JournalEntry, RecognisedBy {
  /**
   * Digest of the key that sent the order, see `MonitorSurface.keyMark`. A later key may get the same profile
   * id. Absent in entries of earlier versions.
   */
  readonly keyMark?: string
}

const MIGRATIONS: readonly string[] = [
  // `hashes` and `confirm_hashes` are JSON lists, see `RecognisedBy`.
  //
  // `similar_hashes` is a JSON list whose only item is the `keyMark`, if there is one. The column keeps its
  // former name, so that earlier versions can read the file. Earlier versions wrote an empty list or a list
  // of hashes. A hash contains a dot and a `keyMark` does not.
  `
  CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    profile TEXT NOT NULL,
    at INTEGER NOT NULL,
    program TEXT NOT NULL,
    method TEXT NOT NULL,
    kind TEXT NOT NULL,
    account_ending TEXT NOT NULL,
    status INTEGER,
    order_ids TEXT NOT NULL,
    latency_ms INTEGER,
    outcome TEXT NOT NULL,
    hashes TEXT NOT NULL,
    similar_hashes TEXT NOT NULL,
    confirm_hashes TEXT NOT NULL,
    dismissed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX orders_by_time ON orders (at);
  `,
]

/**
 * A commit returns only after its pages are on the disk (`synchronous = FULL`, and on macOS `fullfsync`). A
 * sent order is therefore still in the journal after the machine crashes.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = 1;
  PRAGMA journal_size_limit = 4000000;
  PRAGMA trusted_schema = OFF;
`
/** Maximum wait for another program's lock, in milliseconds. The wait blocks this process. */
const BUSY_MS = 50
const NAME = 'orders'

const list = z.array(z.string())
const texts = z.string().transform((text) => list.parse(JSON.parse(text)))

const entry = z
  .object({
    id: z.string(),
    profile: z.string(),
    at: z.int(),
    program: z.string(),
    method: z.enum(['POST', 'PUT', 'DELETE']),
    kind: z.enum(['order', 'group', 'replace', 'cancel']),
    account_ending: z.string(),
    status: z.int().nullable(),
    order_ids: texts,
    latency_ms: z.int().nullable(),
    outcome: z.enum(['sent', 'answered', 'not-sent', 'looking', 'found', 'not-found', 'ambiguous']),
    hashes: texts,
    similar_hashes: texts,
    confirm_hashes: texts,
    dismissed: z.int(),
  })
  .transform(
    ({
      at,
      account_ending,
      order_ids,
      similar_hashes: [mark],
      confirm_hashes,
      dismissed,
      status,
      latency_ms,
      ...rest
    }): HashedEntry => ({
      ...rest,
      atMs: at,
      accountEnding: account_ending,
      orderIds: order_ids,
      confirmHashes: confirm_hashes,
      isDismissed: dismissed !== 0,
      ...(mark !== undefined && !mark.includes('.') && { keyMark: mark }),
      ...(status !== null && { status }),
      ...(latency_ms !== null && { latencyMs: latency_ms }),
    }),
  )

const entries = z.array(entry)

const STATEMENTS = {
  insert: `
    INSERT INTO orders
      (id, profile, at, program, method, kind, account_ending, order_ids, outcome, hashes, similar_hashes,
        confirm_hashes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'sent', ?, ?, ?)`,
  has: 'SELECT 1 FROM orders WHERE id = ?',
  settle: `
    UPDATE orders SET outcome = ?, status = coalesce(?, status), order_ids = coalesce(?, order_ids),
      latency_ms = coalesce(?, latency_ms) WHERE id = ?`,
  dismiss: 'UPDATE orders SET dismissed = 1 WHERE id = ?',
  between: 'SELECT * FROM orders WHERE at >= ? AND at <= ? ORDER BY at, rowid',
  open: `
    SELECT * FROM orders WHERE at >= ? OR outcome IN ('sent', 'looking')
      OR (outcome IN ('found', 'not-found', 'ambiguous') AND dismissed = 0) ORDER BY at, rowid`,
  count: `
    SELECT count(*) AS count FROM orders
    WHERE profile = ? AND (similar_hashes IN (?, '[]') OR similar_hashes LIKE '%.%') AND at >= ? AND outcome <> 'not-sent'`,
  prune: `
    DELETE FROM orders WHERE at < ?
      AND (outcome IN ('answered', 'not-sent') OR (dismissed = 1 AND outcome NOT IN ('sent', 'looking')))`,
} as const

/** The open `orders.db`. Every method throws SQLite's errors. `Journal` handles them. */
export class JournalFile {
  readonly database: DatabaseSync
  /** Whether the file is still at the path where it was opened. */
  readonly isInPlace: () => boolean
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>

  constructor(database: DatabaseSync) {
    this.database = database
    this.isInPlace = filePlace(database)
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)])
    this.#statements = Object.fromEntries(prepared)
  }

  /** Runs `run` as one transaction. Returns after its changes are on the disk. */
  write(run: () => void): void {
    transaction(this.database, run)
  }

  insert(added: HashedEntry): void {
    const { id, profile, atMs, program, method, kind, accountEnding } = added
    const lists = [added.orderIds, added.hashes, marksOf(added.keyMark), added.confirmHashes]
    const values = [id, profile, atMs, program, method, kind, accountEnding]
    this.#statements.insert.run(...values, ...lists.map((list) => JSON.stringify(list)))
  }

  /** Inserts an entry with its outcome, unless the file already has the entry. */
  restore(entry: HashedEntry): void {
    if (this.#statements.has.get(entry.id) !== undefined) return
    this.insert(entry)
    this.settle(entry.id, entry)
    if (entry.isDismissed) this.dismiss(entry.id)
  }

  settle(id: string, { outcome, status, orderIds, latencyMs }: Settlement): void {
    const ids = orderIds === undefined ? null : JSON.stringify(orderIds)
    this.#statements.settle.run(outcome, status ?? null, ids, latencyMs ?? null, id)
  }

  dismiss(id: string): void {
    this.#statements.dismiss.run(id)
  }

  /** Entries in the interval, ends included, oldest first. */
  between(fromMs: number, toMs: number): readonly HashedEntry[] {
    return entries.parse(this.#statements.between.all(Math.floor(fromMs), Math.ceil(toMs)))
  }

  /**
   * Entries since `sinceMs`, and all entries that are not settled: their outcome is still unknown, or no
   * person has dismissed the result of their lookup.
   */
  open(sinceMs: number): readonly HashedEntry[] {
    return entries.parse(this.#statements.open.all(Math.floor(sinceMs)))
  }

  /**
   * Number of orders that the key with this id and `keyMark` has sent since `fromMs`. Entries without a
   * `keyMark` count too.
   */
  count(profile: string, fromMs: number, keyMark?: string): number {
    const marks = JSON.stringify(marksOf(keyMark))
    return Number(this.#statements.count.get(profile, marks, Math.floor(fromMs))?.['count'])
  }

  /** Deletes settled entries from before `beforeMs`, see `open`. */
  prune(beforeMs: number): void {
    this.#statements.prune.run(Math.floor(beforeMs))
  }

  close(): void {
    if (this.database.isOpen) this.database.close()
  }
}

const marksOf = (keyMark: string | undefined) => (keyMark === undefined ? [] : [keyMark])

export type JournalOpening =
  /** `aside` is the new name of the damaged file that `file` replaces. */
  | {
      readonly kind: 'open'
      readonly file: JournalFile
      /** The entries of the last minute and all that are not settled, see `JournalFile.open`. */
      readonly entries: readonly HashedEntry[]
      readonly aside?: string
    }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly cause?: unknown }

/** Whether the folder has a journal, readable or not. */
export const hasJournalFile = (folder: string): boolean => existsSync(join(folder, `${NAME}.db`))

/**
 * Opens `orders.db`. A damaged file is renamed and replaced. A file from a newer version of Headroom is left
 * unchanged.
 */
export function openJournalFile(folder: string, nowMs: number): JournalOpening {
  const first = openOnce(folder, nowMs)
  if (first.kind === 'open' || first.failure !== 'corrupt') return first
  try {
    const aside = setAside({ folder, name: NAME, extension: '.db', why: 'corrupt' }, nowMs)
    const again = openOnce(folder, nowMs)
    return again.kind === 'open' ? { ...again, aside } : again
  } catch (cause) {
    return { kind: 'failed', failure: storageFailure(cause), cause }
  }
}

function openOnce(folder: string, nowMs: number): JournalOpening {
  let database: DatabaseSync | undefined
  try {
    database = openSqlite(join(folder, `${NAME}.db`), { pragmas: PRAGMAS, busyMs: BUSY_MS })
    if (migrate(database, MIGRATIONS).kind === 'newer') {
      database.close()
      return { kind: 'failed', failure: 'newer' }
    }
    const file = new JournalFile(database)
    // Reads the open entries now, to detect a damaged page before the first order.
    return { kind: 'open', file, entries: file.open(nowMs - MINUTE_MS) }
  } catch (cause) {
    if (database?.isOpen) database.close()
    const failure =
      cause instanceof z.ZodError || cause instanceof SyntaxError ? 'corrupt' : storageFailure(cause)
    return { kind: 'failed', failure, cause }
  }
}

/** Opens the journal of a data folder read-only, even while an app is writing it. */
export const openStoredJournal = (folder: string): ReadOnlyOpening<JournalFile> =>
  openReadOnly(
    { folder, name: `${NAME}.db`, what: 'journal of orders', newest: MIGRATIONS.length },
    (database) => new JournalFile(database),
  )
