import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Saved } from './storage-words.ts'

/** Where a token came from: a person, or the steps of a refresh in their order. */
export type JournalStep = 'signed-in' | 'intended' | 'sent' | 'received' | 'committed'

/** What the store of a key's tokens has of them. */
export type TokenReading =
  | { readonly kind: 'found'; readonly stored: StoredTokens }
  | { readonly kind: 'none' }
  /** There is a record and it does not open. It was kept. */
  | { readonly kind: 'lost'; readonly state: 'key-changed' | 'record-corrupt'; readonly why?: string }
  | { readonly kind: 'unreadable'; readonly why: string }

/** The tokens of one key in the vault. Every write is one transaction, durable when it answers ok. */
export interface VaultTokens {
  read(): TokenReading
  /** Before the token is sent: whatever happens next, a later start knows that it may be used up. */
  intend(intent: Intent, refreshToken: string): Saved
  /** The newest token, its standing and a revocation that waits. Ends an intent that is not in `tokens`. */
  save(tokens: StoredTokens): Saved
  /** Notes in the journal which token was where in a refresh, by fingerprint. A failure is not reported. */
  note(step: JournalStep, generation: number, refreshToken: string): void
}
