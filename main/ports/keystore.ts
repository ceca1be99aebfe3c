/**
 * Wraps the vault's data key with the system's keychain or a passphrase, so that only the wrapped key is on
 * disk.
 *
 * A call may wait for a person, for example when a locked keyring prompts for its password, so
 * implementations must have a timeout. `waiting` contains the end of that wait, after which the call is worth
 * repeating.
 */
export interface Keystore {
  wrap(key: Uint8Array): Promise<Wrapping>
  unwrap(wrapped: Uint8Array): Promise<Unwrapping>
  /** Whether any program that can read the file can unwrap the key; absent if this can't happen. */
  hidesNothing?(): boolean
  /** Whether this keystore may have wrapped a key with `backend`; absent if it may have used any backend. */
  mayHaveWrapped?(backend: string): boolean
}

/** The backend that is available in every host; all others exist on the desktop only. */
export const PASSPHRASE_BACKEND = 'passphrase'

/** The result of wrapping a key. */
export type Wrapping =
  /** `backend` is stored with the ciphertext, so that a message can mention a change of backend. */
  { readonly kind: 'wrapped'; readonly backend: string; readonly bytes: Uint8Array } | KeystoreTrouble

/** The result of unwrapping a key. */
export type Unwrapping =
  /**
   * `renew`: the backend asks for the key to be wrapped again, for example because it rotated its own key.
   */
  | { readonly kind: 'unwrapped'; readonly key: Uint8Array; readonly renew: boolean }
  /** The wrapped key is intact, but this keystore cannot open it: another key, or a wrong passphrase. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The keystore's own key is right, but the wrapped data has changed. */
  | { readonly kind: 'damaged'; readonly why: string }
  | KeystoreTrouble

/** Why a keystore cannot be used now. */
export type KeystoreTrouble =
  | { readonly kind: 'waiting'; readonly why: string; readonly settled: Promise<void> }
  | { readonly kind: 'unavailable'; readonly why: string }
  /** Wrapping would protect nothing, and no person has consented to keys without protection. */
  | { readonly kind: 'unprotected'; readonly why: string }
