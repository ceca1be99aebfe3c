import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Profile } from '../monitor/profile.ts'
import { addressMark } from './address-mark.ts'
import type { DataKeys } from './data-keys.ts'
import { isInJournal, writeJournal } from './journal.ts'
import { aboutOf, chosenOf, type ProfileAbout, profileAbout } from './profile-record.ts'
import { nextGeneration, quarantineRecord, type RecordReading, readRecord, writeRecord } from './records.ts'
import { SealedTokens, saveTokens } from './sealed-tokens.ts'
import { SAVED, type Saved } from './storage-words.ts'
import type { VaultConnection } from './vault-connection.ts'
import type { TokenReading, VaultTokens } from './vault-tokens.ts'

/** A stored profile as this start found it. */
export interface StoredProfile {
  readonly id: string
  /** Absent where it could not be read: then only its id is known. */
  readonly about?: ProfileAbout
  readonly clientSecret?: string
  readonly reading: TokenReading
  readonly tokens: VaultTokens
}

/** `generation`: the one that its token is stored as. */
export type SignedIn =
  | (Saved & { readonly ok: true; readonly generation: number })
  | (Saved & { readonly ok: false })

const SECRET = 'client-secret'
const TOKEN = 'refresh-token'

const ABOUT_DAMAGED =
  'what is stored beside its token, its name and addresses, is damaged; the token is kept: connect this key anew, then disconnect this entry'

/** Sealed storage of keys: every write is durable when it answers ok. */
export class Vault {
  readonly #connection: VaultConnection

  constructor(connection: VaultConnection) {
    this.#connection = connection
  }

  get canSeal(): boolean {
    return this.#connection.canSeal
  }

  /** Oldest first, so that what a person sees keeps its order. */
  profiles(): readonly StoredProfile[] {
    const reading = this.#connection.read(() =>
      z
        .array(z.object({ id: z.string(), about: z.string() }))
        .parse(this.#connection.database.prepare('SELECT id, about FROM profiles ORDER BY rowid').all()),
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
    const saved = this.#connection.seal((database, keys, nowMs) => {
      // Not REPLACE, which would delete the row first, and with it everything that belongs to the profile.
      database
        .prepare(
          `INSERT INTO profiles VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET about = excluded.about, changed_at_ms = excluded.changed_at_ms`,
        )
        .run(
          id,
          JSON.stringify({ ...aboutOf(profile), mark: this.#markOf(keys, profile) }),
          Math.round(nowMs),
        )
      const generation = Math.max(nextGeneration(database, id, TOKEN), token.generation)
      storedAs = generation
      for (const kind of [TOKEN, SECRET] as const) {
        // Kept, should its key come back: only a newer generation would take its ciphertext.
        if (readRecord(database, keys, id, kind).kind === 'lost') {
          quarantineRecord(database, id, kind, 'replaced by a new sign-in', nowMs)
        }
      }
      // What waited of the sign-in before, a revocation too, ends with it.
      saveTokens(this.#connection, id, {
        ...tokens,
        token: { ...token, generation },
        ...(tokens.intent && { intent: { ...tokens.intent, generation } }),
      })
      writeJournal(this.#connection, id, 'signed-in', generation, token.refreshToken)
      if (clientSecret === undefined) {
        database.prepare('DELETE FROM records WHERE profile = ? AND kind = ?').run(id, SECRET)
        return
      }
      writeSecret(database, keys, id, clientSecret, nowMs)
    })
    return saved.ok ? { ...saved, generation: storedAs } : saved
  }

  /** Stores what a person chose of a key, and touches nothing else of it: the data key need not be open. */
  keepSettings(profile: Pick<Profile, 'id' | 'probes' | 'rotationMinutes'>): Saved {
    const { probes, rotationMinutes } = chosenOf(profile)
    const changes = { probes, ...(rotationMinutes !== undefined && { rotationMinutes }) }
    return this.#connection.write((database, _, nowMs) => {
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
    return this.#connection.seal((database, keys, nowMs) => {
      if (readRecord(database, keys, id, SECRET).kind === 'lost') {
        quarantineRecord(database, id, SECRET, 'replaced by another secret', nowMs)
      }
      writeSecret(database, keys, id, clientSecret, nowMs)
      database
        .prepare(
          "UPDATE profiles SET about = json_set(about, '$.hasClientSecret', json('true')), changed_at_ms = ? WHERE id = ?",
        )
        .run(Math.round(nowMs), id)
    })
  }

  /** Forgets a key here: everything of it is deleted, and overwritten in the file. */
  forget(profile: string): Saved {
    const saved = this.#connection.write((database) => {
      database.prepare('DELETE FROM profiles WHERE id = ?').run(profile)
    })
    // The journal still has the pages as they were.
    if (saved.ok)
      this.#connection.read(() => this.#connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    return saved
  }

  /** The kind of keystore that stands before the token of a profile, as it is recorded. */
  backendOf(profile: string): string | undefined {
    const reading = this.#connection.read(() =>
      this.#connection.database
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
    const reading = this.#connection.read(() => isInJournal(this.#connection, profile, refreshToken))
    return reading.ok && reading.value
  }

  tokens(profile: string): VaultTokens {
    return new SealedTokens(this.#connection, profile)
  }

  close(): void {
    this.#connection.close()
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
      const why = 'the stored addresses of this key were changed by something else'
      return unusable(found, { kind: 'lost', state: 'record-corrupt', why })
    }
    if (!about.data.hasClientSecret) return found
    const secret = this.#connection.read(() => this.#clientSecret(id))
    if (!secret.ok) return unusable(found, { kind: 'unreadable', why: secret.why })
    if (secret.value.kind === 'found') return { ...found, clientSecret: secret.value.secret }
    const state = secret.value.kind === 'lost' ? secret.value.state : 'record-corrupt'
    return unusable(found, { kind: 'lost', state, why: 'the stored client secret cannot be opened' })
  }

  #markOf({ current }: DataKeys, profile: Omit<Profile, 'refreshToken'>): string {
    if (current === undefined) throw new Error('nothing can be vouched for without a data key')
    return addressMark(current.key, profile.id, profile)
  }

  /** Under any key that this start opened: without one nothing of it can be read anyway. */
  #isVouchedFor(id: string, about: ProfileAbout, mark: string | undefined): boolean {
    const keys = [...this.#connection.keys.opened.values()]
    return keys.length === 0 || keys.some((key) => addressMark(key, id, about) === mark)
  }

  #clientSecret(id: string): RecordReading {
    const { database, keys } = this.#connection
    const reading = readRecord(database, keys, id, SECRET)
    if (reading.kind === 'lost' && reading.state === 'record-corrupt') {
      this.#connection.write((_, __, nowMs) => quarantineRecord(database, id, SECRET, 'did not open', nowMs))
    }
    return reading
  }
}

function writeSecret(
  database: DatabaseSync,
  keys: DataKeys,
  profile: string,
  secret: string,
  atMs: number,
): void {
  const generation = nextGeneration(database, profile, SECRET)
  writeRecord(database, keys, { profile, kind: SECRET, generation, secret, about: '{}', atMs })
}

/** Without its secret, or its true addresses, a key cannot be used, whatever became of its token: which stays as it is. */
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
