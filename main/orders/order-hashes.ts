import { createHmac } from 'node:crypto'

const HASH_BYTES = 18
const NAME_BYTES = 6

/**
 * Keyed hashes of texts about orders. The key is in the vault. Without the key, an order can't be found by
 * hashing guessed symbols, quantities and prices.
 */
export class OrderHashes {
  readonly #keys: () => readonly Uint8Array[]
  readonly #own: Uint8Array
  /** The latest key whose name was computed, with the name. */
  #named: { readonly key: Uint8Array; readonly name: string } | undefined

  /**
   * `keys` returns the vault's keys, the current one first. `own` is a key of this run, used while the vault
   * has none.
   */
  constructor(keys: () => readonly Uint8Array[], own: Uint8Array) {
    this.#keys = keys
    this.#own = own
  }

  of(text: string): string {
    return this.#hashOf(this.#keys()[0] ?? this.#own, text)
  }

  /**
   * Whether one of the present keys has this name. Listed orders can't be compared with a hash of any other
   * key.
   */
  isKnown(name: string): boolean {
    return [...this.#keys(), this.#own].some((key) => name === this.#nameOf(key))
  }

  /** The hashes of a text, one for each key that may have been used in the journal. */
  allOf(text: string): readonly string[] {
    return [...this.#keys(), this.#own].map((key) => this.#hashOf(key, text))
  }

  /** A hash: the name of its key, a dot, and the digest. */
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
