import { createHmac } from 'node:crypto'
import { derivedKey } from './sealing.ts'

/** Each refresh writes several fingerprints under one data key. */
const salts = new WeakMap<Uint8Array, Uint8Array>()

/**
 * Tells one token from another in the journal, and says nothing about either.
 *
 * Salted with a key derived from the data key: without that key nobody can check a guess.
 */
export function fingerprint(dataKey: Uint8Array, token: string): string {
  const salt = salts.get(dataKey) ?? derivedKey(dataKey, 'fingerprints')
  salts.set(dataKey, salt)
  return createHmac('sha256', salt).update(token, 'utf8').digest('hex').slice(0, 16)
}
