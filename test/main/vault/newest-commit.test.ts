import { copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SAVED_KEYS } from '../../../app/contract/key-health.ts'
import { VaultHandle } from '../../../main/vault/vault-handle.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, tokensOf, vaultOf } from './fixtures.ts'
import { openVault, signedInVault, storedFolder } from './opened-vault.ts'

const OLDER = expect.stringContaining('vault.db is an older copy')

const removeVault = (folder: string) => {
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `vault.db${end}`), { force: true })
}

/** A folder whose key has rotated its token since a copy of its store was made. */
async function rotatedSince() {
  const folder = await storedFolder()
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(join(folder, 'vault.db'), copy)
  const second = await openVault(folder)
  expect(second.notices).toEqual([])
  vaultOf(second).tokens('key-1').save(held(2))
  second.close()
  return { folder, copy }
}

test('a store restored from a copy is reported as such once; nothing else changes', async () => {
  const { folder, copy } = await rotatedSince()
  copyFileSync(copy, join(folder, 'vault.db'))
  const back = await openVault(folder)
  expect(back.status).toEqual({ state: 'ok' })
  expect(back.notices).toEqual([OLDER])
  expect(tokensOf(back)).toMatchObject({ stored: { token: { generation: 1 } } })
  back.close()
  // The store stays outdated until something newer is written.
  const again = await openVault(folder)
  expect(again.notices).toEqual([OLDER])
  vaultOf(again).tokens('key-1').save(held(5))
  again.close()
  const later = await openVault(folder)
  expect(later.notices).toEqual([])
  proves('D2', { level: 2, cases: 3 })
})

test('the newest store, a new one, and one with a damaged note are not called old', async () => {
  const { folder } = await rotatedSince()
  const newest = await openVault(folder)
  expect(newest.notices).toEqual([])
  newest.close()
  const note = join(folder, 'vault.seen.json')
  expect(statSync(note).mode & 0o077).toBe(0)
  writeFileSync(note, '{"madeAtMs":1')
  const beside = await openVault(folder)
  expect(beside.notices).toEqual([])
  beside.close()
  removeVault(folder)
  const fresh = await openVault(folder)
  expect(fresh.notices).toEqual([])
  fresh.close()
})

test('a store that was removed with its keys is missed, until the keys are connected again', async () => {
  const { folder } = await rotatedSince()
  removeVault(folder)
  const missing = expect.stringMatching(
    /^Your saved keys are missing: .*vault\.db was removed\. Quit Headroom/,
  )
  const locked = await VaultHandle.open({ folder, wallMs: () => NOW_MS })
  expect(locked.notices).toEqual([missing])
  const without = await openVault(folder)
  expect(without.notices).toEqual([missing])
  expect(without.storedIds()).toEqual([SAVED_KEYS])
  vaultOf(without).forget(SAVED_KEYS)
  without.close()
  const later = await openVault(folder)
  expect([later.notices, later.storedIds()]).toEqual([[], []])
})

test('a store that was removed after its keys were disconnected is not missed', async () => {
  const { folder, handle } = await signedInVault()
  vaultOf(handle).forget('key-1')
  handle.close()
  removeVault(folder)
  const fresh = await openVault(folder)
  expect([fresh.notices, fresh.storedIds()]).toEqual([[], []])
})

test('a note of an earlier version, without a number of keys, counts as a note of stored keys', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'vault.seen.json'), '{"madeAtMs":1,"step":4}')
  expect((await openVault(folder)).notices).toHaveLength(1)
})
