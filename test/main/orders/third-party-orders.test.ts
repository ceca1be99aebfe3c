import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { brokerageClient } from '../gateway/third-party-client.ts'
import { ORDER, startOrderGateway } from './order-gateway.ts'

const LIMIT = { ...ORDER, OrderType: 'Limit', LimitPrice: '1', Route: 'Intelligent' } as const
const CYCLES = 5

test('an unchanged third-party client places, replaces and cancels orders, and its reads meet no 429', async () => {
  const { url, add, service, orders, monitor } = await startOrderGateway()
  const { brokerage, orderExecution } = brokerageClient(url, add('bot'))
  const { ledger } = service.service.orders
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const placed = await orderExecution.placeOrder(LIMIT)
    const id = placed.Orders?.[0]?.OrderID ?? ''
    expect(id).not.toBe('')
    const [positions] = await Promise.all([
      brokerage.getPositions('SIM1001'),
      orderExecution.replaceOrder(id, { Quantity: '5', LimitPrice: '2' }),
    ])
    expect(positions.Errors ?? []).toEqual([])
    await orderExecution.cancelOrder(id)
    expect((await brokerage.getOrders('SIM1001')).Orders.some(({ OrderID }) => OrderID === id)).toBe(true)
  }
  expect(ledger.total()).toBe(3 * CYCLES)
  expect(orders.summary('key-1')).toMatchObject({ state: 'on', today: 3 * CYCLES, unknown: [] })
  const [bot] = monitor.snapshot('key-1')?.programs ?? []
  expect(bot).toMatchObject({ name: 'bot', refused: 0, waiting: 0 })
  expect(monitor.snapshot('key-1')?.requests.filter(({ rejected }) => rejected > 0)).toEqual([])
  proves(['O1', 'O3'], { level: 3, cases: 3 * CYCLES })
})
