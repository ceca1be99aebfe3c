import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
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

/** Holds this whole process, as a stop does. */
const stopped = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const BODY = '{"access_token":"a"}'
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const WHOLE = `${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`

test('a whole answer comes with its status, its headers in lower case and its body', async () => {
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

test('a refused connection was not sent', async () => {
  const server = await startRawServer(() => {})
  await server.close()
  expect(await http.send(post(server.origin))).toEqual({ kind: 'not-sent', why: 'connection refused' })
})

test('a name that does not exist was not sent', async () => {
  const outcome = await http.send(post('https://no-such-host.invalid', { timeoutMs: 4_000 }))
  expect(outcome.kind).toBe('not-sent')
})

test('a reset after the request is unknown, and the request was made once', async () => {
  const server = await serve((socket) => socket.resetAndDestroy())
  expect(await http.send(post(server.origin))).toEqual({ kind: 'unknown', why: 'connection lost' })
  expect(server.heads.length).toBe(1)
})

test('a connection that is closed politely without an answer is unknown, and made once', async () => {
  const server = await serve((socket) => socket.end())
  expect((await http.send(post(server.origin))).kind).toBe('unknown')
  expect(server.heads.length).toBe(1)
})

test('a reset while the request is under way is not called not-sent: the service may have read it', async () => {
  const server = await serve(
    () => {},
    (socket) => socket.prependOnceListener('data', () => socket.resetAndDestroy()),
  )
  expect((await http.send(post(server.origin))).kind).toBe('unknown')
})

test('whatever a connection dies of, an outcome of not-sent is never wrong', async () => {
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

test('requests in a row do not share a connection, and a reset of one is not answered by a retry', async () => {
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

test('a body cut at any byte is unknown, never an answer', async () => {
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

test('an answer that came while the process did not run is read, although its time is over', async () => {
  const { origin } = await serve((socket) => {
    socket.end(WHOLE)
    stopped(1_500)
  })
  expect(await http.send(post(origin, { timeoutMs: 300 }))).toMatchObject({ kind: 'answer', body: BODY })
})

test('a stream that was opened while the process did not run is open', async () => {
  const { origin } = await serve((socket) => {
    socket.end(WHOLE)
    stopped(1_500)
  })
  expect(await listened(get(origin, { timeoutMs: 300 })).end).toBe('ended by the service')
})

test('after the process did not run, an answer that does not come is waited for two seconds more', async () => {
  const { origin } = await serve(() => stopped(1_500))
  expect(await http.send(post(origin, { timeoutMs: 300 }))).toEqual({
    kind: 'unknown',
    why: 'timed out',
  })
})

test('no answer in time is unknown, also where its headers come and its body does not', async () => {
  for (const said of ['', 'HTTP/1.1 200 OK\r\n', `${HEAD}Content-Length: 9\r\n\r\n{`]) {
    const server = await serve((socket) => socket.write(said || '\r'))
    const outcome = await http.send(post(server.origin, { timeoutMs: 60 }))
    expect(outcome).toEqual({ kind: 'unknown', why: 'timed out' })
  }
})

test('redirects are answers and are not followed', async () => {
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

test('an answer that is far too long is given up', async () => {
  const server = await serve((socket) => {
    socket.write(`${HEAD}Content-Length: ${9 << 20}\r\n\r\n`)
    socket.write(Buffer.alloc(9 << 20))
  })
  expect(await http.send(get(server.origin))).toEqual({ kind: 'unknown', why: 'the response is too long' })
})

test('a header that cannot be written is an outcome, not a crash, and does not say what it was', async () => {
  const request = get('http://127.0.0.1:9', { headers: { authorization: 'Bearer SECRET\r\nx: y' } })
  const outcome = await http.send(request)
  expect(outcome.kind).toBe('not-sent')
  expect(JSON.stringify(outcome)).not.toContain('SECRET')
  const why = await new Promise<string>((ended) => {
    http.open(request, { opened: () => {}, chunk: () => {}, ended })
  })
  expect(why).not.toContain('SECRET')
})

/** Everything a stream's listener is told, in order. */
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

test('a stream is told its status once, its bytes as they come and its end once', async () => {
  const { origin } = await serve((socket) => socket.end(`${CHUNKED}3\r\n{}\n\r\n0\r\n\r\n`))
  const { told, end } = listened(get(origin))
  expect(await end).toBe('ended by the service')
  expect(told).toEqual(['opened 200', '{}\n', 'ended ended by the service'])
})

test.each<[string, (socket: import('node:net').Socket) => void]>([
  ['reset', (socket) => socket.resetAndDestroy()],
  ['closed inside a chunk', (socket) => socket.end()],
])('a stream whose connection is %s is told that it was lost', async (_, kill) => {
  const { origin, sockets } = await serve((socket) => socket.write(`${CHUNKED}3\r\n{}\n\r\n9\r\n{`))
  const { end, data } = listened(get(origin))
  await data
  for (const socket of sockets) kill(socket)
  expect(await end).toBe('connection lost')
})

test('closing a stream frees the socket at once and nothing more is told', async () => {
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

test('closing before the answer tells nothing', async () => {
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

test('a stream whose headers do not come is told so, and one that is open has no deadline', async () => {
  const silent = await serve(() => {})
  expect(await listened(get(silent.origin, { timeoutMs: 50 })).end).toBe('timed out')
  const { origin, sockets } = await serve((socket) => socket.write(`${CHUNKED}3\r\n{}\n\r\n`))
  const { told, data, end } = listened(get(origin, { timeoutMs: 300 }))
  await data
  // Two deadlines of another stream pass meanwhile.
  await listened(get(silent.origin, { timeoutMs: 650 })).end
  expect(told).toEqual(['opened 200', '{}\n'])
  for (const socket of sockets) socket.end('0\r\n\r\n')
  expect(await end).toBe('ended by the service')
})

test('a refused stream is told no status', async () => {
  const server = await startRawServer(() => {})
  await server.close()
  const { told, end } = listened(get(server.origin))
  expect(await end).toBe('connection refused')
  expect(told).toEqual(['ended connection refused'])
})

test('the raw server counts what it read, not what connected', async () => {
  const server = await serve((socket) => socket.end(WHOLE))
  const idle = connect(server.port, '127.0.0.1')
  await new Promise((resolve) => idle.once('connect', resolve))
  await http.send(get(server.origin))
  expect(server.heads.length).toBe(1)
  idle.destroy()
})
