import { hash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../ports/ports.ts'

const SECRET_BYTES = 32

export const newSecret = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')

/**
 * The SHA-256 digest of a secret, for lookups. A comparison of digests does not reveal how much of a guess is
 * correct.
 */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Compares in constant time. The digests have equal lengths, as `timingSafeEqual` requires. */
export const isSameSecret = (offered: string, wanted: string): boolean =>
  timingSafeEqual(hash('sha256', offered, 'buffer'), hash('sha256', wanted, 'buffer'))
