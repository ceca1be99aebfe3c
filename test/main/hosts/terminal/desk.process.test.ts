import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { getNatsServer } from '../../../desk-server/get-nats-server.ts'
import { freePort, type NatsServerTraits } from '../../../desk-server/nats-process.ts'
import { startNatsServer } from '../../../desk-server/nats-server.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { type NodeStreams, runNode } from './run-node.ts'

const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
/** An address, because a path with a space would end the option. */
const LISTED = new URL('../../desk/listed-modules.ts', import.meta.url).href
const ENVIRONMENT = { HEADROOM_PASSPHRASE: 'CANARY words of eleven green plums' }
/** Allows for steps that take some seconds at most on a quiet machine. Milliseconds. */
const VERY_PATIENT = { timeout: 30_000, interval: 250 } as const
const DESK_MODULES = /\/main\/desk\/|@nats-io/

/** A service, and machines that are signed in to it with one key. */
async function service(clientId = 'key-1') {
  const simulator = await startSimulatorServer({
    clientId,
    refreshToken: 'CANARY-token',
    signedIdTokens: true,
  })
  onTestFinished(() => simulator.close())
  const flags = ['--auth-url', simulator.origin, '--base-url', simulator.origin, '--client-id', clientId]
  return { machine: () => machine(flags) }
}

async function machine(flags: readonly string[]) {
  const folder = temporaryFolder()
  const started = (command: string, environment = {}) =>
    runNode([HEADROOM, command, ...flags, '--probe', 'none', '--data', folder], {
      ...ENVIRONMENT,
      ...environment,
    })
  const desk = (args: readonly string[], environment = {}, streams: NodeStreams = {}) =>
    runNode([HEADROOM, 'desk', ...args, '--data', folder], { ...ENVIRONMENT, ...environment }, streams).ended
  const status = async () => {
    const { stdout } = await desk(['status', '--json'])
    return stdout === '' ? undefined : JSON.parse(stdout)
  }
  const signedIn = started('watch', { HEADROOM_REFRESH_TOKEN: 'CANARY-token' })
  await signedIn.said('Access token renewed')
  signedIn.child.kill('SIGTERM')
  await signedIn.ended
  return { folder, started, desk, status }
}

