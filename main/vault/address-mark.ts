import { createHmac } from 'node:crypto'
import type { Profile } from '../monitor/profile.ts'
import { derivedKey } from './sealing.ts'

/**
 * Vouches for where a profile's secrets may be sent.
 *
 * Its addresses are stored in the clear, so that a key can be named while its keystore is locked. Without this,
 * whoever can write the file could have the next start send the sealed token to a host of theirs.
 */
export function addressMark(
  dataKey: Uint8Array,
  id: string,
  { authUrl, baseUrl, clientId }: Pick<Profile, 'authUrl' | 'baseUrl' | 'clientId'>,
): string {
  const key = derivedKey(dataKey, 'addresses')
  return createHmac('sha256', key)
    .update(JSON.stringify([id, authUrl, baseUrl, clientId]), 'utf8')
    .digest('hex')
}
