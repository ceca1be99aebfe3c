import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { LOST_HOST } from '../../app/contract/key-health.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { type AppDeps, startApp } from '../../main/hosts/start-app.ts'
import { nodeHttp } from '../../main/network/http-client.ts'
import type { Keystore } from '../../main/ports/keystore.ts'
import { nodeClock, nodeRandom } from '../../main/ports/node-clock.ts'
import { Redactor } from '../../main/ports/redactor.ts'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { redactedLog } from '../../main/storage/log.ts'
import { passphraseKeystore } from '../../main/vault/passphrase-keystore.ts'
import { proves } from '../proof/proves.ts'
import { NO_PUSHES } from './hosts/no-pushes.ts'
import { temporaryFolder } from './storage/temporary-folder.ts'
import { unreadableProfiles } from './vault/unreadable-profiles.ts'

const CHEAP = { N: 16, r: 8, p: 1 }
const sealing = (words = 'CANARY passphrase') => passphraseKeystore(words, CHEAP)

const SECRETS = { clientSecret: 'CANARY-client-secret', refreshToken: 'CANARY-refresh-token' }

/** An app on a data folder, with everything that it sends to a window and to its log. */
async function started(dataFolder: string, keystore?: Keystore, more: Partial<AppDeps> = {}) {
  const said: unknown[] = []
  const events: LoggedEvent[] = []
  const log = redactedLog(new Redactor(), nodeClock.wallMs, (line) => said.push(line))
  const app = await startApp({
    dataFolder,
    ports: { clock: nodeClock, random: nodeRandom, http: nodeHttp({}), log },
    hello: { version: '1.2.3', host: 'browser' },
    ...(keystore && { keystore }),
    ...more,
  })
  let running = true
  const stop = async () => {
    if (running) await app.stop()
    running = false
  }
  onTestFinished(stop)
  const note = (value: unknown) => void said.push(value)
  const { handlers } = app.windows.open({
    ...NO_PUSHES,
    snapshotChanged: note,
    eventHappened: (event) => {
      note(event)
      events.push(event)
    },
    profileRemoved: note,
    alertsChanged: note,
    signInChanged: note,
  })
  const snapshot = async (id = 'key-1'): Promise<Snapshot | undefined> =>
    (await handlers.snapshots()).find(({ profile }) => profile.id === id)
  const reaches = async (state: Snapshot['refresh']['state'], id = 'key-1') => {
    await vi.waitFor(async () => expect((await snapshot(id))?.refresh.state).toBe(state), 10_000)
    return snapshot(id)
  }
  const ids = async () => (await handlers.snapshots()).map(({ profile }) => profile.id)
  return { app, handlers, said, events, stop, snapshot, reaches, ids }
}

async function service(options: Parameters<typeof startSimulatorServer>[0] = {}) {
  const simulator = await startSimulatorServer({ clientId: 'key', keys: 'rotating', ...SECRETS, ...options })
  onTestFinished(() => simulator.close())
  const { origin } = simulator
  const key = {
    name: 'Mine',
    environment: 'custom',
    authUrl: origin,
    baseUrl: origin,
    clientId: 'key',
    ...SECRETS,
  } as const
  return { simulator, key }
}

type Key = Awaited<ReturnType<typeof service>>['key']

/** The data folder of a run that connected one key and ended. */
async function connectedOnce(): Promise<string> {
  const folder = temporaryFolder()
  const { key } = await service()
  const first = await connected(folder, key)
  await first.stop()
  return folder
}

/** A run in which a key was just connected and has its token. */
async function connected(
  folder: string,
  key: Key,
  keystore: Keystore = sealing(),
  more: Partial<AppDeps> = {},
) {
  const running = await started(folder, keystore, more)
  await running.handlers.connect(key)
  await running.reaches('valid')
  return running
}

