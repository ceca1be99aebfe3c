import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Profile } from '../ports/profile.ts'
import { filePlace } from '../storage/sqlite-file.ts'
import { SAVED, type Saved, storageErrorText } from '../storage/storage-error.ts'
import type { DataKeys } from './data-keys.ts'
import { isInJournal, type JournalStep, writeJournal } from './journal.ts'
import { aboutOf, addressMark, keySettingsOf, type ProfileAbout, profileAbout } from './profile-record.ts'
import {
  nextGeneration,
  quarantineRecord,
  type RecordKind,
  type RecordReading,
  readRecord,
  type VaultView,
  writeRecord,
} from './records.ts'
import { jsonOf, readTokens, TOKEN, type TokenReading, writeIntent, writeTokens } from './token-records.ts'

/** The tokens of one key in the vault. Every write is one transaction, durable when it answers ok. */
export interface VaultTokens {
  read(): TokenReading
  /** Before the token is sent: whatever happens next, a later start knows that it may be used up. */
  intend(intent: Intent, refreshToken: string): Saved
  /** The newest token, its standing and a revocation that waits. Ends an intent that is not in `tokens`. */
  save(tokens: StoredTokens): Saved
  /** Notes in the journal which token was where in a refresh, by fingerprint. A failure is not reported. */
  note(step: JournalStep, generation: number, refreshToken: string): void
}

/** A stored profile as this start found it. */
export interface StoredProfile {
  readonly id: string
  /** Absent where it could not be read: then only its id is known. */
  readonly about?: ProfileAbout
  readonly clientSecret?: string
  readonly reading: TokenReading
  readonly tokens: VaultTokens
}

/** The result of storing a sign-in; `generation` is what its token is stored as. */
export type SignedIn =
  | (Saved & { readonly ok: true; readonly generation: number })
  | (Saved & { readonly ok: false })

const SECRET = 'client-secret'

const ABOUT_DAMAGED = 'its name and addresses are damaged; connect this key again, then disconnect this entry'

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

