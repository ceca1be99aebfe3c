import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callerGate, destinationOf } from '../../../main/gateway/caller-gate.ts'
import { GATEWAY_LIMITS } from '../../../main/gateway/door.ts'
import type { Peer } from '../../../main/gateway/peer-user.ts'
import type { ForwardRequest } from '../../../main/network/forward-http.ts'
import { proves } from '../../proof/proves.ts'
import { type RequestParts, rawExchange, requestText } from '../hosts/browser/raw-http.ts'
import { rawSocket } from '../loopback-server.ts'
import { silentSockets } from '../silent-sockets.ts'
import { AS_OTHER_USER, isRoot } from '../storage/other-user.ts'
import { before } from './raw-service.ts'
import { startGateway } from './started-gateway.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

/** A gateway that records the requests that it would send upstream, instead of sending them. */
async function noting() {
  const sent: ForwardRequest[] = []
  const started = await startGateway({
    forward: (forwarded, { failed }) => {
      sent.push(forwarded)
      setImmediate(() => failed('not-sent', 'out of reach'))
      return () => {}
    },
  })
  const key = started.add('bot')
  const at = `127.0.0.1:${started.port}`
  const ask = (parts: RequestParts & { readonly host?: string }) =>
    rawExchange(
      started.port,
      requestText({
        target: ACCOUNTS,
        ...parts,
        headers: [['host', parts.host ?? at], ['authorization', `Bearer ${key}`], ...(parts.headers ?? [])],
      }),
    )
  return { ...started, sent, key, at, ask }
}