test('a connected key is connected at the next start, with its latest token', async () => {
  const folder = temporaryFolder()
  const { key } = await service()
  const first = await started(folder, sealing())
  // There is no key yet. The dialog that asks for its secrets says how they will be stored.
  expect(await first.handlers.hello()).toMatchObject({ keeps: 'sealed' })
  expect(await first.handlers.connect(key)).toEqual({ ok: true, profile: 'key-1' })
  expect(await first.reaches('valid')).toMatchObject({
    keystore: 'ok',
    refresh: { stored: 'sealed', rotating: true },
  })
  await first.stop()
  const second = await started(folder, sealing())
  expect(await second.ids()).toEqual(['key-1'])
  expect(await second.reaches('valid')).toMatchObject({
    profile: { name: 'Mine', environment: 'custom' },
    keystore: 'ok',
    refresh: { stored: 'sealed', rotating: true },
  })
})

test('without their passphrase saved keys are shown by name, not the simulator, and unchanged', async () => {
  const folder = await connectedOnce()
  const without = await started(folder)
  expect(await without.ids()).toEqual(['key-1'])
  expect(await without.snapshot()).toMatchObject({
    keystore: 'no-passphrase',
    refresh: { state: 'sign-in-required', cause: 'locked' },
  })
  expect(await without.handlers.events({ after: 0 })).toContainEqual(
    expect.objectContaining({
      kind: 'storage-problem',
      what: 'Your saved keys are locked. Restart Headroom with HEADROOM_PASSPHRASE.',
    }),
  )
  await without.stop()
  const again = await started(folder, sealing())
  await again.reaches('valid')
})

test('a wrong passphrase shows the key and asks, changes nothing, and the right one continues', async () => {
  const folder = await connectedOnce()
  const wrong = await started(folder, sealing('another'))
  expect(await wrong.snapshot()).toMatchObject({
    keystore: 'key-changed',
    refresh: {
      state: 'sign-in-required',
      reason:
        "Your saved keys can't be opened: wrong passphrase. Restart Headroom with the right HEADROOM_PASSPHRASE.",
    },
  })
  await wrong.stop()
  const right = await started(folder, sealing())
  await right.reaches('valid')
})

test('a key that opens only after a person agreed continues in the same run', async () => {
  const folder = temporaryFolder()
  const { key } = await service()
  let isAgreed = true
  const inner = sealing()
  const unprotected = { kind: 'unprotected', why: 'this desktop has no keyring' } as const
  const keystore: Keystore = {
    hidesNothing: () => true,
    wrap: async (bytes) => (isAgreed ? inner.wrap(bytes) : unprotected),
    unwrap: async (bytes) => (isAgreed ? inner.unwrap(bytes) : unprotected),
  }
  const keepConsent = () => {
    isAgreed = true
    return { ok: true } as const
  }
  const first = await connected(folder, key, keystore, { keepConsent })
  await first.stop()
  isAgreed = false
  const second = await started(folder, keystore, { keepConsent })
  expect(await second.reaches('sign-in-required')).toMatchObject({ keystore: 'unprotected' })
  expect(await second.handlers.allowUnprotected()).toEqual({ ok: true })
  expect(await second.reaches('valid')).toMatchObject({
    keystore: 'unprotected',
    refresh: { stored: 'sealed' },
  })
  expect(await second.handlers.allowUnprotected()).toMatchObject({ ok: false, code: 'not-needed' })
})

test('a forgotten key is not there at the next start, and the service got no revocation', async () => {
  const folder = temporaryFolder()
  const { key, simulator } = await service()
  const first = await connected(folder, key)
  expect(await first.handlers.disconnect({ profile: 'key-1' })).toEqual({ ok: true })
  await first.stop()
  const second = await started(folder, sealing())
  expect(await second.ids()).toEqual(['simulator'])
  expect(simulator.service.tokens).toBeDefined()
  expect(filesIn(folder)).not.toContain('Mine')
})

