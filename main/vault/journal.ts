import { createHmac } from 'node:crypto'
import type { VaultView } from './records.ts'
import { derivedKey } from './sealing.ts'

/** Why a token was recorded: a person signed in, or a refresh reached a step. The steps are in order. */
export type JournalStep = 'signed-in' | 'intended' | 'sent' | 'received' | 'committed'

/**
 * Number of rows kept per profile. Rows about tokens that a person entered are kept as long as the profile.
 */
const KEPT_ROWS = 200

/**
 * Records the fingerprint of a token that was intended, sent, received or committed. Call this within a
 * transaction.
 *
 * The journal shows a maintainer why a sign-in ended, without the token.
 */
export function writeJournal(
  { database, keys, nowMs }: VaultView,
  profile: string,
  step: JournalStep,
  { generation, refreshToken }: { readonly generation: number; readonly refreshToken: string },
): void {
  if (keys.current === undefined) throw new Error('no fingerprint without a data key')
  database
    .prepare('INSERT INTO journal (profile, generation, step, fingerprint, at_ms) VALUES (?, ?, ?, ?, ?)')
    .run(profile, generation, step, fingerprint(keys.current.key, refreshToken), Math.round(nowMs))
  database
    .prepare(
      `DELETE FROM journal WHERE profile = ? AND step <> 'signed-in' AND seq <=
       (SELECT seq FROM journal WHERE profile = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    )
    .run(profile, profile, KEPT_ROWS)
}

/** Whether the journal knows this token, under any data key that was opened in this run of the app. */
export function isInJournal({ database, keys }: VaultView, profile: string, refreshToken: string): boolean {
  const find = database.prepare('SELECT 1 FROM journal WHERE profile = ? AND fingerprint = ? LIMIT 1')
  return [...keys.opened.values()].some(
    (key) => find.get(profile, fingerprint(key, refreshToken)) !== undefined,
  )
}

/**
 * 16 hexadecimal digits that distinguish tokens without revealing anything about them.
 *
 * The salt is derived from the data key. Without that key, a guess can't be checked.
 */
export function fingerprint(dataKey: Uint8Array, token: string): string {
  const salt = derivedKey(dataKey, 'fingerprints')
  return createHmac('sha256', salt).update(token, 'utf8').digest('hex').slice(0, 16)
}