/** One line on stderr that ends with this, and nothing on stdout. */
const refused = (exitCode: number, line: string) => ({
  exitCode,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^headroom: ${line}\n$`)),
})

const program = await getNatsServer((line) => console.error(line))

describe.skipIf(program === undefined)('a desk on a real NATS server', () => {
  const server = (traits?: NatsServerTraits) => startNatsServer(program ?? '', traits)

  test('is created, joined and rotated on folders and through running Headrooms', async () => {
    const nats = await server()
    const { machine: another } = await service()
    const [tower, notebook] = await Promise.all([another(), another()])
    const created = await tower.desk(['create', '--server', nats.url, '--name', 'TOWER'])
    expect(created).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^headroom-desk-1\.[\w.-]+\n$/),
      stderr: expect.stringContaining('on every other machine: run headroom desk join there'),
    })
    expect(created.stderr).not.toContain('headroom-desk-')
    const again = await tower.desk(['create', '--server', nats.url])
    expect(again).toMatchObject(refused(1, 'This key already has a desk. Leave it first.'))

    const running = tower.started('watch')
    const gateway = notebook.started('gateway')
    await gateway.said('gateway')
    const joined = await notebook.desk(['join', '--name', 'NOTEBOOK'], {}, { input: created.stdout })
    expect(joined).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('joined the desk'),
    })
    const members = async () => (await tower.status()).members?.map(({ name }: { name: string }) => name)
    await vi.waitFor(async () => expect(await members()).toEqual(['TOWER', 'NOTEBOOK']), VERY_PATIENT)

    const rotated = await notebook.desk(['rotate'])
    expect(rotated).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('every other machine has to join'),
    })
    expect(rotated.stdout).not.toBe(created.stdout)
    await vi.waitFor(
      async () =>
        expect(await tower.status()).toMatchObject({ state: 'refused', refusal: { code: 'rotated' } }),
      VERY_PATIENT,
    )
    running.child.kill('SIGTERM')
    await running.ended
    expect(await tower.desk(['leave'])).toMatchObject({ exitCode: 0, stdout: '' })
    const old = await tower.desk(['join'], {}, { input: created.stdout })
    expect(old).toMatchObject(refused(1, 'This invitation was replaced. Ask for a new one.'))
    const { stdout: printed } = await notebook.desk(['invite', '--yes'])
    expect(printed).toBe(rotated.stdout)
    const invitation = { HEADROOM_DESK_INVITATION: printed.trim() }
    expect(await tower.desk(['join'], invitation)).toMatchObject({ exitCode: 0, stdout: '' })
    gateway.child.kill('SIGTERM')
    for (const { stdout, stderr } of [await running.ended, await gateway.ended])
      for (const secret of [created.stdout.trim(), rotated.stdout.trim(), 'CANARY'])
        expect(`${stdout}${stderr}`).not.toContain(secret)
  }, 180_000)

  test('refuses what cannot work in one line', async () => {
    const { machine: another } = await service()
    const { desk, status } = await another()
    const withoutStore = await server({ hasStore: false })
    const locked = await server({ config: 'authorization { user: "u", password: "CANARY-right" }' })
    const create = (url: string, environment = {}) => desk(['create', '--server', url], environment)
    const nobody = await create(`nats://127.0.0.1:${await freePort()}`)
    const refusals = [
      nobody,
      await create(withoutStore.url),
      await create(locked.url),
      await create(locked.url, { HEADROOM_DESK_CREDENTIALS: 'u:CANARY-wrong' }),
    ]
    for (const { exitCode, stdout, stderr } of refusals) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      expect(stderr).not.toContain('CANARY')
    }
    expect(new Set(refusals.map(({ stderr }) => stderr)).size).toBeGreaterThanOrEqual(3)
    expect(await create('http://127.0.0.1')).toMatchObject({ exitCode: 2, stdout: '' })
    const secretive = await create('nats://u:CANARY@127.0.0.1:4222')
    expect(secretive).toMatchObject({ exitCode: 2, stdout: '' })
    expect(secretive.stderr).not.toContain('CANARY')
    expect(await status()).toEqual({ v: 1, type: 'desk', profile: 'watched', state: 'none' })
    const right = await create(locked.url, { HEADROOM_DESK_CREDENTIALS: 'u:CANARY-right' })
    expect(right.exitCode).toBe(0)
    const stranger = await (await service('key-2')).machine()
    const joined = await stranger.desk(['join'], {}, { input: right.stdout })
    expect(joined).toMatchObject(refused(1, 'This invitation is for another API key.'))
    expect(await stranger.desk(['join'], {}, { input: right.stdout.slice(0, 50) })).toMatchObject(
      refused(2, 'The invitation is incomplete. Copy the whole word.'),
    )
    const argument = await stranger.desk(['join', right.stdout.trim()])
    expect(argument).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('an invitation is a secret'),
    })
    expect(argument.stderr).not.toContain('headroom-desk-1')
  }, 120_000)
})

test('without a desk, no module of desks or of NATS is loaded; a desk command loads them', async () => {
  const { machine: another } = await service()
  const { folder, started, desk } = await another()
  const file = join(folder, 'modules.txt')
  const listing = { NODE_OPTIONS: `--import=${LISTED}`, LISTED_MODULES: file }
  const loaded = () => readFileSync(file, 'utf8').split('\n')
  for (const command of ['watch', 'gateway']) {
    const running = started(command, listing)
    await running.said('Access token renewed')
    running.child.kill('SIGTERM')
    await running.ended
    expect(loaded()).toContainEqual(expect.stringContaining('/main/hosts/lazy-desks.ts'))
    expect(loaded().filter((url) => DESK_MODULES.test(url))).toEqual([])
  }
  expect((await desk(['status'], listing)).exitCode).toBe(0)
  for (const part of ['/main/desk/', '@nats-io/transport-node'])
    expect(loaded()).toContainEqual(expect.stringContaining(part))
}, 120_000)
