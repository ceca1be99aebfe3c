import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile, vaultOf } from './fixtures.ts'
import { type TestKeystore, testKeystore } from './test-keystore.ts'

/** A vault that is closed at the end of the test, if the test did not close it. */
export async function openVault(folder: string, keystore: TestKeystore = testKeystore()) {
  const handle = await VaultHandle.open({ folder, keystore, wallMs: () => NOW_MS })
  onTestFinished(() => handle.close())
  return handle
}

/** An open vault in a new folder, in which a key has signed in. */
export async function signedInVault(keystore?: TestKeystore) {
  const folder = temporaryFolder()
  const handle = await openVault(folder, keystore)
  vaultOf(handle).signIn(profile(), held(1))
  return { folder, handle }
}

/** A folder with the closed vault of such a key. */
export async function storedFolder(keystore?: TestKeystore): Promise<string> {
  const { folder, handle } = await signedInVault(keystore)
  handle.close()
  return folder
}

/** Runs SQL on the file of a vault, as somebody else could. */
export function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'vault.db'))
  database.exec(sql)
  database.close()
}

export function rowsOf(folder: string, sql: string) {
  const database = new DatabaseSync(join(folder, 'vault.db'))
  const rows = database.prepare(sql).all()
  database.close()
  return rows
}
