import { createHmac } from 'node:crypto'
import { derivedKey } from './sealing.ts'

/**
 * Tells one token from another in the journal, and says nothing about either.
 *
 * Salted with a key derived from the data key: without that key nobody can check a guess.
 */
export function fingerprint(dataKey: Uint8Array, token: string): string {
  const salt = derivedKey(dataKey, 'fingerprints')
  return createHmac('sha256', salt).update(token, 'utf8').digest('hex').slice(0, 16)
}
