import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { ForwardHttp } from '../../../main/network/forward-http.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { before } from './raw-service.ts'
import { startGateway } from './started-gateway.ts'

const ACCOUNTS = '/v3/brokerage/accounts'
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
/** The `Proxy-Status` of the gateway's own answers. That of a relayed answer names the status received. */
const OWN = 'headroom; error=http_protocol_error'

/** The status of an answer; `none` if the connection was cut or got no answer. */
const statusOf = (url: string, key: string): Promise<number | 'none'> =>
  fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(10_000) }).then(
    (answer) => answer.status,
    () => 'none',
  )

const defectsIn = (notes: readonly string[]): readonly string[] =>
  notes.filter((line) => line.startsWith('a program’s request failed'))

/** The requests that a program may make. Each gets an upstream answer that no proxy may pass on. */
const REQUESTS = [
  ['a request', 'GET', '/v3/brokerage/accounts'],
  ['a POST', 'POST', '/v3/marketdata/options/riskreward'],
  ['a stream of its own', 'GET', '/v3/marketdata/stream/barcharts/MSFT?barsback=2000'],
  ['a shared stream', 'GET', '/v3/marketdata/stream/quotes/MSFT'],
] as const

test.each(
  REQUESTS.flatMap((request) => ['000', '099', '101', '600', '700'].map((status) => [...request, status])),
)('%s: %s %s with the response %s gets 502, and the next one is served', async (_, method, path, status) => {
  const { add, url, notes } = await before((socket, request) => {
    const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`
    socket.write(request.includes(' /v3/brokerage/balances ') ? OK : head)
  })
  const key = add('bot')
  const answer = await fetch(`${url}${path}`, {
    method: method ?? '',
    headers: { authorization: `Bearer ${key}` },
    ...(method === 'POST' && { body: '{}' }),
  })
  expect([answer.status, answer.headers.get('proxy-status')?.startsWith(OWN)]).toEqual([502, true])
  expect(await answer.json()).toMatchObject({ status: 502, title: 'Bad Gateway' })
  expect(await statusOf(`${url}/v3/brokerage/balances`, key)).toBe(200)
  expect(defectsIn(notes)).toEqual([])
  proves(['G1', 'G12'], { level: 3, cases: 1 })
})

test.each([
  ['half a status line', 'HTTP/1.1 2'],
  ['a head without its end', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n'],
  ['a head of another answer alone', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['what is not HTTP', '<html>not now</html>'],
])('a request cut after %s is 502 at once, also on a reused connection', async (_, head) => {
  const { add, url, count } = await before((socket, _request, n) => {
    if (n === 2) socket.end(head)
    else socket.write(OK)
  })
  const key = add('bot')
  expect(await statusOf(`${url}${ACCOUNTS}`, key)).toBe(200)
  expect([await statusOf(`${url}${ACCOUNTS}`, key), count()]).toEqual([502, 2])
  expect([await statusOf(`${url}${ACCOUNTS}`, key), count()]).toEqual([200, 3])
  proves(['G1', 'G12'], { level: 3, cases: 1 })
})

test.each([
  ['half a status line', 'HTTP/1.1 2'],
  ['a head without its end', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'],
  ['what is not HTTP', '<html>not now</html>'],
  ['a page', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>'],
  [
    'a redirect to another host',
    'HTTP/1.1 302 X\r\nlocation: http://other.test/\r\ncontent-length: 0\r\n\r\n',
  ],
])('a shared stream with the response %s is 502 at once, and opened once', async (_, head) => {
  const { add, url, count } = await before((socket, _request, n) => {
    if (n === 1) socket.end(head)
    else socket.write(OK)
  })
  const key = add('bot')
  expect([await statusOf(`${url}/v3/marketdata/stream/quotes/MSFT`, key), count()]).toEqual([502, 1])
  expect([await statusOf(`${url}${ACCOUNTS}`, key), count()]).toEqual([200, 2])
  proves(['G1', 'G12'], { level: 3, cases: 1 })
})

test('a response in an unknown transfer coding is 502, and the next one is served', async () => {
  const { add, url } = await before((socket, _request, n) => {
    socket.write(n === 1 ? OK.replace('content-length: 2', 'transfer-encoding: gzip, chunked') : OK)
  })
  const key = add('bot')
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}${ACCOUNTS}`, { headers })
  expect([answer.status, answer.headers.get('proxy-status')?.startsWith(OWN)]).toEqual([502, true])
  expect(await statusOf(`${url}${ACCOUNTS}`, key)).toBe(200)
  proves('G1', { level: 3, cases: 1 })
})

test('a stream of known length continues for its readers as a new one', async () => {
  const fields = ['content-type: application/json', 'content-md5: x', 'digest: x']
  const { add, get } = await before((socket, _request, n) => {
    const frame = `{"Symbol":"MSFT","Last":"${n}"}\n`
    const head = [`HTTP/1.1 200 OK`, ...fields, `content-length: ${frame.length}`]
    socket.write(`${head.join('\r\n')}\r\n\r\n${frame}`)
  })
  const answer = await get('/v3/marketdata/stream/quotes/MSFT', add('bot'))
  expect(['content-length', 'content-md5', 'digest'].map((name) => answer.headers.get(name))).toEqual([
    null,
    null,
    null,
  ])
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes)
    if (text.includes('"2"')) break
  }
  expect(text.startsWith('{"Symbol":"MSFT","Last":"1"}\n{"Symbol":"MSFT","Last":"2"}\n')).toBe(true)
  proves(['G1', 'G12'], { level: 3, cases: 1 })
})