test('each Host of the address passes on both loopback addresses; others are rejected first', async () => {
  const { port, ask, sent, key } = await noting()
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
    expect((await ask({ host })).status).toBe(503)
  expect(sent).toHaveLength(3)
  const hosts = ['evil.test', `evil.test:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `LOCALHOST:${port}`]
  for (const host of [...hosts, `localhost.:${port}`, `127.1:${port}`, `a@127.0.0.1:${port}`])
    expect([host, (await ask({ host })).status]).toEqual([host, 421])
  const twice = `GET ${ACCOUNTS} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nhost: evil.test\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n\r\n`
  expect([400, 421]).toContain((await rawExchange(port, twice)).status)
  expect(sent).toHaveLength(3)
  proves('G7', { level: 3, cases: 12 })
})

test.each([
  [[['origin', 'http://evil.test']]],
  [[['origin', 'null']]],
  [[['origin', 'http://127.0.0.1:4780']]],
  [[['sec-fetch-site', 'same-origin']]],
  [[['Sec-Fetch-Dest', 'empty']]],
  [[['sec-fetch-user', '?1']]],
] as const)('a page in a browser gets 403, with or without a key: %j', async (headers) => {
  const { ask, sent, port, at } = await noting()
  const answer = await ask({ headers })
  expect(answer.status).toBe(403)
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  const health = requestText({ target: '/headroom/health', headers: [['host', at], ...headers] })
  expect((await rawExchange(port, health)).status).toBe(403)
  expect(sent).toEqual([])
})

test.each([
  '/v3/../v3/brokerage/accounts',
  '/v3/brokerage/..',
  '/v3/%2e%2e/brokerage',
  '/v3/.%2E/brokerage',
  '/v3/brokerage%2faccounts',
  '/v3/brokerage%5C..%5caccounts',
  '/v3/brokerage\\accounts',
  '/v3/brokerage%00',
  '/v3/brokerage%0d%0ax: y',
  '/v3/brokerage%7F',
  '/v3/brokerage%',
  'http://127.0.0.1/v3/brokerage/accounts',
  'http://api.example/v3/brokerage/accounts',
  '*',
])('rejects the path %j', async (target) => {
  const { ask, sent } = await noting()
  expect((await ask({ target: target.replace(' ', '') })).status).toBe(400)
  expect(sent).toEqual([])
})

test('a query may contain characters that a path may not', async () => {
  const { ask, sent } = await noting()
  const target = `${ACCOUNTS}?path=../..%2F%00`
  expect((await ask({ target })).status).toBe(503)
  expect(sent.map(({ pathAndQuery }) => pathAndQuery)).toEqual([target])
})

test.each([
  ['none', []],
  ['an empty one', [['authorization', 'Bearer ']]],
  ['another scheme', [['authorization', 'Basic YTpi']]],
  ['one in the query', []],
  [
    'two',
    [
      ['authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
    ],
  ],
] as const)('without a key is 401: %s', async (_, headers) => {
  const { port, at, sent, key } = await noting()
  const text = requestText({ target: `${ACCOUNTS}?access_token=${key}`, headers: [['host', at], ...headers] })
  const answer = await rawExchange(port, text)
  expect(answer.status).toBe(401)
  expect(answer.body).not.toContain(key)
  expect(sent).toEqual([])
})

test('rejects two Authorization fields, in any order and case', async () => {
  const { port, at, sent, key } = await noting()
  const fields = [
    [`Bearer ${key}`, 'Bearer nobody'],
    ['Bearer nobody', `Bearer ${key}`],
    [`Bearer ${key}`, `Bearer ${key}`],
    [`Bearer ${key}`, ''],
    ['', `Bearer ${key}`],
    [`Bearer ${key}, Bearer ${key}`],
  ]
  for (const values of fields)
    for (const name of ['authorization', 'AUTHORIZATION']) {
      const headers = values.map((value, field) => [field === 0 ? 'Authorization' : name, value] as const)
      const text = requestText({ target: ACCOUNTS, headers: [['host', at], ...headers] })
      expect([values.length, name, (await rawExchange(port, text)).status]).toEqual([
        values.length,
        name,
        401,
      ])
    }
  expect(sent).toEqual([])
  proves('G7', { level: 3, cases: 2 * fields.length })
})

test.each([
  ['bearer KEY', 503],
  ['BEARER   KEY  ', 503],
  ['BearerKEY', 401],
  ['Bearer KEY x', 401],
  ['Bearer "KEY"', 401],
  ['KEY', 401],
  ['x Bearer KEY', 401],
])('responds to the field Authorization: %s with %d', async (value, status) => {
  const { port, at, key } = await noting()
  // The value of `x-named` is the name of the next field. It must not be taken for that field.
  const headers = [
    ['host', at],
    ['x-named', 'authorization'],
    ['authorization', value.replace('KEY', key)],
  ] as const
  expect((await rawExchange(port, requestText({ target: ACCOUNTS, headers }))).status).toBe(status)
})

test.each([
  ['POST', '/headroom/health', 403],
  ['HEAD', '/headroom/health', 200],
  ['GET', '/headroom/health?x', 200],
  ['GET', '/headroom/health/', 404],
  ['GET', '/oauth/token', 404],
  ['POST', '/oauth/token/', 403],
  ['GET', '/oauth/revoke', 403],
  ['HEAD', ACCOUNTS, 503],
  ['PUT', ACCOUNTS, 403],
  ['DELETE', '/v3/brokerage', 403],
  ['POST', '/v3/orderexecution/orders', 403],
  ['PUT', '/v3/orderexecution/orders/1', 403],
  ['DELETE', '/v3/orderexecution/orders/1', 403],
  ['OPTIONS', ACCOUNTS, 403],
  ['POST', `${ACCOUNTS}`, 403],
  ['POST', '/v3/marketdata/options/riskreward/', 403],
  ['POST', '//v3/marketdata/options/riskreward', 403],
  ['POST', '/v3/marketdata/options/Riskreward', 403],
  ['POST', '/v3/marketdata/options/riskreward?x=1', 503],
  ['GET', '/v3', 404],
  ['GET', '/v3/', 404],
  ['GET', '/v4/brokerage', 404],
  ['GET', '/x/v3/brokerage', 404],
  ['GET', '/v2/brokerage', 404],
  ['GET', '/v2/stream/', 404],
  ['GET', '/v2/stream/x', 503],
  ['GET', `/v3/${'x'.repeat(8 * 1024 - 4)}`, 503],
  ['GET', `/v3/${'x'.repeat(8 * 1024 - 3)}`, 414],
])('responds to %s %s with %d', async (method, target, status) => {
  const { ask, sent } = await noting()
  const answer = await ask({ method, target })
  expect(answer.status).toBe(status)
  expect(answer.body === '').toBe(method === 'HEAD')
  expect(sent).toHaveLength(status === 503 ? 1 : 0)
})

test.each([
  [{ method: 'PUT', target: ACCOUNTS }, 'Headroom forwards only GET and HEAD on this path.'],
  [{ target: `/v3/${'x'.repeat(8 * 1024)}` }, 'The path is over 8 KiB. Send a shorter one.'],
  [
    { target: `${ACCOUNTS}?${'x'.repeat(17 * 1024)}` },
    'The address and headers are over 16 KiB. Send shorter ones.',
  ],
])('says what is wrong with %j', async (asked, detail) => {
  const { ask } = await noting()
  expect(JSON.parse((await ask(asked)).body).detail).toBe(detail)
})

test('the response to a request without a key shows how to send one', async () => {
  const { port, at } = await noting()
  const answer = await rawExchange(port, requestText({ target: ACCOUNTS, headers: [['host', at]] }))
  expect([answer.status, JSON.parse(answer.body).detail]).toEqual([
    401,
    "Send the program's key: Authorization: Bearer KEY.",
  ])
})

test.each(['password', 'Refresh_token', ''])('rejects a token by the grant %j', async (grant) => {
  const { url, key } = await noting()
  const body = new URLSearchParams({ grant_type: grant, refresh_token: key })
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'unsupported_grant_type' }])
})

test.each([
  ['with its length', (length: number) => ({ 'content-length': String(length) })],
  ['in chunks', () => ({ 'transfer-encoding': 'chunked' })],
])('a body of 1 MiB %s is forwarded, one byte more is not', async (_, headersOf) => {
  const { sent, port, key } = await noting()
  const statusFor = async (length: number) => {
    const headers = { authorization: `Bearer ${key}`, ...headersOf(length) }
    const path = '/v3/marketdata/options/riskreward'
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path, headers })
    onTestFinished(() => void outgoing.destroy())
    outgoing.on('error', () => {})
    outgoing.end('x'.repeat(length))
    const [answer] = await once(outgoing, 'response')
    return answer.statusCode
  }
  expect([await statusFor(1 << 20), await statusFor((1 << 20) + 1)]).toEqual([503, 400])
  expect(sent.map(({ body }) => body?.length)).toEqual([1 << 20])
})

test('rejects a body in an unsupported transfer coding, and sends none of it', async () => {
  const { port, at, key, sent } = await noting()
  const head = `POST /v3/marketdata/options/riskreward HTTP/1.1\r\nhost: ${at}\r\nauthorization: Bearer ${key}`
  const body = '2\r\n{}\r\n0\r\n\r\n'
  const coded = await rawExchange(
    port,
    `${head}\r\ntransfer-encoding: gzip, chunked\r\nconnection: close\r\n\r\n${body}`,
  )
  const plain = await rawExchange(
    port,
    `${head}\r\ntransfer-encoding: Chunked\r\nconnection: close\r\n\r\n${body}`,
  )
  expect([coded.status, plain.status, sent.length]).toEqual([400, 503, 1])
})

test.each([
  ['what is not HTTP', '\0\0\r\n\r\n', 400],
  ['a head that is too long', `GET / HTTP/1.1\r\nx: ${'y'.repeat(17 * 1024)}`, 431],
  [
    'a broken body',
    'POST /v3/marketdata/options/riskreward HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer KEY\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
])('writes %s after the response in progress, not within it', async (_, more, status) => {
  const service: Socket[] = []
  const { add, url, port } = await before((socket) => {
    service.push(socket)
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"a"')
  })
  const { socket, text } = rawSocket(port)
  const host = `127.0.0.1:${port}`
  const key = add('bot')
  socket.write(`GET ${ACCOUNTS} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`)
  await vi.waitFor(() => expect(text()).toContain('{"a"'))
  const closed = once(socket, 'close')
  socket.write(more.replace('HOST', host).replace('KEY', key))
  // After these responses, the gateway has read everything that was sent before.
  for (let asked = 0; asked < 3; asked += 1) await (await fetch(`${url}/headroom/health`)).text()
  service[0]?.write(':1}\n')
  await closed
  const [whole, after] = text().split('{"a":1}\n')
  expect(whole).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(after?.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
})

test('the health check needs no key and reveals nothing', async () => {
  const { port, at } = await noting()
  const answer = await rawExchange(port, requestText({ target: '/headroom/health', headers: [['host', at]] }))
  expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}'])
})

test.each([
  ['in one field', `x-long: ${'x'.repeat(17 * 1024)}\r\n\r\n`],
  ['in many', `${Array.from({ length: 1_900 }, (_, at) => `x-${at}: y`).join('\r\n')}\r\n\r\n`],
  ['that never end', `x-long: ${'x'.repeat(4 << 20)}`],
])('rejects headers over 16 KiB %s with 431, in the gateway’s words', async (_, headers) => {
  const { port, at, key, sent } = await noting()
  const head = `GET ${ACCOUNTS} HTTP/1.1\r\nhost: ${at}\r\nauthorization: Bearer ${key}\r\n`
  const answer = await rawExchange(port, `${head}${headers}`)
  expect(answer.status).toBe(431)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('proxy-status')).toMatch(/^headroom; error=http_request_error; details=/)
  expect(JSON.parse(answer.body)).toMatchObject({
    title: 'Request Header Fields Too Large',
    status: 431,
    Error: 'RequestHeaderFieldsTooLarge',
    Message: expect.stringContaining('16 KiB'),
  })
  expect(sent).toEqual([])
})

test('reads headers of nearly 16 KiB', async () => {
  const { ask } = await noting()
  expect((await ask({ headers: [['x-long', 'x'.repeat(15 * 1024)]] })).status).toBe(503)
})

/** The statuses of all answers to a request with this head. The body is sent only after a `100 Continue`. */
function statusesOf(port: number, head: readonly string[], body: string): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('connect', () => socket.write(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n`))
    socket.on('error', reject)
    socket.on('close', () =>
      resolve([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))),
    )
    socket.on('data', (bytes) => {
      if (text === '' && String(bytes).startsWith('HTTP/1.1 100')) socket.write(body)
      text += bytes
    })
  })
}

