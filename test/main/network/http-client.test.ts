import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { nodeHttp } from '../../../main/network/http-client.ts'
import type { HttpRequest } from '../../../main/ports/ports.ts'
import { proves } from '../../proof/proves.ts'
import { type RawServer, startRawServer } from '../ports/raw-server.ts'

const http = nodeHttp({})
const servers: RawServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(...how: Parameters<typeof startRawServer>): Promise<RawServer> {
  const server = await startRawServer(...how)
  servers.push(server)
  return server
}

const post = (origin: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url: `${origin}/oauth/token`,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=refresh_token',
  timeoutMs: 5_000,
  ...more,
})
const get = (origin: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: `${origin}/v3/brokerage/accounts`,
  headers: {},
  timeoutMs: 5_000,
  ...more,
})

/** Blocks this whole process, as if it was stopped. */
const stopped = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const BODY = '{"access_token":"a"}'
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const WHOLE = `${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`

test('a complete response has its status, its headers in lower case and its body', async () => {
  const { origin, heads } = await serve((socket) =>
    socket.end(
      `HTTP/1.1 403 Forbidden\r\nX-RateLimit-Remaining: 7\r\nContent-Length: 5\r\n\r\n€un`.slice(0, 95),
      'utf8',
    ),
  )
  const outcome = await http.send(post(origin))
  expect(outcome).toMatchObject({
    kind: 'answer',
    status: 403,
    headers: { 'x-ratelimit-remaining': '7' },
    body: '€un',
  })
  expect(heads[0]).toMatch(/^POST \/oauth\/token HTTP\/1\.1\r\n/)
  expect(heads[0]?.toLowerCase()).toContain('content-length: 24')
})

test('asks for responses that are not compressed, because it reads them as they are', async () => {
  const { origin, heads } = await serve((socket) => socket.end(WHOLE))
  await http.send(post(origin))
  expect(heads[0]?.toLowerCase()).toContain('\r\naccept-encoding: identity\r\n')
})

test('a refused connection was not sent', async () => {
  const server = await startRawServer(() => {})
  await server.close()
  expect(await http.send(post(server.origin))).toEqual({ kind: 'not-sent', why: 'connection refused' })
})

test('a name that does not exist was not sent', async () => {
  const outcome = await http.send(post('https://no-such-host.invalid', { timeoutMs: 4_000 }))
  expect(outcome.kind).toBe('not-sent')
})

test('after a reset the outcome is unknown, and the request was sent once', async () => {
  const server = await serve((socket) => socket.resetAndDestroy())
  expect(await http.send(post(server.origin))).toEqual({ kind: 'unknown', why: 'connection lost' })
  expect(server.heads.length).toBe(1)
})

test('a connection closed cleanly without a response is unknown, and the request was sent once', async () => {
  const server = await serve((socket) => socket.end())
  expect((await http.send(post(server.origin))).kind).toBe('unknown')
  expect(server.heads.length).toBe(1)
})

test('a reset while the request is being sent is not called not-sent, because the service may have read it', async () => {
  const server = await serve(
    () => {},
    (socket) => socket.prependOnceListener('data', () => socket.resetAndDestroy()),
  )
  expect((await http.send(post(server.origin))).kind).toBe('unknown')
})

test('however a connection fails, an outcome of not-sent is never wrong', async () => {
  const rounds = 30
  for (let round = 0; round < rounds; round += 1) {
    const server = await serve(
      () => {},
      (socket) => (round % 2 === 0 ? socket.resetAndDestroy() : socket.destroy()),
    )
    const { kind } = await http.send(post(server.origin))
    expect(['not-sent', 'unknown']).toContain(kind)
    if (kind === 'not-sent') expect(server.heads.length).toBe(0)
  }
  proves('T4', { level: 3, cases: rounds })
})

test('consecutive requests do not share a connection, and a reset is not retried', async () => {
  let connections = 0
  const server = await serve(
    (socket) => {
      if (server.heads.length === 1) socket.write(WHOLE)
      else socket.resetAndDestroy()
    },
    () => {
      connections += 1
    },
  )
  expect((await http.send(post(server.origin))).kind).toBe('answer')
  expect((await http.send(post(server.origin))).kind).toBe('unknown')
  expect([server.heads.length, connections]).toEqual([2, 2])
  proves('T4', { level: 3, cases: 2 })
})

