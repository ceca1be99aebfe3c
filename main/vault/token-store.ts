import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Saved } from './storage-words.ts'

/** Where a token came from: a person, or the steps of a refresh in their order. */
export type JournalStep = 'signed-in' | 'intended' | 'sent' | 'received' | 'committed'

export type TokenReading =
  | { readonly kind: 'found'; readonly stored: StoredTokens }
  | { readonly kind: 'none' }
  /** There is a record and it does not open. It was kept. */
  | { readonly kind: 'lost'; readonly state: 'key-changed' | 'record-corrupt'; readonly why?: string }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Where the tokens of one profile live. Every write is durable when it answers ok. */
export interface TokenStore {
  /** Whether what it takes outlives the process. */
  readonly kind: 'sealed' | 'memory'
  read(): TokenReading
  /** Before the token is sent: whatever happens next, a later start knows that it may be used up. */
  intend(intent: Intent, refreshToken: string): Saved
  /** What is known now, whole: the newest token, where it stands, what waits. An intent that is not in it ends. */
  save(tokens: StoredTokens): Saved
  /** Which token was where in a refresh, by fingerprint. Not worth failing for. */
  note(step: JournalStep, generation: number, refreshToken: string): void
}