test('requests a body only if the request is not rejected', async () => {
  const { port, at, key, sent } = await noting()
  const body = '{"Legs":[]}'
  const form = `grant_type=refresh_token&refresh_token=${key}`
  const statuses = (line: string, of: { host?: string; key?: string; expect?: string; length?: number }) =>
    statusesOf(
      port,
      [
        `${line} HTTP/1.1`,
        `host: ${of.host ?? at}`,
        `authorization: Bearer ${of.key ?? key}`,
        `content-length: ${of.length ?? body.length}`,
        `expect: ${of.expect ?? '100-continue'}`,
      ],
      line.includes('oauth') ? form : body,
    )
  const reading = 'POST /v3/marketdata/options/riskreward'
  expect(await statuses(reading, { host: 'evil.test' })).toEqual([421])
  expect(await statuses(reading, { key: 'nobody' })).toEqual([401])
  expect(await statuses(reading, { length: (1 << 20) + 1 })).toEqual([400])
  expect(await statuses(reading, { expect: 'tea' })).toEqual([417])
  expect(await statuses(reading, { host: 'evil.test', expect: 'tea' })).toEqual([421])
  expect(await statuses('POST /v3/brokerage/../x', {})).toEqual([400])
  expect(await statuses('POST /v3/orderexecution/orders', {})).toEqual([403])
  expect(await statuses('POST /oauth/revoke', {})).toEqual([403])
  expect(await statuses(`GET ${ACCOUNTS}`, {})).toEqual([400])
  expect(sent).toEqual([])
  expect(await statuses(reading, {})).toEqual([100, 503])
  expect(await statuses(reading, { expect: '100-Continue' })).toEqual([100, 503])
  expect(sent.map((one) => one.body?.toString())).toEqual([body, body])
  expect(await statuses('POST /oauth/token', { length: form.length })).toEqual([100, 200])
  expect(await statuses(`GET ${ACCOUNTS}`, { length: 0 })).toEqual([503])
})

