import { app, type DecryptStringAsyncReturnValue, safeStorage as synchronous } from 'electron/main'

/**
 * The module `electron` with an asynchronous safeStorage, for runtimes that only have the synchronous one.
 *
 * A name that is exported here takes precedence over the same name of `export *`.
 */
// @ts-expect-error: typed for `require` only
export * from 'electron'
// electron-store imports the default export.
export { default } from 'electron'

// Newer runtimes do this by themselves if there is no keyring.
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
