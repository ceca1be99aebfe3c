import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSimulatorServer } from '../../../main/simulator/server.ts'
import { proves } from '../../proof/proves.ts'
import { runNode } from '../hosts/terminal/run-node.ts'

/**
 * A gateway process that is suspended, as on a sleeping machine, or whose service can't be reached for a
 * while.
 */
const HEADROOM = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))
const BOT = 'k3y-of-the-bot-0123456789'
const NOTES = 'k3y-of-the-notes-0123456789'
const ACCOUNTS = '/v3/brokerage/accounts'
/** A request of Accounts refills in 1.6 s. */
const SERVICE = {
  clientId: 'sim-key',
  refreshToken: 'sim-refresh',
  limits: { Accounts: { limit: 250, periodSeconds: 400 } },
}
const VERY_PATIENT = { timeout: 60_000, interval: 100 }

/**
 * A relay to a port of this machine. It can be closed and opened again, while the service behind it keeps its
 * tokens.
 */
async function wayTo(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      from.pipe(to)
    }
  })
  const open = (own: number) =>
    new Promise<void>((resolve) => void server.listen(own, '127.0.0.1', () => resolve()))
  await open(0)
  const { port: own } = server.address() as AddressInfo
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(close)
  return { origin: `http://127.0.0.1:${own}`, close, open: () => open(own) }
}

interface Asked {
  readonly signal?: AbortSignal
  readonly prefer?: string
}

async function started(...args: readonly string[]) {
  const service = await startSimulatorServer(SERVICE)
  onTestFinished(() => service.close())
  const way = await wayTo(service.port)
  const running = runNode(
    [
      ...[HEADROOM, 'gateway', '--json', '--port', '0', '--probe', 'none', ...args],
      ...['--auth-url', way.origin, '--base-url', way.origin, '--client-id', SERVICE.clientId],
    ],
    {
      HEADROOM_REFRESH_TOKEN: SERVICE.refreshToken,
      HEADROOM_CLIENT_SECRET: '',
      HEADROOM_PASSPHRASE: '',
      HEADROOM_METRICS_TOKEN: '',
      HEADROOM_GATEWAY_KEYS: `bot:critical=${BOT},notes:background=${NOTES}`,
    },
  )
  let stdout = ''
  running.child.stdout?.on('data', (text: string) => {
    stdout += text
  })
  await running.said('"type":"gateway-ready"')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? ''
  const get = (key: string, path: string, { signal, ...fields }: Asked = {}) =>
    fetch(`${url}${ACCOUNTS}${path}`, {
      ...(signal && { signal }),
      headers: { authorization: `Bearer ${key}`, ...fields },
    })
  /** The programs of the last snapshot. */
  const programs = (): readonly { readonly name: string; readonly waiting: number }[] => {
    const line = stdout
      .slice(0, stdout.lastIndexOf('\n'))
      .split('\n')
      .findLast((one) => one.includes('"programs":['))
    return line === undefined ? [] : JSON.parse(line).programs
  }
  const end = async () => {
    running.child.kill('SIGTERM')
    expect((await running.ended).exitCode).toBe(0)
  }
  return { way, running, get, programs, end }
}

test('after a suspension, late requests are declined, new ones answered, and the queue is empty', async () => {
  const { running, get, programs, end } = await started('--reserve', 'Accounts=200')
  // `notes` sends nothing until this request is answered.
  expect((await get(BOT, '?first')).status).toBe(200)
  const patient = get(NOTES, '?patient', { prefer: 'wait=2' })
  await Promise.race([patient, running.said('"waiting":1')])
  running.child.kill('SIGSTOP')
  const meanwhile = [1, 2, 3].map((i) => get(BOT, `?meanwhile=${i}`))
  // The wait of this request ends while the process is suspended. The wait of `notes` ends too, including its
  // extra second.
  await expect(get(BOT, '?gone', { signal: AbortSignal.timeout(3_500) })).rejects.toThrow()
  running.child.kill('SIGCONT')
  for (const answer of await Promise.all(meanwhile)) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=200')
  }
  const late = await patient
  expect(late.status).toBe(429)
  expect(late.headers.get('proxy-status')).toContain('error=http_request_denied')
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  await vi.waitFor(() => expect(programs().map(({ waiting }) => waiting)).toEqual([0, 0]), VERY_PATIENT)
  proves(['G1', 'G6'], { level: 3, cases: 5 })
  await end()
}, 120_000)

test('while the service is unreachable callers get the reason, and once it is back they are served', async () => {
  const { way, get, programs, end } = await started()
  expect((await get(BOT, '')).status).toBe(200)
  way.close()
  const told = await Promise.all([1, 2, 3, 4].map((i) => get(i % 2 ? BOT : NOTES, `?away=${i}`)))
  for (const answer of told) {
    expect([502, 503]).toContain(answer.status)
    expect(answer.headers.get('proxy-status')).toMatch(
      /error=(?:destination_unavailable|connection_terminated)/,
    )
    expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/reach|connection/) })
  }
  await way.open()
  await vi.waitFor(async () => expect((await get(NOTES, '?back')).status).toBe(200), VERY_PATIENT)
  await vi.waitFor(() => expect(programs().map(({ waiting }) => waiting)).toEqual([0, 0]), VERY_PATIENT)
  await end()
}, 120_000)
