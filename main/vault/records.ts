import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { DataKeys } from './data-keys.ts'
import { seal, unseal } from './sealing.ts'

/** Everything that a function needs to read or write the vault's tables. */
export interface VaultView {
  readonly database: DatabaseSync
  readonly keys: DataKeys
  /** Epoch milliseconds. */
  readonly nowMs: number
}

export type RecordKind = 'refresh-token' | 'refresh-token-doubt' | 'client-secret' | 'desk'

export interface OpenRecord {
  readonly kind: 'found'
  readonly generation: number
  readonly secret: string
  /** JSON as stored. */
  readonly about: string
}

/** The result of reading a record. `lost` means that the record exists but can't be opened. */
export type RecordReading =
  | OpenRecord
  | { readonly kind: 'none' }
  | { readonly kind: 'lost'; readonly state: 'key-changed' | 'record-corrupt' }

/** Number of generations whose metadata is kept. Only the newest generation has its secret. */
const KEPT_GENERATIONS = 3

const recordRow = z.object({
  generation: z.int(),
  data_key: z.int(),
  sealed: z.instanceof(Uint8Array).nullable(),
  about: z.string(),
})

/** Reads and opens the newest record of a kind, without changes. */
export function readRecord({ database, keys }: VaultView, profile: string, kind: RecordKind): RecordReading {
  const found = database
    .prepare(
      `SELECT generation, data_key, sealed, about FROM records
       WHERE profile = ? AND kind = ? ORDER BY generation DESC LIMIT 1`,
    )
    .get(profile, kind)
  if (found === undefined) {
    return isQuarantined(database, profile, kind)
      ? { kind: 'lost', state: 'record-corrupt' }
      : { kind: 'none' }
  }
  const { generation, data_key, sealed, about } = recordRow.parse(found)
  const key = keys.opened.get(data_key)
  if (key === undefined) return { kind: 'lost', state: 'key-changed' }
  const secret = sealed === null ? undefined : unseal(key, { profile, kind, generation }, sealed)
  if (secret === undefined) return { kind: 'lost', state: 'record-corrupt' }
  return { kind: 'found', generation, secret, about }
}

/**
 * Seals and stores a record, within the caller's transaction. Older generations keep their metadata but lose
 * their secrets.
 */
export function writeRecord(
  { database, keys: { current }, nowMs }: VaultView,
  record: {
    readonly profile: string
    readonly kind: RecordKind
    readonly generation: number
    readonly secret: string
    readonly about: string
  },
): void {
  const { profile, kind, generation, secret, about } = record
  if (current === undefined) throw new Error('nothing can be sealed without a data key')
  const sealed = seal(current.key, { profile, kind, generation }, secret)
  database
    .prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(profile, kind, generation, current.id, sealed, about, Math.round(nowMs))
  database
    .prepare('UPDATE records SET sealed = NULL WHERE profile = ? AND kind = ? AND generation < ?')
    .run(profile, kind, generation)
  database
    .prepare('DELETE FROM records WHERE profile = ? AND kind = ? AND generation <= ?')
    .run(profile, kind, generation - KEPT_GENERATIONS)
}

/** Stores a record that needs no metadata. */
export function writeNext(
  view: VaultView,
  profile: string,
  record: { readonly kind: RecordKind; readonly secret: string },
): void {
  const generation = nextGeneration(view, profile, record.kind)
  writeRecord(view, { profile, generation, about: '{}', ...record })
}

/**
 * Quarantines a record that can't be opened, before a new record replaces it. The old record is kept because
 * its data key may become available again.
 */
export function keepLost(view: VaultView, profile: string, kind: RecordKind, why: string): void {
  if (readRecord(view, profile, kind).kind === 'lost') quarantineRecord(view, profile, kind, why)
}

/**
 * Moves the newest record of a kind to the quarantine, unchanged. Records there are never read or
 * overwritten.
 */
export function quarantineRecord(
  { database, nowMs }: VaultView,
  profile: string,
  kind: RecordKind,
  why: string,
): void {
  const newest = `profile = ? AND kind = ? AND generation =
    (SELECT max(generation) FROM records WHERE profile = ? AND kind = ?)`
  const which = [profile, kind, profile, kind] as const
  database
    .prepare(
      `INSERT INTO quarantine (profile, kind, generation, data_key, sealed, about, why, at_ms)
       SELECT profile, kind, generation, data_key, sealed, about, ?, ? FROM records WHERE ${newest}`,
    )
    .run(why, Math.round(nowMs), ...which)
  // Deletes all records of the kind. Otherwise an older record without a secret would become the newest.
  database.prepare('DELETE FROM records WHERE profile = ? AND kind = ?').run(profile, kind)
}

/** The generation of the next record. No record has used it before, including records in quarantine. */
export function nextGeneration({ database }: VaultView, profile: string, kind: RecordKind): number {
  const highest = (table: 'records' | 'quarantine') =>
    Number(
      database
        .prepare(`SELECT coalesce(max(generation), 0) AS g FROM ${table} WHERE profile = ? AND kind = ?`)
        .get(profile, kind)?.['g'],
    )
  return Math.max(highest('records'), highest('quarantine')) + 1
}

function isQuarantined(database: DatabaseSync, profile: string, kind: RecordKind): boolean {
  const found = database
    .prepare('SELECT 1 FROM quarantine WHERE profile = ? AND kind = ? LIMIT 1')
    .get(profile, kind)
  return found !== undefined
}
