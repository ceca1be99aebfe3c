import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { z } from 'zod'
import { jsonOf } from '../../app/service/json.ts'
import { type Keystore, type KeystoreTrouble, PASSPHRASE_BACKEND } from '../ports/keystore.ts'
import { KEY_BYTES, seal, unseal } from './sealing.ts'

/** The cost of deriving a key from a passphrase with scrypt. */
export interface ScryptCost {
  /** CPU and memory, a power of two. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** A derivation at this cost takes 128 MiB and a few tenths of a second, once per start. */
export const SCRYPT_COST: ScryptCost = { N: 2 ** 17, r: 8, p: 1 }

const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 512 << 20
const WRAPPED_KEY = { profile: '', kind: 'data-key', generation: 0 }
const CHECK = { profile: '', kind: 'passphrase-check', generation: 0 }
const CHECK_TEXT = 'the passphrase is right'

const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value))
const base64 = z.base64().transform((text) => Buffer.from(text, 'base64'))
/** The numbers are bounded, so that a modified file can't use up all memory. */
const wrapping = z
  .object({
    v: z.literal(1),
    N: z
      .int()
      .min(2)
      .max(2 ** 20)
      .refine(isPowerOfTwo),
    r: z.int().min(1).max(16),
    p: z.int().min(1).max(16),
    salt: base64,
    check: base64,
    key: base64,
  })
  // Numbers that are each within their bounds can still need too much memory together.
  .refine(({ N, r, p }) => 128 * r * (N + 2 + p) <= MAX_MEMORY_BYTES)

/**
 * A keystore that wraps the data key with a key derived from a passphrase. The cost is stored with the
 * wrapped key.
 *
 * A check text is sealed separately from the data key. It distinguishes a wrong passphrase from a damaged
 * record.
 */
export function passphraseKeystore(passphrase: string, cost: ScryptCost = SCRYPT_COST): Keystore {
  return {
    mayHaveWrapped: (backend) => backend === PASSPHRASE_BACKEND,

    async wrap(key) {
      const salt = randomBytes(SALT_BYTES)
      const stretched = await stretch(passphrase, salt, cost)
      if (stretched === undefined) return NO_MEMORY
      const parts = {
        v: 1,
        ...cost,
        salt: salt.toString('base64'),
        check: toBase64(seal(stretched, CHECK, CHECK_TEXT)),
        key: toBase64(seal(stretched, WRAPPED_KEY, toBase64(key))),
      }
      return {
        kind: 'wrapped',
        backend: PASSPHRASE_BACKEND,
        bytes: new TextEncoder().encode(JSON.stringify(parts)),
      }
    },

    async unwrap(wrapped) {
      const parts = wrapping.safeParse(jsonOf(new TextDecoder().decode(wrapped)))
      if (!parts.success) return { kind: 'damaged', why: 'the saved key is unreadable' }
      const { salt, check, key, ...stored } = parts.data
      const stretched = await stretch(passphrase, salt, stored)
      if (stretched === undefined) return NO_MEMORY
      const opened = unseal(stretched, WRAPPED_KEY, key)
      if (opened !== undefined) {
        const bytes = Buffer.from(opened, 'base64')
        // A key that was wrapped at a lower cost than the current cost is wrapped again.
        return { kind: 'unwrapped', key: bytes, renew: stored.N < cost.N }
      }
      return unseal(stretched, CHECK, check) === CHECK_TEXT
        ? { kind: 'damaged', why: 'the saved key was changed' }
        : { kind: 'refused', why: 'wrong passphrase' }
    },
  }
}

const NO_MEMORY: KeystoreTrouble = {
  kind: 'unavailable',
  why: 'not enough memory to use the passphrase',
}

/** Derives a key from a passphrase. `undefined` if there is not enough memory. */
function stretch(
  passphrase: string,
  salt: Uint8Array,
  { N, r, p }: ScryptCost,
): Promise<Uint8Array | undefined> {
  const options: ScryptOptions = { N, r, p, maxmem: MAX_MEMORY_BYTES }
  return new Promise((resolve) => {
    // The passphrase is normalised, so that the same words give the same bytes on every system.
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      resolve(error ? undefined : key),
    )
  })
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