test('a body cut at any byte is unknown, never a response', async () => {
  for (let length = 0; length < BODY.length; length += 1) {
    const server = await serve((socket) =>
      socket.end(`${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, length)}`),
    )
    expect((await http.send(post(server.origin))).kind, `${length} bytes`).toBe('unknown')
  }
  proves('T3', { level: 3, cases: BODY.length })
})

test('a chunked body without its end is unknown', async () => {
  const whole = `${HEAD}Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
  for (const cut of [1, 3, 5, 6, 20]) {
    const server = await serve((socket) => socket.end(whole.slice(0, -cut)))
    expect((await http.send(post(server.origin))).kind, `${cut} bytes short`).toBe('unknown')
  }
  const server = await serve((socket) => socket.end(whole))
  expect(await http.send(post(server.origin))).toMatchObject({ kind: 'answer', body: BODY })
})

test('a response that arrived while the process was suspended is read, although its time is over', async () => {
  const { origin } = await serve((socket) => {
    socket.end(WHOLE)
    stopped(1_500)
  })
  expect(await http.send(post(origin, { timeoutMs: 300 }))).toMatchObject({ kind: 'answer', body: BODY })
})

test('a stream that opened while the process was suspended is open', async () => {
  const { origin } = await serve((socket) => {
    socket.end(WHOLE)
    stopped(1_500)
  })
  expect(await listened(get(origin, { timeoutMs: 300 })).end).toBe('ended by the service')
})

test('after a suspension, a missing response is waited for two more seconds', async () => {
  const { origin } = await serve(() => stopped(1_500))
  expect(await http.send(post(origin, { timeoutMs: 300 }))).toEqual({
    kind: 'unknown',
    why: 'timed out',
  })
})

test('a response that is late is unknown, even if its headers arrived in time', async () => {
  for (const said of ['', 'HTTP/1.1 200 OK\r\n', `${HEAD}Content-Length: 9\r\n\r\n{`]) {
    const server = await serve((socket) => socket.write(said || '\r'))
    const outcome = await http.send(post(server.origin, { timeoutMs: 60 }))
    expect(outcome).toEqual({ kind: 'unknown', why: 'timed out' })
  }
})

test('redirects are returned, not followed', async () => {
  const server = await serve((socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${server.origin}/elsewhere\r\nContent-Length: 0\r\n\r\n`),
  )
  expect(await http.send(get(server.origin))).toMatchObject({ kind: 'answer', status: 302 })
  expect(server.heads.length).toBe(1)
})

test.each([
  ['not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
])('%s is unknown', async (_, said) => {
  const server = await serve((socket) => socket.end(said))
  expect((await http.send(get(server.origin, { timeoutMs: 2_000 }))).kind).toBe('unknown')
})

test('a response that is far too long is abandoned', async () => {
  const server = await serve((socket) => {
    socket.write(`${HEAD}Content-Length: ${9 << 20}\r\n\r\n`)
    socket.write(Buffer.alloc(9 << 20))
  })
  expect(await http.send(get(server.origin))).toEqual({ kind: 'unknown', why: 'the response is too long' })
})

test('a header that cannot be written is an outcome, not a crash, and its value is not repeated', async () => {
  const request = get('http://127.0.0.1:9', { headers: { authorization: 'Bearer SECRET\r\nx: y' } })
  const outcome = await http.send(request)
  expect(outcome.kind).toBe('not-sent')
  expect(JSON.stringify(outcome)).not.toContain('SECRET')
  const why = await new Promise<string>((ended) => {
    http.open(request, { opened: () => {}, chunk: () => {}, ended })
  })
  expect(why).not.toContain('SECRET')
})

/** Every call of a stream's listener, in order. */
function listened(request: HttpRequest) {
  const told: string[] = []
  let ended: (why: string) => void = () => {}
  let heard: () => void = () => {}
  const end = new Promise<string>((resolve) => (ended = resolve))
  const data = new Promise<void>((resolve) => (heard = resolve))
  const close = http.open(request, {
    opened: (status) => told.push(`opened ${status}`),
    chunk: (bytes) => {
      told.push(Buffer.from(bytes).toString())
      heard()
    },
    ended: (why) => {
      told.push(`ended ${why}`)
      ended(why)
    },
  })
  return { told, end, data, close }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a stream reports its status once, its bytes as they arrive and its end once', async () => {
  const { origin } = await serve((socket) => socket.end(`${CHUNKED}3\r\n{}\n\r\n0\r\n\r\n`))
  const { told, end } = listened(get(origin))
  expect(await end).toBe('ended by the service')
  expect(told).toEqual(['opened 200', '{}\n', 'ended ended by the service'])
})

