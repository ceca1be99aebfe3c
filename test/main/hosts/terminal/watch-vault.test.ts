import { expect, onTestFinished, test } from 'vitest'
import type { WatchFlags } from '../../../../main/hosts/terminal/flags.ts'
import { asWatched } from '../../../../main/hosts/terminal/watch-command.ts'
import { openWatchVault, type WatchedProfile } from '../../../../main/hosts/terminal/watch-vault.ts'
import { settingsCommands } from '../../../../main/monitor/commands/settings.ts'
import type { MonitorPorts } from '../../../../main/monitor/monitor.ts'
import { nodeClock, nodeRandom } from '../../../../main/ports/node-clock.ts'
import type { Profile } from '../../../../main/ports/profile.ts'
import { MEMORY_PROFILE_STORE, VaultProfileStore } from '../../../../main/sign-in/profile-store.ts'
import { ShownTimes } from '../../../../main/storage/shown-times.ts'
import { passphraseKeystore } from '../../../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../../../main/vault/vault-handle.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { held, NOW_MS, profile } from '../../vault/fixtures.ts'
import { testKeystore } from '../../vault/test-keystore.ts'
import { UNREADABLE_KEYS, unreadableProfiles } from '../../vault/unreadable-profiles.ts'

const WORDS = 'the words'
const CHOSEN = {
  name: 'Mine',
  environment: 'live',
  audience: 'https://example.com',
  rotationMinutes: 12,
  probes: { enabled: true, budgetFraction: 0.005, everySeconds: { Accounts: 60 }, symbol: 'AAPL' },
  streams: [],
} as const
const SERVICE = { authUrl: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1', clientId: 'client' }
/** The profile that the command creates from its flags alone. */
const ASKED: WatchedProfile = {
  ...SERVICE,
  id: 'watched',
  name: '127.0.0.1:1',
  environment: 'custom',
  probes: { budgetFraction: 0.02, everySeconds: {} },
  streams: [],
}
const PORTS: MonitorPorts = {
  clock: nodeClock,
  random: nodeRandom,
  http: {
    send: async () => ({ kind: 'not-sent', why: 'offline' }),
    open: () => () => {},
    reach: async () => 'offline',
  },
  log: { note: () => {} },
}

const openedVault = (folder: string) =>
  VaultHandle.open({
    folder,
    keystore: passphraseKeystore(WORDS, { N: 16, r: 8, p: 1 }),
    wallMs: () => NOW_MS,
  })

/** The data that a window stored: a connected key, and the choices of a person for it. */
async function leftBehind(standing: 'valid' | 'revoked' = 'valid'): Promise<string> {
  const folder = temporaryFolder()
  const handle = await openedVault(folder)
  const ended = { kind: 'revoked', atMs: NOW_MS } as const
  handle.vault?.signIn(profile(CHOSEN), { ...held(1), ...(standing === 'revoked' && { standing: ended }) })
  handle.close()
  return folder
}

async function storedIn(folder: string): Promise<Profile | undefined> {
  const handle = await openedVault(folder)
  const [stored] = new VaultProfileStore(handle, { startsOver: false, changed: () => {} }).restore()
  handle.close()
  return stored?.profile
}

/** Runs the command with these flags. Returns the profile and the settings that it watches with. */
async function watched(folder: string, flags: WatchFlags, refreshToken = '') {
  const opening = await openWatchVault(folder, WORDS, PORTS)
  if (opening.kind === 'failed') throw new Error(opening.line)
  const { vault } = opening
  const id = vault.connect({ ...ASKED, refreshToken }, (key) => asWatched(key, flags)) ?? ''
  const held = await settingsCommands(
    vault.monitor,
    MEMORY_PROFILE_STORE,
    new ShownTimes(undefined, 0, () => {}),
  ).handlers.keySettings({
    profile: id,
  })
  const shown = vault.monitor.snapshot(id)
  vault.monitor.stop()
  await vault.close()
  if (!held.ok) throw new Error(held.message)
  return { id, settings: held.settings, environment: shown?.profile.environment }
}

test('without flags a stored key is watched with the window’s settings', async () => {
  const folder = await leftBehind()
  const { id, settings, environment } = await watched(folder, {})
  expect([id, environment]).toEqual(['key-1', 'live'])
  expect(settings).toMatchObject({
    budgetFraction: 0.005,
    everySeconds: { Accounts: 60 },
    symbol: 'AAPL',
    rotationMinutes: 12,
  })
  expect(await storedIn(folder)).toMatchObject(CHOSEN)
})

test('flags apply to their run only', async () => {
  const folder = await leftBehind()
  const flags: WatchFlags = { probe: { budgetFraction: 0, everySeconds: {} }, probeSymbol: 'MSFT' }
  const { settings } = await watched(folder, flags)
  expect(settings).toMatchObject({ probesEnabled: false, symbol: 'MSFT', rotationMinutes: 12 })
  expect(await storedIn(folder)).toMatchObject(CHOSEN)
})

test('a new sign-in keeps the key’s settings, whatever the flags say', async () => {
  const folder = await leftBehind('revoked')
  const { settings } = await watched(folder, { probeSymbol: 'MSFT' }, 'a-new-token')
  expect(settings).toMatchObject({ symbol: 'MSFT', budgetFraction: 0.005 })
  expect(await storedIn(folder)).toMatchObject({ ...CHOSEN, refreshToken: 'a-new-token' })
})

test('a new key is stored with the usual checks, not with those of one run', async () => {
  const folder = temporaryFolder()
  const flags: WatchFlags = { probe: { budgetFraction: 0, everySeconds: {} } }
  expect((await watched(folder, flags, 'a-token')).settings.budgetFraction).toBe(0)
  expect(await storedIn(folder)).toMatchObject({ id: 'watched', probes: ASKED.probes })
})

test('a given token never replaces the newer token of a key that can’t be read', async () => {
  const folder = temporaryFolder()
  await watched(folder, {}, 'a-token')
  const handle = await openedVault(folder)
  const tokens = handle.vault?.tokens('watched')
  expect(tokens?.save(held(2, 'a-newer-token'))).toEqual({ ok: true })
  handle.close()
  const repair = unreadableProfiles()
  await expect(watched(folder, {}, 'a-token')).rejects.toThrow(UNREADABLE_KEYS)
  repair()
  expect(await storedIn(folder)).toMatchObject({ id: 'watched', refreshToken: 'a-newer-token' })
})

test('a folder encrypted by the desktop is one line, and no new key is added next to its own', async () => {
  const folder = temporaryFolder()
  const desktop = testKeystore(1)
  const keystore = {
    ...desktop,
    wrap: async (key: Uint8Array) => ({ ...(await desktop.wrap(key)), backend: 'kwallet6' }),
  }
  const open = () => VaultHandle.open({ folder, keystore, wallMs: () => NOW_MS })
  const handle = await open()
  handle.vault?.signIn(profile(), held(1))
  handle.close()
  const opening = await openWatchVault(folder, WORDS, PORTS)
  if (opening.kind === 'open') onTestFinished(() => opening.vault.close())
  expect(opening).toEqual({
    kind: 'failed',
    line: expect.stringMatching(/desktop app encrypted them.*\(kwallet6\).*nothing was changed$/),
    needsPerson: true,
  })
  const again = await open()
  expect(again.status).toEqual({ state: 'ok' })
  expect(again.vault?.tokens('key-1').read().kind).toBe('found')
  again.close()
})
