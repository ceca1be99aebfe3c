import { createHmac } from 'node:crypto'

const HASH_BYTES = 18
const NAME_BYTES = 6

/**
 * Keyed hashes of texts about orders. Without the key, which is in the vault, nobody can find out the order
 * by trying symbols, quantities and prices.
 */
export class OrderHashes {
  readonly #keys: () => readonly Uint8Array[]
  readonly #own: Uint8Array

  /** `keys`: those of the vault, the present one first. `own`: of this run, while the vault has none. */
  constructor(keys: () => readonly Uint8Array[], own: Uint8Array) {
    this.#keys = keys
    this.#own = own
  }

  of(text: string): string {
    return hashOf(this.#keys()[0] ?? this.#own, text)
  }

  /** Whether a present key has the name. With another one nothing that is listed equals a hash. */
  isKnown(name: string): boolean {
    return [...this.#keys(), this.#own].some((key) => name === nameOf(key))
  }

  /** The hashes under every key, of which one may have made the journal's. */
  allOf(text: string): readonly string[] {
    return [...this.#keys(), this.#own].map((key) => hashOf(key, text))
  }
}

/** A name of its key, a dot, and the hash itself. */
const hashOf = (key: Uint8Array, text: string): string =>
  `${nameOf(key)}.${digestOf(key, text).subarray(0, HASH_BYTES).toString('base64url')}`

const nameOf = (key: Uint8Array): string =>
  digestOf(key, 'the name of this key').subarray(0, NAME_BYTES).toString('base64url')

const digestOf = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()