test('a shared stream cut before its first byte is opened once more', async () => {
  const { add, url, count } = await before((socket, _request, n) => {
    if (n === 1) socket.destroy()
    else socket.write('HTTP/1.1 403 X\r\ncontent-length: 2\r\n\r\n{}')
  })
  expect(await statusOf(`${url}/v3/marketdata/stream/quotes/MSFT`, add('bot'))).toBe(403)
  expect(count()).toBe(2)
})

test('a reused connection that closes counts as cut before a byte: the request is resent', async () => {
  const { add, url, count } = await before((socket, _request, n) => {
    if (n === 2) socket.destroy()
    else socket.write(OK)
  })
  const key = add('bot')
  expect(await statusOf(`${url}${ACCOUNTS}`, key)).toBe(200)
  expect([await statusOf(`${url}${ACCOUNTS}`, key), count()]).toEqual([200, 3])
})

test('the service cannot impersonate Headroom, to a request or a stream', async () => {
  const { add, get } = await before((socket, request) => {
    const isStream = request.includes('/stream/')
    const own = [
      'proxy-status: headroom; error=http_request_denied',
      'via: 1.1 edge, 1.1 HEADROOM',
      'cache-status: "headroom"; hit',
    ]
    socket.write(`HTTP/1.1 ${isStream ? 403 : 200} X\r\n${own.join('\r\n')}\r\ncontent-length: 2\r\n\r\n{}`)
  })
  const key = add('bot')
  for (const [path, status] of [
    [ACCOUNTS, 200],
    ['/v3/marketdata/stream/quotes/MSFT', 403],
  ] as const) {
    const { headers } = await get(path, key)
    expect(headers.get('proxy-status')).toBe(`headroom; received-status=${status}`)
    expect([headers.get('via'), headers.get('cache-status')]).toEqual(['1.1 edge, 1.1 headroom', null])
  }
  proves(['G6', 'G12'], { level: 3, cases: 2 })
})

test('removes an access token echoed in a quota header of a program’s response', async () => {
  let token = ''
  const { add, url, monitor } = await before((socket, request) => {
    token = /authorization: bearer (\S+)/i.exec(request)?.[1] ?? ''
    const quota = `x-ratelimit-limit: 5\r\nx-ratelimit-period: 60\r\nx-ratelimit-remaining: 0\r\nx-ratelimit-reset: 60\r\n`
    const names = `x-ratelimit-resource: ${token}\r\nx-ts-request-id: ${token}\r\n`
    socket.write(
      `HTTP/1.1 429 X\r\ncontent-type: application/json\r\ncontent-length: 0\r\n${quota}${names}\r\n`,
    )
  })
  const events: unknown[] = []
  monitor.subscribe({ event: (event) => void events.push(event), changed: () => {}, removed: () => {} })
  const headers = { authorization: `Bearer ${add('bot')}`, prefer: 'wait=0' }
  expect((await fetch(`${url}/v3/brokerage/something`, { headers })).status).toBe(429)
  const shown = JSON.stringify([monitor.snapshot('key-1'), events])
  expect(shown).not.toContain(token.slice(0, 20))
  expect(shown).toContain('[redacted]')
})

test('an exception while handling a response fails that request with 502, and nothing else', async () => {
  // A status that no real response can have, so that Node throws when the gateway writes it.
  const forward: ForwardHttp = ({ pathAndQuery }, { answered }) => {
    const body = Object.assign(Readable.from(['{}']), { complete: true })
    const status = pathAndQuery.endsWith('?odd') ? 99 : 200
    setImmediate(() => answered({ status, headers: {}, rawHeaders: [], body }))
    return () => void body.destroy()
  }
  const { add, url, notes, monitor } = await startGateway({ forward })
  const key = add('bot')
  for (const [query, status] of [
    ['?odd', 502],
    ['', 200],
  ] as const)
    expect([query, await statusOf(`${url}${ACCOUNTS}${query}`, key)]).toEqual([query, status])
  expect(defectsIn(notes)).toHaveLength(1)
  expect(monitor.snapshot('key-1')?.programs).toMatchObject([{ waiting: 0 }])
})

test('an exception before forwarding fails that request with 500, and nothing else', async () => {
  let calls = 0
  const { add, url, notes } = await startGateway({
    peer: () => {
      calls += 1
      if (calls === 1) throw new Error('a defect')
      return 'unknown'
    },
  })
  const key = add('bot')
  expect(await statusOf(`${url}${ACCOUNTS}`, key)).toBe(500)
  expect(await statusOf(`${url}${ACCOUNTS}`, key)).toBe(200)
  expect(defectsIn(notes)).toHaveLength(1)
})

test.each(['000', '099', '101', '700'])(
  'own checks and streams learn no quota from a status %s',
  async (status) => {
    const { monitor } = await before((socket) => {
      socket.write(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`)
    })
    const check = await monitor.withProfile('key-1', (session) => session.parts.prober.checkNow('Accounts'))
    expect(check).toMatchObject({ ok: false })
    const opened = await monitor.withProfile('key-1', ({ parts }) =>
      parts.streams.open({ kind: 'quotes', target: 'MSFT', options: {} }),
    )
    expect(opened).toMatchObject({ ok: true })
    await vi.waitFor(() => {
      expect(monitor.snapshot('key-1')?.streams).toMatchObject([
        { state: expect.not.stringMatching(/^(opening|live)$/) },
      ])
    }, PATIENT)
  },
)
