import { createHash, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Keystore, KeystoreTrouble } from '../ports/keystore.ts'
import { transaction } from '../storage/sqlite-file.ts'
import { storageErrorText } from '../storage/storage-error.ts'
import { KEY_BYTES, seal, unseal } from './sealing.ts'

/** The data keys that were opened in this run of the app. `current` encrypts new records. */
export interface DataKeys {
  readonly opened: ReadonlyMap<number, Uint8Array>
  /**
   * Absent if no data key was opened. Without it, nothing can be sealed, and stored records can only be
   * counted or deleted.
   */
  readonly current?: { readonly id: number; readonly key: Uint8Array }
}

export const NO_KEYS: DataKeys = { opened: new Map() }

/** The opened data keys, or why no key could be opened. */
export type Unlocking =
  /** `hidesNothing`: any program that can read the file can open a data key. */
  | { readonly kind: 'unlocked'; readonly keys: DataKeys; readonly hidesNothing: boolean }
  /**
   * The data is intact, but the keystore's key has changed. `backend` is the kind of the keystore that sealed
   * the data.
   */
  | { readonly kind: 'key-changed'; readonly why: string; readonly backend: string }
  /** The data is intact, but another kind of keystore sealed it. `backend` is the recorded kind. */
  | { readonly kind: 'sealed-elsewhere'; readonly backend: string }
  | { readonly kind: 'record-corrupt'; readonly why: string }
  | { readonly kind: 'unwritable'; readonly why: string }
  | KeystoreTrouble

/** The app ended while the keystore was opening a key. */
const CLOSED: Unlocking = { kind: 'unavailable', why: 'Headroom is quitting' }

const CANARY = 'the data key is right'
const placeOfCanary = (id: number) => ({ profile: '', kind: 'canary', generation: id })

const keyRow = z.object({
  id: z.int(),
  backend: z.string(),
  wrapped: z.instanceof(Uint8Array),
  wrapped_digest: z.instanceof(Uint8Array),
  canary: z.instanceof(Uint8Array),
  canary_digest: z.instanceof(Uint8Array),
})
type KeyRow = z.output<typeof keyRow>

/**
 * Opens the data keys, newest first. Creates the first data key in an empty vault.
 *
 * Each key has a canary, a known text that was encrypted with the key. A key is valid only if it decrypts its
 * canary, because a keystore that lost its own key may return other bytes. If a data key can't be opened,
 * its digests show whether the stored bytes changed ("corrupt") or the keystore has another key. Digests are
 * not secret.
 */
export async function unlockDataKeys(
  database: DatabaseSync,
  keystore: Keystore,
  nowMs: number,
): Promise<Unlocking> {
  const rows = z.array(keyRow).parse(database.prepare('SELECT * FROM data_keys ORDER BY id DESC').all())
  if (rows.length === 0) return addDataKey(database, keystore, nowMs)
  const opened = new Map<number, Uint8Array>()
  let changed: Unlocking | undefined
  let elsewhere: Unlocking | undefined
  let corrupt: Unlocking | undefined
  for (const row of rows) {
    const unwrapping = await keystore.unwrap(row.wrapped, row.backend)
    if (!database.isOpen) return CLOSED
    switch (unwrapping.kind) {
      case 'waiting':
      case 'unavailable':
      case 'unprotected':
        return unwrapping
      case 'refused':
      case 'damaged': {
        const whole = unwrapping.kind === 'refused' && isWhole(row.wrapped, row.wrapped_digest)
        if (isFromElsewhere(keystore, row)) elsewhere ??= { kind: 'sealed-elsewhere', backend: row.backend }
        else if (whole) changed ??= { kind: 'key-changed', why: unwrapping.why, backend: row.backend }
        else corrupt ??= { kind: 'record-corrupt', why: 'the stored key is damaged' }
        break
      }
      case 'unwrapped': {
        const verdict = judge(database, row, unwrapping.key)
        if (verdict === 'other') {
          const why = 'the keyring has a different key'
          if (isFromElsewhere(keystore, row)) elsewhere ??= { kind: 'sealed-elsewhere', backend: row.backend }
          else changed ??= { kind: 'key-changed', why, backend: row.backend }
          break
        }
        opened.set(row.id, unwrapping.key)
        if (verdict === 'right-without-canary') writeCanary(database, row.id, unwrapping.key)
        if (unwrapping.renew) await wrapAgain(database, keystore, row.id, unwrapping.key)
      }
    }
  }
  const [newest] = opened
  if (newest !== undefined) {
    const keys = { opened, current: { id: newest[0], key: newest[1] } }
    return { kind: 'unlocked', keys, hidesNothing: isAnyBare(database, keystore) }
  }
  return changed ?? elsewhere ?? corrupt ?? { kind: 'record-corrupt', why: 'the stored key is damaged' }
}