/** An answer of the service may come after the end of the app began. */
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
 * The keys that are stored in `vault.db`: their settings, tokens and secrets.
 *
 * Each write is a whole transaction or none, and durable when it answers ok; failures of the disk are values. Without
 * an open data key nothing is sealed and no secret read, but what is stored can be named and forgotten.
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

  /** The stored profiles, oldest first, so that windows keep their order. */
  profiles(): readonly StoredProfile[] {
    const reading = this.#read(({ database }) =>
      z
        .array(z.object({ id: z.string(), about: z.string() }))
        .parse(database.prepare('SELECT id, about FROM profiles ORDER BY rowid').all()),
    )
    return reading.ok ? reading.value.map(({ id, about }) => this.#stored(id, about)) : []
  }

  /**
   * A sign-in: the profile, its secrets and the first of its tokens, together or not at all.
   *
   * Its generation is raised above every one that the profile ever had.
   */
  signIn(profile: Omit<Profile, 'refreshToken'>, tokens: StoredTokens): SignedIn {
    const { id, clientSecret } = profile
    const { token } = tokens
    let storedAs = token.generation
    const saved = this.#seal((view) => {
      const { database, nowMs } = view
      // Not REPLACE, which would delete the row first, and with it everything that belongs to the profile.
      database
        .prepare(
          `INSERT INTO profiles VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET about = excluded.about, changed_at_ms = excluded.changed_at_ms`,
        )
        .run(id, JSON.stringify({ ...aboutOf(profile), mark: this.#markOf(profile) }), Math.round(nowMs))
      const generation = Math.max(nextGeneration(view, id, TOKEN), token.generation)
      storedAs = generation
      for (const kind of [TOKEN, SECRET] as const) {
        // Kept, should its key come back: only a newer generation would take its ciphertext.
        if (readRecord(view, id, kind).kind === 'lost') {
          quarantineRecord(view, id, kind, 'replaced by a new sign-in')
        }
      }
      // What waited of the sign-in before, a revocation too, ends with it.
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
      writeSecret(view, id, clientSecret)
    })
    return saved.ok ? { ...saved, generation: storedAs } : saved
  }

  /** Stores what a person chose of a key, and touches nothing else of it: the data key need not be open. */
  keepSettings(profile: Pick<Profile, 'id' | 'probes' | 'rotationMinutes'>): Saved {
    const { probes, rotationMinutes } = keySettingsOf(profile)
    const changes = { probes, ...(rotationMinutes !== undefined && { rotationMinutes }) }
    return this.#write(({ database, nowMs }) => {
      for (const [name, value] of Object.entries(changes)) {
        database
          .prepare('UPDATE profiles SET about = json_set(about, ?, json(?)), changed_at_ms = ? WHERE id = ?')
          .run(`$.${name}`, JSON.stringify(value), Math.round(nowMs), profile.id)
      }
    })
  }

  /** Another secret for the tokens that are there, which stay as they are. */
  keepSecret({ id, clientSecret }: Pick<Profile, 'id' | 'clientSecret'>): Saved {
    if (clientSecret === undefined) return SAVED
    return this.#seal((view) => {
      if (readRecord(view, id, SECRET).kind === 'lost') {
        quarantineRecord(view, id, SECRET, 'replaced by another secret')
      }
      writeSecret(view, id, clientSecret)
      view.database
        .prepare(
          "UPDATE profiles SET about = json_set(about, '$.hasClientSecret', json('true')), changed_at_ms = ? WHERE id = ?",
        )
        .run(Math.round(view.nowMs), id)
    })
  }

  /** Forgets a key here: everything of it is deleted, and overwritten in the file. */
  forget(profile: string): Saved {
    const saved = this.#write(({ database }) => {
      database.prepare('DELETE FROM profiles WHERE id = ?').run(profile)
    })
    // The journal still has the pages as they were.
    if (saved.ok) this.#read(({ database }) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    return saved
  }

  /** The kind of keystore that stands before the token of a profile, as it is recorded. */
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

  /** Whether this token was ever one of the profile's: then what is stored is the same or newer. */
  knows(profile: string, refreshToken: string): boolean {
    const reading = this.#read((view) => isInJournal(view, profile, refreshToken))
    return reading.ok && reading.value
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
    if (!this.#isVouchedFor(id, settings, mark)) {
      const why = 'another program changed the saved addresses of this key'
      return unusable(found, { kind: 'lost', state: 'record-corrupt', why })
    }
    if (!about.data.hasClientSecret) return found
    const secret = this.#read((view) => this.#clientSecret(view, id))
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

  /** Under any key that this start opened: without one nothing of it can be read anyway. */
  #isVouchedFor(id: string, about: ProfileAbout, mark: string | undefined): boolean {
    const keys = [...this.#keys.opened.values()]
    return keys.length === 0 || keys.some((key) => addressMark(key, id, about) === mark)
  }

  #clientSecret(view: VaultView, id: string): RecordReading {
    const reading = readRecord(view, id, SECRET)
    if (reading.kind === 'lost' && reading.state === 'record-corrupt') {
      this.#quarantine(id, SECRET, 'did not open')
    }
    return reading
  }

  /** Where even this cannot be written, the record stays in place, and is as safe there. */
  #quarantine(profile: string, kind: RecordKind, why: string): void {
    this.#write((view) => quarantineRecord(view, profile, kind, why))
  }

  get #view(): VaultView {
    return { database: this.#database, keys: this.#keys, nowMs: this.#wallMs() }
  }

  #read<T>(run: (view: VaultView) => T): Read<T> {
    if (!this.#database.isOpen) return CLOSED
    try {
      return { ok: true, value: run(this.#view) }
    } catch (error) {
      const why = storageErrorText(error)
      if (why === undefined) throw error
      return { ok: false, why }
    }
  }

  /** As `#write`, for what has to be sealed. */
  #seal(run: (view: VaultView) => void): Saved {
    return this.canSeal ? this.#write(run) : { ok: false, why: 'the vault is locked' }
  }

  /** Answers ok only after the commit reached the disk (`synchronous=FULL`). */
  #write(run: (view: VaultView) => void): Saved {
    if (!this.#database.isOpen) return CLOSED
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      run(this.#view)
      this.#database.exec('COMMIT')
      if (!this.#isInPlace()) return { ok: false, why: 'its file was removed or replaced' }
      this.#committed()
      return SAVED
    } catch (error) {
      this.#rollBack()
      const why = storageErrorText(error)
      if (why === undefined) throw error
      return { ok: false, why }
    }
  }

  #rollBack(): void {
    try {
      // SQLite has already rolled back by itself after some failures.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch (error) {
      if (storageErrorText(error) === undefined) throw error
    }
  }
}

function writeSecret(view: VaultView, profile: string, secret: string): void {
  const generation = nextGeneration(view, profile, SECRET)
  writeRecord(view, { profile, kind: SECRET, generation, secret, about: '{}' })
}

/**
 * Without its secret, or its true addresses, a key cannot be used, whatever became of its token: which stays as it is.
 */
function unusable(found: StoredProfile, reading: TokenReading): StoredProfile {
  if (found.reading.kind !== 'found') return found
  const { tokens } = found
  return {
    ...found,
    reading,
    tokens: {
      read: () => reading,
      intend: (intent, refreshToken) => tokens.intend(intent, refreshToken),
      save: (newer) => tokens.save(newer),
      note: (step, generation, refreshToken) => tokens.note(step, generation, refreshToken),
    },
  }
}
