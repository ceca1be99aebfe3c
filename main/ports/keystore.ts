/**
 * Wraps the vault's data key, by the system's keychain or a passphrase, so that only the wrapped key is on disk.
 *
 * A call may wait for a person, as a locked keyring asks for its password. An implementation sets itself a deadline:
 * `waiting` carries the end of the wait, after which a call is worth repeating.
 */
export interface Keystore {
  wrap(key: Uint8Array): Promise<Wrapping>
  unwrap(wrapped: Uint8Array): Promise<Unwrapping>
  /** Whether the wrapped key protects nothing from a program that can read the file; absent where that cannot be. */
  hidesNothing?(): boolean
  /** Whether what this backend wrapped can be a keystore's of this kind; absent where any can. */
  mayHaveWrapped?(backend: string): boolean
}

/** The one backend that every host can have; all others are the desktop's. */
export const PASSPHRASE_BACKEND = 'passphrase'

export type Wrapping =
  /** `backend` is recorded beside the ciphertext, so that a change of it can be named. */
  { readonly kind: 'wrapped'; readonly backend: string; readonly bytes: Uint8Array } | KeystoreTrouble

export type Unwrapping =
  /** `renew`: the backend asks for the key to be wrapped again, as after it rotated its own. */
  | { readonly kind: 'unwrapped'; readonly key: Uint8Array; readonly renew: boolean }
  /** What was wrapped is whole, and this keystore does not open it: another key, or a wrong passphrase. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The keystore's own key is the right one, and what it wrapped is not what it was. */
  | { readonly kind: 'damaged'; readonly why: string }
  | KeystoreTrouble

export type KeystoreTrouble =
  | { readonly kind: 'waiting'; readonly why: string; readonly settled: Promise<void> }
  | { readonly kind: 'unavailable'; readonly why: string }
  /** It would protect nothing, and the person has not agreed to that. */
  | { readonly kind: 'unprotected'; readonly why: string }
