import { app, type DecryptStringAsyncReturnValue, safeStorage as synchronous } from 'electron/main'

/**
 * `electron`, with an asynchronous safeStorage over the synchronous one of a runtime that has no other.
 *
 * A name that is exported here goes before the same name of `export *`.
 */
// @ts-expect-error: typed for `require` only
export * from 'electron'
// What electron-store imports.
export { default } from 'electron'

// Where there is no keyring, newer runtimes fall back by themselves.
void app.whenReady().then(() => synchronous.setUsePlainTextEncryption(true))

export const safeStorage = {
  isAsyncEncryptionAvailable: (): Promise<boolean> => Promise.resolve(true),
  encryptStringAsync: async (text: string): Promise<Buffer> => synchronous.encryptString(text),
  decryptStringAsync: async (bytes: Buffer): Promise<DecryptStringAsyncReturnValue> => ({
    result: synchronous.decryptString(bytes),
    shouldReEncrypt: false,
  }),
  getSelectedStorageBackend: () => synchronous.getSelectedStorageBackend(),
}