test('HTTP/1.0 has no expectations', async () => {
  const { port, at, key } = await noting()
  const head = `GET ${ACCOUNTS} HTTP/1.0\r\nhost: ${at}\r\nauthorization: Bearer ${key}\r\nexpect: tea\r\n\r\n`
  expect((await rawExchange(port, head)).status).toBe(503)
})

test('rejects a body over 1 MiB with 400, in the gateway’s words', async () => {
  const { sent, port, at, key } = await noting()
  const options = { port, host: '127.0.0.1', method: 'POST', path: '/v3/marketdata/options/riskreward' }
  const status = await new Promise((resolve, reject) => {
    const outgoing = request({
      ...options,
      headers: { host: at, authorization: `Bearer ${key}`, 'content-length': String((1 << 20) + 1) },
    })
    outgoing.on('response', (answer) => resolve(answer.statusCode))
    outgoing.on('error', reject)
    outgoing.flushHeaders()
    onTestFinished(() => void outgoing.destroy())
  })
  expect(status).toBe(400)
  const chunked = await new Promise((resolve, reject) => {
    const outgoing = request({ ...options, headers: { host: at, authorization: `Bearer ${key}` } })
    outgoing.on('response', (answer) => resolve(answer.statusCode))
    outgoing.on('error', reject)
    for (let part = 0; part < 17; part += 1) outgoing.write('x'.repeat(64 * 1024))
    onTestFinished(() => void outgoing.destroy())
  })
  expect(chunked).toBe(400)
  expect(sent).toEqual([])
})

