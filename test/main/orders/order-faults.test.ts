import { connect, createServer, type Socket } from 'node:net'
import zlib from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { httpRoutes } from '../../../main/network/http-agents.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { listening } from '../loopback-server.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { ORDER, ORDERS, type OrderGateway, startOrderGateway } from './order-gateway.ts'

interface Lost {
  readonly type: string
  readonly journalId: string
  readonly hasConfirmId: boolean
}

/** A service whose responses to orders `answer` writes byte by byte. Counts the complete requests. */
async function rawService(answer: (socket: Socket, request: string, count: number) => void) {
  let count = 0
  const sockets = new Set<Socket>()
  const origin = await listening(
    createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      let request = ''
      socket.on('data', (bytes) => {
        request += bytes.toString('latin1')
        const [, length = '0'] = /content-length: (\d+)/i.exec(request) ?? []
        const end = request.indexOf('\r\n\r\n')
        if (end < 0 || request.length < end + 4 + Number(length)) return
        const whole = request
        request = ''
        // Lookups are not counted.
        if (whole.startsWith('GET')) socket.destroy()
        else answer(socket, whole, ++count)
      })
    }),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { origin, count: () => count }
}

async function outcomes({ orders }: OrderGateway): Promise<readonly string[]> {
  return vi.waitFor(() => {
    const found = orders.entries(0, Number.MAX_SAFE_INTEGER)?.map(({ outcome }) => outcome) ?? []
    expect(found).not.toContain('sent')
    return found
  }, PATIENT)
}

const BODY = JSON.stringify({ Orders: [{ OrderID: '1000000001', Message: 'Sent order' }] })
const WHOLE =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-ratelimit-limit: 120\r\nx-ratelimit-period: 60\r\n' +
  'x-ratelimit-remaining: 119\r\nx-ratelimit-reset: 1\r\nx-ratelimit-resource: Orders\r\n' +
  `content-length: ${BODY.length}\r\n\r\n${BODY}`

test('an answer cut at any byte is an unknown outcome, and the order is not sent again', async () => {
  let cutAt = 0
  const service = await rawService((socket) => socket.end(WHOLE.slice(0, cutAt)))
  const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
  const key = started.add('bot')
  for (cutAt = 0; cutAt < WHOLE.length; cutAt += 1) {
    const answer = await started.send('POST', ORDERS, key, ORDER)
    const lost: Lost = await answer.json()
    expect([cutAt, answer.status, service.count()]).toEqual([cutAt, 502, cutAt + 1])
    expect(answer.headers.get('proxy-status')).toContain('headroom; error=connection_terminated')
    expect(lost).toMatchObject({ type: 'outcome-unknown', hasConfirmId: false })
    const event = { kind: 'order-unknown', id: lost.journalId, program: 'bot' }
    await vi.waitFor(() => expect(started.events.at(-1)).toEqual(event), PATIENT)
  }
  const last = await started.send('POST', ORDERS, key, ORDER)
  expect([last.status, await last.text(), service.count()]).toEqual([200, BODY, WHOLE.length + 1])
  expect(await outcomes(started)).toEqual([...Array(WHOLE.length).fill('looking'), 'answered'])
  expect(started.orders.summary('key-1').unknown).toHaveLength(WHOLE.length)
  proves(['O1', 'O3'], { level: 3, cases: WHOLE.length })
}, 120_000)

test('an order whose answer does not end in time, is too long, or is abandoned gets that cause', async () => {
  const clock = new SkippingClock()
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000000\r\n\r\n'
  const service = await rawService((socket, _, count) => {
    socket.write(count === 2 ? head + 'x'.repeat(5_000_000) : count === 1 ? head : '')
  })
  const started = await startOrderGateway({ clock, profile: { baseUrl: service.origin } })
  const key = started.add('bot')
  const told = async (answer: Promise<Response>) => {
    const { status, detail } = (await (await answer).json()) as { status: number; detail: string }
    return [status, detail.split(';')[0]]
  }
  const slow = started.send('POST', ORDERS, key, ORDER)
  let isOver = false
  void slow.then(() => {
    isOver = true
  })
  await vi.waitFor(() => {
    clock.skip(10_000)
    expect(isOver).toBe(true)
  }, PATIENT)
  expect(await told(slow)).toEqual([502, 'The response was incomplete after 10 seconds'])
  const long = started.send('POST', ORDERS, key, ORDER)
  expect(await told(long)).toEqual([502, 'The response is over 4 MiB'])
  const abandoned = started.send('POST', ORDERS, key, ORDER)
  await vi.waitFor(() => expect(service.count()).toBe(3), PATIENT)
  void started.gateway.stop(0)
  expect(await told(abandoned)).toEqual([502, 'Headroom stopped waiting'])
  proves('O3', { level: 3, cases: 3 })
})

