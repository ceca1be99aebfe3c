import { type Intent, type StoredTokens, signedIn } from '../../../app/tokens/stored-token.ts'
import type { Saved } from '../../../main/storage/storage-error.ts'
import type { TokenReading } from '../../../main/vault/token-records.ts'
import type { VaultTokens } from '../../../main/vault/vault.ts'

const FULL: Saved = { ok: false, why: 'the disk is full' }

/** A vault that outlives keepers, records the order of its calls, and can be full. */
export class RecordingStore implements VaultTokens {
  readonly steps: string[] = []
  isFull = false
  #stored: StoredTokens

  constructor(refreshToken: string, nowMs: number, changes: Partial<StoredTokens> = {}) {
    this.#stored = { ...signedIn(refreshToken, nowMs), ...changes }
  }

  get stored(): StoredTokens {
    return this.#stored
  }

  read(): TokenReading {
    return { kind: 'found', stored: this.#stored }
  }

  intend(intent: Intent, refreshToken: string): Saved {
    this.steps.push(`intend ${refreshToken}`)
    if (this.isFull) return FULL
    this.#stored = { ...this.#stored, intent }
    return { ok: true }
  }

  save(tokens: StoredTokens): Saved {
    this.steps.push(`save ${tokens.token.refreshToken} ${tokens.standing.kind}`)
    if (this.isFull) return FULL
    this.#stored = tokens
    return { ok: true }
  }

  note(): void {}
}
