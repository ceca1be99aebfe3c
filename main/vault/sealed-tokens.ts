import { z } from 'zod'
import type { TokenDoubt } from '../../app/tokens/key-state.ts'
import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import { writeJournal } from './journal.ts'
import { quarantineRecord, readRecord, writeRecord } from './records.ts'
import type { Saved } from './storage-words.ts'
import { pendingRevocation, tokenAbout } from './token-about.ts'
import type { VaultConnection } from './vault-connection.ts'
import type { JournalStep, TokenReading, VaultTokens } from './vault-tokens.ts'

const KIND = 'refresh-token'
/** The tokens that may be live in its place, as JSON, in one record of its own generation. */
const DOUBT = 'refresh-token-doubt'

const intentRow = z.object({ generation: z.int(), at_ms: z.number() })
const tokenDoubt = z.object({ honoured: z.string().min(1), waiting: z.array(z.string().min(1)).min(1) })
const outboxRow = z.object({ about: z.string() })

/** The tokens of one profile in `vault.db`. */
export class SealedTokens implements VaultTokens {
  readonly #vault: VaultConnection
  readonly #profile: string

  constructor(vault: VaultConnection, profile: string) {
    this.#vault = vault
    this.#profile = profile
  }

  read(): TokenReading {
    const reading = this.#vault.read(() => this.#read())
    return reading.ok ? reading.value : { kind: 'unreadable', why: reading.why }
  }

  intend(intent: Intent, refreshToken: string): Saved {
    return this.#vault.seal(() => {
      writeIntent(this.#vault, this.#profile, intent)
      this.#note('intended', intent.generation, refreshToken)
    })
  }

  save(tokens: StoredTokens): Saved {
    return this.#vault.seal(() => saveTokens(this.#vault, this.#profile, tokens))
  }

  note(step: JournalStep, generation: number, refreshToken: string): void {
    this.#vault.seal(() => this.#note(step, generation, refreshToken))
  }

  #read(): TokenReading {
    const { database, keys } = this.#vault
    const record = readRecord(database, keys, this.#profile, KIND)
    if (record.kind !== 'found') {
      if (record.kind === 'lost' && record.state === 'record-corrupt') this.#quarantine('did not open')
      return record
    }
    const about = tokenAbout.safeParse(jsonOf(record.about))
    if (!about.success) {
      this.#quarantine('what stands beside it could not be read')
      return { kind: 'lost', state: 'record-corrupt' }
    }
    const doubt = this.#doubt(record.generation)
    const intent = intentRow
      .optional()
      .parse(database.prepare('SELECT * FROM intents WHERE profile = ?').get(this.#profile))
    const waiting = outboxRow
      .optional()
      .parse(database.prepare('SELECT * FROM outbox WHERE profile = ?').get(this.#profile))
    // One that cannot be read is still one that was asked for.
    const revocation = pendingRevocation
      .catch({ reason: 'the app was closed before the service confirmed it', byItself: true })
      .parse(jsonOf(waiting?.about ?? ''))
    return {
      kind: 'found',
      stored: {
        token: {
          generation: record.generation,
          refreshToken: record.secret,
          ...(doubt && { doubt }),
          about: about.data,
        },
        ...(intent !== undefined && { intent: { generation: intent.generation, atMs: intent.at_ms } }),
        ...(waiting !== undefined && { revocation }),
      },
    }
  }

  /** What does not open is no reason to do without the token itself. */
  #doubt(generation: number): TokenDoubt | undefined {
    const { database, keys } = this.#vault
    const record = readRecord(database, keys, this.#profile, DOUBT)
    if (record.kind !== 'found' || record.generation !== generation) return undefined
    return tokenDoubt.safeParse(jsonOf(record.secret)).data
  }

  #quarantine(why: string): void {
    // Where even this cannot be written, the record stays in place, and is as safe there.
    this.#vault.write((database, _, nowMs) => quarantineRecord(database, this.#profile, KIND, why, nowMs))
  }

  #note(step: JournalStep, generation: number, refreshToken: string): void {
    writeJournal(this.#vault, this.#profile, step, generation, refreshToken)
  }
}

function writeIntent({ database }: VaultConnection, profile: string, { generation, atMs }: Intent): void {
  database
    .prepare('INSERT OR REPLACE INTO intents VALUES (?, ?, ?)')
    .run(profile, generation, Math.round(atMs))
}

/** Called inside the caller's transaction, which makes it durable. */
export function saveTokens(
  connection: VaultConnection,
  profile: string,
  { token, intent, revocation }: StoredTokens,
): void {
  const { database, keys, nowMs } = connection
  const { generation, refreshToken, doubt, about } = token
  const isKnown = database
    .prepare('SELECT 1 FROM records WHERE profile = ? AND kind = ? AND generation = ?')
    .get(profile, KIND, generation)
  writeRecord(database, keys, {
    profile,
    kind: KIND,
    generation,
    secret: refreshToken,
    about: JSON.stringify(about),
    atMs: nowMs,
  })
  database.prepare('DELETE FROM records WHERE profile = ? AND kind = ?').run(profile, DOUBT)
  if (doubt !== undefined) {
    const secret = JSON.stringify(doubt)
    writeRecord(database, keys, { profile, kind: DOUBT, generation, secret, about: '{}', atMs: nowMs })
  }
  if (isKnown === undefined) writeJournal(connection, profile, 'committed', generation, refreshToken)
  if (intent === undefined) database.prepare('DELETE FROM intents WHERE profile = ?').run(profile)
  else writeIntent(connection, profile, intent)
  if (revocation === undefined) {
    database.prepare('DELETE FROM outbox WHERE profile = ?').run(profile)
    return
  }
  // When it was asked for stays what it was.
  database
    .prepare('INSERT INTO outbox VALUES (?, ?, ?) ON CONFLICT (profile) DO UPDATE SET about = excluded.about')
    .run(profile, JSON.stringify(revocation), Math.round(nowMs))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
