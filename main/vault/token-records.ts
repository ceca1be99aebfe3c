import { z } from 'zod'
import { jsonOf } from '../../app/service/json.ts'
import type {
  Intent,
  PendingRevocation,
  StoredStanding,
  StoredTokens,
} from '../../app/tokens/stored-token.ts'
import type { TokenDoubt, TokenRecord } from '../../app/tokens/token-state.ts'
import { writeJournal } from './journal.ts'
import { readRecord, type VaultView, writeRecord } from './records.ts'

/** The stored tokens of a key, or why they cannot be used. */
export type TokenReading =
  | { readonly kind: 'found'; readonly stored: StoredTokens }
  | { readonly kind: 'none' }
  /** The record exists but can't be opened. It is kept. */
  | { readonly kind: 'lost'; readonly state: 'key-changed' | 'record-corrupt'; readonly why?: string }
  | { readonly kind: 'unreadable'; readonly why: string }

export const TOKEN = 'refresh-token'
/**
 * The record kind of other tokens that might be valid instead of the current token, see `TokenDoubt`. The
 * content is JSON. A record counts only if it has the same generation as the current token.
 */
const DOUBT = 'refresh-token-doubt'

/** The unencrypted data of a token: times, states and the signed-in user. It contains no secret. */
type TokenAbout = Pick<TokenRecord, 'signedInAtMs' | 'rotatedAtMs' | 'keepsToken' | 'subject'> & {
  readonly standing: StoredStanding
}
const tokenAbout: z.ZodType<TokenAbout> = z.object({
  signedInAtMs: z.number(),
  rotatedAtMs: z.number().exactOptional(),
  keepsToken: z.boolean(),
  subject: z.string().exactOptional(),
  standing: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('unconfirmed') }),
    z.object({ kind: z.literal('active') }),
    z.object({ kind: z.literal('sign-in-required'), reason: z.string() }),
    z.object({ kind: z.literal('revoked'), atMs: z.number() }),
  ]),
})
const pendingRevocation: z.ZodType<PendingRevocation> = z.object({
  reason: z.string(),
  byItself: z.boolean(),
})
const tokenDoubt = z.object({ honoured: z.string().min(1), waiting: z.array(z.string().min(1)).min(1) })
const intentRow = z.object({ generation: z.int(), at_ms: z.number() })
const outboxRow = z.object({ about: z.string() })

/**
 * Reads the tokens of one profile. `quarantine` is called for a record that cannot be opened, with the
 * reason.
 */
export function readTokens(
  view: VaultView,
  profile: string,
  quarantine: (why: string) => void,
): TokenReading {
  const { database } = view
  const record = readRecord(view, profile, TOKEN)
  if (record.kind !== 'found') {
    if (record.kind === 'lost' && record.state === 'record-corrupt') quarantine('did not open')
    return record
  }
  const about = tokenAbout.safeParse(jsonOf(record.about))
  if (!about.success) {
    quarantine('its metadata could not be read')
    return { kind: 'lost', state: 'record-corrupt' }
  }
  const { standing, ...dates } = about.data
  const doubt = readDoubt(view, profile, record.generation)
  const intent = intentRow
    .optional()
    .parse(database.prepare('SELECT * FROM intents WHERE profile = ?').get(profile))
  const waiting = outboxRow
    .optional()
    .parse(database.prepare('SELECT * FROM outbox WHERE profile = ?').get(profile))
  // A pending revocation stays pending even if its data is unreadable.
  const revocation = pendingRevocation
    .catch({ reason: 'Headroom quit before the service confirmed it', byItself: true })
    .parse(jsonOf(waiting?.about ?? ''))
  return {
    kind: 'found',
    stored: {
      token: {
        generation: record.generation,
        refreshToken: record.secret,
        ...dates,
        ...(doubt && { doubt }),
      },
      standing,
      ...(intent !== undefined && { intent: { generation: intent.generation, atMs: intent.at_ms } }),
      ...(waiting !== undefined && { revocation }),
    },
  }
}

/** Stores the tokens of one profile, within the caller's transaction. */
export function writeTokens(
  view: VaultView,
  profile: string,
  { token, standing, intent, revocation }: StoredTokens,
): void {
  const { database, nowMs } = view
  const { generation, refreshToken, doubt, ...dates } = token
  const about: TokenAbout = { ...dates, standing }
  const isKnown = database
    .prepare('SELECT 1 FROM records WHERE profile = ? AND kind = ? AND generation = ?')
    .get(profile, TOKEN, generation)
  writeRecord(view, {
    profile,
    kind: TOKEN,
    generation,
    secret: refreshToken,
    about: JSON.stringify(about),
  })
  database.prepare('DELETE FROM records WHERE profile = ? AND kind = ?').run(profile, DOUBT)
  if (doubt !== undefined) {
    writeRecord(view, { profile, kind: DOUBT, generation, secret: JSON.stringify(doubt), about: '{}' })
  }
  if (isKnown === undefined) writeJournal(view, profile, 'committed', { generation, refreshToken })
  if (intent === undefined) database.prepare('DELETE FROM intents WHERE profile = ?').run(profile)
  else writeIntent(view, profile, intent)
  if (revocation === undefined) {
    database.prepare('DELETE FROM outbox WHERE profile = ?').run(profile)
    return
  }
  // If a revocation is already pending, only `about` is replaced. The time of the first request stays.
  database
    .prepare('INSERT INTO outbox VALUES (?, ?, ?) ON CONFLICT (profile) DO UPDATE SET about = excluded.about')
    .run(profile, JSON.stringify(revocation), Math.round(nowMs))
}

/** Records, within the caller's transaction, that a refresh is beginning. */
export function writeIntent({ database }: VaultView, profile: string, { generation, atMs }: Intent): void {
  database
    .prepare('INSERT OR REPLACE INTO intents VALUES (?, ?, ?)')
    .run(profile, generation, Math.round(atMs))
}

/**
 * Reads the other tokens that may be valid, see `TokenDoubt`. If that fails, the current token is still used.
 */
function readDoubt(view: VaultView, profile: string, generation: number): TokenDoubt | undefined {
  const record = readRecord(view, profile, DOUBT)
  if (record.kind !== 'found' || record.generation !== generation) return undefined
  return tokenDoubt.safeParse(jsonOf(record.secret)).data
}
