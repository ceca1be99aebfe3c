import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import type { SimulatorFlags } from '../../../main/simulator/options.ts'
import { PATIENT } from '../../patient.ts'
import { type Body, orderBody as body, json, quotaOf, simulated } from './simulated.ts'

const SECRET = 'only-for-tests'
const ORDERS = '/v3/orderexecution/orders'
const LISTED = '/v3/brokerage/accounts/SIM1001/orders'
const STREAM = '/v3/brokerage/stream/accounts/SIM1001/orders'

async function trading(options: Partial<SimulatorFlags> = {}) {
  const sim = await simulated({ trade: true, controlSecret: SECRET, ...options })
  const send = (method: string, path: string, fields?: object) =>
    sim.get(path, {
      method,
      ...(fields === undefined ? {} : { body: JSON.stringify(fields) }),
      headers: { 'content-type': 'application/json' },
    })
  const place = (fields: object = {}) => send('POST', ORDERS, body(fields))
  const placedId = async (fields?: object) => idsIn(await json(await place(fields)))[0] ?? ''
  const listed = async () => (await json(await sim.get(LISTED)))['Orders'] as readonly Body[]
  const arrivals = () => sim.server.service.orders.ledger.arrivals()
  return { ...sim, send, place, placedId, listed, arrivals }
}
const idsIn = (answer: Body) => (answer['Orders'] as readonly Body[]).map((one) => String(one['OrderID']))

describe('endpoints (service 14)', () => {
  test('an order is placed, listed first, replaced and cancelled', async () => {
    const { place, send, listed, get } = await trading()
    const before = await listed()
    const placed = await place({ OrderType: 'Limit', LimitPrice: '0.01' })
    expect(placed.status).toBe(200)
    const answer = await json(placed)
    const [id = ''] = idsIn(answer)
    expect(answer).toEqual({
      Orders: [{ OrderID: id, Message: 'Sent order: Buy 10 MSFT @ 0.01' }],
      Errors: [],
    })
    expect(await json(await send('PUT', `${ORDERS}/${id}`, { Quantity: '7' }))).toMatchObject({ OrderID: id })
    const [first, ...rest] = await listed()
    expect(first).toMatchObject({ OrderID: id, Status: 'ACK', Legs: [{ QuantityOrdered: '7' }] })
    expect(rest).toEqual(before)
    expect(await json(await send('DELETE', `${ORDERS}/${id}`))).toMatchObject({ OrderID: id })
    expect(await json(await get(`${LISTED}/${id}`))).toMatchObject({
      Orders: [{ OrderID: id, Status: 'CAN' }],
    })
    expect((await send('DELETE', `${ORDERS}/${id}`)).status).toBe(400)
    expect((await send('DELETE', `${ORDERS}/77`)).status).toBe(404)
    expect((await send('PUT', `${ORDERS}/77`, { Quantity: '7' })).status).toBe(404)
  })

  test('a group is 200 even if one of its orders failed', async () => {
    const { send } = await trading()
    const orders = [body(), body({ Symbol: 'NOPE' })]
    const answer = await send('POST', '/v3/orderexecution/ordergroups', { Type: 'NORMAL', Orders: orders })
    expect(answer.status).toBe(200)
    expect(await json(answer)).toMatchObject({
      Orders: [{ OrderID: expect.any(String) }],
      Errors: [{ OrderID: expect.any(String), Error: 'FAILED', Message: 'EX_INVALID_SYMBOL' }],
    })
  })

  test('a repeated OrderConfirmID is answered with the first order and places nothing', async () => {
    const { placedId, listed, arrivals } = await trading()
    const first = await placedId({ OrderConfirmID: 'A1' })
    const before = (await listed()).length
    expect(await placedId({ OrderConfirmID: 'A1' })).toBe(first)
    expect((await listed()).length).toBe(before)
    expect(arrivals().map(({ changed, confirmIds }) => [changed, confirmIds])).toEqual([
      [[first], ['A1']],
      [[], ['A1']],
    ])
  })

  test('a repeated OrderConfirmID of a rejected order is rejected again', async () => {
    const { send } = await trading()
    for (let tries = 0; tries < 2; tries += 1) {
      const answer = await json(await send('POST', ORDERS, body({ Symbol: 'NOPE', OrderConfirmID: 'R1' })))
      expect(answer).toMatchObject({ Orders: [], Errors: [{ Message: 'EX_INVALID_SYMBOL' }] })
    }
  })

  test('estimates place nothing, and the two lists are there', async () => {
    const { send, get, listed, arrivals } = await trading()
    const before = await listed()
    const one = await json(await send('POST', '/v3/orderexecution/orderconfirm', body()))
    expect(one).toMatchObject({
      Confirmations: [{ OrderConfirmID: expect.stringMatching(/^[0-9A-Z]{22}$/), Account: 'SIM1001' }],
    })
    const group = { Type: 'OCO', Orders: [body({ OrderConfirmID: 'B2' }), body({ Symbol: 'NOPE' })] }
    expect(await json(await send('POST', '/v3/orderexecution/ordergroupconfirm', group))).toMatchObject({
      Confirmations: [{ OrderConfirmID: 'B2' }],
      Errors: [{ Error: 'FAILED' }],
    })
    expect(await json(await get('/v3/orderexecution/activationtriggers'))).toHaveProperty(
      'ActivationTriggers',
    )
    expect(await json(await get('/v3/orderexecution/routes'))).toHaveProperty('Routes')
    expect(await listed()).toEqual(before)
    expect(arrivals().flatMap(({ changed }) => changed)).toEqual([])
  })

  test.each([
    ['POST', ORDERS, '{', 400],
    ['POST', ORDERS, JSON.stringify(body({ AccountID: 'SIM9' })), 400],
    ['POST', '/v3/orderexecution/orderconfirm', '{}', 400],
    ['POST', '/v3/orderexecution/ordergroups', JSON.stringify(body()), 400],
    ['PUT', `${ORDERS}/1`, '{}', 400],
    ['PUT', ORDERS, '{}', 405],
    ['POST', `${ORDERS}/1`, '{}', 405],
    ['POST', '/v3/orderexecution/routes', '{}', 405],
    ['DELETE', `${ORDERS}/a_b`, undefined, 404],
    ['POST', '/v3/orderexecution/orders/', '{}', 404],
  ])('%s %s with %s is answered %i in the error shape', async (method, path, text, status) => {
    const { get, arrivals } = await trading()
    const answer = await get(path, { method, ...(text === undefined ? {} : { body: text }) })
    expect(answer.status).toBe(status)
    expect(await json(answer)).toEqual({ Error: expect.any(String), Message: expect.any(String) })
    expect(arrivals()).toMatchObject([{ method, path, status, changed: [] }])
  })
})

