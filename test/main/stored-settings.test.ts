import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../main/hosts/start-app.ts'
import { nodeHttp } from '../../main/network/http-client.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { passphraseKeystore } from '../../main/vault/passphrase-keystore.ts'
import { NO_PUSHES } from './hosts/no-pushes.ts'
import { temporaryFolder } from './storage/temporary-folder.ts'

const CHEAP = { N: 16, r: 8, p: 1 }
const CHOSEN = {
  probesEnabled: false,
  budgetFraction: 0.005,
  symbol: 'AAPL',
  everySeconds: { Accounts: 60, Positions: 0 },
  trialAfterStep: true,
  rotationMinutes: 12,
}

/** The app on a data folder, as a window sees it. */
async function started(dataFolder: string, words?: string) {
  const app = await startApp({
    dataFolder,
    ports: { clock: nodeClock, random: nodeRandom, http: nodeHttp({}), log: { note: () => {} } },
    hello: { version: '1.2.3', host: 'browser' },
    ...(words !== undefined && { keystore: passphraseKeystore(words, CHEAP) }),
  })
  let running = true
  const stop = async () => {
    if (running) await app.stop()
    running = false
  }
  onTestFinished(stop)
  const { handlers } = app.windows.open(NO_PUSHES)
  return { handlers, stop }
}

async function key() {
  const service = await startSimulatorServer({ clientId: 'key', refreshToken: 'token', keys: 'rotating' })
  onTestFinished(() => service.close())
  const { origin } = service
  return {
    name: 'Mine',
    environment: 'custom',
    authUrl: origin,
    baseUrl: origin,
    clientId: 'key',
    refreshToken: 'token',
  } as const
}

test('settings of an encrypted key are there at the next start', async () => {
  const folder = temporaryFolder()
  const first = await started(folder, 'words')
  await first.handlers.connect(await key())
  expect(await first.handlers.setKeySettings({ profile: 'key-1', ...CHOSEN })).toMatchObject({
    ok: true,
    kept: 'stored',
    settings: CHOSEN,
  })
  await first.stop()
  const second = await started(folder, 'words')
  expect(await second.handlers.keySettings({ profile: 'key-1' })).toMatchObject({
    ok: true,
    kept: 'stored',
    settings: CHOSEN,
  })
  const [snapshot] = await second.handlers.snapshots()
  expect(snapshot?.probes).toMatchObject({ enabled: false, budgetFraction: 0.005, symbol: 'AAPL' })
})

test('settings changed while the stored keys do not open are there once they do', async () => {
  const folder = temporaryFolder()
  const first = await started(folder, 'words')
  await first.handlers.connect(await key())
  await first.stop()
  const wrong = await started(folder, 'other words')
  expect(await wrong.handlers.setKeySettings({ profile: 'key-1', ...CHOSEN })).toMatchObject({
    kept: 'stored',
  })
  await wrong.stop()
  const right = await started(folder, 'words')
  expect(await right.handlers.keySettings({ profile: 'key-1' })).toMatchObject({ settings: CHOSEN })
  const [snapshot] = await right.handlers.snapshots()
  expect(snapshot?.keystore).toBe('ok')
})

test('a key that signs in again keeps its settings', async () => {
  const folder = temporaryFolder()
  const first = await started(folder, 'words')
  await first.handlers.connect(await key())
  await first.handlers.setKeySettings({ profile: 'key-1', ...CHOSEN })
  await first.handlers.replaceToken({ profile: 'key-1', refreshToken: 'another' })
  await first.stop()
  const second = await started(folder, 'words')
  expect(await second.handlers.keySettings({ profile: 'key-1' })).toMatchObject({ settings: CHOSEN })
})

test('settings of a key in memory last until exit, and that is reported', async () => {
  const folder = temporaryFolder()
  const first = await started(folder)
  await first.handlers.connect(await key())
  expect(await first.handlers.setKeySettings({ profile: 'key-1', ...CHOSEN })).toMatchObject({
    ok: true,
    kept: 'until-exit',
    settings: CHOSEN,
  })
  await first.stop()
  const second = await started(folder)
  await second.handlers.connect(await key())
  expect(await second.handlers.keySettings({ profile: 'key-1' })).toMatchObject({
    settings: { probesEnabled: true, budgetFraction: 0.02, everySeconds: {} },
  })
})

test('the built-in simulator keeps its settings, though its key is new at each start', async () => {
  const folder = temporaryFolder()
  const first = await started(folder)
  expect(await first.handlers.setKeySettings({ profile: 'simulator', ...CHOSEN })).toMatchObject({
    kept: 'stored',
    settings: CHOSEN,
  })
  await first.stop()
  const second = await started(folder)
  expect(await second.handlers.keySettings({ profile: 'simulator' })).toMatchObject({ settings: CHOSEN })
  await second.stop()
})

test('damaged settings of the simulator are renamed, and that is reported', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'simulator.json'), '{"probes":{"budgetFraction":"all of it"}}')
  const { handlers } = await started(folder)
  expect(await handlers.keySettings({ profile: 'simulator' })).toMatchObject({
    settings: { probesEnabled: true, budgetFraction: 0.05 },
  })
  expect(await handlers.events({ after: 0 })).toContainEqual(
    expect.objectContaining({
      kind: 'storage-problem',
      what: expect.stringContaining("the built-in simulator's settings: the file is damaged"),
    }),
  )
  expect(readdirSync(folder).filter((name) => name.startsWith('simulator.corrupt'))).toHaveLength(1)
})