test('forwards the only POST that reads, with its body and its encoding', async () => {
  const { ask, sent } = await noting()
  const body = '{"Legs": [ ]}'
  const target = '/v3/marketdata/options/riskreward'
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-encoding', 'identity'],
  ]
  const answer = await ask({ method: 'POST', target, body, headers })
  expect(answer.status).toBe(503)
  expect(sent[0]?.body?.toString()).toBe(body)
  expect(sent[0]?.headers).toMatchObject(Object.fromEntries(headers))
})

test('rejects a GET with a body, whose second half could be taken for another request', async () => {
  const { ask, sent } = await noting()
  expect((await ask({ body: 'GET /v3/x HTTP/1.1\r\n\r\n' })).status).toBe(400)
  expect(sent).toEqual([])
})

test('a program cannot revoke', async () => {
  const { ask } = await noting()
  expect((await ask({ method: 'POST', target: '/oauth/revoke', body: 'token=x' })).status).toBe(403)
})

test('rejects another user’s program with a key, and for a token', async () => {
  const { add, get, url } = await startGateway({
    peer: () => ({ userId: (process.getuid?.() ?? 0) + 1, inode: '' }),
  })
  const key = add('bot')
  const refusals = [
    await get(ACCOUNTS, key),
    await get('/v3/orderexecution/orders', key),
    await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: key }),
    }),
  ]
  for (const answer of refusals) {
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining('Only programs of the user'),
    })
  }
  expect((await get('/headroom/health', '')).status).toBe(200)
  proves('G7', { level: 3, cases: refusals.length })
})

test('looks up whose a connection is once, and only for a valid key', async () => {
  let asked = 0
  const { port, add } = await startGateway({
    peer: () => {
      asked += 1
      return { userId: process.getuid?.() ?? 0, inode: '' }
    },
  })
  const at = { port, host: '127.0.0.1' }
  const key = add('bot')
  for (const authorization of [undefined, 'Bearer nobody', `Basic ${key}`, 'Bearer ']) {
    const headers = [
      ['host', `${at.host}:${port}`],
      ...(authorization ? [['authorization', authorization]] : []),
    ]
    for (const target of [ACCOUNTS, '/headroom/health', '/oauth/revoke', '/oauth/token'])
      await rawExchange(port, requestText({ target, headers: headers as [string, string][] }))
  }
  expect(asked).toBe(0)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const statusOf = async () => {
    const outgoing = request({
      ...at,
      agent,
      path: ACCOUNTS,
      headers: { authorization: `Bearer ${key}` },
    }).end()
    const [answer] = await once(outgoing, 'response')
    answer.resume()
    await once(answer, 'end')
    return [answer.statusCode, outgoing.reusedSocket]
  }
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([
    [200, false],
    [200, true],
    [200, true],
  ])
  expect(asked).toBe(1)
})

test('sends nothing for a program that left during the lookup', async () => {
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: told, resolve: tell } = Promise.withResolvers<Peer>()
  const sent: string[] = []
  const { port, add } = await startGateway({
    forward: ({ pathAndQuery }, { failed }) => {
      sent.push(pathAndQuery)
      setImmediate(() => failed('not-sent', 'out of reach'))
      return () => {}
    },
    peer: () => {
      ask()
      return told
    },
  })
  const headers = { authorization: `Bearer ${add('bot')}` }
  const left = request({ port, host: '127.0.0.1', path: `${ACCOUNTS}?left`, headers }).on('error', () => {})
  left.end()
  await isAsked
  left.destroy()
  const health = requestText({ target: '/headroom/health', headers: [['host', `127.0.0.1:${port}`]] })
  // After this response, the gateway has seen the end of the other connection.
  await rawExchange(port, health)
  tell({ userId: process.getuid?.() ?? 0, inode: '' })
  await fetch(`http://127.0.0.1:${port}${ACCOUNTS}?stayed`, { headers })
  expect(sent).toEqual([`${ACCOUNTS}?stayed`])
})

