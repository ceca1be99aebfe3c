import type { SafeStorage } from 'electron'
import { type Keystore, type KeystoreTrouble, PASSPHRASE_BACKEND } from '../../ports/keystore.ts'
import type { Clock } from '../../ports/ports.ts'

export interface SafeStorageDeps {
  /**
   * Only the asynchronous calls are used. A synchronous call would block the app while the keyring is locked.
   */
  readonly safeStorage: Pick<
    SafeStorage,
    | 'isAsyncEncryptionAvailable'
    | 'encryptStringAsync'
    | 'decryptStringAsync'
    // This call is synchronous, but it only reads a setting.
    | 'getSelectedStorageBackend'
  >
  readonly platform: NodeJS.Platform
  readonly clock: Clock
  /** Whether the person consented to storing tokens without protection. */
  readonly mayBeUnprotected: () => boolean
  readonly deadlineMs?: number
}

/**
 * Time limit of a keyring call in milliseconds. An open keyring answers sooner. After this time the window
 * appears, even if the system is still asking for a password.
 */
const DEADLINE_MS = 3_000

/** Interval between attempts to use a locked keyring. Milliseconds. */
const ASK_AGAIN_MS = 5_000

const UNAVAILABLE = 'the system has no keyring'

/**
 * Whether an error means that the keyring is not open yet. Only Electron's message shows this:
 * "safeStorage.decryptStringAsync is temporarily unavailable." A wrong key also causes a rejection.
 */
const isNotOpenYet = (error: unknown): boolean =>
  error instanceof Error && /temporarily unavailable/i.test(error.message)

type InTime<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed' }
  | Extract<KeystoreTrouble, { kind: 'waiting' }>

/**
 * Wraps the data key with the system's keystore: Keychain, DPAPI, Secret Service, KWallet. Usable after
 * Electron's `ready`.
 *
 * On Linux without a keyring, Electron encrypts with a password from Chromium's source code, which protects
 * nothing. The backend `basic_text` or the prefix `v10` reveals this, and the person must then consent. A
 * keyring that is not open yet is `waiting`, never `refused`.
 */
export function safeStorageKeystore(deps: SafeStorageDeps): Keystore {
  const { safeStorage, platform, clock, mayBeUnprotected, deadlineMs = DEADLINE_MS } = deps

  /**
   * Limits the wait for `work`. The work continues after the deadline, and `settled` resolves when it ends.
   */
  const inTime = <T>(work: () => Promise<T>): Promise<InTime<T>> =>
    new Promise((resolve) => {
      const running = work().then(
        (value): InTime<T> => ({ kind: 'done', value }),
        (error: unknown): InTime<T> => (isNotOpenYet(error) ? notOpenYet() : { kind: 'failed' }),
      )
      const settled = running.then(() => {})
      const cancel = clock.after(deadlineMs, () =>
        resolve({ kind: 'waiting', why: "the system's keyring isn't responding", settled }),
      )
      void running.then((end) => {
        cancel()
        resolve(end)
      })
    })

  const notOpenYet = (): Extract<KeystoreTrouble, { kind: 'waiting' }> => ({
    kind: 'waiting',
    why: "the system's keyring is locked",
    settled: new Promise((resolve) => void clock.after(ASK_AGAIN_MS, resolve)),
  })

  const backend = () => (platform === 'linux' ? safeStorage.getSelectedStorageBackend() : platform)

  const trouble = async (): Promise<KeystoreTrouble | undefined> => {
    const available = await inTime(() => safeStorage.isAsyncEncryptionAvailable())
    if (available.kind === 'waiting') return available
    if (available.kind === 'failed' || !available.value) return { kind: 'unavailable', why: UNAVAILABLE }
    return undefined
  }

  const hidesNothing = (wrapped: Uint8Array) =>
    platform === 'linux' &&
    (safeStorage.getSelectedStorageBackend() === 'basic_text' ||
      Buffer.from(wrapped.subarray(0, 3)).toString('latin1') === 'v10')
  const isUnprotected = (wrapped: Uint8Array) => !mayBeUnprotected() && hidesNothing(wrapped)

  const unprotected: KeystoreTrouble = { kind: 'unprotected', why: 'this desktop has no keyring' }

  return {
    hidesNothing,

    mayHaveWrapped: (recorded) => recorded !== PASSPHRASE_BACKEND,

    async wrap(key) {
      const stopped = await trouble()
      if (stopped !== undefined) return stopped
      const text = Buffer.from(key).toString('base64')
      const encrypted = await inTime(() => safeStorage.encryptStringAsync(text))
      if (encrypted.kind === 'waiting') return encrypted
      if (encrypted.kind === 'failed') return { kind: 'unavailable', why: UNAVAILABLE }
      if (isUnprotected(encrypted.value)) return unprotected
      return { kind: 'wrapped', backend: backend(), bytes: encrypted.value }
    },

    async unwrap(wrapped) {
      const stopped = await trouble()
      if (stopped !== undefined) return stopped
      if (isUnprotected(wrapped)) return unprotected
      const decrypted = await inTime(() => safeStorage.decryptStringAsync(Buffer.from(wrapped)))
      if (decrypted.kind === 'waiting') return decrypted
      if (decrypted.kind === 'failed') {
        return { kind: 'refused', why: "the system's keyring no longer decrypts them" }
      }
      const { result, shouldReEncrypt } = decrypted.value
      return { kind: 'unwrapped', key: Buffer.from(result, 'base64'), renew: shouldReEncrypt }
    },
  }
}