const CONNECT_ANEW = 'damaged. Connect the key as a new entry'
test.each([
  ['no JSON', "UPDATE profiles SET about = '{'", CONNECT_ANEW],
  ['without an address', "UPDATE profiles SET about = json_remove(about, '$.authUrl')", CONNECT_ANEW],
  [
    'with another address',
    "UPDATE profiles SET about = json_set(about, '$.authUrl', 'https://elsewhere.test')",
    'changed the saved addresses',
  ],
])(
  'a key whose row in the clear is %s stays, damaged by its id, is reported, and no demonstration replaces it',
  async (_, sql, reason) => {
    const folder = await connectedOnce()
    const database = new DatabaseSync(join(folder, 'vault.db'))
    database.exec(sql)
    const token = () =>
      database.prepare("SELECT sealed FROM records WHERE kind = 'refresh-token' AND sealed IS NOT NULL").get()
    const sealedBefore = token()
    const { ids, snapshot, handlers, said } = await started(folder, sealing())
    expect(await ids()).toEqual(['key-1'])
    expect(await snapshot()).toMatchObject({
      profile: { name: 'key-1 (damaged)' },
      keystore: 'record-corrupt',
      refresh: {
        state: 'sign-in-required',
        reason: expect.stringContaining(reason),
      },
      service: { host: LOST_HOST },
    })
    expect(JSON.stringify(said)).toContain('saved key key-1 are damaged')
    expect(token()).toEqual(sealedBefore)
    // A newly connected key gets its own id, and the damaged key can be disconnected.
    const other = await service({ clientId: 'other' })
    expect(await handlers.connect({ ...other.key, clientId: 'other' })).toEqual({
      ok: true,
      profile: 'key-2',
    })
    expect(await handlers.disconnect({ profile: 'key-1' })).toEqual({ ok: true })
    expect(await ids()).toEqual(['key-2'])
    expect(database.prepare('SELECT id FROM profiles').all()).toEqual([{ id: 'key-2' }])
    database.close()
    proves('K1', { level: 2, cases: 1 })
  },
)

test('a key that waits for its keyring is shown waiting, not a demonstration, and continues once that opens', async () => {
  const folder = await connectedOnce()
  const { promise: settled, resolve: unlock } = Promise.withResolvers<void>()
  const inner = sealing()
  let locked = true
  const waiting = { kind: 'waiting', why: 'the keyring is locked', settled } as const
  const { ids, snapshot } = await started(folder, {
    wrap: async (bytes) => (locked ? waiting : inner.wrap(bytes)),
    unwrap: async (bytes) => (locked ? waiting : inner.unwrap(bytes)),
  })
  expect(await ids()).toEqual(['key-1'])
  expect(await snapshot()).toMatchObject({
    keystore: 'waiting',
    refresh: { reason: expect.stringContaining('the keyring is locked') },
  })
  locked = false
  unlock()
  await vi.waitFor(async () => expect((await snapshot())?.keystore).toBe('ok'), 10_000)
  expect(await ids()).toEqual(['key-1'])
  proves('K1', { level: 2, cases: 1 })
})

test('an unconfirmed revocation is retried at the next start, and stays unconfirmed until a 200', async () => {
  const folder = temporaryFolder()
  const { key, simulator } = await service()
  const first = await connected(folder, key)
  simulator.faults.set('revoke-503', true)
  expect(await first.handlers.revoke({ profile: 'key-1' })).toMatchObject({
    ok: false,
    code: 'revoke-unconfirmed',
  })
  await first.stop()
  const second = await started(folder, sealing())
  await second.reaches('revoke-unconfirmed')
  expect(second.events.map(({ kind }) => kind)).not.toContain('revoked')
  await second.stop()
  simulator.faults.set('revoke-503', false)
  const third = await started(folder, sealing())
  await third.reaches('revoked')
  await third.stop()
  const fourth = await started(folder, sealing())
  await fourth.reaches('revoked')
})

test("after a revocation the key's streams end at once and nothing uses the grant", async () => {
  const { key, simulator } = await service()
  const { handlers, snapshot } = await connected(temporaryFolder(), key)
  await handlers.openStream({ profile: 'key-1', kind: 'positions', target: 'SIM1001' })
  await vi.waitFor(() => expect(simulator.service.slots.own('Positions Stream')).toBe(1), 10_000)
  expect(await handlers.revoke({ profile: 'key-1' })).toEqual({ ok: true })
  await vi.waitFor(() => expect(simulator.service.slots.own('Positions Stream')).toBe(0), 2_000)
  expect((await snapshot())?.streams.every(({ state }) => state === 'closed')).toBe(true)
  expect((await snapshot())?.access.state).toBe('none')
})

