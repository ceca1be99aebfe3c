import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { OrderEvent } from '../../../app/orders/ports.ts'
import { Orders } from '../../../main/orders/orders.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'
import { startSimulatorServer } from '../../../main/simulator/server.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { KILL_STEPS } from './kill-steps.ts'
import { ORDER, ORDERS } from './order-gateway.ts'

const SCRIPT = fileURLToPath(new URL('killed-gateway.ts', import.meta.url))

/** The entry that the next start finds in a journal, and its outcome. */
async function nextStart(folder: string, origin: string, isFound: boolean) {
  const form = { grant_type: 'refresh_token', client_id: 'sim-key', refresh_token: 'sim-refresh' }
  const granted = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = await granted.json()
  const events: OrderEvent[] = []
  const orders = new Orders({
    switch: { state: () => 'on', maxPerMinute: () => 100 },
    profiles: () => ['key-1'],
    keyMark: () => 'simulator',
    dataFolder: folder,
    hashKeys: () => [Buffer.from('key of the vault')],
    read: async (_, path) => {
      const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } })
      return answer.ok ? answer.text() : undefined
    },
    clock: nodeClock,
    log: { note: () => {} },
    randomBytes,
    listener: { changed: () => {}, event: (_, event) => void events.push(event) },
    problem: () => {},
  })
  onTestFinished(() => orders.stop())
  if (isFound) await vi.waitFor(() => expect(events.at(-1)?.kind).toBe('order-resolved'), PATIENT)
  return {
    events,
    entries: orders.entries(0, Number.MAX_SAFE_INTEGER) ?? [],
    unknown: orders.summary('key-1').unknown,
  }
}

test.each(KILL_STEPS)('killed once %s: sent at most once, and its outcome is not silent', async (step) => {
  const service = await startSimulatorServer({
    clientId: 'sim-key',
    refreshToken: 'sim-refresh',
    trade: true,
  })
  const { ledger } = service.service.orders
  const folder = temporaryFolder()
  const child = spawn(process.execPath, [SCRIPT, folder, service.origin, step], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await service.close()
  })
  const [line] = await once(child.stdout, 'data')
  const { url, key } = JSON.parse(String(line))
  if (step === 'sent') service.faults.set('order-silence', 1)
  const answer = fetch(`${url}${ORDERS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  }).then(
    ({ status }) => status,
    () => 'gone',
  )
  if (step === 'sent') {
    await vi.waitFor(() => expect(ledger.total()).toBe(1), PATIENT)
    child.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  const hasArrived = step !== 'connected' && step !== 'journalled'
  expect(ledger.total()).toBe(hasArrived ? 1 : 0)
  expect(await answer).toBe(step === 'passed on' || step === 'written' ? 200 : 'gone')
  const isUnknown = step !== 'connected' && step !== 'written'
  const { events, entries, unknown } = await nextStart(folder, service.origin, isUnknown && hasArrived)
  const [id] = ledger.arrivals().flatMap(({ changed }) => changed)
  expect(entries.map(({ outcome, orderIds }) => [outcome, ...orderIds])).toEqual(
    step === 'connected'
      ? []
      : step === 'journalled'
        ? [['looking']]
        : [[step === 'written' ? 'answered' : 'found', id]],
  )
  expect(events.map(({ kind }) => kind)).toEqual(
    isUnknown ? ['order-unknown', ...(hasArrived ? ['order-resolved'] : [])] : [],
  )
  expect(unknown).toHaveLength(isUnknown ? 1 : 0)
  expect(ledger.total()).toBe(hasArrived ? 1 : 0)
  proves(['O1', 'O3'], { level: 3, cases: 1 })
})