/** A server in a separate thread. It writes a stream as fast as it is read, and posts its port. */
const FLOOD = `
  const { createServer } = require('node:http')
  const part = Buffer.alloc(1 << 20, 'x')
  const server = createServer((_, response) => {
    response.writeHead(200)
    const write = () => response.write(part, write)
    write()
  })
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))
`

test('a flood of frames leaves other connections a turn after each 64 kB', async () => {
  const flood = new Worker(FLOOD, { eval: true })
  onTestFinished(() => void flood.terminate())
  const [port] = (await once(flood, 'message')) as [number]
  let [inTurn, most, all] = [0, 0, 0]
  await new Promise<void>((done) => {
    const turn = () => {
      inTurn = 0
      if (all > 32 << 20) done()
      else setImmediate(turn)
    }
    const close = http.open(get(`http://127.0.0.1:${port}`), {
      opened: turn,
      chunk: ({ length }) => {
        inTurn += length
        all += length
        most = Math.max(most, inTurn)
      },
      ended: () => {},
    })
    onTestFinished(close)
  })
  // One more part of 64 kB may already be in flight.
  expect(most).toBeLessThanOrEqual(128 << 10)
})

test.each<[string, (socket: import('node:net').Socket) => void]>([
  ['reset', (socket) => socket.resetAndDestroy()],
  ['closed inside a chunk', (socket) => socket.end()],
])('a stream whose connection is %s is reported as lost', async (_, kill) => {
  const { origin, sockets } = await serve((socket) => socket.write(`${CHUNKED}3\r\n{}\n\r\n9\r\n{`))
  const { end, data } = listened(get(origin))
  await data
  for (const socket of sockets) kill(socket)
  expect(await end).toBe('connection lost')
})

test('a body that ends with its connection is lost if the connection is reset', async () => {
  const { origin, sockets } = await serve((socket) =>
    socket.write(`${HEAD}Connection: close\r\n\r\n{"half":`),
  )
  const { end, data } = listened(get(origin))
  await data
  for (const socket of sockets) socket.resetAndDestroy()
  expect(await end).toBe('connection lost')
})

test('closing a stream frees the socket at once, and nothing more is reported', async () => {
  let gone: () => void = () => {}
  const socketGone = new Promise<void>((resolve) => (gone = resolve))
  const server = await serve((socket) => {
    socket.on('close', gone)
    socket.write(`${CHUNKED}3\r\n{}\n\r\n`)
  })
  const { told, data, close } = listened(get(server.origin))
  await data
  const before = [...told]
  close()
  await socketGone
  expect(server.sockets.size).toBe(0)
  expect(told).toEqual(before)
})

test('closing before the response reports nothing', async () => {
  let read: () => void = () => {}
  const requestRead = new Promise<void>((resolve) => (read = resolve))
  let gone: () => void = () => {}
  const socketGone = new Promise<void>((resolve) => (gone = resolve))
  const { origin } = await serve((socket) => {
    socket.on('close', gone)
    read()
  })
  const { told, close } = listened(get(origin))
  await requestRead
  close()
  await socketGone
  expect(told).toEqual([])
})

test('a stream without headers in time is reported, and an open one has no deadline', async () => {
  const silent = await serve(() => {})
  expect(await listened(get(silent.origin, { timeoutMs: 50 })).end).toBe('timed out')
  const { origin, sockets } = await serve((socket) => socket.write(`${CHUNKED}3\r\n{}\n\r\n`))
  const { told, data, end } = listened(get(origin, { timeoutMs: 300 }))
  await data
  // Waits for more than twice the deadline of the open stream.
  await listened(get(silent.origin, { timeoutMs: 650 })).end
  expect(told).toEqual(['opened 200', '{}\n'])
  for (const socket of sockets) socket.end('0\r\n\r\n')
  expect(await end).toBe('ended by the service')
})

test('a rejected stream reports no status', async () => {
  const server = await startRawServer(() => {})
  await server.close()
  const { told, end } = listened(get(server.origin))
  expect(await end).toBe('connection refused')
  expect(told).toEqual(['ended connection refused'])
})

test('the raw server counts what it read, not connections', async () => {
  const server = await serve((socket) => socket.end(WHOLE))
  const idle = connect(server.port, '127.0.0.1')
  await new Promise((resolve) => idle.once('connect', resolve))
  await http.send(get(server.origin))
  expect(server.heads.length).toBe(1)
  idle.destroy()
})
