import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ServerOptions, startSimulatorServer } from '../../../../main/simulator/server.ts'
import { SkippingClock, servicePorts } from '../../skipping-clock.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

/** `headroom gateway` without a window, as a real process before a simulator in this one. */
const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
const KEY = 'k3y-of-the-bot-0123456789'
const ACCOUNTS = '/v3/brokerage/accounts'
const VERY_PATIENT = { timeout: 30_000, interval: 50 }

const ENVIRONMENT = {
  HEADROOM_REFRESH_TOKEN: 'sim-refresh',
  HEADROOM_CLIENT_SECRET: '',
  HEADROOM_PASSPHRASE: '',
  HEADROOM_METRICS_TOKEN: '',
  HEADROOM_GATEWAY_KEYS: `bot:critical=${KEY}`,
}

async function service(traits: ServerOptions = {}, clock?: SkippingClock) {
  const simulator = await startSimulatorServer(
    { clientId: 'sim-key', refreshToken: 'sim-refresh', ...traits },
    clock && servicePorts(clock),
  )
  onTestFinished(() => simulator.close())
  const flags = ['--auth-url', simulator.origin, '--base-url', simulator.origin, '--client-id', 'sim-key']
  const gateway = (args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
    runNode([HEADROOM, 'gateway', '--port', '0', '--probe', 'none', ...flags, ...args], {
      ...ENVIRONMENT,
      ...environment,
    })
  return { simulator, gateway }
}

const READY = 'gateway ready: '

const get = (url: string, path = ACCOUNTS, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${KEY}`, ...headers } })

test('it serves the programs of the environment, prints its address, and ends at SIGTERM with exit code 0', async () => {
  const { gateway } = await service()
  const running = gateway()
  const url = await running.addressAfter(READY)
  expect((await get(url)).status).toBe(200)
  expect((await get(url, ACCOUNTS, { authorization: 'Bearer another-key-of-16' })).status).toBe(401)
  running.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await running.ended
  expect(exitCode).toBe(0)
  expect(stdout.split('\n')[0]).toBe(`gateway ready: ${url}`)
  expect(stdout + stderr).not.toContain(KEY)
}, 120_000)

test('with --json the first line has the address, and snapshots include the program', async () => {
  const { gateway } = await service()
  const running = gateway(['--json', '--reserve', 'Accounts=20'])
  const url = await running.addressAfter('"type":"gateway-ready"')
  expect((await get(url)).status).toBe(200)
  await running.said('"forwarded":1')
  running.child.kill('SIGTERM')
  const { exitCode, stdout } = await running.ended
  expect(exitCode).toBe(0)
  const [ready, ...lines] = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(ready).toEqual({ v: 1, type: 'gateway-ready', url })
  expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['snapshot', 'event']))
  const last = lines.findLast(({ type, programs }) => type === 'snapshot' && programs !== undefined)
  expect(last.programs).toMatchObject([{ name: 'bot', class: 'critical', forwarded: 1, keyEnding: '6789' }])
  expect(stdout).not.toContain(KEY)
}, 120_000)

test('if a sign-in is needed, it keeps serving and responds 503', async () => {
  const { gateway } = await service()
  const running = gateway([], { HEADROOM_REFRESH_TOKEN: 'of-another-day' })
  const url = await running.addressAfter(READY)
  await vi.waitFor(async () => {
    const answer = await get(url)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('sign in with this key') })
  }, VERY_PATIENT)
  running.child.kill('SIGTERM')
  const { exitCode, stderr } = await running.ended
  expect(exitCode).toBe(0)
  expect(stderr).toContain('until then programs get 503')
}, 120_000)

test('a taken port, and unusable keys, end it with one line before the token is used', async () => {
  const { gateway, simulator } = await service()
  const bad = await gateway([], { HEADROOM_GATEWAY_KEYS: `bot=${KEY},notes=short-secret` }).ended
  expect(bad).toMatchObject({ exitCode: 3, stdout: '' })
  expect(bad.stderr).toBe('headroom: HEADROOM_GATEWAY_KEYS, entry 2: its key needs at least 16 characters\n')
  const taken = await gateway(['--port', String(simulator.port)]).ended
  expect(taken).toMatchObject({ exitCode: 1, stdout: '' })
  expect(taken.stderr).toBe(
    `headroom: the gateway can't serve: port ${simulator.port} is taken; choose another one\n`,
  )
}, 120_000)

