import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSimulator } from '../../../main/simulator/server.ts'
import { proves } from '../../proof/proves.ts'
import { runNode } from '../hosts/terminal/run-node.ts'

/** A gateway process that stands still, as on a machine that sleeps, or whose service is out of reach for a while. */
const HEADROOM = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))
const BOT = 'k3y-of-the-bot-0123456789'
const NOTES = 'k3y-of-the-notes-0123456789'
const ACCOUNTS = '/v3/brokerage/accounts'
const SERVICE = { clientId: 'sim-key', refreshToken: 'sim-refresh' }
const PATIENT = { timeout: 60_000, interval: 100 }

async function started(...args: readonly string[]) {
  const service = await startSimulator(SERVICE)
  let isOpen = true
  const close = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(close)
  const running = runNode(
    [
      ...[HEADROOM, 'gateway', '--json', '--port', '0', '--probe', 'none', ...args],
      ...['--auth-url', service.origin, '--base-url', service.origin, '--client-id', SERVICE.clientId],
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
  const get = (key: string, path: string, init: RequestInit & { readonly prefer?: string } = {}) =>
    fetch(`${url}${ACCOUNTS}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...(init.prefer && { prefer: init.prefer }) },
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
  return { service, close, running, get, programs, end }
}

test('after it stood still, who waited too long is refused, who came meanwhile is answered, and the queue is empty', async () => {
  const { running, get, programs, end } = await started('--reserve', 'Accounts=200')
  // Each comes back after 1.2 s, and notes keeps its hands off until all have.
  for (let i = 0; i < 20; i += 1) expect((await get(BOT, `?first=${i}`)).status).toBe(200)
  const patient = get(NOTES, '?patient', { prefer: 'wait=2' })
  const refusedAtOnce = await Promise.race([
    patient.then(({ status }) => status),
    running.said('"waiting":1'),
  ])
  if (refusedAtOnce === undefined)
    await vi.waitFor(() => expect(programs().some(({ waiting }) => waiting > 0)).toBe(true), PATIENT)
  running.child.kill('SIGSTOP')
  const meanwhile = [1, 2, 3].map((i) => get(BOT, `?meanwhile=${i}`))
  // Its own patience ends while nothing moves.
  await expect(get(BOT, '?gone', { signal: AbortSignal.timeout(4_000) })).rejects.toThrow()
  running.child.kill('SIGCONT')
  for (const answer of await Promise.all(meanwhile)) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=200')
  }
  const late = await patient
  expect(late.status).toBe(429)
  expect(late.headers.get('proxy-status')).toContain('error=http_request_denied')
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  await vi.waitFor(() => expect(programs().map(({ waiting }) => waiting)).toEqual([0, 0]), PATIENT)
  proves(['G1', 'G6'], { level: 3, cases: 5 })
  await end()
}, 120_000)

test('while the service is out of reach callers are told so, and once it is back they are answered', async () => {
  const { service, close, get, programs, end } = await started()
  expect((await get(BOT, '')).status).toBe(200)
  await close()
  const told = await Promise.all([1, 2, 3, 4].map((i) => get(i % 2 ? BOT : NOTES, `?away=${i}`)))
  for (const answer of told) {
    expect([502, 503]).toContain(answer.status)
    expect(answer.headers.get('proxy-status')).toMatch(
      /error=(?:destination_unavailable|connection_terminated)/,
    )
    expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/reach|connection/) })
  }
  const again = await startSimulator({ ...SERVICE, port: service.port })
  onTestFinished(() => again.close())
  await vi.waitFor(async () => expect((await get(NOTES, '?back')).status).toBe(200), PATIENT)
  await vi.waitFor(() => expect(programs().map(({ waiting }) => waiting)).toEqual([0, 0]), PATIENT)
  await end()
}, 120_000)
