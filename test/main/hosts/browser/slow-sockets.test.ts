import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  LOOPBACK_LIMITS,
  type LoopbackLimits,
  listenOnLoopback,
} from '../../../../main/network/loopback-servers.ts'
import { silentSockets } from '../../silent-sockets.ts'
import { rawExchange, requestText } from './raw-http.ts'
import { bearing, startHost } from './started-host.ts'

/** More than twice as many connections as a host keeps open. */
const FLOOD = 1_100
const HEAD = 'POST /api/session HTTP/1.1\r\n'

async function started() {
  const host = await startHost()
  onTestFinished(() => host.stop())
  const at = { port: host.port, host: '127.0.0.1' }
  return {
    host,
    at,
    head: `${HEAD}host: 127.0.0.1:${host.port}\r\norigin: http://127.0.0.1:${host.port}\r\n`,
  }
}

test('1,100 silent connections block nobody, and are bounded in number', async () => {
  const { host, at } = await started()
  const silent = await silentSockets(FLOOD, at)
  expect((await host.get('/')).status).toBe(200)
  const bearer = await host.bearer()
  expect((await host.post('/api/command/hello', null, bearing(bearer))).status).toBe(200)
  expect(silent.open).toBeLessThanOrEqual(LOOPBACK_LIMITS.mostConnections)
})

test.each([
  ['stop within a header', (head: string) => `${head}x-slow: `],
  [
    'stop within a body',
    (head: string) => `${head}content-type: application/json\r\ncontent-length: 50\r\n\r\n{`,
  ],
  ['announce a chunk and send none', (head: string) => `${head}transfer-encoding: chunked\r\n\r\nff\r\n`],
])('1,100 connections that %s block nobody', async (_, bytes) => {
  const { host, at, head } = await started()
  const silent = await silentSockets(FLOOD, at, bytes(head))
  const bearer = await host.bearer()
  expect((await host.post('/api/command/hello', null, bearing(bearer))).status).toBe(200)
  expect(silent.open).toBeLessThanOrEqual(LOOPBACK_LIMITS.mostConnections)
})

test('1,100 connections do not end the stream of a window that connected before them', async () => {
  const { host, at } = await started()
  const outgoing = request({
    ...at,
    path: '/api/pushes',
    headers: { host: `127.0.0.1:${host.port}`, authorization: `Bearer ${await host.bearer()}` },
  })
  outgoing.end()
  const [answer] = await once(outgoing, 'response')
  let ended = false
  answer.on('close', () => {
    ended = true
  })
  answer.on('error', () => {})
  answer.resume()
  await silentSockets(FLOOD, at)
  const bearer = await host.bearer()
  await host.post('/api/command/hello', null, bearing(bearer))
  expect(ended).toBe(false)
  const told = once(answer, 'data')
  const [session] = host.windows.sessions
  session?.pushes.profileRemoved({ profile: 'p1' })
  await told
  outgoing.destroy()
})

const SHORT: LoopbackLimits = {
  headersTimeoutMs: 150,
  requestTimeoutMs: 200,
  checkedEveryMs: 50,
  silenceMs: 250,
  idleMs: 500,
  mostConnections: 128,
}

/** A server with limits that are short enough for a test. Without `answer`, it leaves every request open. */
async function shortLived(answer?: string, limits: LoopbackLimits = SHORT) {
  const ended = Promise.withResolvers<void>()
  const servers = await listenOnLoopback(
    0,
    () => (_request, response) => {
      response.on('close', () => ended.resolve())
      if (answer !== undefined) response.end(answer)
    },
    { limits },
  )
  onTestFinished(() => servers.close())
  return { to: { port: servers.port, host: '127.0.0.1' }, ended: ended.promise }
}

test.each([
  ['says nothing', ''],
  ['stops within its headers', 'GET / HTTP/1.1\r\nhost: x\r\nx-slow: '],
  ['stops within its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{'],
])('a connection that %s is closed in time', async (_, bytes) => {
  const { to } = await shortLived()
  const silent = await silentSockets(20, to, bytes)
  await silent.allEnded()
  expect(silent.open).toBe(0)
})

test('one that does not read its response is closed in time', async () => {
  const { to, ended } = await shortLived('x'.repeat(20_000_000))
  const socket = connect(to, () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'))
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).pause()
  // Waits for the end at the server, because this client has not read anything.
  await ended
  expect(socket.bytesRead).toBe(0)
})

test('one that keeps sending requests without a key is closed in time', async () => {
  const { to } = await shortLived('x', { ...LOOPBACK_LIMITS, unauthenticatedMs: 1_000 })
  const socket = connect(to)
  onTestFinished(() => void socket.destroy())
  const ask = () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  let answers = 0
  socket
    .on('error', () => {})
    .on('data', () => {
      answers += 1
      setTimeout(ask, 20)
    })
  ask()
  await new Promise((closed) => socket.on('close', closed))
  expect(answers).toBeGreaterThan(1)
})

test('the limits of the hosts are these, shorter than a user’s patience', () => {
  expect(LOOPBACK_LIMITS.headersTimeoutMs + LOOPBACK_LIMITS.checkedEveryMs).toBeLessThanOrEqual(15_000)
  expect(LOOPBACK_LIMITS.requestTimeoutMs + LOOPBACK_LIMITS.checkedEveryMs).toBeLessThanOrEqual(20_000)
  expect(LOOPBACK_LIMITS.silenceMs).toBeLessThanOrEqual(60_000)
})

test('headers of 17 kB get 431, a body of 1 MB gets 413, and the host continues', async () => {
  const { host, head } = await started()
  const huge = `${head}x: ${'x'.repeat(17 * 1024)}\r\n\r\n`
  expect((await rawExchange(host.port, huge)).status).toBe(431)
  const many = Array.from({ length: 3000 }, (_, at) => `x${at}: y\r\n`).join('')
  expect((await rawExchange(host.port, `${head}${many}\r\n`)).status).toBe(431)
  const body = JSON.stringify('x'.repeat(1_000_000))
  expect((await host.post('/api/session', body)).status).toBe(413)
  const chunked = `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
  expect((await rawExchange(host.port, `${chunked}${chunk.repeat(4)}0\r\n\r\n`)).status).toBe(413)
  expect((await host.get('/')).status).toBe(200)
})

test('a stranger’s announced body is not waited for: the rejection closes the connection', async () => {
  const { host } = await started()
  const at = `127.0.0.1:${host.port}`
  for (const [target, host_, status] of [
    ['/api/command/revoke', at, 401],
    ['/api/session', 'evil.test', 421],
  ] as const) {
    const text = requestText({
      method: 'POST',
      target,
      headers: [
        ['host', host_],
        ['origin', `http://${at}`],
      ],
    })
    const asked = text
      .replace('content-length: 0', 'content-length: 100000000')
      .replace('connection: close', 'x: y')
    const startedAtMs = performance.now()
    expect((await rawExchange(host.port, asked)).status).toBe(status)
    expect(performance.now() - startedAtMs).toBeLessThan(5_000)
  }
})