describe('the Trade scope', () => {
  test('is required on every path, and without it nothing is placed or counted', async () => {
    const { place, get, server } = await trading({ trade: false })
    expect((await place()).status).toBe(403)
    expect((await get('/v3/orderexecution/routes')).status).toBe(403)
    expect((await get(LISTED)).status).toBe(200)
    expect(server.service.quotas.reading('Order Execution', server.service.nowMs())?.remaining).toBe(120)
  })

  test('is kept by a refresh', async () => {
    const { refresh } = await trading({ keys: 'rotating' })
    const first = await json(await refresh())
    expect(String(first['scope']).split(' ')).toContain('Trade')
    const second = await json(await refresh({ refresh_token: String(first['refresh_token']) }))
    expect(String(second['scope']).split(' ')).toContain('Trade')
  })
})

describe('the order quota', () => {
  test('counts orders separately from reads, and at 0 responds with a 429 that costs and places nothing', async () => {
    const { place, send, listed, clock } = await trading({
      limits: { 'Order Execution': { limit: 2, periodSeconds: 60 } },
    })
    const before = (await listed()).length
    expect(quotaOf(await place())).toMatchObject({ limit: 2, remaining: 1, resource: 'order-execution' })
    expect(quotaOf(await send('POST', '/v3/orderexecution/orderconfirm', body())).limit).toBeUndefined()
    await place()
    const refused = await place()
    expect(refused.status).toBe(429)
    expect(await json(refused)).toEqual({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
    expect((await listed()).length).toBe(before + 2)
    clock.advance(30_000)
    expect((await place()).status).toBe(200)
  })
})

describe('order streams', () => {
  test('show an order when it is placed, filled and cancelled, without other messages', async () => {
    const { get, placedId, send, clock } = await trading({ streamRate: 0 })
    const early = await placedId({ OrderType: 'Limit', LimitPrice: '0.01' })
    const stream = await get(STREAM)
    let text = ''
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) text += new TextDecoder().decode(chunk as Uint8Array)
    })().catch(() => undefined)
    const seen = (id: string) =>
      text
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => JSON.parse(line).Status)
    await vi.waitFor(() => expect(seen(early)).toEqual(['ACK']), PATIENT)
    const later = await placedId()
    await vi.waitFor(() => expect(seen(later)).toEqual(['ACK']), PATIENT)
    clock.advance(1000)
    await vi.waitFor(() => expect(seen(later)).toEqual(['ACK', 'FLL']), PATIENT)
    await send('DELETE', `${ORDERS}/${early}`)
    await vi.waitFor(() => expect(seen(early)).toEqual(['ACK', 'OPN', 'CAN']), PATIENT)
    expect(text.match(/EndSnapshot/g)).toHaveLength(1)
    await stream.body?.cancel().catch(() => undefined)
    void reading
  })
})

