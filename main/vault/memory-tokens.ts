import { type Intent, type StoredTokens, signedIn, type TokenRecord } from '../../app/tokens/stored-token.ts'
import { SAVED, type Saved } from './storage-words.ts'
import type { TokenReading, TokenStore } from './token-store.ts'

/** The tokens of one profile for as long as this process lives: nothing reaches a disk. */
export class MemoryTokens implements TokenStore {
  readonly kind = 'memory'
  #stored: StoredTokens

  constructor(token: TokenRecord) {
    this.#stored = { token }
  }

  static signedIn(refreshToken: string, nowMs: number): MemoryTokens {
    return new MemoryTokens(signedIn(refreshToken, nowMs))
  }

  read(): TokenReading {
    return { kind: 'found', stored: this.#stored }
  }

  intend(intent: Intent): Saved {
    this.#stored = { ...this.#stored, intent }
    return SAVED
  }

  save(tokens: StoredTokens): Saved {
    this.#stored = tokens
    return SAVED
  }

  note(): void {}
}
