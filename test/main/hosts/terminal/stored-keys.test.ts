import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { RevokeFlags } from '../../../../main/hosts/terminal/flags.ts'
import { revoke } from '../../../../main/hosts/terminal/revoke-command.ts'
import { openStoredKeys } from '../../../../main/hosts/terminal/stored-keys.ts'
import { stopStored } from '../../../../main/hosts/terminal/stored-orders.ts'
import { nodeHttp } from '../../../../main/network/http-client.ts'
import { nodeClock, nodeRandom } from '../../../../main/ports/node-clock.ts'
import { VaultProfileStore } from '../../../../main/sign-in/profile-store.ts'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { lockDataFolder } from '../../../../main/storage/lock.ts'
import { passphraseKeystore } from '../../../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../../../main/vault/vault-handle.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { profile } from '../../vault/fixtures.ts'
import { UNREADABLE_KEYS, unreadableProfiles } from '../../vault/unreadable-profiles.ts'
import { fakeTerminal } from './fake-terminal.ts'

const CHEAP = { N: 16, r: 8, p: 1 }
const STOPPED = { ok: true, stopped: true }
const PORTS = { clock: nodeClock, random: nodeRandom, http: nodeHttp({}) }

/** A data folder with two keys in it, as an app that ended left it. */
async function leftBehind() {
  const folder = temporaryFolder()
  const simulator = await startSimulatorServer({
    clientId: 'one',
    refreshToken: 'CANARY-one',
    keys: 'rotating',
  })
  onTestFinished(() => simulator.close())
  const service = { authUrl: simulator.origin, baseUrl: simulator.origin }
  const handle = await VaultHandle.open({
    folder,
    keystore: passphraseKeystore('the words', CHEAP),
    wallMs: () => Date.now(),
  })
  const storage = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
  const { clientSecret: _, ...key } = profile({ ...service, clientId: 'one', refreshToken: 'CANARY-one' })
  storage.signIn({ ...key, name: 'Mine' }, Date.now())
  storage.signIn({ ...key, id: 'key-2', clientId: 'two', refreshToken: 'CANARY-two' }, Date.now())
  handle.close()
  const run = async (flags: RevokeFlags, words = 'the words') => {
    const terminal = fakeTerminal({ interactive: true, answer: 'revoke' })
    const exitCode = await revoke(flags, {
      terminal,
      defaultDataFolder: () => '/data',
      askRunning: async () => ({ kind: 'not-running' }),
      revokeTokens: async () => {
        throw new Error('it was given no credentials')
      },
      openStored: () => openStoredKeys(folder, words, PORTS),
    })
    return { terminal, exitCode }
  }
  const asked = () => simulator.service.ledger.entries().map(({ path }) => path)
  return { folder, simulator, run, asked }
}

test('without a running app, a key of the data folder is revoked without a refresh, and stays so', async () => {
  const { run, asked } = await leftBehind()
  const { terminal, exitCode } = await run({ profile: 'key-1' })
  expect([exitCode, terminal.lines]).toEqual([0, ['revoked every refresh token of the key of Mine']])
  expect(terminal.questions).toEqual([expect.stringMatching(/Mine \(key-1\), which is stored here/)])
  expect(asked()).toEqual(['/oauth/revoke'])
  expect((await run({ profile: 'key-1', yes: true })).exitCode).toBe(0)
  // The revocation is stored, so the service is not asked again.
  expect(asked()).toEqual(['/oauth/revoke'])
})

test('with several stored keys one has to be named, and has to exist', async () => {
  const { run, asked } = await leftBehind()
  const several = await run({ yes: true })
  expect([several.exitCode, several.terminal.errors]).toEqual([
    2,
    [expect.stringMatching(/--profile.*key-1 \(Mine\), key-2/)],
  ])
  expect((await run({ yes: true, profile: 'key-9' })).exitCode).toBe(1)
  expect(asked()).toEqual([])
})

