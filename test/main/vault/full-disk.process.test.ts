import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unlockDataKeys } from '../../../main/vault/data-keys.ts'
import { Vault } from '../../../main/vault/vault.ts'
import { openVaultFile } from '../../../main/vault/vault-file.ts'
import { cannotProve, proves } from '../../proof/proves.ts'
import { smallDisk } from '../../storm/small-disk.ts'
import { isRoot, OTHER_USER } from '../storage/other-user.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { held, NOW_MS, profile } from './fixtures.ts'
import { runCommitter } from './run-committer.ts'
import { testKeystore } from './test-keystore.ts'

const onPosix = test.skipIf(process.platform === 'win32')

onPosix('where the system takes no more bytes, the write says so and the last good token stays', async () => {
  const folder = temporaryFolder()
  await runCommitter(folder, { until: 10 })
  // Limits each file to the present size of the vault, in blocks of 512 bytes, so that the journal can't
  // grow.
  const room = Math.ceil(statSync(join(folder, 'vault.db')).size / 512)
  const full = await runCommitter(folder, { until: 2_000, shellLimit: `-f ${room}` })
  const last = full.lines.at(-1)
  expect(last).toMatch(/^failed \d+ the disk is full$/)
  const committed = Number(full.lines.at(-2)?.split(' ')[1])
  const after = await runCommitter(folder, { until: committed + 2 })
  expect(after.lines[0]).toMatch(new RegExp(`^found ${committed} token ${committed} `))
  expect(after.lines.at(-1)).toBe(`committed ${committed + 2}`)
  proves('T7', { level: 3, cases: 1 })
})

test('a full store keeps its last token, gives the reason, and accepts the next one when there is room', async () => {
  const opening = openVaultFile(temporaryFolder(), NOW_MS)
  if (opening.kind !== 'open') throw new Error(opening.line)
  const { database } = opening
  const unlocking = await unlockDataKeys(database, testKeystore(), NOW_MS)
  if (unlocking.kind !== 'unlocked') throw new Error(unlocking.kind)
  const vault = new Vault({ database, keys: unlocking.keys, wallMs: () => NOW_MS })
  vault.signIn(profile(), held(1))
  const before = vault.tokens('key-1').read()
  const pages = database.prepare('PRAGMA page_count').get()?.['page_count']
  database.exec(`PRAGMA max_page_count = ${pages}`)
  const next = held(2, 'x'.repeat(50_000))
  expect(vault.tokens('key-1').save(next)).toEqual({ ok: false, why: 'the disk is full' })
  expect(vault.tokens('key-1').read()).toEqual(before)
  database.exec('PRAGMA max_page_count = 100000')
  expect(vault.tokens('key-1').save(next)).toEqual({ ok: true })
  expect(vault.tokens('key-1').read()).toMatchObject({ stored: next })
  vault.close()
  proves('T7', { level: 1, cases: 1 })
})

const { why, close } = smallDisk(true)
close()
if (why !== undefined) cannotProve('D2', 3, why)

test.skipIf(why !== undefined)('a nearly full disk leaves a whole new file or none, for any room', () => {
  const disk = smallDisk(true)
  onTestFinished(() => disk.close())
  const file = join(disk.folder, 'vault.db')
  let rooms = 0
  for (let opening = openAt(0); opening.kind !== 'open'; opening = openAt(++rooms * 3 * 4096)) {
    expect(opening.line).toBe(`tokens can't be saved in ${file}: the disk is full`)
    expect(existsSync(file)).toBe(false)
  }
  expect(rooms).toBeGreaterThan(8)
  proves('D2', { level: 3, cases: rooms })

  function openAt(freeBytes: number) {
    disk.fill(freeBytes)
    const opening = openVaultFile(disk.folder, NOW_MS)
    if (opening.kind === 'open') opening.database.close()
    return opening
  }
})

onPosix('a read-only file is reported as read-only, and not changed', async () => {
  const folder = temporaryFolder()
  await runCommitter(folder, { until: 3 })
  const file = join(folder, 'vault.db')
  const before = readFileSync(file)
  // Nothing is read-only for root, so another user must try.
  if (isRoot) for (const path of [folder, file]) chownSync(path, OTHER_USER, OTHER_USER)
  chmodSync(file, 0o400)
  chmodSync(folder, 0o500)
  const { lines } = await runCommitter(folder, { until: 5, asOtherUser: isRoot })
  chmodSync(folder, 0o700)
  expect(lines[0]).toMatch(/^broken unreadable/)
  expect(readFileSync(file).equals(before)).toBe(true)
  proves('D2', { level: 3, cases: 1 })
})