/**
 * Sends a request over a socket of another process, by one of the ways to the gateway. Returns the answer's
 * status.
 */
function statusOfProcess(
  { port, key }: { readonly port: number; readonly key: string },
  way: object,
  user: readonly string[],
): Promise<number> {
  const script = `const socket = require('node:net').connect({ port: ${port}, ...${JSON.stringify(way)} })
    socket.on('connect', () => socket.write('GET ${ACCOUNTS} HTTP/1.1\\r\\nhost: 127.0.0.1:${port}\\r\\nauthorization: Bearer ${key}\\r\\nconnection: close\\r\\n\\r\\n'))
    socket.pipe(process.stdout)`
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  execFile(process.execPath, [...user, '-e', script], { cwd: '/' }, (error, out) => {
    if (error === null) resolve(Number(/^HTTP\/1.1 (\d+)/.exec(out)?.[1]))
    else reject(error)
  })
  return promise
}

test.skipIf(process.platform !== 'linux')(
  'by any address of this machine, a process of this user is admitted and one of another user is not',
  async () => {
    const started = await noting()
    const ways = [
      { host: '127.0.0.1' },
      { host: '127.0.0.1', localAddress: '127.0.0.2' },
      { host: '::ffff:127.0.0.1' },
      { host: '::1' },
    ]
    for (const way of ways) {
      expect([way, await statusOfProcess(started, way, [])]).toEqual([way, 503])
      if (isRoot) expect([way, await statusOfProcess(started, way, AS_OTHER_USER)]).toEqual([way, 403])
    }
    expect(started.sent).toHaveLength(ways.length)
    proves('G7', { level: 3, cases: isRoot ? 2 * ways.length : ways.length })
  },
)

test('rejects a connection with an unknown user, and looks it up again at the next request', async () => {
  const peers: Peer[] = ['gone', { userId: process.getuid?.() ?? 0, inode: '' }]
  const { add, get } = await startGateway({ peer: () => peers.shift() ?? 'gone' })
  const key = add('bot')
  const refused = await get(ACCOUNTS, key)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('Reconnect') })
  expect((await get(ACCOUNTS, key)).status).toBe(200)
})

test('1,100 connections do not end the stream of a program admitted earlier', async () => {
  const { add, get, port } = await startGateway({ simulator: { streamRate: 50 } })
  const stream = await get('/v3/marketdata/stream/quotes/MSFT', add('bot'))
  const reader = stream.body!.getReader()
  await reader.read()
  const silent = await silentSockets(1_100, { port, host: '127.0.0.1' })
  for (let frame = 0; frame < 20; frame += 1) {
    const read = await reader.read().catch(() => ({ done: 'cut' }))
    expect(read.done).toBe(false)
  }
  expect(silent.open).toBeLessThanOrEqual(GATEWAY_LIMITS.mostConnections)
})

test.each([
  ['two lengths', ['content-length: 0', 'content-length: 30'], ''],
  ['a length and chunks', ['content-length: 4', 'transfer-encoding: chunked'], '0\r\n\r\n'],
  ['chunks under another name', ['transfer-encoding: xchunked'], '0\r\n\r\n'],
  ['chunks and what follows them', ['transfer-encoding: chunked'], '0\r\n\r\n'],
  ['a folded header', ['x-folded: a', ' transfer-encoding: chunked'], ''],
  ['a space before the colon', ['transfer-encoding : chunked'], '0\r\n\r\n'],
])(
  'forwards neither a request that hides another one in %s, nor the hidden one',
  async (_, headers, body) => {
    const { port, at, key, sent } = await noting()
    const hidden = `GET /v3/brokerage/hidden HTTP/1.1\r\nhost: ${at}\r\n\r\n`
    const head = [`GET ${ACCOUNTS} HTTP/1.1`, `host: ${at}`, `authorization: Bearer ${key}`, ...headers]
    const answer = await rawExchange(port, `${head.join('\r\n')}\r\n\r\n${body}${hidden}`)
    expect(answer.status).toBe(400)
    expect(sent).toEqual([])
  },
)

