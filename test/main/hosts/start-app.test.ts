import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SAVED_KEYS } from '../../../app/contract/key-health.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { type AppDeps, startApp } from '../../../main/hosts/start-app.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { nodeClock, nodeRandom } from '../../../main/ports/node-clock.ts'
import type { Clock, Http } from '../../../main/ports/ports.ts'
import { type SimulatorServer, startSimulatorServer } from '../../../main/simulator/server.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { testKeystore } from '../vault/test-keystore.ts'
import { UNREADABLE_KEYS, unreadableProfiles } from '../vault/unreadable-profiles.ts'
import { NO_PUSHES } from './no-pushes.ts'

const HELLO = { version: '1.2.3', host: 'browser', hostReason: 'no display' } as const

async function running({
  clock = nodeClock,
  http = nodeHttp({}),
  dataFolder = temporaryFolder(),
  keystore,
  ...others
}: Partial<Pick<AppDeps, 'dataFolder' | 'keystore' | 'gatewayPort' | 'drainMs'>> & {
  clock?: Clock
  http?: Http
} = {}) {
  const app = await startApp({
    dataFolder,
    ...(keystore && { keystore }),
    ...others,
    ports: { clock, random: nodeRandom, http, log: { note: () => {} } },
    hello: HELLO,
  })
  onTestFinished(() => app.stop())
  const snapshots: Snapshot[] = []
  const window = app.windows.open({
    ...NO_PUSHES,
    snapshotChanged: (snapshot) => snapshots.push(snapshot),
  })
  onTestFinished(() => window.close())
  const profiles = async () => (await window.handlers.snapshots()).map(({ profile }) => profile.id)
  return { app, handlers: window.handlers, snapshots, profiles }
}

async function key() {
  return keyOf(await startedService())
}

async function startedService() {
  const service = await startSimulatorServer({ clientId: 'key', refreshToken: 'token' })
  onTestFinished(() => service.close())
  return service
}

function keyOf(service: SimulatorServer) {
  return {
    name: 'Mine',
    environment: 'custom',
    authUrl: service.origin,
    baseUrl: service.origin,
    clientId: 'key',
    refreshToken: 'token',
  } as const
}

/** A data folder in which a key is saved. */
async function folderWithKey(): Promise<string> {
  const folder = temporaryFolder()
  const { app, handlers } = await running({ dataFolder: folder, keystore: testKeystore() })
  expect(await handlers.connect(await key())).toMatchObject({ ok: true })
  await app.stop()
  return folder
}

test('a first start connects to the built-in simulator and shows live data', async () => {
  const { handlers, snapshots, profiles } = await running()
  expect(await handlers.hello()).toEqual({ ...HELLO, keeps: 'memory' })
  expect(await profiles()).toEqual(['simulator'])
  await vi.waitFor(() => {
    expect(snapshots.at(-1)?.requests.some(({ source }) => source === 'header')).toBe(true)
  }, 10_000)
})

test('a connected key replaces the simulator, which returns when the key is forgotten', async () => {
  const { handlers, profiles, snapshots } = await running()
  const outcome = await handlers.connect(await key())
  expect(outcome).toEqual({ ok: true, profile: 'key-1' })
  expect(await profiles()).toEqual(['key-1'])

  expect(await handlers.disconnect({ profile: 'key-1' })).toEqual({ ok: true })
  snapshots.length = 0
  await vi.waitFor(async () => {
    expect(await profiles()).toEqual(['simulator'])
    expect(snapshots.at(-1)?.access.state).toBe('valid')
  }, 10_000)
})

test('a key with an invalid address does not replace the simulator', async () => {
  const { handlers, profiles } = await running()
  const outcome = await handlers.connect({ ...(await key()), authUrl: 'http://example.com' })
  expect(outcome).toMatchObject({ ok: false, code: 'bad-address' })
  expect(await profiles()).toEqual(['simulator'])
})