test('requests waiting at SIGTERM get 503, and the process ends with exit code 0', async () => {
  const { gateway } = await service()
  const other = 'k3y-of-the-notes-0123456789'
  const running = gateway(['--json', '--reserve', 'Accounts=200'], {
    HEADROOM_GATEWAY_KEYS: `bot:critical=${KEY},notes:background=${other}`,
  })
  const url = await running.addressAfter('"type":"gateway-ready"')
  // Each request takes 1.2 s to refill. `notes` waits until all have refilled.
  for (let i = 0; i < 20; i += 1) expect((await get(url)).status).toBe(200)
  const waiting = get(url, `${ACCOUNTS}?waits`, { authorization: `Bearer ${other}`, prefer: 'wait=300' })
  await running.said('"waiting":1')
  running.child.kill('SIGTERM')
  const answer = await waiting
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ detail: 'Not sent: Headroom is quitting.' })
  expect((await running.ended).exitCode).toBe(0)
}, 120_000)

test('at SIGTERM each stream reader gets GoAway and a complete end, and the service has no stream open', async () => {
  const { gateway, simulator } = await service()
  const running = gateway()
  const url = await running.addressAfter(READY)
  const shared = '/v3/brokerage/stream/accounts/SIM1001/positions'
  const byFetch = (await get(url, shared)).text()
  const curl = spawn('curl', ['--silent', '--no-buffer', '--config', '-'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void curl.kill('SIGKILL'))
  curl.stdin.end(`url = "${url}${shared}"\nheader = "Authorization: Bearer ${KEY}"\n`)
  let said = ''
  curl.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exitCode = new Promise<number | null>((resolve) => curl.on('close', resolve))
  await vi.waitFor(() => expect(said).toContain('EndSnapshot'), VERY_PATIENT)
  expect(simulator.service.streams()).toHaveLength(1)
  running.child.kill('SIGTERM')
  for (const text of [await byFetch, await exitCode.then(() => said)]) {
    const lines = text.trimEnd().split('\n')
    expect(lines.filter((line) => line.includes('GoAway'))).toEqual(['{"StreamStatus":"GoAway"}'])
    expect(lines.at(-1)).toBe('{"StreamStatus":"GoAway"}')
  }
  // With exit code 0, curl saw a regular end of the body, not a cut connection.
  expect(await exitCode).toBe(0)
  expect((await running.ended).exitCode).toBe(0)
  await vi.waitFor(() => expect(simulator.service.streams()).toEqual([]), VERY_PATIENT)
}, 120_000)

test('at SIGTERM a slow reader is waited for, and gets all of its last frames', async () => {
  const clock = new SkippingClock()
  const { gateway, simulator } = await service({ streamRate: 1_000 }, clock)
  const running = gateway()
  const url = await running.addressAfter(READY)
  const reads = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void reads.destroy())
  reads.write(
    `GET /v3/brokerage/stream/accounts/SIM1001/positions HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`,
  )
  reads.pause()
  // A second client reads the same data as `reads`, which reads nothing. Once it has read enough, the buffers
  // of the system (4 MB) and of the gateway are full of data for `reads`.
  const other = (await get(url, '/v3/brokerage/stream/accounts/SIM1001/positions')).body?.getReader()
  let bytes = 0
  for (const megabytes of [4, 8, 12]) {
    // The service sends everything that it would have sent in 9 s.
    clock.skip(9_000)
    while (bytes < megabytes << 20) bytes += (await other?.read())?.value?.length ?? Number.POSITIVE_INFINITY
  }
  running.child.kill('SIGTERM')
  await vi.waitFor(() => expect(simulator.service.streams()).toEqual([]), VERY_PATIENT)
  let text = ''
  const ended = new Promise<void>((resolve) => reads.on('end', resolve).on('error', () => resolve()))
  reads.setEncoding('latin1').on('data', (part: string) => {
    text = `${text}${part}`.slice(-200)
  })
  reads.resume()
  await ended
  expect(text).toMatch(/\{"StreamStatus":"GoAway"\}\n\r\n0\r\n\r\n$/)
  expect((await running.ended).exitCode).toBe(0)
}, 120_000)