describe('faults', () => {
  test.each(['order-lost-response', 'order-cut-response'])('%s: the order is in the book', async (name) => {
    const { place, listed, arrivals } = await trading({ faults: [name] })
    const before = (await listed()).length
    await expect(place().then((response) => response.text())).rejects.toThrow()
    expect((await listed()).length).toBe(before + 1)
    expect(arrivals()[0]?.changed).toHaveLength(1)
    expect((await place()).status).toBe(200)
  })

  test('order-reset loses the socket, and no order is in the book', async () => {
    const { place, listed, arrivals } = await trading({ faults: ['order-reset'] })
    const before = (await listed()).length
    await expect(place()).rejects.toThrow()
    expect((await listed()).length).toBe(before)
    expect(arrivals()).toMatchObject([{ outcome: 'reset', status: 0, changed: [] }])
  })

  test.each([401, 429, 500, 502, 503, 504])('order-%i rejects one order', async (status) => {
    const { place, listed, get } = await trading({ faults: [`order-${status}`] })
    const before = (await listed()).length
    expect((await get('/v3/orderexecution/routes')).status).toBe(200)
    const answer = await place()
    expect(answer.status).toBe(status)
    if (status === 429) expect(quotaOf(answer)).toMatchObject({ limit: 120, remaining: 0 })
    expect((await listed()).length).toBe(before)
    expect((await place()).status).toBe(200)
  })

  test.each([500, 502, 503, 504])('order-%i-taken has placed the order', async (status) => {
    const { place, listed } = await trading({ faults: [`order-${status}-taken`] })
    const before = (await listed()).length
    expect((await place()).status).toBe(status)
    expect((await listed()).length).toBe(before + 1)
  })

  test('a fault of accepted orders waits for an order that is accepted', async () => {
    const { place } = await trading({ faults: ['order-500-taken'] })
    expect((await place({ AccountID: 'SIM9' })).status).toBe(400)
    expect((await place()).status).toBe(500)
  })

  test('order-silence accepts the order and never responds', async () => {
    const { send, get, listed, arrivals, clock } = await trading({ faults: ['order-silence'] })
    const before = (await listed()).length
    const leave = new AbortController()
    const silent = get(ORDERS, { method: 'POST', body: JSON.stringify(body()), signal: leave.signal })
    const outcome = silent.then(
      () => 'answered',
      () => 'left',
    )
    await vi.waitFor(() => expect(arrivals()).toMatchObject([{ outcome: 'silence' }]), PATIENT)
    clock.advance(60_000)
    expect((await listed()).length).toBe(before + 1)
    expect((await send('GET', '/v3/orderexecution/routes')).status).toBe(200)
    leave.abort()
    expect(await outcome).toBe('left')
  })

  test('order-late-response answers after 12 s', async () => {
    const { place, arrivals, clock } = await trading({ faults: ['order-late-response'] })
    let isAnswered = false
    const late = place().then((response) => {
      isAnswered = true
      return response.status
    })
    await vi.waitFor(() => expect(arrivals()).toHaveLength(1), PATIENT)
    clock.advance(11_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    clock.advance(1)
    expect(await late).toBe(200)
  })

  test('connect-reset ends a new connection before its request arrives', async () => {
    const { server, arrivals } = await trading({ faults: ['connect-reset'] })
    const post = () => fetch(server.origin + ORDERS, { method: 'POST', body: '{}' })
    await expect(post()).rejects.toThrow()
    expect(arrivals()).toEqual([])
    expect((await post()).status).toBe(401)
    expect(arrivals()).toMatchObject([{ status: 401, connection: 2 }])
  })
})

describe('the ledger', () => {
  test('counts what arrived, lists repeats and stores no body', async () => {
    const { place, server } = await trading()
    await place()
    await place()
    await place({ Quantity: '11', OrderConfirmID: 'C3' })
    const headers = { 'x-simulator-control': SECRET }
    const text = await (await fetch(`${server.origin}/control/orders`, { headers })).text()
    const ledger = JSON.parse(text)
    expect(ledger.total).toBe(3)
    expect(ledger.arrivals).toMatchObject([{ confirmIds: [] }, { confirmIds: [] }, { confirmIds: ['C3'] }])
    expect(ledger.arrivals[0]).toMatchObject({
      method: 'POST',
      path: ORDERS,
      bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      connection: expect.any(Number),
      status: 200,
      outcome: 'answer',
    })
    expect(ledger.repeated).toEqual(ledger.arrivals.slice(0, 2))
    expect(text).not.toContain('MSFT')
    expect(text).not.toContain('Bearer')
  })

  test('tells bodies apart by their bytes, and reads escaped names and IDs', async () => {
    const { server, accessToken, arrivals } = await trading()
    const post = async (sent: Buffer) =>
      fetch(server.origin + ORDERS, {
        method: 'POST',
        headers: { authorization: `Bearer ${await accessToken()}` },
        body: new Uint8Array(sent),
      })
    for (const last of [0xfe, 0xff]) await post(Buffer.from([0x22, last]))
    await post(Buffer.from('{"Orders":[{"Order\\u0043onfirmID":"C\\u0033\\""}]}'))
    const [one, other, escaped] = arrivals()
    expect(one?.bodyHash).not.toBe(other?.bodyHash)
    expect(escaped?.confirmIds).toEqual(['C3"'])
  })

  test('leaves out a request whose body did not arrive completely', async () => {
    const { server, accessToken, arrivals, get } = await trading()
    const token = await accessToken()
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST ${ORDERS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 500\r\n\r\n`
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined).resume()
    socket.end(`${head}{"AccountID":`)
    await closed
    expect((await get('/v3/orderexecution/routes')).status).toBe(200)
    expect(arrivals().map(({ method }) => method)).toEqual(['GET'])
  })
})
