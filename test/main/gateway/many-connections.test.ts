import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { GATEWAY_LIMITS } from '../../../main/gateway/door.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { silentSockets } from '../silent-sockets.ts'
import { startGateway } from './started-gateway.ts'

/**
 * Another process that opens `count` connections at the same instant, sends one request on each, and counts
 * the answers.
 */
const SCANNER = `
  const [, port, key, count] = process.argv
  const answers = {}
  const note = (answer) => { answers[answer] = (answers[answer] ?? 0) + 1 }
  for (let at = 0; at < count; at += 1) {
    let text = ''
    const socket = require('node:net').connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => socket.write([
      'GET /v3/brokerage/accounts?at=' + at + ' HTTP/1.1', 'host: 127.0.0.1:' + port,
      'authorization: Bearer ' + key, 'prefer: wait=1', 'connection: close', '', ''
    ].join('\\r\\n')))
    socket.on('data', (bytes) => { text += bytes })
    socket.on('error', ({ code }) => { text ||= code })
    socket.on('close', () => note(/^HTTP.1.1 (\\d+)[^]*proxy-status: headroom/i.exec(text)?.[1] ?? text.slice(0, 80)))
  }
  process.on('exit', () => process.stdout.write(JSON.stringify(answers)))`

async function scanned() {
  const { port, add } = await startGateway()
  const key = add('scanner')
  return {
    to: { port, host: '127.0.0.1' },
    /** How many of a program's simultaneous connections ended with each status, or with each error. */
    burst: async (count: number): Promise<Record<string, number>> => {
      const args = ['-e', SCANNER, String(port), key, String(count)]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      return JSON.parse(stdout)
    },
  }
}

/** A connection that has had the answer to a request. */
async function answering(to: { readonly port: number; readonly host: string }, request: string) {
  const socket = connect(to)
  onTestFinished(() => void socket.destroy())
  const ask = async (text: string) => {
    socket.write(text)
    const [bytes] = await once(socket, 'data')
    return String(bytes)
  }
  await ask(request)
  return { ask, ended: once(socket, 'close') }
}

test('at most 1,024 unauthenticated connections at once, for 10 s', () => {
  expect(GATEWAY_LIMITS).toMatchObject({ mostConnections: 1_024, unauthenticatedMs: 10_000 })
})

test('a program’s connection stays open for 75 s between two requests, whatever the response', async () => {
  const { url, add } = await startGateway()
  const authorization = `Bearer ${add('bot')}`
  for (const path of ['/v3/brokerage/accounts', '/v3/brokerage/orderexecution/orders', '/v3/nothing']) {
    const { headers } = await fetch(`${url}${path}`, { headers: { authorization } })
    expect(headers.get('keep-alive')).toBe('timeout=75')
  }
})

test('a health check announces the end of its connection, so that the next one is not reset', async () => {
  const { url } = await startGateway()
  for (const method of ['GET', 'HEAD', 'POST']) {
    const { headers } = await fetch(`${url}/headroom/health`, { method })
    expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['close', null])
  }
})

test('above 64 connections an idle one stays open for 5 s, until there are fewer', async () => {
  const { get, add, port } = await startGateway()
  const key = add('bot')
  const idleSeconds = async () => (await get('/v4', key)).headers.get('keep-alive')
  const others = Array.from({ length: 65 }, () => connect({ port, host: '127.0.0.1' }))
  await Promise.all(others.map((socket) => once(socket, 'connect')))
  await vi.waitFor(async () => expect(await idleSeconds()).toBe('timeout=5'), PATIENT)
  for (const socket of others) socket.destroy()
  await vi.waitFor(async () => expect(await idleSeconds()).toBe('timeout=75'), PATIENT)
})

test.each([200, 500])('%d simultaneous connections of a program all get a response', async (count) => {
  const { burst } = await scanned()
  const { 200: answered = 0, 429: refused = 0, ...others } = await burst(count)
  expect(others).toEqual({})
  expect(answered).toBeGreaterThan(0)
  expect(answered + refused).toBe(count)
  proves('G7', { level: 3, cases: count })
})

test('unauthenticated connections never displace one that has shown a key, for a response or a token', async () => {
  const { url, add, port } = await startGateway()
  const key = add('bot')
  const to = { port, host: '127.0.0.1' }
  const head = `host: 127.0.0.1:${port}\r\n`
  const form = `grant_type=refresh_token&refresh_token=${key}`
  const token = `POST /oauth/token HTTP/1.1\r\n${head}content-length: ${form.length}\r\n\r\n${form}`
  const read = `GET /v3/brokerage/accounts HTTP/1.1\r\n${head}authorization: Bearer ${key}\r\n\r\n`
  const programs = await Promise.all([token, read].map((request) => answering(to, request)))
  const stranger = await answering(to, `GET /v3/brokerage/accounts HTTP/1.1\r\n${head}\r\n`)
  await silentSockets(GATEWAY_LIMITS.mostConnections, to)
  await stranger.ended
  const health = `GET /headroom/health HTTP/1.1\r\n${head}connection: close\r\n\r\n`
  for (const program of programs) expect(await program.ask(health)).toContain('{"status":"ok"}')
  expect((await fetch(`${url}/headroom/health`)).status).toBe(200)
})

test.each([
  ['say nothing', ''],
  ['stop within a header', 'GET / HTTP/1.1\r\nx-slow: '],
])('1,100 unauthenticated connections that %s block none of a program’s 200', async (_, bytes) => {
  const { burst, to } = await scanned()
  const strangers = await silentSockets(1_100, to, bytes)
  const { 200: answered = 0, 429: refused = 0, ...others } = await burst(200)
  expect(others).toEqual({})
  expect(answered + refused).toBe(200)
  expect(strangers.open).toBeLessThanOrEqual(GATEWAY_LIMITS.mostConnections)
})
