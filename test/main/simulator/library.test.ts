import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { expect, onTestFinished, test } from 'vitest'
import { type SimulatorOptions, startSimulator } from '../../../main/simulator/library.ts'
import { accessTokenOf } from './refreshed.ts'

/** `headroom/simulator`, as another project's tests would use it. */
async function started(options: SimulatorOptions = {}) {
  const simulator = await startSimulator(options)
  onTestFinished(() => simulator.close())
  const token = await accessTokenOf(simulator.origin)
  const get = (path: string) =>
    fetch(simulator.origin + path, { headers: { authorization: `Bearer ${token}` } })
  const post = (path: string, body: object) =>
    fetch(simulator.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { simulator, get, post }
}

test('a request is counted, and use before the start is included', async () => {
  const { simulator, get } = await started({
    limits: { Accounts: { limit: 10, periodSeconds: 3600 } },
    alreadySpent: { Accounts: 4 },
  })
  expect(simulator.remaining('Accounts')).toBe(6)
  await get('/v3/brokerage/accounts')
  expect(simulator.remaining('Accounts')).toBe(5)
  expect(simulator.remaining('no such category')).toBeUndefined()
})

test('an open stream is listed and can be ended from the service’s side', async () => {
  const { simulator, get } = await started()
  const response = await get('/v3/marketdata/stream/quotes/MSFT')
  expect(simulator.openStreams()).toEqual([{ id: expect.any(String), category: 'Quote Change Stream' }])
  expect(simulator.endStreams('Positions Stream')).toBe(0)
  expect(simulator.endStreams()).toBe(1)
  await response.text()
  expect(simulator.openStreams()).toEqual([])
})

test('an order request is listed with the order it placed, if the token may trade', async () => {
  const order = {
    ...{ AccountID: 'SIM1001', Symbol: 'MSFT', Quantity: '1', TradeAction: 'BUY', OrderType: 'Market' },
    ...{ TimeInForce: { Duration: 'DAY' }, OrderConfirmID: 'A1' },
  }
  for (const [trade, status, changed] of [
    [true, 200, 1],
    [false, 403, 0],
  ] as const) {
    const { simulator, post } = await started({ trade })
    await post('/v3/orderexecution/orders', order)
    const [request] = simulator.orderRequests()
    expect(request).toMatchObject({ method: 'POST', status, confirmIds: ['A1'] })
    expect(request?.changed).toHaveLength(changed)
  }
})

test('an option out of range is named', async () => {
  await expect(startSimulator({ streamRate: -1 })).rejects.toThrow(/stream/i)
})

test('its declaration file imports nothing', () => {
  const path = fileURLToPath(new URL('../../../main/simulator/library.ts', import.meta.url))
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'))
  expect(errors).toEqual([])
  expect(code).toContain('export declare function startSimulator')
  expect(code).not.toMatch(/^import|\bimport\(/m)
})