const NO_ORDERS = [
  '/v3/orderexecution;a=1/orders',
  '/v3;a=1/orderexecution/orders',
  '/v3/orderexecution%3ba=1/orders',
  '/v3/%6frderexecution/orders',
  '/v3/%256frderexecution/orders',
  '/v3/%25256frderexecution/orders',
  '/%2576%2533/orderexecution/orders',
  '/v3/orderexecution./orders',
  '/v3/orderexecution../orders',
  '/v3/orderexecution%20/orders',
  '/v3/orderexecution%2e/orders',
  '/v3/orderexecution%20%2e%2520/orders',
  '/v3/%20orderexecution/orders',
  '/v3/OrderExecution/Orders',
  '/V3/ORDEREXECUTION/orders',
  '//v3//orderexecution//orders',
  '/v3/./orderexecution/orders',
  '/v3/%20/orderexecution/orders',
  '/v3/;/orderexecution/orders',
  '/v3/orderexecution%3fx/orders',
  '/v3/orderexecution%23x/orders',
  '/v3/orderexecution#x',
  '/v3/%EF%BD%8Frderexecution/orders',
  '/v3/%25EF%25BD%258Frderexecution/orders',
  '/v3/orderexecut%C4%B1on/orders',
  '/v3%EF%BC%8Forderexecution/orders',
  '/v3/%EF%BB%BForderexecution/orders',
  '/v3/orderexecution',
  '/v3/orderexecution?x=1',
]

test('rejects an order in any spelling with 403, and sends none of it', async () => {
  const { ask, sent } = await noting()
  for (const target of NO_ORDERS) {
    const answer = await ask({ target })
    expect([target, answer.status]).toEqual([target, 403])
    expect(answer.body).toContain('Headroom forwards reads, but not orders')
  }
  expect(sent).toEqual([])
  proves('G7', { level: 3, cases: NO_ORDERS.length })
})

test.each([
  '/v3/%252e%252e/brokerage',
  '/v3/%25252e./brokerage',
  '/v3/x/..%20/brokerage',
  '/v3/x/..%09/brokerage',
  '/v3/x/..;a=1/brokerage',
  '/v3/x/..%3ba/brokerage',
  '/v3/x/.../brokerage',
  '/v3/x/%EF%BC%8E%EF%BC%8E/brokerage',
  '/v3/x%252forderexecution/orders',
  '/v3/x%255corderexecution/orders',
  '/v3/orderexecution%2500/orders',
  '/v3/orderexecution%250d%250a/orders',
  '/v3/%C1%AFrderexecution/orders',
  '/v3/%E0%81%AFrderexecution/orders',
  '/v3/%FForderexecution/orders',
  `/v3/%${'25'.repeat(20)}6frderexecution/orders`,
])('rejects the path %j, which servers read differently, with 400', async (target) => {
  const { ask, sent } = await noting()
  expect((await ask({ target })).status).toBe(400)
  expect(sent).toEqual([])
})

test.each([
  '/v3/marketdata/options/chains/MSFT%20250117C400',
  '/v3/marketdata/quotes/MSFT,AAPL%2CBRK.B,$SPX.X,%24VIX.X,@ES',
  '/v3/marketdata/quotes/BTC%2DUSD,%E2%82%AC,100%25',
  '/v3/marketdata/options/quotes?legs[0].Symbol=MSFT%20250117C400&legs[1].Symbol=%252e%252e%2F',
  '/v3/brokerage/accounts/SIM1001,SIM1002/orders',
  '/v3/brokerage/accounts/SIM1001/historicalorders/1,2;3',
  '/v3/marketdata/barcharts/MSFT?unit=Daily&orderexecution',
  '/v3/marketdata/symbols/search/orderexecutions',
  '/v3/marketdata/symbollists/cryptopairs/%EF%BC%A1',
  '/v2/stream/matrix/changes/MSFT.',
])('forwards the path %j byte for byte', async (target) => {
  const { ask, sent } = await noting()
  expect((await ask({ target })).status).toBe(503)
  expect(sent.map(({ pathAndQuery }) => pathAndQuery)).toEqual([target])
})

/** Whether the gateway forwards a path, and why not. */
const wayOf = (path: string) => {
  const problem = callerGate({ url: path, rawHeaders: ['host', '127.0.0.1:4791'] }, 4791)
  return problem === undefined ? destinationOf(path) : problem.status
}