/**
 * Creates a new data key. Keys that can't be opened remain, because their keystore may become available
 * again.
 */
export async function addDataKey(
  database: DatabaseSync,
  keystore: Keystore,
  nowMs: number,
): Promise<Unlocking> {
  const key = randomBytes(KEY_BYTES)
  const wrapping = await keystore.wrap(key)
  if (wrapping.kind !== 'wrapped') return wrapping
  if (!database.isOpen) return CLOSED
  const { backend, bytes } = wrapping
  try {
    const id = transaction(database, () => {
      const next = database.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM data_keys').get()
      const nextId = Number(next?.['id'])
      const canary = seal(key, placeOfCanary(nextId), CANARY)
      database
        .prepare('INSERT INTO data_keys VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(nextId, backend, bytes, digest(bytes), canary, digest(canary), Math.round(nowMs))
      return nextId
    })
    const keys = { opened: new Map([[id, key]]), current: { id, key } }
    return { kind: 'unlocked', keys, hidesNothing: isAnyBare(database, keystore) }
  } catch (error) {
    const why = storageErrorText(error)
    if (why === undefined) throw error
    return { kind: 'unwritable', why }
  }
}

/** Whether any stored data key is wrapped without protection. */
const isAnyBare = (database: DatabaseSync, keystore: Keystore): boolean =>
  database
    .prepare('SELECT wrapped FROM data_keys')
    .all()
    .some(({ wrapped }) => wrapped instanceof Uint8Array && (keystore.hidesNothing?.(wrapped) ?? false))

/**
 * Whether another kind of keystore wrapped this data key, so that it is not reported as damaged. Call this
 * only for a key that can't be opened. A key that can be opened is valid, whatever kind is recorded.
 */
function isFromElsewhere(keystore: Keystore, { backend, wrapped, wrapped_digest }: KeyRow): boolean {
  return keystore.mayHaveWrapped?.(backend) === false && isWhole(wrapped, wrapped_digest)
}

type Verdict = 'right' | 'right-without-canary' | 'other'

function judge(database: DatabaseSync, row: KeyRow, key: Uint8Array): Verdict {
  if (key.length !== KEY_BYTES) return 'other'
  if (unseal(key, placeOfCanary(row.id), row.canary) === CANARY) return 'right'
  if (isWhole(row.canary, row.canary_digest)) return 'other'
  // Only the canary is damaged. The key is still right if it opens any record. Without records, nothing can
  // be lost.
  const sealed = z
    .array(
      z.object({
        profile: z.string(),
        kind: z.string(),
        generation: z.int(),
        sealed: z.instanceof(Uint8Array),
      }),
    )
    .parse(
      database
        .prepare(
          'SELECT profile, kind, generation, sealed FROM records WHERE data_key = ? AND sealed IS NOT NULL',
        )
        .all(row.id),
    )
  const vouched =
    sealed.length === 0 || sealed.some((record) => unseal(key, record, record.sealed) !== undefined)
  return vouched ? 'right-without-canary' : 'other'
}

function writeCanary(database: DatabaseSync, id: number, key: Uint8Array): void {
  const canary = seal(key, placeOfCanary(id), CANARY)
  attempt(() =>
    database
      .prepare('UPDATE data_keys SET canary = ?, canary_digest = ? WHERE id = ?')
      .run(canary, digest(canary), id),
  )
}

async function wrapAgain(
  database: DatabaseSync,
  keystore: Keystore,
  id: number,
  key: Uint8Array,
): Promise<void> {
  const wrapping = await keystore.wrap(key)
  // If the new wrapping fails, the old wrapping stays and still opens the key. The next start tries again.
  if (wrapping.kind !== 'wrapped' || !database.isOpen) return
  const { backend, bytes } = wrapping
  attempt(() =>
    database
      .prepare('UPDATE data_keys SET backend = ?, wrapped = ?, wrapped_digest = ? WHERE id = ?')
      .run(backend, bytes, digest(bytes), id),
  )
}

/** Runs a write that only improves the stored data, so a failure is ignored. */
function attempt(write: () => unknown): void {
  try {
    write()
  } catch (error) {
    if (storageErrorText(error) === undefined) throw error
  }
}

function digest(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}

function isWhole(bytes: Uint8Array, recorded: Uint8Array): boolean {
  return Buffer.from(digest(bytes)).equals(recorded)
}
