import { closeSync, mkdirSync, openSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { proves } from '../../../proof/proves.ts'
import { listening, portOf } from '../../loopback-server.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

/**
 * The real command in real processes. Tests what only a process has: its exit code, its streams and its
 * signals.
 */
const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
const headroom = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runNode([HEADROOM, ...args], { HEADROOM_REFRESH_TOKEN: '', HEADROOM_CLIENT_SECRET: '', ...environment })

const jsonLine = z.looseObject({ type: z.enum(['snapshot', 'event']), at: z.number() })
const jsonLines = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((text) => jsonLine.parse(JSON.parse(text)))

async function service() {
  const simulator = await startSimulatorServer({ clientId: 'key-1', refreshToken: 'token-1' })
  onTestFinished(() => simulator.close())
  const flags = ['--auth-url', simulator.origin, '--base-url', simulator.origin, '--client-id', 'key-1']
  return { simulator, flags, environment: { HEADROOM_REFRESH_TOKEN: 'token-1' } }
}

async function takenPort(): Promise<string> {
  return String(portOf(await listening(createServer())))
}

const oneLine = (text: string) => expect(text.trimEnd().split('\n')).toHaveLength(1)

test('watch on the built-in simulator writes only JSON on stdout, and ends on time', async () => {
  const { exitCode, stdout, stderr } = await headroom(['watch', '--json', '--for', '1']).ended
  expect(exitCode).toBe(0)
  expect(stderr).toBe('')
  const lines = jsonLines(stdout)
  expect(lines.filter(({ type }) => type === 'snapshot').length).toBeGreaterThanOrEqual(1)
})

test('watch follows a service, and writes no secret', async () => {
  const { flags, environment, simulator } = await service()
  const running = headroom(
    ['watch', '--json', '--for', '2', ...flags, '--stream', 'positions:SIM1001'],
    environment,
  )
  const { exitCode, stdout, stderr } = await running.ended
  expect(exitCode).toBe(0)
  expect(stdout).toContain('"source":"header"')
  expect(stdout + stderr).not.toContain('token-1')
  expect(jsonLines(stdout).map((line) => line['kind'])).toContain('stream-opened')
  expect(simulator.port).toBeGreaterThan(0)
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends watch with exit 0', async (signal) => {
  const { child, said, ended } = headroom(['watch', '--json'])
  await said('"snapshot"')
  child.kill(signal)
  expect((await ended).exitCode).toBe(0)
})

test('a closed stdout ends watch quietly', async () => {
  const { child, said, ended } = headroom(['watch', '--json'])
  await said('"snapshot"')
  child.stdout?.destroy()
  const { exitCode, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stderr).toBe('')
})

/** A file that takes no byte, as on a full disk. */
const onLinux = test.skipIf(process.platform !== 'linux')

onLinux.each([
  ['watch', ['watch', '--json']],
  ['a command that ends at once', ['--version']],
])('a full disk under stdout ends %s with exit 1 and one line', async (_, args) => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { exitCode, stderr } = await runNode([HEADROOM, ...args], {}, { stdoutFile: full }).ended
  expect(exitCode).toBe(1)
  expect(stderr).toBe('headroom: stdout cannot be written: the disk is full\n')
  proves('U1', { level: 3, cases: 1 })
})

test('with --no-link the window’s code is not on stdout', async () => {
  const args = ['start', '--host', 'browser', '--no-open', '--port', '0', '--data']
  const quiet = headroom([...args, temporaryFolder(), '--no-link'])
  await quiet.said('headroom ready: ')
  quiet.child.kill('SIGTERM')
  const { stdout, stderr } = await quiet.ended
  expect(stdout).toMatch(/^headroom ready: http:\/\/127\.0\.0\.1:\d+\/\n$/)
  expect(stdout + stderr).not.toContain('code')
})