test('forwards no path that leads to orders, in any spelling', () => {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16)}`
  const spelt = (letter: string) =>
    fc.constantFrom(
      letter,
      letter.toUpperCase(),
      hex(letter),
      hex(letter.toUpperCase()).toUpperCase(),
      hex(letter).replace('%', '%25'),
      hex(letter).replace('%', '%2525'),
      [...hex(letter)].map(hex).join(''),
      encodeURIComponent(String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    )
  const word = (text: string) => fc.tuple(...[...text].map(spelt)).map((letters) => letters.join(''))
  const between = fc.constantFrom('/', '//', '/./', '/%2e/', '///', '/%20/', '/;x/', '/%252e;/', '/%20./')
  const rest = fc.constantFrom(
    '',
    '/',
    '/orders',
    '.',
    ';x=/v3/brokerage',
    '%20',
    '//',
    '%2520%252e/',
    '%253b/1',
  )
  fc.assert(
    fc.property(between, word('v3'), between, word('orderexecution'), rest, (lead, v3, gap, orders, end) => {
      const path = `${lead}${v3}${gap}${orders}${end}`
      expect([path, wayOf(path)]).toEqual([path, 'orders'])
    }),
    { numRuns: 2_000, seed: 1 },
  )
  proves('G7', { level: 2, cases: 2_000 })
})

test('forwards ordinary paths, whatever their symbols and names', () => {
  const name = fc
    .string({
      unit: fc.oneof(fc.constantFrom(...'ABCz09.,$@-_ !()*+=:&%'), fc.string({ minLength: 1, maxLength: 1 })),
    })
    // Excludes texts that are no names in a path: only dots and spaces, and encoded slashes.
    .filter(
      (text) => text.isWellFormed() && !/^[\s.]*$|[/\\;?#\p{Cc}]|%[\da-f]{2}/iu.test(text.normalize('NFKC')),
    )
  const start = fc.constantFrom(
    '/v3/brokerage/accounts/',
    '/v3/marketdata/quotes/',
    '/v2/stream/matrix/changes/',
  )
  fc.assert(
    fc.property(start, name, (before, text) => {
      for (const spelling of [encodeURIComponent(text), encodeURI(text)])
        expect([spelling, wayOf(`${before}${spelling}`)]).toEqual([spelling, 'forward'])
    }),
    { numRuns: 2_000, seed: 1 },
  )
})

test('a program learns nothing about another one: no name, no key, no path', async () => {
  // The whole quota is reserved for programs of other classes, so the second request is rejected.
  const { add, get, gateway, url, monitor } = await startGateway({ reserve: { Accounts: 1_000 } })
  const bot = add('secretive', { class: 'background' })
  const secretPath = '/v3/brokerage/accounts?of=secretive-path'
  expect((await get(secretPath, bot)).status).toBe(200)
  const other = add('curious', { class: 'background' })
  const ending = gateway.programs().find(({ name }) => name === 'secretive')?.keyEnding ?? 'none'
  const paths = [
    '/',
    '/headroom',
    '/headroom/health',
    '/headroom/programs',
    '/metrics',
    '/api/snapshots',
    '/v3/',
  ]
  const answers = [
    ...(await Promise.all(paths.map((path) => get(path, other)))),
    await get(ACCOUNTS, `${other}x`),
    await get(`${ACCOUNTS}?own`, other, { prefer: 'wait=0' }),
    await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: other }),
    }),
    await fetch(`${url}/oauth/revoke`, { method: 'POST', body: `token=${bot}` }),
  ]
  expect(answers.some(({ status }) => status === 429)).toBe(true)
  for (const answer of answers) {
    const told = `${JSON.stringify([...answer.headers])}${await answer.text()}`
    for (const part of ['secretive', bot.slice(0, 8), ending]) expect(told).not.toContain(part)
  }
  expect(monitor.snapshot('key-1')?.programs).toHaveLength(2)
  proves('G7', { level: 3, cases: answers.length })
})

test('responds to garbage with 400 and closes the connection', async () => {
  const { port } = await noting()
  const answer = await rawExchange(port, '\x16\x03\x01 garbage\r\n\r\n')
  expect(answer.status).toBe(400)
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await new Promise((resolve) => {
    socket.on('close', resolve)
    socket.resume()
    socket.write('NO HTTP AT ALL\r\n\r\n')
  })
})
