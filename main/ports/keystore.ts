/**
 * Wraps the vault's data key with the system's keychain or a passphrase. Only the wrapped key is on disk.
 *
 * A call may wait for a person, for example at the password prompt of a locked keyring. Implementations
 * therefore need a timeout. If the wait is too long, the result is `waiting`. Its `settled` resolves when the
 * wait has ended and the call can be repeated.
 */
export interface Keystore {
  wrap(key: Uint8Array): Promise<Wrapping>
  /** `backend` is the recorded kind of the keystore that wrapped the key, if known. */
  unwrap(wrapped: Uint8Array, backend?: string): Promise<Unwrapping>
  /** Whether every program that can read this wrapped key can also unwrap it. Absent if always false. */
  hidesNothing?(wrapped: Uint8Array): boolean
  /** Whether this keystore could have wrapped a key with `backend`. Absent if any backend is possible. */
  mayHaveWrapped?(backend: string): boolean
}

/** The backend that every host has. All others exist only on the desktop. */
export const PASSPHRASE_BACKEND = 'passphrase'

/** The result of wrapping a key. */
export type Wrapping =
  /**
   * `backend` is stored with the ciphertext, so that a message can name it while another backend is in use.
   */
  { readonly kind: 'wrapped'; readonly backend: string; readonly bytes: Uint8Array } | KeystoreTrouble

export type Unwrapping =
  /**
   * `renew` means that the key should be wrapped again, for example because the backend rotated its own key.
   */
  | { readonly kind: 'unwrapped'; readonly key: Uint8Array; readonly renew: boolean }
  /**
   * The wrapped key is intact, but this keystore can't open it, because its own key or the passphrase does
   * not match.
   */
  | { readonly kind: 'refused'; readonly why: string }
  /** The keystore's own key is right, but the wrapped key was changed. */
  | { readonly kind: 'damaged'; readonly why: string }
  | KeystoreTrouble

/** Why a keystore cannot be used now. */
export type KeystoreTrouble =
  | { readonly kind: 'waiting'; readonly why: string; readonly settled: Promise<void> }
  | { readonly kind: 'unavailable'; readonly why: string }
  /** Wrapping would protect nothing, and no person has consented to this. */
  | { readonly kind: 'unprotected'; readonly why: string }
