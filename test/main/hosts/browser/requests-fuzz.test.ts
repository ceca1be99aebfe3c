import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../../../app/contract/contract.ts'
import { proves } from '../../../proof/proves.ts'
import { hostileFile } from '../../hostile-json.ts'
import { bearing, startHost } from './started-host.ts'

/** The number of requests over real sockets. Each has its own socket. */
const RUNS = 3_000
const seed = Date.now() % 2 ** 31
const COMMANDS = Object.entries(contract)
  .filter(([, { kind }]) => kind === 'command')
  .map(([name]) => name)

/** Sends these bytes and nothing else; resolves with the response. */
function said(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.end(bytes))
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

async function started() {
  const host = await startHost()
  onTestFinished(() => host.stop())
  const bearer = await host.bearer()
  return { host, bearer, at: `127.0.0.1:${host.port}` }
}

test(`3,000 nearly valid requests are accepted only if every part is valid (seed ${seed})`, async () => {
  const { host, bearer, at } = await started()
  const name = fc.constantFrom(
    'host',
    'Host',
    'HOST',
    'host ',
    'origin',
    'authorization',
    'content-type',
    'x',
  )
  const value = fc.oneof(
    fc.constantFrom(
      at,
      `http://${at}`,
      `Bearer ${bearer}`,
      'application/json',
      'null',
      '',
      '\u0000',
      'é',
      '\t',
    ),
    fc.string({ maxLength: 30 }),
    fc.constant('x'.repeat(20_000)),
  )
  const surplus = fc.array(fc.tuple(name, value), { maxLength: 2 })
  const mostly = (good: string, ...odd: string[]) =>
    fc.oneof({ weight: 8, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })
  const parts = fc.record({
    method: mostly('POST', 'GET', 'post', 'P\u0000ST', 'PRI', ''),
    target: mostly('/api/command/hello', `http://${at}/api/command/hello`, '*', '/%', ''),
    version: mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
    host: mostly(at, 'evil.test', `${at}.evil.test`, ''),
    origin: mostly(`http://${at}`, 'http://evil.test', `http://${at}/`, ''),
    authorization: mostly(`Bearer ${bearer}`, `Bearer ${bearer}x`, `Bearer ${bearer.slice(1)}`, ''),
    type: mostly('application/json', 'text/plain', 'application/json, text/plain', ''),
    end: mostly('\r\n', '\n', '\r', '\r\n\r\n'),
    surplus,
  })
  let admitted = 0
  for (const given of fc.sample(parts, { numRuns: RUNS, seed })) {
    const { method, target, version, end } = given
    const headers = [
      ['host', given.host],
      ['origin', given.origin],
      ['authorization', given.authorization],
      ['content-type', given.type],
      ['content-length', '4'],
      ['connection', 'close'],
      ...given.surplus,
    ].map(([field, content]) => `${field}: ${content}`)
    const before = host.windows.calls.length
    const answer = await said(
      host.port,
      Buffer.from([`${method} ${target} ${version}`, ...headers, '', 'null'].join(end), 'latin1'),
    )
    const isRight =
      given.host === at &&
      given.origin === `http://${at}` &&
      given.authorization === `Bearer ${bearer}` &&
      given.type === 'application/json'
    const got = host.windows.calls.length - before
    const status = statusOf(answer)
    if (got > 0) {
      admitted += 1
      expect([isRight, method, target, status]).toEqual([true, 'POST', '/api/command/hello', 200])
    } else expect([NaN, 400, 401, 403, 404, 405, 408, 415, 421, 431, 505, 200]).toContain(status)
    expect(answer).not.toContain(bearer)
    expect(answer.toLowerCase()).not.toMatch(/^(?:access-control|set-cookie|server|x-powered)/m)
  }
  expect(admitted).toBeGreaterThan(100)
  expect((await host.post('/api/command/hello', null, bearing(bearer))).status).toBe(200)
  proves('W4', { level: 3, cases: RUNS })
}, 60_000)

test(`3,000 bodies for every command get one fixed line, or a valid response (seed ${seed})`, async () => {
  const { host, bearer } = await started()
  const bodies = fc.tuple(
    fc.constantFrom(...COMMANDS),
    fc.oneof(
      hostileFile({ profile: 'p1', category: 'Accounts', fromMs: 0, toMs: 1, points: 2 }),
      hostileFile({ profile: 'p1', kind: 'positions', target: 'SIM1001', options: { a: 'b' } }),
      hostileFile({ name: 'n', environment: 'live', clientId: 'c', refreshToken: 'S3CRET-S3CRET' }),
      hostileFile({ profile: 'p1' }),
    ),
  )
  for (const [name, bytes] of fc.sample(bodies, { numRuns: RUNS, seed })) {
    const { status, body } = await host.post(
      `/api/command/${name}`,
      Buffer.from(bytes).toString(),
      bearing(bearer),
    )
    if (status === 200) continue
    expect([400, 413, 500]).toContain(status)
    const { error } = JSON.parse(body) as { readonly error: string }
    expect(error.length).toBeLessThan(200)
    expect(error).not.toMatch(/\n|S3CRET|__proto__/)
    // `history` is the only handler of these tests that throws.
    if (status === 500) expect(name).toBe('history')
  }
  expect(Object.keys(Object.prototype)).toEqual([])
  expect((await host.post('/api/command/hello', null, bearing(bearer))).status).toBe(200)
  proves('W2', { level: 3, cases: RUNS })
}, 60_000)