test.each([
  {
    what: 'damaged',
    spoil: (file: string) => writeFileSync(file, 'no database, but long enough to be one'.repeat(200)),
    keystore: testKeystore(),
    state: 'record-corrupt',
    notice: /^Your saved keys are damaged\. Connect them again\. Old file: vault\.damaged/,
  },
  {
    what: 'written by a newer version',
    spoil: (file: string) => {
      const database = new DatabaseSync(file)
      database.exec('PRAGMA user_version = 99')
      database.close()
    },
    keystore: testKeystore(),
    state: 'unreadable',
    notice: /^Your saved keys can't be opened: .* newer version/,
  },
])('saved keys that are $what are shown, not the simulator, until a key is connected', async (day) => {
  const dataFolder = await folderWithKey()
  day.spoil(join(dataFolder, 'vault.db'))
  const { app, handlers, profiles } = await running({ dataFolder, keystore: day.keystore })
  const [shown] = await handlers.snapshots()
  expect(shown).toMatchObject({ profile: { id: SAVED_KEYS, name: 'Saved keys' }, keystore: day.state })
  expect(app.notices).toEqual([expect.stringMatching(day.notice)])
  expect(await handlers.connect(await key())).toMatchObject({ ok: true })
  await vi.waitFor(async () => expect(await profiles()).toEqual(['key-1']), 10_000)
})

test.each([0, 1])(
  'no new key replaces saved keys that can’t be listed (lists before: %i)',
  async (successes) => {
    const dataFolder = await folderWithKey()
    const repair = unreadableProfiles(successes)
    const { app, handlers } = await running({ dataFolder, keystore: testKeystore() })
    expect(await handlers.snapshots()).toMatchObject([
      { profile: { id: SAVED_KEYS }, keystore: 'unreadable' },
    ])
    expect(app.notices).toEqual([UNREADABLE_KEYS])
    expect(await handlers.connect({ ...(await key()), name: 'New' })).toMatchObject({ ok: true })
    expect(await handlers.snapshots()).toMatchObject([{ profile: { name: 'New' }, keystore: 'memory' }])
    await app.stop()
    repair()
    const again = await running({ dataFolder, keystore: testKeystore() })
    expect(await again.handlers.snapshots()).toMatchObject([{ profile: { name: 'Mine' }, keystore: 'ok' }])
  },
)

test('a demonstration whose sign-in ended, as after a long sleep, restarts', async () => {
  let sleptMs = 0
  let refusals = 0
  const network = nodeHttp({})
  const http: Http = {
    ...network,
    send: async (request) => {
      if (sleptMs === 0 || refusals > 0 || !request.url.endsWith('/oauth/token')) return network.send(request)
      refusals += 1
      return { kind: 'answer', status: 403, headers: {}, body: '{"error":"invalid_grant"}' }
    },
  }
  const clock: Clock = { ...nodeClock, wallMs: () => nodeClock.wallMs() + sleptMs }
  const { app, profiles, snapshots } = await running({ clock, http })
  await vi.waitFor(() => expect(snapshots.at(-1)?.access.state).toBe('valid'), 10_000)

  sleptMs = 3_600_000
  app.monitor.wake()
  await vi.waitFor(() => expect(refusals).toBe(1), 10_000)
  await vi.waitFor(async () => {
    expect(await profiles()).toEqual(['simulator'])
    expect(snapshots.at(-1)).toMatchObject({ access: { state: 'valid' }, refresh: { state: 'valid' } })
  }, 10_000)
})

test('a stop waits no longer than its drain time for a program’s request', async () => {
  const clock = new SkippingClock()
  const waits = vi.spyOn(clock, 'after')
  const drainMs = 61_234
  const { app, handlers } = await running({ clock, gatewayPort: 0, drainMs })
  const service = await startedService()
  await handlers.connect(keyOf(service))
  await vi.waitFor(() => expect(app.monitor.snapshot('key-1')?.access.state).toBe('valid'), 10_000)
  const added = await handlers.addProgram({ name: 'bot', class: 'normal', weight: 1, profile: 'key-1' })
  if (!added.ok) throw new Error(added.message)
  const path = '/v3/marketdata/quotes/AAPL'
  const get = () =>
    fetch(`${app.gateway.summary.url}${path}`, { headers: { authorization: `Bearer ${added.key}` } })
  // After a header, the next request does not wait for a check without a response.
  expect((await get()).status).toBe(200)
  const before = service.service.ledger.entries().length
  service.faults.set('black-hole', true)
  const answer = get()
  const isSent = () =>
    service.service.ledger
      .entries()
      .slice(before)
      .some((entry) => entry.path === path)
  await vi.waitFor(() => expect(isSent()).toBe(true), 10_000)

  const stopped = app.stop()
  await vi.waitFor(() => expect(waits).toHaveBeenCalledWith(drainMs, expect.anything()), 10_000)
  clock.skip(drainMs)
  await stopped
  expect((await answer).status).toBeGreaterThan(499)
})