test('start confirms a new passphrase only if the keys can be encrypted with it', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'vault.db.new'))
  const args = ['start', '--host', 'browser', '--no-open', '--port', '0', '--data', folder]
  const started = async () => {
    const running = headroom(args, { HEADROOM_PASSPHRASE: 'plum river saddle anchor' })
    await running.said('headroom ready: ')
    running.child.kill('SIGTERM')
    return running.ended
  }
  const confirmation = 'keys encrypted with HEADROOM_PASSPHRASE'
  const failed = await started()
  expect(failed.stdout).toContain(`tokens can't be saved in ${join(folder, 'vault.db')}`)
  expect(failed.stderr).not.toContain(confirmation)
  rmdirSync(join(folder, 'vault.db.new'))
  expect((await started()).stderr).toContain(confirmation)
})

test('simulate prints when it serves and ends on a signal', async () => {
  const { child, said, ended } = headroom(['simulate', '--port', '0'])
  await said('simulator ready: http://127.0.0.1:')
  child.kill('SIGTERM')
  expect((await ended).exitCode).toBe(0)
})

test('simulate has a control surface only if its secret is set, and long enough', async () => {
  const secret = 'control-secret-of-this-test'
  const { child, said, ended } = headroom(['simulate', '--port', '0'], { HEADROOM_SIMULATOR_CONTROL: secret })
  let origin = ''
  child.stdout?.on('data', (text: string) => {
    origin = /http:\S+/.exec(text)?.[0] ?? origin
  })
  await said('simulator ready: ')
  const state = (headers: Record<string, string>) => fetch(`${origin}/control/state`, { headers })
  expect((await state({ 'x-simulator-control': secret })).status).toBe(200)
  expect((await state({ 'x-simulator-control': 'another' })).status).not.toBe(200)
  child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain(secret)

  const weak = await headroom(['simulate', '--port', '0'], { HEADROOM_SIMULATOR_CONTROL: 'short' }).ended
  expect([weak.exitCode, weak.stdout]).toEqual([3, ''])
  expect(weak.stderr).toContain('HEADROOM_SIMULATOR_CONTROL needs at least 16 characters')
})

test('start rejects a control secret that is too short', async () => {
  const start = ['start', '--host', 'browser', '--no-open', '--port', '0', '--data', temporaryFolder()]
  const weak = await headroom(start, { HEADROOM_SIMULATOR_CONTROL: 'short' }).ended
  expect([weak.exitCode, weak.stdout]).toEqual([3, ''])
  expect(weak.stderr).toContain('HEADROOM_SIMULATOR_CONTROL needs at least 16 characters')
})

test('a taken port is exit 1 and one line', async () => {
  const port = await takenPort()
  for (const args of [
    ['simulate', '--port', port],
    ['start', '--host', 'browser', '--no-open', '--port', port, '--data', temporaryFolder()],
  ]) {
    const { exitCode, stderr } = await headroom(args).ended
    expect(exitCode).toBe(1)
    oneLine(stderr)
    expect(stderr).toContain(`port ${port} is taken`)
  }
})

test('start serves and locks its folder, and a second start names the owner', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'preferences.json'), '{"theme":')
  const args = ['start', '--host', 'browser', '--no-open', '--port', '0', '--data', folder]
  const first = headroom(args)
  await first.said('headroom ready: http://127.0.0.1:')
  const second = await headroom(args).ended
  expect(second.exitCode).toBe(1)
  oneLine(second.stderr)
  expect(second.stderr).toContain(`pid ${first.child.pid}`)
  first.child.kill('SIGTERM')
  const { exitCode, stderr } = await first.ended
  expect(exitCode).toBe(0)
  expect(stderr).toContain('preferences: the file is damaged and was renamed to preferences.corrupt-')
})

test('revoke ends in 0 only after the service confirmed it', async () => {
  const { flags, environment } = await service()
  const asked = await headroom(['revoke', ...flags], environment).ended
  expect(asked.exitCode).toBe(1)
  expect((await headroom(['revoke', '--yes', ...flags], environment).ended).exitCode).toBe(0)
  const again = await headroom(['revoke', '--yes', ...flags], environment).ended
  expect(again.exitCode).toBe(1)
  oneLine(again.stderr)
})