test('a key gets an id that no stored key has, even while those do not open', async () => {
  const folder = await connectedOnce()
  const other = await service({ clientId: 'other' })
  const wrong = await started(folder, sealing('another'), { simulate: true })
  expect(await wrong.handlers.connect({ ...other.key, clientId: 'other' })).toEqual({
    ok: true,
    profile: 'key-2',
  })
})

test('with the simulator, a failed list of saved keys loses no key that is connected later', async () => {
  const folder = temporaryFolder()
  const { key } = await service()
  const other = await service({ clientId: 'other' })
  const simulated = await connected(folder, key, sealing(), { simulate: true })
  const repair = unreadableProfiles()
  await simulated.handlers.connect({ ...other.key, clientId: 'other' })
  repair()
  expect(await simulated.reaches('valid', 'key-2')).toMatchObject({ keystore: 'ok' })
  expect(await simulated.snapshot()).toMatchObject({ keystore: 'ok', refresh: { stored: 'sealed' } })
  await simulated.stop()
  expect(await (await started(folder, sealing())).ids()).toEqual(['key-1', 'key-2'])
})

test('a start on the simulator shows no stored key, but preserves them', async () => {
  const folder = await connectedOnce()
  const simulated = await started(folder, sealing(), { simulate: true })
  expect(await simulated.ids()).toEqual(['simulator'])
  await simulated.stop()
  expect(await (await started(folder, sealing())).ids()).toEqual(['key-1'])
})

test('no byte of a secret is in any file or output of a whole run', async () => {
  const folder = temporaryFolder()
  const { key, simulator } = await service({ rotationOverlapSeconds: 30 })
  const tokens = new Set<string>([...Object.values(SECRETS), 'CANARY passphrase'])
  const http = nodeHttp({})
  const runs = []
  for (let run = 0; run < 2; run += 1) {
    const running = await started(folder, sealing(), {
      ports: {
        clock: nodeClock,
        random: nodeRandom,
        http: {
          open: http.open,
          reach: http.reach,
          send: async (request) => {
            const outcome = await http.send(request)
            // From here on, everything that the service issues is a secret.
            if (outcome.kind === 'answer' && request.url.endsWith('/oauth/token')) {
              const { access_token, refresh_token } = JSON.parse(outcome.body)
              for (const token of [access_token, refresh_token]) if (token) tokens.add(token)
            }
            return outcome
          },
        },
        log: { note: (line, fields) => runs.push(`${line} ${JSON.stringify(fields)}`) },
      },
    })
    if (run === 0) await running.handlers.connect(key)
    await running.reaches('valid')
    await running.handlers.openStream({ profile: 'key-1', kind: 'positions', target: 'SIM1001' })
    simulator.service.tokens.expireAccess(simulator.service.nowMs())
    await running.handlers.tryNow({ profile: 'key-1' })
    if (run === 1) await running.handlers.revoke({ profile: 'key-1' })
    runs.push(
      JSON.stringify([
        running.said,
        await running.handlers.snapshots(),
        await running.handlers.events({ after: 0 }),
      ]),
    )
    await running.stop()
  }
  const left = `${runs.join('\n')}\n${filesIn(folder)}`
  expect(left.length).toBeGreaterThan(10_000)
  expect(tokens.size).toBeGreaterThan(5)
  for (const token of tokens) {
    for (const form of formsOf(token)) expect(left).not.toContain(form)
  }
})

/** As it is, encoded, and the longer parts of it. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const half = secret.slice(0, Math.ceil(secret.length / 2))
  return [
    secret,
    half,
    encodeURIComponent(secret),
    bytes.toString('base64').slice(0, -4),
    bytes.toString('hex'),
  ]
}

function filesIn(folder: string): string {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path).toString('latin1'))
    .join('\n')
}
