import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1

/** The record to which a sealed value belongs. A value can be opened only as part of its own record. */
export interface Place {
  readonly profile: string
  readonly kind: string
  readonly generation: number
}

/** Encrypts a text with AES-256-GCM under a random nonce: `format · nonce · tag · ciphertext`. */
export function seal(key: Uint8Array, place: Place, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(associated(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body])
}

/** Decrypts the output of `seal`. `undefined` if the key, the place or any byte differs. */
export function unseal(key: Uint8Array, place: Place, sealed: Uint8Array): string | undefined {
  const start = 1 + NONCE_BYTES + TAG_BYTES
  if (sealed.length < start || sealed[0] !== FORMAT) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(associated(place))
    decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, start))
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString('utf8')
  } catch {
    return undefined // the tag does not match; GCM gives no other reason
  }
}

/** Derived keys by data key and purpose, cached because deriving a key takes longer than using it. */
const derived = new WeakMap<Uint8Array, Map<string, Uint8Array>>()

/** Derives a key for one purpose, so that no key serves two purposes. */
export function derivedKey(key: Uint8Array, purpose: string): Uint8Array {
  const known = derived.get(key) ?? new Map<string, Uint8Array>()
  derived.set(key, known)
  const found =
    known.get(purpose) ??
    new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), `headroom ${purpose}`, KEY_BYTES))
  known.set(purpose, found)
  return found
}

function associated({ profile, kind, generation }: Place): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(['headroom', profile, kind, generation]))
}
