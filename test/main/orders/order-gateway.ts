import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, vi } from 'vitest'
import type { OrderEvent, OrderSwitch } from '../../../app/orders/ports.ts'
import { sessionReads } from '../../../main/orders/order-list.ts'
import { Orders } from '../../../main/orders/orders.ts'
import { PATIENT } from '../../patient.ts'
import { type GatewayTraits, type StartedGateway, startGateway } from '../gateway/started-gateway.ts'

/** A switch that a test turns. */
export interface TestSwitch {
  state: ReturnType<OrderSwitch['state']>
  max: number | undefined
}

export interface OrderGateway extends StartedGateway {
  readonly orders: Orders
  readonly orderSwitch: TestSwitch
  readonly events: readonly OrderEvent[]
  /** Sends an order request; the body is sent as JSON. */
  send(method: string, path: string, key: string, body?: unknown, headers?: object): Promise<Response>
}

export const ORDER = {
  AccountID: 'SIM1001',
  Symbol: 'MSFT',
  Quantity: '10',
  OrderType: 'Market',
  TradeAction: 'BUY',
  TimeInForce: { Duration: 'DAY' },
} as const

export const ORDERS = '/v3/orderexecution/orders'

/** A gateway that lets orders pass, before a simulator that trades. */
export async function startOrderGateway(
  { simulator = {}, ...traits }: GatewayTraits = {},
  turned: Partial<TestSwitch> = {},
): Promise<OrderGateway> {
  const orderSwitch: TestSwitch = { state: 'on', max: 10_000, ...turned }
  const events: OrderEvent[] = []
  let orders: Orders | undefined
  const started = await startGateway({
    ...traits,
    simulator: { trade: true, ...simulator },
    orders: ({ monitor, programs, clock, dataFolder, log }) => {
      orders = new Orders({
        switch: {
          state: () => orderSwitch.state,
          maxPerMinute: (id) =>
            programs.list().some((program) => program.id === id) ? orderSwitch.max : undefined,
        },
        profiles: () => monitor.profiles(),
        keyMark: (profile) => monitor.keyMark(profile),
        dataFolder,
        hashKeys: () => [],
        read: sessionReads(monitor),
        clock,
        log,
        randomBytes,
        listener: { changed: () => {}, event: (_, event) => void events.push(event) },
        problem: () => {},
      })
      return orders
    },
  })
  if (orders === undefined) throw new Error('the gateway made no orders')
  const made = orders
  onTestFinished(() => made.stop())
  // An order does not wait for the access token. Without one, it gets 503.
  await vi.waitFor(() => expect(started.monitor.snapshot('key-1')?.access.state).toBe('valid'), PATIENT)
  return {
    ...started,
    orders: made,
    orderSwitch,
    events,
    send: (method, path, key, body, headers = {}) =>
      fetch(`${started.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}
