import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulatorServer } from '../../../../main/simulator/server.ts'
import { proves } from '../../../proof/proves.ts'
import { ORDER as ANY_ORDER, ORDERS } from '../../orders/order-gateway.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { runNode } from './run-node.ts'

/** Orders through real processes, by the commands that allow and stop them, before a simulated brokerage. */
const HEADROOM = fileURLToPath(new URL('../../../../main/hosts/terminal/headroom.ts', import.meta.url))
const KEY = 'k3y-of-the-bot-0123456789'
const READER = 'k3y-of-the-reader-0123456'
const PASSPHRASE = 'seven quiet otters borrow a lantern'
/** No other order of these tests has this symbol. */
const ORDER = { ...ANY_ORDER, Symbol: 'TSLA' }

const environment = {
  HEADROOM_REFRESH_TOKEN: 'sim-refresh',
  HEADROOM_CLIENT_SECRET: '',
  HEADROOM_PASSPHRASE: PASSPHRASE,
  HEADROOM_METRICS_TOKEN: '',
  HEADROOM_GATEWAY_KEYS: `bot:critical:1:orders=${KEY},reader=${READER}`,
  DISPLAY: '',
  WAYLAND_DISPLAY: '',
}

const command = (...args: readonly string[]) => runNode([HEADROOM, ...args], environment)

const send = (url: string, key = KEY) =>
  fetch(`${url}${ORDERS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  })

async function simulated(trade: boolean) {
  const simulator = await startSimulatorServer({ clientId: 'sim-key', refreshToken: 'sim-refresh', trade })
  onTestFinished(() => simulator.close())
  const data = temporaryFolder()
  const flags = ['--auth-url', simulator.origin, '--base-url', simulator.origin, '--client-id', 'sim-key']
  return {
    data,
    arrived: () => simulator.service.orders.ledger.arrivals().length,
    gateway: (...more: readonly string[]) =>
      command('gateway', '--port', '0', '--probe', 'none', '--data', data, ...flags, ...more),
    orders: (...args: readonly string[]) => command('orders', ...args, '--data', data).ended,
  }
}

test('orders pass a gateway only between allow and stop, and only of programs that may send them', async () => {
  const { gateway, orders, arrived } = await simulated(true)
  const running = gateway()
  const url = await running.addressAfter('gateway ready: ')
  expect((await orders('status')).stdout).toMatch(/: orders are off\n$/)
  expect([(await send(url)).status, arrived()]).toEqual([403, 0])

  expect(await orders('allow', '--yes')).toMatchObject({ exitCode: 0, stdout: '' })
  expect([(await send(url)).status, arrived()]).toEqual([200, 1])
  expect([(await send(url, READER)).status, arrived()]).toEqual([403, 1])
  const status = await orders('status')
  expect(status.stdout).toContain(': orders are allowed, 1 today\n')
  expect(status.stdout).toContain('programs: bot (30/min)')

  const stopped = await orders('stop')
  expect(stopped).toMatchObject({
    exitCode: 0,
    stdout: 'no orders are sent until you run headroom orders allow\n',
  })
  expect(stopped.stderr).toContain('cancels nothing at the broker.')
  const refused = await send(url)
  expect([refused.status, refused.headers.get('retry-after'), arrived()]).toEqual([503, null, 1])
  expect(refused.headers.get('proxy-status')).toBe(
    'headroom; error=http_request_denied; details="orders stopped"',
  )
  running.child.kill('SIGTERM')
  expect((await running.ended).exitCode).toBe(0)

  // Both a stop and a permission outlive the process.
  const again = gateway()
  const secondUrl = await again.addressAfter('gateway ready: ')
  expect([(await send(secondUrl)).status, arrived()]).toEqual([503, 1])
  expect((await orders('allow', '--yes')).exitCode).toBe(0)
  again.child.kill('SIGTERM')
  await again.ended
  const third = gateway()
  const thirdUrl = await third.addressAfter('gateway ready: ')
  expect([(await send(thirdUrl)).status, arrived()]).toEqual([200, 2])
  third.child.kill('SIGTERM')
  const { stdout, stderr } = await third.ended
  expect(stdout + stderr).not.toContain(KEY)

  // A stop also works while no app runs, and without the passphrase of the keys.
  expect(await orders('stop')).toMatchObject({
    exitCode: 0,
    stdout: 'no orders are sent until you run headroom orders allow\n',
  })
  const fourth = gateway()
  const fourthUrl = await fourth.addressAfter('gateway ready: ')
  expect([(await send(fourthUrl)).status, arrived()]).toEqual([503, 2])
  fourth.child.kill('SIGTERM')
  await fourth.ended
  proves('O2', { level: 3, cases: 8 })
}, 240_000)

test('a token without the Trade scope is switched on, gets 403, and that is said', async () => {
  const { gateway, orders } = await simulated(false)
  const running = gateway('--json')
  const url = await running.addressAfter('"gateway-ready"')
  expect((await orders('allow', '--yes')).exitCode).toBe(0)
  const answer = await send(url)
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Trade')])
  await running.said('"cause":"orders-forbidden"')
  running.child.kill('SIGTERM')
  expect((await running.ended).exitCode).toBe(0)
}, 120_000)

test('the app allows orders by a sign-in in the browser; declining it changes nothing', async () => {
  const data = temporaryFolder()
  const args = ['start', '--host', 'browser', '--port', '0', '--no-open', '--no-link', '--simulate']
  const started = () => command(...args, '--gateway-port', '0', '--data', data)
  const app = started()
  const url = await app.addressAfter('gateway ready: ')
  const orders = (...more: readonly string[]) => command('orders', ...more, '--data', data)
  /** Starts allowing, answers the sign-in page as a person would, and returns how the command ended. */
  const decided = async (decision: 'approve' | 'decline') => {
    const allowing = orders('allow', '--yes')
    let page = ''
    allowing.child.stdout?.on('data', (text: string) => {
      page += text
    })
    await allowing.said('\n')
    const asked = await (await fetch(page.trim())).text()
    expect(asked).toContain('<li>Trade</li>')
    const request = /name="request" value="([^"]+)"/.exec(asked)?.[1] ?? ''
    await fetch(new URL('/authorize', page.trim()), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ request, decision }),
    })
    return allowing.ended
  }
  expect(await decided('decline')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('You declined in the browser.'),
  })
  expect((await orders('status').ended).stdout).toMatch(/: orders are off\n$/)
  expect((await send(url)).status).toBe(403)

  expect((await decided('approve')).exitCode).toBe(0)
  expect((await orders('status').ended).stdout).toContain(': orders are allowed, 0 today')
  expect((await send(url)).status).toBe(200)
  app.child.kill('SIGTERM')
  expect((await app.ended).exitCode).toBe(0)

  // The permission stays, even for the next built-in simulator with its new key.
  const again = started()
  const againUrl = await again.addressAfter('gateway ready: ')
  await again.said('headroom ready: ')
  await expect.poll(async () => (await send(againUrl)).status, { timeout: 20_000 }).toBe(200)
  expect((await orders('stop').ended).exitCode).toBe(0)
  expect((await send(againUrl)).status).toBe(503)
  again.child.kill('SIGTERM')
  expect((await again.ended).exitCode).toBe(0)
  expect(readFileSync(join(data, 'headroom.log'), 'utf8')).not.toContain(ORDER.Symbol)
}, 240_000)
