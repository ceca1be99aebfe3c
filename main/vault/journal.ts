import { fingerprint } from './fingerprint.ts'
import type { VaultConnection } from './vault-connection.ts'
import type { JournalStep } from './vault-tokens.ts'

/** Of the steps of refreshes; where a token came in from outside is kept for as long as its profile. */
const KEPT_ROWS = 200

/**
 * Which token was intended, sent, received and committed, by fingerprint: what a person and a maintainer need
 * to see why a sign-in ended, without the token. Called inside the caller's transaction.
 */
export function writeJournal(
  { database, keys, nowMs }: VaultConnection,
  profile: string,
  step: JournalStep,
  generation: number,
  refreshToken: string,
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

/** Under any key that this start opened. */
export function isInJournal(
  { database, keys }: VaultConnection,
  profile: string,
  refreshToken: string,
): boolean {
  const find = database.prepare('SELECT 1 FROM journal WHERE profile = ? AND fingerprint = ? LIMIT 1')
  return [...keys.opened.values()].some(
    (key) => find.get(profile, fingerprint(key, refreshToken)) !== undefined,
  )
}
