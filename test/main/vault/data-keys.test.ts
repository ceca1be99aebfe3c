import { expect, test } from 'vitest'
import { addDataKey, unlockDataKeys } from '../../../main/vault/data-keys.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { NOW_MS } from './fixtures.ts'
import { testKeystore } from './test-keystore.ts'

function database() {
  const opened = openVaultFile(temporaryFolder(), NOW_MS)
  if (opened.kind !== 'open') throw new Error(opened.line)
  return opened.database
}

test('a store that is closed while the keystore wraps a new key is reported as closing', async () => {
  const store = database()
  const adding = addDataKey(store, testKeystore(), NOW_MS)
  store.close()
  expect(await adding).toEqual({ kind: 'unavailable', why: 'Headroom is quitting' })
})

test('another key of the right length is rejected, even if no record exists to contradict it', async () => {
  const store = database()
  expect((await unlockDataKeys(store, testKeystore(), NOW_MS)).kind).toBe('unlocked')
  const keystore = testKeystore()
  keystore.answer = { kind: 'unwrapped', key: new Uint8Array(32), renew: false }
  expect((await unlockDataKeys(store, keystore, NOW_MS)).kind).not.toBe('unlocked')
  store.close()
})