test('a bug found by an answer leaves an unknown outcome, and the program still gets the answer', async () => {
  const service = await rawService((socket) => socket.write(WHOLE))
  const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
  const key = started.add('bot')
  started.secrets.clean = () => {
    throw new Error('a bug')
  }
  const answer = await started.send('POST', ORDERS, key, ORDER)
  expect([answer.status, await answer.text(), service.count()]).toEqual([200, BODY, 1])
  expect(await outcomes(started)).toEqual(['looking'])
  expect(started.orders.summary('key-1').unknown).toHaveLength(1)
})

test.each([
  ['ends after its head', '200 OK', undefined, '', 502],
  ['has an empty body', '200 OK', 0, '', 200],
  ['has no body', '204 No Content', undefined, '', 204],
  ['names no order', '200 OK', 11, '{"hello":1}', 200],
  ['is half a JSON', '200 OK', 11, BODY.slice(0, 11), 200],
] as const)('an answer that %s is an unknown outcome', async (_, line, length, body, status) => {
  const head = `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\n`
  const framed = length === undefined ? head : `${head}content-length: ${length}\r\n`
  const service = await rawService((socket) => socket.end(`${framed}connection: close\r\n\r\n${body}`))
  const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
  const answer = await started.send('POST', ORDERS, started.add('bot'), ORDER)
  expect([answer.status, service.count()]).toEqual([status, 1])
  const text = await answer.text()
  if (status !== 502) expect(text).toBe(body)
  expect(await outcomes(started)).toEqual(['looking'])
  proves('O3', { level: 3, cases: 1 })
})

