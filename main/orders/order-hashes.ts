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
  /** The latest key that was named. */
  #named: { readonly key: Uint8Array; readonly name: string } | undefined

  /** `keys`: those of the vault, the present one first. `own`: of this run, while the vault has none. */
  constructor(keys: () => readonly Uint8Array[], own: Uint8Array) {
    this.#keys = keys
    this.#own = own
  }

  of(text: string): string {
    return this.#hashOf(this.#keys()[0] ?? this.#own, text)
  }

  /** Whether a present key has the name. With another one nothing that is listed equals a hash. */
  isKnown(name: string): boolean {
    return [...this.#keys(), this.#own].some((key) => name === this.#nameOf(key))
  }

  /** The hashes under every key, of which one may have made the journal's. */
  allOf(text: string): readonly string[] {
    return [...this.#keys(), this.#own].map((key) => this.#hashOf(key, text))
  }

  /** The name of its key, a dot, and the hash itself. */
  #hashOf(key: Uint8Array, text: string): string {
    return `${this.#nameOf(key)}.${digestOf(key, text, HASH_BYTES)}`
  }

  #nameOf(key: Uint8Array): string {
    if (this.#named === undefined || Buffer.compare(this.#named.key, key) !== 0)
      this.#named = { key, name: digestOf(key, 'the name of this key', NAME_BYTES) }
    return this.#named.name
  }
}

const digestOf = (key: Uint8Array, text: string, bytes: number): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, bytes).toString('base64url')