test('programs added to a gateway with a data folder are there again after kill -9', async () => {
  const { gateway } = await service()
  const folder = temporaryFolder()
  const environment = { HEADROOM_PASSPHRASE: 'correct horse battery staple of mine' }
  const first = gateway(['--data', folder], environment)
  await first.addressAfter(READY)
  const added = await runNode([HEADROOM, 'program', 'add', 'scanner', '--data', folder], ENVIRONMENT).ended
  expect(added).toMatchObject({ exitCode: 0 })
  const key = added.stdout.trim()
  first.child.kill('SIGKILL')
  await first.ended
  const second = gateway(['--data', folder], environment)
  const url = await second.addressAfter(READY)
  expect((await get(url, ACCOUNTS, { authorization: `Bearer ${key}` })).status).toBe(200)
  expect((await get(url)).status).toBe(200)
  expect(readFileSync(join(folder, 'gateway.json'), 'utf8')).not.toContain(KEY)
  second.child.kill('SIGTERM')
  expect((await second.ended).exitCode).toBe(0)
}, 120_000)

test('programs added or cut off while no gateway ran are served, or not, by the next one', async () => {
  const { gateway } = await service()
  const folder = temporaryFolder()
  const program = (...args: readonly string[]) =>
    runNode([HEADROOM, 'program', ...args, '--data', folder], ENVIRONMENT).ended
  expect(await program('list')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('no programs; add one'),
  })
  const keys = []
  for (const name of ['scanner', 'notes']) {
    const added = await program('add', name)
    expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no Headroom is running on') })
    keys.push(added.stdout.trim())
  }
  expect(await program('add', 'NOTES')).toMatchObject({ exitCode: 1, stdout: '' })
  expect(await program('cut', 'nowhere')).toMatchObject({
    exitCode: 1,
    stderr: 'headroom: no program is named nowhere\n',
  })
  expect(await program('cut', 'notes')).toMatchObject({ exitCode: 0, stdout: 'notes was cut off\n' })
  expect((await program('list')).stdout).toMatch(/^scanner +normal +1 /m)
  expect(readFileSync(join(folder, 'gateway.json'), 'utf8')).not.toContain(keys[0])
  const running = gateway(['--data', folder], { HEADROOM_PASSPHRASE: 'correct horse battery staple of mine' })
  const url = await running.addressAfter(READY)
  const statuses = keys.map(async (key) => {
    const answer = await get(url, ACCOUNTS, { authorization: `Bearer ${key}` })
    return answer.status
  })
  expect(await Promise.all(statuses)).toEqual([200, 401])
  running.child.kill('SIGTERM')
  expect((await running.ended).exitCode).toBe(0)
}, 120_000)

test('the browser host accepts programs of the environment too', async () => {
  const flags = ['--host', 'browser', '--no-open', '--port', '0', '--gateway-port', '0']
  const running = runNode([HEADROOM, 'start', ...flags, '--data', temporaryFolder()], ENVIRONMENT)
  const url = await running.addressAfter(READY)
  // A host without a window ends after it printed the gateway's address.
  await running.said('headroom ready: ')
  expect((await get(url)).status).toBe(200)
  running.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await running.ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain(KEY)
}, 120_000)

test('programs added at the same time to a new data folder are all added', async () => {
  const folder = join(temporaryFolder(), 'new')
  const program = (...args: readonly string[]) =>
    runNode([HEADROOM, 'program', ...args, '--data', folder], ENVIRONMENT).ended
  const names = ['bot', 'notes', 'scanner', 'poller', 'sheet', 'screen']
  const added = await Promise.all(names.map((name) => program('add', name)))
  expect(added.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    names.map((name) => ({ exitCode: 0, stderr: expect.stringContaining(`key of ${name};`) })),
  )
  const { stdout } = await program('list', '--json')
  const listed: { programs: { name: string }[] } = JSON.parse(stdout)
  expect(listed.programs.map(({ name }) => name).sort()).toEqual([...names].sort())
}, 120_000)

test
  .skipIf(process.platform === 'win32')
  .each([
    ['/dev/null', 'stdout is closed or is the null device'],
    ...(process.platform === 'linux' ? [['/dev/full', 'stdout cannot be written: the disk is full']] : []),
  ])(
  'a program does not exist if its key goes to %s',
  async (device, why) => {
    const folder = temporaryFolder()
    const stdoutFile = openSync(device, 'w')
    onTestFinished(() => closeSync(stdoutFile))
    const add = [HEADROOM, 'program', 'add', 'bot', '--data', folder]
    const lost = await runNode(add, ENVIRONMENT, { stdoutFile }).ended
    expect(lost.exitCode).toBe(1)
    expect(lost.stderr).toContain('headroom: bot was not added, because its key could not be written\n')
    expect(lost.stderr).toContain(why)
    expect(await runNode(add, ENVIRONMENT).ended).toMatchObject({ exitCode: 0 })
  },
  60_000,
)
