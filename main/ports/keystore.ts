/**
 * Wraps the vault's data key by the system's keychain or a passphrase, so that only the wrapped key is on
 * disk.
 *
 * A call may wait for the user, for example when a locked keyring prompts for its password. An implementation
 * must have a timeout. `waiting` contains the end of the wait, after which the call is worth repeating.
 */
export interface Keystore {
  wrap(key: Uint8Array): Promise<Wrapping>
  unwrap(wrapped: Uint8Array): Promise<Unwrapping>
  /**
   * Whether the wrapped key is unprotected against a program that can read the file; absent if this cannot
   * happen.
   */
  hidesNothing?(): boolean
  /** Whether `backend` may be one of this keystore's backends; absent if any may be. */
  mayHaveWrapped?(backend: string): boolean
}

/** The backend that is available in every host; all others exist on the desktop only. */
export const PASSPHRASE_BACKEND = 'passphrase'

/** The result of wrapping a key. */
export type Wrapping =
  /** `backend` is stored with the ciphertext, so that a message can report a change. */
  { readonly kind: 'wrapped'; readonly backend: string; readonly bytes: Uint8Array } | KeystoreTrouble

/** The result of unwrapping a key. */
export type Unwrapping =
  /** `renew`: the backend requests that the key be wrapped again, for example after rotating its own. */
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
  /** Wrapping would protect nothing, and the user has not consented. */
  | { readonly kind: 'unprotected'; readonly why: string }
