import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ORDER, ORDERS, startOrderGateway } from './order-gateway.ts'

const SOON = { timeout: 20_000, interval: 20 }

test('an order passes once, byte for byte, and is in the journal', async () => {
  const { add, send, service, orders } = await startOrderGateway()
  const body = ` ${JSON.stringify(ORDER)}\n`
  const answer = await send('POST', `${ORDERS}?a=1`, add('bot'), body)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=200')
  const { Orders: placed } = await answer.json()
  const arrivals = service.service.orders.ledger.arrivals()
  expect(arrivals).toHaveLength(1)
  const [entry] = await vi.waitFor(() => {
    const entries = orders.entries(0, Date.now())
    expect(entries?.[0]?.outcome).toBe('answered')
    return entries ?? []
  }, SOON)
  expect(entry).toMatchObject({
    program: 'bot',
    method: 'POST',
    kind: 'order',
    accountEnding: '001',
    status: 200,
    orderIds: [placed[0].OrderID],
  })
  expect(orders.summary('key-1')).toMatchObject({ state: 'on', today: 1, unknown: [] })
})

test('while orders are off, nothing passes, and no journal is created', async () => {
  const { add, send, service, orders, dataFolder } = await startOrderGateway({}, { state: 'off' })
  const answer = await send('POST', ORDERS, add('bot'), ORDER)
  expect([answer.status, await answer.json()]).toEqual([
    403,
    expect.objectContaining({ detail: 'Headroom forwards reads only, no orders.' }),
  ])
  expect(service.service.orders.ledger.total()).toBe(0)
  expect(existsSync(join(dataFolder, 'orders.db'))).toBe(false)
  expect(orders.summary('key-1')).toEqual({ state: 'off', today: 0, unknown: [] })
})
