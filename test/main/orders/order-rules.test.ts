import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test, vi } from 'vitest'
import { type ForwardHttp, nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { ORDER, ORDERS, startOrderGateway } from './order-gateway.ts'

const ROOT = '/v3/orderexecution'

const REQUESTS = [
  ['POST', ORDERS, ORDER],
  ['POST', `${ROOT}/ordergroups`, { Type: 'NORMAL', Orders: [ORDER] }],
  ['POST', `${ROOT}/orderconfirm`, ORDER],
  ['POST', `${ROOT}/ordergroupconfirm`, { Type: 'NORMAL', Orders: [ORDER] }],
  ['PUT', `${ORDERS}/123`, { Quantity: '5' }],
  ['DELETE', `${ORDERS}/123`, undefined],
  ['GET', `${ROOT}/activationtriggers`, undefined],
  ['GET', `${ROOT}/routes`, undefined],
] as const

/** Requests for orders that are handed to the network when a test releases them. */
function heldForward() {
  const real = nodeForwardHttp({})
  const handed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const forward: ForwardHttp = (request, listener) => {
    if (request.once === undefined) return real(request, listener)
    handed.resolve()
    void released.promise.then(() =>
      real(request, {
        answered: (answer) => {
          ended.resolve('answered')
          listener.answered(answer)
        },
        failed: (how, why) => {
          ended.resolve(how)
          listener.failed(how, why)
        },
      }),
    )
    return () => {}
  }
  return { forward, asked: handed.promise, release: () => released.resolve(), ended: ended.promise }
}

describe('without both keys, or after a stop, nothing passes', () => {
  test.each([
    ['off', 403, 'Headroom forwards reads, but not orders. To allow orders, run headroom orders allow.'],
    ['stopped', 503, 'orders stopped'],
    ['not granted', 403, "This program isn't allowed to send orders. Allow it in Headroom."],
  ] as const)('%s', async (how, status, detail) => {
    const turned = how === 'not granted' ? { max: undefined } : { state: how }
    const { add, send, service } = await startOrderGateway({}, turned)
    const key = add('bot')
    for (const [method, path, body] of REQUESTS) {
      const answer = await send(method, path, key, body)
      expect([answer.status, (await answer.json()).detail]).toEqual([status, detail])
      expect(answer.headers.get('proxy-status')).toBe(
        `headroom; error=http_request_denied; details="${detail}"`,
      )
      expect(answer.headers.get('retry-after')).toBeNull()
    }
    expect(service.service.orders.ledger.total()).toBe(0)
    proves('O2', { level: 3, cases: REQUESTS.length })
  })

  test('a stop holds back an order whose connection is still being made', async () => {
    const { forward, asked, release } = heldForward()
    const { add, send, service, orderSwitch } = await startOrderGateway({ forward })
    const answer = send('POST', ORDERS, add('bot'), ORDER)
    await asked
    orderSwitch.state = 'stopped'
    release()
    expect((await answer).status).toBe(503)
    expect(service.service.orders.ledger.total()).toBe(0)
    proves('O2', { level: 3, cases: 1 })
  })

  test('an order of a program that was cut is never sent, even if another program was added meanwhile', async () => {
    const { forward, asked, release } = heldForward()
    const { add, gateway, send, service } = await startOrderGateway({ forward })
    const answer = send('POST', ORDERS, add('zed'), ORDER)
    await asked
    gateway.cut('zed')
    add('other')
    release()
    expect((await answer).status).toBe(403)
    expect(service.service.orders.ledger.total()).toBe(0)
    proves('O2', { level: 3, cases: 1 })
  })
})

test('an order whose key is disconnected before it was sent gets that reason', async () => {
  const { forward, asked } = heldForward()
  const { add, send, service, monitor } = await startOrderGateway({ forward })
  const answer = send('POST', ORDERS, add('bot'), ORDER)
  await asked
  monitor.disconnect('key-1')
  expect((await (await answer).json()).detail).toBe(
    "Not sent: the key 'key-1' was disconnected; connect it again.",
  )
  expect(service.service.orders.ledger.total()).toBe(0)
})

test('with both keys each of the requests passes, and no other one', async () => {
  const { add, send, service } = await startOrderGateway()
  const key = add('bot')
  for (const [method, path, body] of REQUESTS) {
    const answer = await send(method, path, key, body)
    expect(answer.headers.get('proxy-status')).toMatch(/^headroom; received-status=(200|404)$/)
  }
  const { ledger } = service.service.orders
  expect(ledger.arrivals().map(({ method, path }) => [method, path])).toEqual(
    REQUESTS.map(([method, path]) => [method, path]),
  )
  const others = [
    ['GET', ORDERS],
    ['POST', `${ORDERS}/123`],
    ['PATCH', ORDERS],
    ['DELETE', `${ORDERS}/1%32`],
    ['POST', '/v3/OrderExecution/orders'],
    ['POST', '/v3/orderexecution/orders;a=1'],
    ['POST', '/v2/orderexecution/orders'],
  ] as const
  for (const [method, path] of others) {
    const answer = await send(method, path, key, method === 'GET' ? undefined : ORDER)
    expect([method, path, answer.status]).toEqual([method, path, 403])
  }
  expect(ledger.total()).toBe(REQUESTS.length)
})

test('a body has at most 64 KiB, in one piece or in chunks', async () => {
  const { add, send, url, service } = await startOrderGateway()
  const key = add('bot')
  const of = (bytes: number) => JSON.stringify({ ...ORDER, Note: 'x'.repeat(bytes) }).padEnd(bytes)
  const most = JSON.stringify(ORDER).padEnd(64 << 10)
  expect((await send('POST', ORDERS, key, most)).status).toBe(200)
  for (const body of [`${most} `, of(2 << 20)]) {
    expect((await send('POST', ORDERS, key, body)).status).toBe(413)
    const chunked = await fetch(`${url}${ORDERS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit).catch(() => undefined)
    expect([undefined, 413]).toContain(chunked?.status)
  }
  expect(service.service.orders.ledger.total()).toBe(1)
})

test('a program sends as many orders a minute as it may, and cancels always', async () => {
  const { add, send, service } = await startOrderGateway({}, { max: 2 })
  const key = add('bot')
  const [first] = (
    await (await send('POST', ORDERS, key, { ...ORDER, OrderType: 'Limit', LimitPrice: '1' })).json()
  ).Orders
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
  const third = await send('POST', ORDERS, key, ORDER)
  expect([third.status, await third.json()]).toEqual([
    429,
    expect.objectContaining({ Error: 'TooManyRequests', Message: 'Order limit of Headroom: 2 a minute' }),
  ])
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(50)
  expect((await send('DELETE', `${ORDERS}/${first.OrderID}`, key)).status).toBe(200)
  expect(service.service.orders.ledger.total()).toBe(3)
})

test('a restart, or the same name added again, starts no new minute', async () => {
  const first = await startOrderGateway({}, { max: 2 })
  const key = first.add('bot')
  for (const status of [200, 200, 429])
    expect((await first.send('POST', ORDERS, key, ORDER)).status).toBe(status)
  first.gateway.cut('bot')
  expect((await first.send('POST', ORDERS, first.add('bot'), ORDER)).status).toBe(429)
  first.orders.stop()
  const { gateway, add, send, service } = await startOrderGateway(
    { dataFolder: first.dataFolder },
    { max: 2 },
  )
  gateway.cut('bot')
  expect((await send('POST', ORDERS, add('bot'), ORDER)).status).toBe(429)
  expect((await send('POST', ORDERS, add('other'), ORDER)).status).toBe(200)
  expect(service.service.orders.ledger.total()).toBe(1)
})

test('a 401 is passed on, the access token renewed, and the order not sent again', async () => {
  const { add, send, service, monitor } = await startOrderGateway()
  const key = add('bot')
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
  service.faults.set('order-401', 1)
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(401)
  expect(service.service.orders.ledger.total()).toBe(2)
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.refresh.refreshesToday).toBe(2), PATIENT)
  await vi.waitFor(async () => expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200), PATIENT)
  proves('O1', { level: 3, cases: 1 })
})

test('a used-up quota gets 429 at once, even if the program would wait', async () => {
  const { add, send, service } = await startOrderGateway()
  const key = add('bot')
  let answer = await send('POST', ORDERS, key, ORDER)
  for (let sent = 1; sent < 300 && answer.headers.get('proxy-status')?.includes('received'); sent += 1)
    answer = await send('POST', ORDERS, key, ORDER, { prefer: 'wait=60' })
  expect(answer.status).toBe(429)
  expect(answer.headers.get('proxy-status')).toContain('error=http_request_denied')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  // The gateway refused the order itself: the service refused none. The reserve was used up first.
  const { ledger } = service.service.orders
  expect(ledger.arrivals().every(({ status }) => status === 200)).toBe(true)
  expect(ledger.total()).toBeGreaterThanOrEqual(120)
})

test.each(['500', '502', '503', '504'])(
  'a %s is passed on, and leaves the order’s outcome unknown',
  async (status) => {
    const { add, send, service, orders, events } = await startOrderGateway()
    service.faults.set(`order-${status}-taken`, 1)
    const answer = await send('POST', ORDERS, add('bot'), ORDER)
    expect([answer.status, answer.headers.get('proxy-status')]).toEqual([
      Number(status),
      `headroom; received-status=${status}`,
    ])
    await vi.waitFor(() => expect(events.at(-1)?.kind).toBe('order-resolved'), PATIENT)
    const [
      {
        changed: [id],
      } = { changed: [] },
    ] = service.service.orders.ledger.arrivals()
    expect(events).toEqual([
      expect.objectContaining({ kind: 'order-unknown', program: 'bot' }),
      expect.objectContaining({ kind: 'order-resolved', state: 'found', orderId: id }),
    ])
    expect(orders.summary('key-1').unknown).toEqual([
      expect.objectContaining({ state: 'found', orderId: id, kind: 'order', accountEnding: '001' }),
    ])
    expect(orders.dismiss('all')).toBe(true)
    expect(orders.dismiss('all')).toBe(false)
    expect(orders.summary('key-1').unknown).toEqual([])
  },
)

test('an order, a replace, a cancel and a group are found after their answers were lost', async () => {
  const { add, send, service, orders, events } = await startOrderGateway()
  const key = add('bot')
  const limit = { ...ORDER, OrderType: 'Limit', LimitPrice: '1', Quantity: '7' }
  const [resting] = (await (await send('POST', ORDERS, key, limit)).json()).Orders
  const group = {
    Type: 'OCO',
    Orders: [
      { ...limit, Quantity: '8' },
      { ...limit, Quantity: '9' },
    ],
  }
  service.faults.set('order-lost-response', 4)
  const lost = [
    await send('POST', ORDERS, key, { ...limit, Quantity: '6', OrderConfirmID: 'ABC' }),
    await send('PUT', `${ORDERS}/${resting.OrderID}`, key, { LimitPrice: '2.00' }),
    await send('POST', `${ROOT}/ordergroups`, key, group),
  ]
  await vi.waitFor(
    () => expect(events.filter(({ kind }) => kind === 'order-resolved')).toHaveLength(3),
    PATIENT,
  )
  lost.push(await send('DELETE', `${ORDERS}/${resting.OrderID}`, key))
  expect(lost.map(({ status }) => status)).toEqual([502, 502, 502, 502])
  expect(await lost[0]?.json()).toMatchObject({ hasConfirmId: true })
  expect(await lost[1]?.json()).toMatchObject({ hasConfirmId: false })
  await vi.waitFor(
    () => expect(events.filter(({ kind }) => kind === 'order-resolved')).toHaveLength(4),
    PATIENT,
  )
  const changed = service.service.orders.ledger
    .arrivals()
    .slice(1)
    .map((arrival) => [...arrival.changed].sort())
  const unknown = orders
    .summary('key-1')
    .unknown.map(({ state, orderId }) => [state, orderId?.split(', ').sort()])
  expect(unknown).toEqual(changed.map((ids) => ['found', ids]))
  // A program's own retry with the OrderConfirmID places nothing.
  const again = await send('POST', ORDERS, key, { ...limit, Quantity: '6', OrderConfirmID: 'ABC' })
  expect((await again.json()).Orders[0].OrderID).toBe(changed[0]?.[0])
  proves('O3', { level: 3, cases: 4 })
})

test('equal orders, and equal estimates, are never merged', async () => {
  const { add, send, service } = await startOrderGateway()
  const key = add('bot')
  await Promise.all(Array.from({ length: 8 }, () => send('POST', ORDERS, key, ORDER)))
  await Promise.all(Array.from({ length: 4 }, () => send('POST', `${ROOT}/orderconfirm`, key, ORDER)))
  await Promise.all(Array.from({ length: 4 }, () => send('GET', `${ROOT}/routes`, key)))
  expect(service.service.orders.ledger.total()).toBe(16)
})

test('a program that is gone before its order left sends nothing', async () => {
  const { forward, asked, release, ended } = heldForward()
  const { add, url, service, orders } = await startOrderGateway({ forward })
  const gone = new AbortController()
  const answer = fetch(`${url}${ORDERS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${add('bot')}` },
    body: JSON.stringify(ORDER),
    signal: gone.signal,
  }).catch(() => 'gone')
  await asked
  gone.abort()
  expect(await answer).toBe('gone')
  // The gateway serves a later connection only after it has seen the end of this one.
  for (let later = 0; later < 3; later += 1) await fetch(`${url}/headroom/health`)
  release()
  expect(await ended).toBe('not-sent')
  expect([service.service.orders.ledger.total(), orders.entries(0, Number.MAX_SAFE_INTEGER)]).toEqual([0, []])
  proves('O1', { level: 3, cases: 1 })
})

test('whenever a program disconnects, the journal has the response to its order', async () => {
  const { add, url, service, orders } = await startOrderGateway()
  const key = add('bot')
  const post = (gone: AbortController) =>
    fetch(`${url}${ORDERS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
      signal: gone.signal,
    }).catch(() => undefined)
  for (let afterMs = 0; afterMs < 12; afterMs += 1) {
    const gone = new AbortController()
    const answer = post(gone)
    setTimeout(() => gone.abort(), afterMs)
    await answer
  }
  const { ledger } = service.service.orders
  await vi.waitFor(() => {
    const entries = orders.entries(0, Number.MAX_SAFE_INTEGER) ?? []
    expect(entries.map(({ outcome }) => outcome)).toEqual(Array(ledger.total()).fill('answered'))
  }, PATIENT)
  proves(['O1', 'O3'], { level: 3, cases: 12 })
})

test('while the journal can’t be written, orders stop and reads continue; then orders resume', async () => {
  const { add, send, get, service, orders, events, dataFolder } = await startOrderGateway()
  const key = add('bot')
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
  await vi.waitFor(
    () => expect(orders.entries(0, Number.MAX_SAFE_INTEGER)?.[0]?.outcome).toBe('answered'),
    PATIENT,
  )
  const other = new DatabaseSync(join(dataFolder, 'orders.db'))
  other.exec('BEGIN IMMEDIATE')
  const refused = await send('POST', ORDERS, key, ORDER)
  expect([refused.status, (await refused.json()).detail]).toEqual([
    503,
    'Not sent: orders are stopped, because another program has locked the order journal.',
  ])
  expect(orders.summary('key-1')).toMatchObject({
    state: 'failed',
    why: 'another program has locked the order journal',
  })
  expect((await get('/v3/brokerage/accounts', key)).status).toBe(200)
  expect((await send('GET', `${ROOT}/routes`, key)).status).toBe(200)
  other.exec('ROLLBACK')
  other.close()
  await vi.waitFor(() => expect(orders.summary('key-1').state).toBe('on'), PATIENT)
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
  expect(service.service.orders.ledger.arrivals().filter(({ method }) => method === 'POST')).toHaveLength(2)
  expect(events.map(({ kind }) => kind)).toEqual(['orders-stopped', 'orders-allowed'])
})

test('certainly not sent: the service refuses connections', async () => {
  const { add, send, service, orders } = await startOrderGateway()
  const key = add('bot')
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(200)
  const total = service.service.orders.ledger.total()
  await service.close()
  // The idle connection ended with the service.
  const answer = await vi.waitFor(async () => {
    const tried = await send('POST', ORDERS, key, ORDER)
    expect(tried.status).toBe(503)
    return tried
  }, PATIENT)
  expect(answer.headers.get('proxy-status')).toContain('headroom; error=connection_refused')
  expect(service.service.orders.ledger.total()).toBe(total)
  expect(
    orders.entries(0, Number.MAX_SAFE_INTEGER)?.filter(({ outcome }) => outcome === 'answered'),
  ).toHaveLength(1)
})

test('a key that is disconnected while its order is under way: the outcome is unknown, and found later', async () => {
  const { add, send, service, orders, monitor, events, notes } = await startOrderGateway()
  const key = add('bot')
  service.faults.set('order-silence', 1)
  const answer = send('POST', ORDERS, key, ORDER)
  await vi.waitFor(() => expect(service.service.orders.ledger.total()).toBe(1), PATIENT)
  const profile = monitor.withProfile('key-1', (session) => ({ ok: true as const, found: session.profile }))
  monitor.disconnect('key-1')
  expect((await answer).status).toBe(502)
  expect((await send('POST', ORDERS, key, ORDER)).status).toBe(503)
  expect(notes.filter((note) => note.startsWith('a listener'))).toEqual([])
  await vi.waitFor(() => expect(events.map(({ kind }) => kind)).toEqual(['order-unknown']), PATIENT)
  if (!profile.ok) throw new Error('the key was not connected')
  monitor.connect(profile.found)
  await vi.waitFor(() => expect(orders.summary('key-1').unknown[0]?.state).toBe('found'), PATIENT)
  expect(service.service.orders.ledger.total()).toBe(1)
  proves(['O1', 'O3'], { level: 3, cases: 1 })
})
