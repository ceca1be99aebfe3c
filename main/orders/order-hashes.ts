import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** Lengths in base64url characters. */
const HASH_LENGTH = 24
const NAME_LENGTH = 8

/** A key that is ready for hashing. Preparing a key takes as long as computing a hash. */
interface PreparedKey {
  readonly bytes: Uint8Array
  readonly secret: KeyObject
  readonly name: string
}

/**
 * Keyed hashes of texts about orders. The key is in the vault. Without the key, hashing all likely symbols,
 * quantities and prices does not reveal an order.
 */
export class OrderHashes {
  readonly #keys: () => readonly Uint8Array[]
  readonly #own: Uint8Array
  /** The key that was used last. */
  #last: PreparedKey | undefined

  /**
   * `keys` returns the vault's keys, the current one first. `own` is a key made for this run of the app, used
   * while the vault has no key.
   */
  constructor(keys: () => readonly Uint8Array[], own: Uint8Array) {
    this.#keys = keys
    this.#own = own
  }

  of(text: string): string {
    return this.#hashOf(this.#keys()[0] ?? this.#own, text)
  }

  /** Whether one of the keys has this name. A hash from any other key can't match a listed order. */
  isKnown(name: string): boolean {
    return [...this.#keys(), this.#own].some((key) => name === this.#prepared(key).name)
  }

  /** The hashes of a text under each key that might have made the journal's hashes. */
  allOf(text: string): readonly string[] {
    return [...this.#keys(), this.#own].map((key) => this.#hashOf(key, text))
  }

  /** A hash: the name of its key, a dot, and the digest. */
  #hashOf(key: Uint8Array, text: string): string {
    const { secret, name } = this.#prepared(key)
    return `${name}.${digestOf(secret, text).slice(0, HASH_LENGTH)}`
  }

  #prepared(bytes: Uint8Array): PreparedKey {
    if (this.#last === undefined || Buffer.compare(this.#last.bytes, bytes) !== 0) {
      const secret = createSecretKey(bytes)
      const name = digestOf(secret, 'the name of this key').slice(0, NAME_LENGTH)
      this.#last = { bytes, secret, name }
    }
    return this.#last
  }
}

const digestOf = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')
