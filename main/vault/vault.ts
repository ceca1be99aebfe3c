import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { VAULT_REPLACED } from '../../app/contract/key-health.ts'
import { jsonOf } from '../../app/service/json.ts'
import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Profile } from '../ports/profile.ts'
import { filePlace, transaction } from '../storage/sqlite-file.ts'
import { SAVED, type Saved, storageErrorText } from '../storage/storage-error.ts'
import type { DataKeys } from './data-keys.ts'
import { isInJournal, type JournalStep, writeJournal } from './journal.ts'
import { aboutOf, addressMark, keySettingsOf, type ProfileAbout, profileAbout } from './profile-record.ts'
import {
  keepLost,
  nextGeneration,
  quarantineRecord,
  type RecordKind,
  type RecordReading,
  readRecord,
  type VaultView,
  writeNext,
} from './records.ts'
import { derivedKey } from './sealing.ts'
import { readTokens, TOKEN, type TokenReading, writeIntent, writeTokens } from './token-records.ts'

/** The tokens of one key in the vault. Every write is one transaction, durable when it returns ok. */
export interface VaultTokens {
  read(): TokenReading
  /** Stores that a token is about to be sent. The next start then knows that the token may be used up. */
  intend(intent: Intent, refreshToken: string): Saved
  /**
   * Stores the newest token, its standing and a pending revocation. If `tokens` has no intent, the stored
   * intent is deleted.
   */
  save(tokens: StoredTokens): Saved
  /** Records a step of a token in the journal, by the token's fingerprint. A failure is not reported. */
  note(step: JournalStep, generation: number, refreshToken: string): void
}

/** A stored profile as found in this run of the app. */
export interface StoredProfile {
  readonly id: string
  /** Absent if unreadable, or changed from outside. If absent, only the profile's id is known. */
  readonly about?: ProfileAbout
  readonly clientSecret?: string
  readonly reading: TokenReading
  readonly tokens: VaultTokens
}

/** The result of storing a sign-in. `generation` belongs to the stored token. */
export type SignedIn =
  | (Saved & { readonly ok: true; readonly generation: number })
  | (Saved & { readonly ok: false })

/** The desk of a key as a text, or why it cannot be used. A `lost` record is kept. */
export type DeskReading =
  | { readonly kind: 'found'; readonly text: string }
  | Exclude<RecordReading, { kind: 'found' }>
  | { readonly kind: 'unreadable'; readonly why: string }

const SECRET = 'client-secret'
const DESK = 'desk'

const ABOUT_DAMAGED =
  'name and addresses damaged. Connect the key as a new entry, then disconnect the damaged one'

export type VaultRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string }

/**
 * The result of a write after the vault was closed, for example when the service responds while the app
 * quits.
 */
const CLOSED = { ok: false, why: 'the vault is closed' } as const

/** An open `vault.db` and its data keys. */
export interface VaultDeps {
  readonly database: DatabaseSync
  readonly keys: DataKeys
  readonly wallMs: () => number
  /** Called after each commit. */
  readonly committed?: () => void
}

/**
 * The keys stored in `vault.db`: their settings, tokens and secrets.
 *
 * Each write is one transaction, durable when it returns ok. Disk failures are returned as values. Without an
 * open data key, no secret can be sealed or read, but stored keys can be listed and deleted.
 */
export class Vault {
  readonly #database: DatabaseSync
  readonly #keys: DataKeys
  readonly #wallMs: () => number
  readonly #committed: () => void
  readonly #isInPlace: () => boolean

  constructor({ database, keys, wallMs, committed = () => {} }: VaultDeps) {
    this.#database = database
    this.#keys = keys
    this.#wallMs = wallMs
    this.#committed = committed
    this.#isInPlace = filePlace(database)
  }

  /** Whether a data key is open, so that secrets can be stored. */
  get canSeal(): boolean {
    return this.#keys.current !== undefined
  }