test('a 503 never shows as revoked, and waits in the folder for the next start', async () => {
  const { folder, simulator, run } = await leftBehind()
  simulator.faults.set('revoke-503', true)
  const { terminal, exitCode } = await run({ profile: 'key-1', yes: true })
  expect([exitCode, terminal.lines]).toEqual([1, []])
  expect(terminal.errors).toEqual([expect.stringMatching(/^not confirmed.*503/)])
  const handle = await VaultHandle.open({
    folder,
    keystore: passphraseKeystore('the words', CHEAP),
    wallMs: () => Date.now(),
  })
  expect(handle.vault?.tokens('key-1').read()).toMatchObject({ stored: { revocation: { byItself: true } } })
  handle.close()
})

test('a wrong passphrase and a folder in use are one line each, and nothing is revoked', async () => {
  const { folder, run, asked } = await leftBehind()
  const wrong = await run({ profile: 'key-1', yes: true }, 'other words')
  expect([wrong.exitCode, wrong.terminal.errors]).toEqual([
    3,
    [expect.stringContaining('wrong HEADROOM_PASSPHRASE')],
  ])
  const lock = lockDataFolder(folder, { pid: process.pid, host: 'browser' })
  const taken = await run({ profile: 'key-1', yes: true })
  expect([taken.exitCode, taken.terminal.errors.length]).toEqual([1, 1])
  if (lock.kind === 'held') lock.release()
  expect(asked()).toEqual([])
})

test('keys that can’t be read are neither called absent nor said to have stopped their orders', async () => {
  const { folder, run, asked } = await leftBehind()
  const database = new DatabaseSync(join(folder, 'vault.db'))
  onTestFinished(() => database.close())
  database.exec(`UPDATE profiles SET about = json_set(about, '$.orders', 'on')`)
  const stop = (id?: string) => stopStored(folder, id, Date.now)
  const switches = () => database.prepare(`SELECT about ->> 'orders' AS orders FROM profiles`).all()
  expect([await stop('key-1'), switches()]).toEqual([STOPPED, [{ orders: 'stopped' }, { orders: 'on' }]])
  const repair = unreadableProfiles()
  const failed = { ok: false, code: 'failed', message: `the keys in ${folder} can't be read` }
  expect([await stop(), await stop('key-2')]).toEqual([failed, failed])
  const { exitCode, terminal } = await run({ profile: 'key-1', yes: true })
  expect([exitCode, terminal.errors, asked()]).toEqual([1, [UNREADABLE_KEYS], []])
  repair()
  expect([await stop(), switches()]).toEqual([STOPPED, [{ orders: 'stopped' }, { orders: 'stopped' }]])
})

test('a folder without stored keys is unchanged', async () => {
  const folder = temporaryFolder()
  expect(await openStoredKeys(folder, 'the words', PORTS)).toEqual({ kind: 'nothing-stored' })
})

test('the desk of a stored key is kept in its folder, and the key is compared with its signed-in user', async () => {
  const { folder } = await leftBehind()
  const open = async () => {
    const opening = await openStoredKeys(folder, 'the words', PORTS)
    if (opening.kind !== 'open') throw new Error(opening.kind)
    return opening.stored
  }
  const first = await open()
  expect(first.keys.map(({ profile: id }) => id)).toEqual(['key-1', 'key-2'])
  expect(first.desks.keepDesk('key-1', 'CANARY-desk')).toEqual({ ok: true })
  expect(first.keyOf('key-1')).toMatchObject({ clientId: 'one', environment: 'custom', subject: undefined })
  expect(first.keyOf('key-3')).toBeUndefined()
  first.close()
  const handle = await VaultHandle.open({
    folder,
    keystore: passphraseKeystore('the words'),
    wallMs: () => 1,
  })
  const tokens = handle.vault?.tokens('key-1')
  const reading = tokens?.read()
  if (tokens === undefined || reading?.kind !== 'found') throw new Error('no tokens')
  const { token, standing } = reading.stored
  tokens.save({ token: { ...token, subject: 'auth0|1' }, standing })
  handle.close()
  const again = await open()
  expect(again.desks.desk('key-1')).toEqual({ kind: 'found', text: 'CANARY-desk' })
  expect(again.desks.desk('key-2')).toEqual({ kind: 'none' })
  expect(again.keyOf('key-1')?.subject).toBe('auth0|1')
  again.close()
})