test.each([
  [302, 'looking'],
  [408, 'looking'],
  [501, 'looking'],
  [520, 'looking'],
  [599, 'looking'],
  [400, 'answered'],
  [404, 'answered'],
  [409, 'answered'],
  [429, 'answered'],
] as const)('a %i is passed on as it came, and leaves the order %s', async (status, outcome) => {
  const body = '{"Error":"Failed","Message":"m"}'
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  const service = await rawService((socket) => socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`))
  const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
  const answer = await fetch(`${started.url}${ORDERS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${started.add('bot')}` },
    body: JSON.stringify(ORDER),
    redirect: 'manual',
  })
  expect([answer.status, await answer.text()]).toEqual([status, body])
  expect(await outcomes(started)).toEqual([outcome])
  expect(service.count()).toBe(1)
})

test('an answer that names an error, or to a cancel, is an outcome', async () => {
  const errors = '{"Orders":[],"Errors":[{"Error":"FAILED"}]}'
  const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${errors.length}\r\n\r\n${errors}`
  const service = await rawService((socket, request) =>
    socket.end(request.startsWith('DELETE') ? 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n' : whole),
  )
  const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
  const key = started.add('bot')
  expect((await started.send('POST', ORDERS, key, ORDER)).status).toBe(200)
  expect((await started.send('DELETE', `${ORDERS}/7`, key)).status).toBe(204)
  expect(await outcomes(started)).toEqual(['answered', 'answered'])
})

const CONFIRMED = JSON.stringify({ ...ORDER, OrderConfirmID: 'once' })
const LONG = CONFIRMED.padEnd((64 << 10) + 1)

test.each([
  ['gzip', zlib.gzipSync(CONFIRMED), true],
  ['x-gzip', zlib.gzipSync(CONFIRMED.padEnd(64 << 10)), true],
  ['deflate', zlib.deflateSync(CONFIRMED), true],
  ['deflate', zlib.deflateRawSync(CONFIRMED), true],
  ['br', zlib.brotliCompressSync(CONFIRMED), true],
  ['zstd', zlib.zstdCompressSync(CONFIRMED), true],
  ['identity', Buffer.from(CONFIRMED), true],
  ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(CONFIRMED)), true],
  ['gzip', zlib.gzipSync(LONG), false],
  ['br', zlib.brotliCompressSync(LONG), false],
  ['gzip', Buffer.from(CONFIRMED), false],
  ['compress', Buffer.from(CONFIRMED), false],
  [Array(9).fill('identity, gzip').join(), zlib.gzipSync(CONFIRMED), false],
])(
  'a lost order in the coding %s is recognised, up to 64 KiB, and sent as it came',
  async (coding, body, isRead) => {
    const sent: string[] = []
    const service = await rawService((socket, request) => {
      sent.push(request)
      socket.destroy()
    })
    const started = await startOrderGateway({ profile: { baseUrl: service.origin } })
    const headers = { authorization: `Bearer ${started.add('bot')}`, 'content-encoding': coding }
    const answer = await fetch(`${started.url}${ORDERS}`, { method: 'POST', headers, body })
    expect([answer.status, await answer.json()]).toEqual([
      502,
      expect.objectContaining({ hasConfirmId: isRead }),
    ])
    const [entry] = started.orders.entries(0, Number.MAX_SAFE_INTEGER) ?? []
    expect(entry?.accountEnding).toBe(isRead ? '001' : '')
    const [head, ...rest] = sent.join().split('\r\n\r\n')
    expect(head).toContain(`content-encoding: ${coding}\r\n`)
    expect(Buffer.from(rest.join('\r\n\r\n'), 'latin1').equals(body)).toBe(true)
  },
)

/** Forwards the first `limit` bytes of each connection, then resets it. */
interface Relay {
  to: string
  limit: number
  /** Forwarded bytes of each connection so far. Each connection has one request. */
  readonly passed: number[]
}

async function startRelay(): Promise<Relay & { readonly origin: string }> {
  const relay: Relay = { to: '', limit: Number.POSITIVE_INFINITY, passed: [] }
  const origin = await listening(
    createServer((socket) => {
      const upstream = connect(Number(new URL(relay.to).port), '127.0.0.1')
      const { limit } = relay
      const at = relay.passed.push(0) - 1
      socket.on('error', () => {})
      upstream.on('error', () => {})
      // No response is forwarded, because its headers would show a quota that this many orders use up.
      upstream.on('data', () => socket.resetAndDestroy())
      upstream.on('close', () => socket.destroy())
      socket.on('close', () => upstream.end())
      socket.on('data', (bytes) => {
        const part = bytes.subarray(0, limit - (relay.passed[at] ?? 0))
        relay.passed[at] = (relay.passed[at] ?? 0) + part.length
        upstream.write(part, () => {
          if (relay.passed[at] === limit) socket.resetAndDestroy()
        })
      })
    }),
  )
  return Object.assign(relay, { origin })
}

test('a request cut at any byte reaches the service at most once, by its own ledger', async () => {
  const relay = await startRelay()
  const forward = nodeForwardHttp({}, httpRoutes({}, { keepAlive: false }))
  const started = await startOrderGateway({ forward, profile: { baseUrl: relay.origin } })
  relay.to = started.service.origin
  const { ledger } = started.service.service.orders
  const key = started.add('bot')
  expect((await started.send('POST', ORDERS, key, ORDER)).status).toBe(502)
  expect(ledger.total()).toBe(1)
  const [size = 0] = relay.passed
  expect(size).toBeGreaterThan(200)
  for (relay.limit = 1; relay.limit <= size; relay.limit += 1) {
    const before = ledger.total()
    const answer = await started.send('POST', ORDERS, key, ORDER)
    const reached = ledger.total() - before
    expect([relay.limit, answer.status]).toEqual([relay.limit, 502])
    expect(reached).toBeLessThanOrEqual(relay.limit === size ? 1 : 0)
  }
  expect(await outcomes(started)).toEqual(Array(size + 1).fill('looking'))
  proves(['O1', 'O3'], { level: 3, cases: size })
}, 120_000)