  /** The stored profiles, in the order of `ids`. */
  profiles(): VaultRead<readonly StoredProfile[]> {
    return this.#rows(({ id, about }) => this.#stored(id, about))
  }

  /** The ids of the stored profiles, oldest first. So keys are listed in the same order at each start. */
  ids(): VaultRead<readonly string[]> {
    return this.#rows(({ id }) => id)
  }

  #rows<T>(of: (row: { readonly id: string; readonly about: string }) => T): VaultRead<readonly T[]> {
    const reading = this.#read(({ database }) =>
      z
        .array(z.object({ id: z.string(), about: z.string() }))
        .parse(database.prepare('SELECT id, about FROM profiles ORDER BY rowid').all()),
    )
    return reading.ok ? { ok: true, value: reading.value.map(of) } : reading
  }

  /**
   * Stores a sign-in in one transaction: the profile, its secrets, its first tokens and, if given, its desk.
   *
   * The new tokens get a higher generation than all earlier tokens of the profile.
   */
  signIn(profile: Omit<Profile, 'refreshToken'>, tokens: StoredTokens, desk?: string): SignedIn {
    const { id, clientSecret } = profile
    const { token } = tokens
    let storedAs = token.generation
    const saved = this.#seal((view) => {
      const { database, nowMs } = view
      // REPLACE would delete the row first, and with it everything that belongs to the profile.
      database
        .prepare(
          `INSERT INTO profiles VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET about = excluded.about, changed_at_ms = excluded.changed_at_ms`,
        )
        .run(id, JSON.stringify({ ...aboutOf(profile), mark: this.#markOf(profile) }), Math.round(nowMs))
      const generation = Math.max(nextGeneration(view, id, TOKEN), token.generation)
      storedAs = generation
      for (const kind of [TOKEN, SECRET] as const) keepLost(view, id, kind, 'replaced by a new sign-in')
      if (desk !== undefined) writeDesk(view, id, desk)
      // Everything that is pending from the previous sign-in ends here, including a revocation.
      writeTokens(view, id, {
        ...tokens,
        token: { ...token, generation },
        ...(tokens.intent && { intent: { ...tokens.intent, generation } }),
      })
      writeJournal(view, id, 'signed-in', { generation, refreshToken: token.refreshToken })
      if (clientSecret === undefined) {
        database.prepare('DELETE FROM records WHERE profile = ? AND kind = ?').run(id, SECRET)
        return
      }
      writeNext(view, id, { kind: SECRET, secret: clientSecret })
    })
    return saved.ok ? { ...saved, generation: storedAs } : saved
  }

  /** Stores a person's settings of a key. Works without an open data key. */
  keepSettings(profile: Pick<Profile, 'id' | 'probes' | 'rotationMinutes' | 'orders'>): Saved {
    const changes = keySettingsOf(profile)
    return this.#write((view) => {
      for (const [name, value] of Object.entries(changes)) changeAbout(view, profile.id, name, value)
    })
  }

  /** Stores another secret. The existing tokens stay unchanged. */
  keepSecret({ id, clientSecret }: Pick<Profile, 'id' | 'clientSecret'>): Saved {
    if (clientSecret === undefined) return SAVED
    return this.#seal((view) => {
      keepLost(view, id, SECRET, 'replaced by another secret')
      writeNext(view, id, { kind: SECRET, secret: clientSecret })
      changeAbout(view, id, 'hasClientSecret', true)
    })
  }

  /** Deletes everything that is stored about a key, and overwrites the deleted data in the file. */
  forget(profile: string): Saved {
    return this.#erase(({ database }) => {
      database.prepare('DELETE FROM profiles WHERE id = ?').run(profile)
    })
  }

  /** The desk of a key, as `keepDesk` stored it. A damaged record is quarantined. */
  desk(profile: string): DeskReading {
    const reading = this.#read((view) => this.#opened(view, profile, DESK))
    if (!reading.ok) return { kind: 'unreadable', why: reading.why }
    return reading.value.kind === 'found' ? { kind: 'found', text: reading.value.secret } : reading.value
  }

  /** Stores the desk of a key. Replaces any former desk. */
  keepDesk(profile: string, text: string): Saved {
    return this.#seal((view) => writeDesk(view, profile, text))
  }

  /** Deletes the desk of a key, even a damaged record, and overwrites the deleted data in the file. */
  forgetDesk(profile: string): Saved {
    return this.#erase(({ database }) => {
      for (const table of ['records', 'quarantine'])
        database.prepare(`DELETE FROM ${table} WHERE profile = ? AND kind = ?`).run(profile, DESK)
    })
  }

  /** The recorded kind of the keystore that sealed the token of a profile. */
  backendOf(profile: string): string | undefined {
    const reading = this.#read(({ database }) =>
      database
        .prepare(
          `SELECT backend FROM records JOIN data_keys ON data_keys.id = data_key
           WHERE profile = ? AND kind = ? ORDER BY generation DESC LIMIT 1`,
        )
        .get(profile, TOKEN),
    )
    return reading.ok && reading.value !== undefined ? String(reading.value['backend']) : undefined
  }

  /** Whether this token ever belonged to the profile. If so, the stored token is the same or newer. */
  knows(profile: string, refreshToken: string): boolean {
    const reading = this.#read((view) => isInJournal(view, profile, refreshToken))
    return reading.ok && reading.value
  }

  /** One derived key per open data key, for one purpose. The first is derived from the current data key. */
  keysFor(purpose: string): readonly Uint8Array[] {
    const { current, opened } = this.#keys
    const others = [...opened].filter(([id]) => id !== current?.id).map(([, key]) => key)
    return [...(current === undefined ? [] : [current.key]), ...others].map((key) => derivedKey(key, purpose))
  }

  tokens(profile: string): VaultTokens {
    const note = (view: VaultView, step: JournalStep, generation: number, refreshToken: string) =>
      writeJournal(view, profile, step, { generation, refreshToken })
    return {
      read: () => {
        const quarantine = (why: string) => this.#quarantine(profile, TOKEN, why)
        const reading = this.#read((view) => readTokens(view, profile, quarantine))
        return reading.ok ? reading.value : { kind: 'unreadable', why: reading.why }
      },
      intend: (intent, refreshToken) =>
        this.#seal((view) => {
          writeIntent(view, profile, intent)
          note(view, 'intended', intent.generation, refreshToken)
        }),
      save: (tokens) => this.#seal((view) => writeTokens(view, profile, tokens)),
      note: (step, generation, refreshToken) => {
        this.#seal((view) => note(view, step, generation, refreshToken))
      },
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  #stored(id: string, text: string): StoredProfile {
    const tokens = this.tokens(id)
    const reading = tokens.read()
    const about = profileAbout.safeParse(jsonOf(text))
    if (!about.success) {
      return unusable({ id, reading, tokens }, { kind: 'lost', state: 'record-corrupt', why: ABOUT_DAMAGED })
    }
    const { mark, ...settings } = about.data
    const found = { id, about: settings, reading, tokens }
    const isVouchedFor = this.#isVouchedFor(id, settings, mark)
    // The data key of the mark may be the one that can't be opened.
    const isUnknown = reading.kind === 'lost' && reading.state === 'key-changed'
    if (!isVouchedFor && !isUnknown) {
      const why = 'another program changed the saved addresses of this key'
      // Without the addresses, because a new sign-in must not go there either.
      return unusable({ id, reading, tokens }, { kind: 'lost', state: 'record-corrupt', why })
    }
    // No saved secret goes to addresses that nothing confirms. A new sign-in may use them.
    if (!isVouchedFor || !about.data.hasClientSecret) return found
    const secret = this.#read((view) => this.#opened(view, id, SECRET))
    if (!secret.ok) return unusable(found, { kind: 'unreadable', why: secret.why })
    if (secret.value.kind === 'found') return { ...found, clientSecret: secret.value.secret }
    const state = secret.value.kind === 'lost' ? secret.value.state : 'record-corrupt'
    return unusable(found, { kind: 'lost', state, why: 'the saved secret can’t be decrypted' })
  }

  #markOf(profile: Omit<Profile, 'refreshToken'>): string {
    const { current } = this.#keys
    if (current === undefined) throw new Error('nothing can be vouched for without a data key')
    return addressMark(current.key, profile.id, profile)
  }

  /**
   * Whether any open data key confirms a profile's addresses, see `addressMark`. Also true without an open
   * data key: no saved secret can be read then. A new sign-in uses the addresses unconfirmed.
   */
  #isVouchedFor(id: string, about: ProfileAbout, mark: string | undefined): boolean {
    const keys = [...this.#keys.opened.values()]
    return keys.length === 0 || keys.some((key) => addressMark(key, id, about) === mark)
  }

  /** Reads a record, and quarantines a damaged one. */
  #opened(view: VaultView, id: string, kind: RecordKind): RecordReading {
    const reading = readRecord(view, id, kind)
    if (reading.kind === 'lost' && reading.state === 'record-corrupt') {
      this.#quarantine(id, kind, 'did not open')
    }
    return reading
  }

  /** Quarantines a record. If this fails, the record stays where it is, which is just as safe. */
  #quarantine(profile: string, kind: RecordKind, why: string): void {
    this.#write((view) => quarantineRecord(view, profile, kind, why))
  }

  get #view(): VaultView {
    return { database: this.#database, keys: this.#keys, nowMs: this.#wallMs() }
  }

  #read<T>(run: (view: VaultView) => T): VaultRead<T> {
    if (!this.#database.isOpen) return CLOSED
    try {
      return { ok: true, value: run(this.#view) }
    } catch (error) {
      const why = storageErrorText(error)
      if (why === undefined) throw error
      return { ok: false, why }
    }
  }

  /** Like `#write`, for data that must be sealed. */
  #seal(run: (view: VaultView) => void): Saved {
    return this.canSeal ? this.#write(run) : { ok: false, why: 'the vault is locked' }
  }

  /** Like `#write`, but for deletions: also overwrites the deleted pages in the file. */
  #erase(run: (view: VaultView) => void): Saved {
    const saved = this.#write(run)
    // The write-ahead log still contains the old pages.
    if (saved.ok) this.#read(({ database }) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    return saved
  }

  /** Returns ok only after the commit reached the disk (`synchronous=FULL`). */
  #write(run: (view: VaultView) => void): Saved {
    const written = this.#read((view): Saved => {
      transaction(view.database, () => run(view))
      if (!this.#isInPlace()) return { ok: false, why: VAULT_REPLACED }
      this.#committed()
      return SAVED
    })
    return written.ok ? written.value : written
  }
}

/** Changes one value in the unencrypted part of a stored profile. */
function changeAbout({ database, nowMs }: VaultView, id: string, name: string, value: unknown): void {
  database
    .prepare('UPDATE profiles SET about = json_set(about, ?, json(?)), changed_at_ms = ? WHERE id = ?')
    .run(`$.${name}`, JSON.stringify(value), Math.round(nowMs), id)
}

function writeDesk(view: VaultView, profile: string, text: string): void {
  keepLost(view, profile, DESK, 'replaced by another desk')
  writeNext(view, profile, { kind: DESK, secret: text })
}

/**
 * A stored profile that can't be used because its secret is missing or its addresses were changed. The stored
 * token stays unchanged in any case.
 */
function unusable(found: StoredProfile, reading: TokenReading): StoredProfile {
  if (found.reading.kind === 'none' || found.reading.kind === 'lost') return found
  return {
    ...found,
    reading,
    tokens: { ...found.tokens, read: () => reading },
  }
}
