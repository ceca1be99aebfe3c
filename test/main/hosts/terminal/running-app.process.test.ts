import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

/** The requests that other programs can send to a running app, tested with real processes. */
const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
const BEARER = 'a-bearer-of-this-test'
const headroom = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runNode([HEADROOM, ...args], {
    HEADROOM_REFRESH_TOKEN: '',
    HEADROOM_CLIENT_SECRET: '',
    HEADROOM_METRICS_TOKEN: '',
    ...environment,
  })

const snapshotLine = z.looseObject({
  type: z.literal('snapshot'),
  profile: z.object({ id: z.string() }),
  refresh: z.looseObject({ state: z.string() }),
})
const start = (folder: string) => ['start', '--host', 'browser', '--no-open', '--port', '0', '--data', folder]

test('status and revoke talk to the running app, and report if there is none', async () => {
  const folder = temporaryFolder()
  const nobody = await headroom(['status', '--json', '--data', folder]).ended
  expect(nobody).toMatchObject({ exitCode: 1, stdout: '' })
  expect(nobody.stderr).toContain(`no Headroom is running on ${folder}; start it with headroom start`)

  const app = headroom(start(folder))
  await app.said('headroom ready: ')
  const status = await headroom(['status', '--json', '--data', folder]).ended
  expect(status).toMatchObject({ exitCode: 0, stderr: '' })
  const line = snapshotLine.parse(JSON.parse(status.stdout))
  expect(line.profile.id).toBe('simulator')

  const unconfirmed = await headroom(['revoke', '--data', folder]).ended
  expect(unconfirmed.exitCode).toBe(1)
  const revoked = await headroom(['revoke', '--yes', '--data', folder]).ended
  expect(revoked).toMatchObject({ exitCode: 0, stderr: '' })
  const after = await headroom(['status', '--json', '--data', folder]).ended
  expect(snapshotLine.parse(JSON.parse(after.stdout)).refresh.state).toBe('revoked')

  app.child.kill('SIGTERM')
  expect((await app.ended).exitCode).toBe(0)
}, 40_000)

test('programs are added, served, listed, paused and cut off from the command line', async () => {
  const folder = temporaryFolder()
  const ask = (...args: readonly string[]) => headroom([...args, '--data', folder]).ended
  expect(await ask('gateway', 'status')).toMatchObject({ exitCode: 1, stdout: '' })
  const app = headroom(start(folder))
  await app.said('headroom ready: ')
  expect((await ask('gateway', 'status')).stdout).toBe('The gateway is off\n')
  expect((await ask('orders', 'status')).stdout).toMatch(/^.+: orders are off\n$/)
  const on = await ask('gateway', 'on', '--port', '0')
  expect(on).toMatchObject({ exitCode: 0, stderr: '' })
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(on.stdout) ?? []
  const added = await ask('program', 'add', 'My bot', '--class', 'critical')
  expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("won't be shown again") })
  const key = added.stdout.trim()
  const read = () => fetch(`${url}/v3/brokerage/accounts`, { headers: { authorization: `Bearer ${key}` } })
  expect((await read()).status).toBe(200)
  const listed = await ask('program', 'list')
  expect(listed.stdout).toMatch(/^My bot +critical +1 +1 +0\.02 +0 +0 +simulator +active$/m)
  expect(listed.stdout).toMatch(/^ {2}Accounts +1 +0\.02$/m)
  expect((await ask('status')).stdout).toContain('My bot')
  expect(listed.stdout).not.toContain(key)
  expect((await ask('program', 'pause', 'My bot')).stdout).toMatch(/^My bot is paused until \d\d:\d\d\n$/)
  const paused = await read()
  expect(paused.status).toBe(429)
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(280)
  expect((await ask('program', 'list')).stdout).toMatch(/paused until \d\d:\d\d$/m)
  expect((await ask('program', 'resume', 'My bot')).stdout).toBe('My bot resumed\n')
  expect((await read()).status).toBe(200)
  expect(await ask('program', 'cut', 'My bot')).toMatchObject({ exitCode: 0, stdout: 'My bot was cut off\n' })
  expect((await read()).status).toBe(401)
  expect(await ask('program', 'cut', 'My bot')).toMatchObject({
    exitCode: 1,
    stderr: 'headroom: no program is named My bot\n',
  })
  app.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await app.ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain(key)
  expect(readFileSync(join(folder, 'headroom.log'), 'utf8')).not.toContain(key)
  // The gateway was turned on, so it is on after a restart.
  const again = headroom(start(folder))
  await again.said('gateway ready: ')
  expect((await ask('gateway', 'off')).stdout).toBe('The gateway is off\n')
  again.child.kill('SIGTERM')
  expect((await again.ended).exitCode).toBe(0)
}, 120_000)

test('metrics are served on loopback to a caller with the bearer', async () => {
  const environment = { HEADROOM_METRICS_TOKEN: BEARER }
  const app = headroom([...start(temporaryFolder()), '--metrics-port', '0'], environment)
  let said = ''
  app.child.stdout?.on('data', (text: string) => {
    said += text
  })
  await app.said('headroom ready: ')
  const [, url = ''] = /metrics ready: (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(said) ?? []
  const answer = await fetch(url, { headers: { authorization: `Bearer ${BEARER}` } })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('headroom_requests_limit{profile="simulator"')
  expect((await fetch(url)).status).toBe(401)
  app.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await app.ended
  expect(exitCode).toBe(0)
  expect(stdout + stderr).not.toContain(BEARER)
}, 40_000)

test('a watch with a vault stores history there, and responds to commands like the app', async () => {
  const folder = temporaryFolder()
  const service = await startSimulatorServer({ clientId: 'key-1', refreshToken: 'token-1' })
  onTestFinished(() => service.close())
  const flags = ['--auth-url', service.origin, '--base-url', service.origin, '--client-id', 'key-1']
  const watching = headroom(['watch', '--json', '--data', folder, ...flags], {
    HEADROOM_REFRESH_TOKEN: 'token-1',
    HEADROOM_PASSPHRASE: 'a passphrase of this test',
  })
  await watching.said('"source":"header"')
  const status = await headroom(['status', '--json', '--data', folder]).ended
  expect(status.exitCode).toBe(0)
  expect(status.stdout).not.toContain('token-1')
  expect(snapshotLine.parse(JSON.parse(status.stdout)).profile.id).not.toBe('')
  watching.child.kill('SIGTERM')
  expect((await watching.ended).exitCode).toBe(0)
  expect(readFileSync(join(folder, 'history.db')).includes('token-1')).toBe(false)
}, 40_000)
