import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { READING_POST } from '../../../main/gateway/caller-gate.ts'
import { type DoorDeps, door, GATEWAY_LIMITS, GATEWAY_TRAITS } from '../../../main/gateway/door.ts'
import type { Program } from '../../../main/gateway/programs.ts'
import { listenOnLoopback } from '../../../main/network/loopback-servers.ts'
import { proves } from '../../proof/proves.ts'
import { rawExchange } from '../hosts/browser/raw-http.ts'
import { rawSocket } from '../loopback-server.ts'
import { program } from './scripted-hub.ts'
import { startGateway } from './started-gateway.ts'

const KEY = 'a-key-of-a-program'

/** A door that records the bodies it admits. Its limits are short enough for a test. */
async function openDoor() {
  const admitted: (string | undefined)[] = []
  const bot: Program = program('bot')
  const servers = await listenOnLoopback(
    0,
    (port) =>
      door({
        port,
        programs: { ofBearer: (bearer) => (bearer === KEY ? bot : undefined), tokenFor: () => undefined },
        ordersAreOff: () => true,
        judgeOrder: () => ({ kind: 'off' }),
        serveOrder: () => {},
        callerOf: async () => 'own',
        scopesOf: () => [],
        keyShown: ({ socket }) => servers.keep(socket),
        serve: ({ body, reply }) => {
          admitted.push(body?.toString())
          reply.end('read')
        },
      } as DoorDeps),
    {
      ...GATEWAY_TRAITS,
      limits: { ...GATEWAY_LIMITS, headersTimeoutMs: 150, requestTimeoutMs: 200, checkedEveryMs: 50 },
    },
  )
  onTestFinished(() => servers.close())
  const post = (framing: string, body: string): string =>
    [
      'POST /v3/marketdata/options/riskreward HTTP/1.1',
      `host: 127.0.0.1:${servers.port}`,
      `authorization: Bearer ${KEY}`,
      framing,
      '',
      body,
    ].join('\r\n')
  return { port: servers.port, post, admitted }
}

const CHUNKED = 'transfer-encoding: chunked'

test.each([
  ['a length that is no number', 'zz\r\n'],
  ['a length beyond all bytes', 'FFFFFFFFFFFFFFFFF\r\nhello'],
  ['more bytes than its length', '2\r\n{}{}\r\n'],
  ['an extension of 20 kB', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
  ['a broken trailer', '2\r\n{}\r\n0\r\ntransfer encoding\r\n\r\n'],
])('responds to a body with %s with 400, and closes the connection', async (_, body) => {
  const { port, post, admitted } = await openDoor()
  const answer = await rawExchange(port, post(CHUNKED, body))
  expect([answer.status, answer.headers.get('connection')]).toEqual([400, 'close'])
  expect(JSON.parse(answer.body).detail).toBe("Can't parse this request. Send valid HTTP/1.1.")
  expect(admitted).toEqual([])
  proves('G1', { level: 3, cases: 1 })
})

test.each([
  ['half of its length', 'content-length: 10', '{"a"'],
  ['none of its length', 'content-length: 10', ''],
  ['one chunk', CHUNKED, '5\r\nhello\r\n'],
  ['all chunks but the last line end', CHUNKED, '2\r\n{}\r\n0\r\n'],
])('responds to a body that stops after %s with 408, and closes the connection', async (_, framing, body) => {
  const { port, post, admitted } = await openDoor()
  const answer = await rawExchange(port, post(framing, body))
  expect([answer.status, answer.headers.get('connection')]).toEqual([408, 'close'])
  expect(admitted).toEqual([])
  proves('G1', { level: 3, cases: 1 })
})

test('responds with 400 to a caller that ends its half of the connection within a body', async () => {
  const { port, post, admitted } = await openDoor()
  const { socket, text } = rawSocket(port)
  socket.end(post(CHUNKED, '5\r\n{'))
  await once(socket, 'close')
  expect(text()).toMatch(/^HTTP\/1\.1 400 /)
  expect(admitted).toEqual([])
})

test('an unfinished body is rejected only after the request before it', async () => {
  const { port, post, admitted } = await openDoor()
  const { socket, text } = rawSocket(port)
  socket.write(`${post('content-length: 2', '{}')}${post('content-length: 10', '{')}`)
  await once(socket, 'close')
  expect([...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '408'])
  expect(admitted).toEqual(['{}'])
})

test('a program that is cut off while its body arrives gets 401, and nothing is sent', async () => {
  const sent: string[] = []
  const { port, add, gateway } = await startGateway({
    forward: ({ pathAndQuery }, listener) => {
      sent.push(pathAndQuery)
      setImmediate(() => listener.failed('not-sent', 'no service'))
      return () => {}
    },
  })
  const key = add('bot')
  const { socket, text } = rawSocket(port)
  const head = `POST ${READING_POST} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}`
  socket.write(`${head}\r\ncontent-length: 2\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n`)
  await once(socket, 'data')
  gateway.cut('bot')
  socket.write('{}')
  await once(socket, 'close')
  expect(text()).toContain('HTTP/1.1 401 ')
  expect(text()).toContain("This program's key was revoked in Headroom.")
  expect(sent).toEqual([])
})

/** A form of this length for a token, with its key at the end. */
const formOf = (key: string, length: number): string => {
  const end = `grant_type=refresh_token&refresh_token=${key}`
  return `${'a&'.repeat(length)}`.slice(0, length - end.length - 1).concat('&', end)
}

test.each([
  ['with its length', true],
  ['in chunks', false],
])('reads a form of 16 KiB %s, and rejects longer ones with 413', async (_, hasLength) => {
  const { port, add } = await startGateway()
  const key = add('bot')
  const statusOf = async (length: number) => {
    const form = formOf(key, length)
    const framing = hasLength ? `content-length: ${length}` : CHUNKED
    const body = hasLength ? form : `${length.toString(16)}\r\n${form}\r\n0\r\n\r\n`
    const head = `POST /oauth/token HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${framing}\r\nconnection: close\r\n`
    return (await rawExchange(port, `${head}\r\n${body}`)).status
  }
  const lengths = [16 << 10, (16 << 10) + 1, (1 << 20) + 1]
  expect(await Promise.all(lengths.map(statusOf))).toEqual([200, 413, 413])
})

test('forms of 1 MiB without a key delay no other caller', async () => {
  const { port, url } = await startGateway()
  const head = `POST /oauth/token HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n`
  const form = 'a&'.repeat(1 << 19)
  const statuses = ['content-length: 1048576', CHUNKED].map(async (framing) => {
    const body = framing === CHUNKED ? `100000\r\n${form}\r\n0\r\n\r\n` : form
    return (await rawExchange(port, `${head}${framing}\r\n\r\n${body}`)).status
  })
  const beganMs = performance.now()
  expect(await Promise.all(statuses)).toEqual([413, 413])
  expect((await fetch(`${url}/headroom/health`)).status).toBe(200)
  expect(performance.now() - beganMs).toBeLessThan(2_000)
  proves('G7', { level: 3, cases: 2 })
})
