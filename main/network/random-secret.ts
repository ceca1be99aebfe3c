import { hash } from 'node:crypto'
import type { RandomBytes } from '../ports/ports.ts'

const SECRET_BYTES = 32

export const newSecret = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')

/**
 * The SHA-256 digest of a secret, for lookups. A comparison of digests does not reveal how much of a guess is
 * correct.
 */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url')
