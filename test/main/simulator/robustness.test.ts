import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { startSimulatorServer } from '../../../main/simulator/server.ts'
import { PATIENT } from '../../patient.ts'
import { json, simulated } from './simulated.ts'

/** Writes bytes to the port. Returns everything that arrives until the service closes, or for `maxWaitMs`. */
async function exchanged(
  port: number,
  bytes: string | Uint8Array,
  maxWaitMs = PATIENT.timeout,
): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const done = () => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    socket.on('error', done)
    socket.on('close', done)
    socket.setTimeout(maxWaitMs, done)
  })
}

describe('after any input the next client is served', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
    ['a TLS greeting', new Uint8Array([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), /^HTTP\/1\.1 400/],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400/],
    [
      'headers beyond bounds',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 4/,
    ],
    [
      'a target that is no path',
      'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^(HTTP\/1\.1 4.*)?/],
    [
      'two lengths',
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a bad chunk',
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      /^(HTTP\/1\.1 4.*)?/,
    ],
    [
      'the absolute form',
      'GET http://127.0.0.1/v3/brokerage/accounts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 401/,
    ],
    [
      'HEAD',
      'HEAD /v3/brokerage/accounts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 40\d/,
    ],
  ])('%s', async (_, bytes, answer) => {
    const { server, refresh } = await simulated()
    expect(await exchanged(server.port, bytes)).toMatch(answer)
    expect((await refresh()).status).toBe(200)
  })

  test('a megabyte of body gets 413 and the connection closes', async () => {
    const { server, refresh } = await simulated()
    for (const path of ['/oauth/token', '/oauth/revoke', '/v3/marketdata/options/riskreward']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n`
      expect(await exchanged(server.port, head + 'x'.repeat(1_048_576))).toMatch(/^(HTTP\/1\.1 413|$)/)
    }
    expect((await refresh()).status).toBe(200)
  })

  test('a client that leaves in the middle of its body', async () => {
    const { server, refresh } = await simulated()
    const head = 'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ngrant'
    expect(await exchanged(server.port, head, 20)).toBe('')
    expect((await refresh()).status).toBe(200)
    expect(server.service.ledger.entries()).toHaveLength(1)
  })

  test('random bytes, bodies and paths', async () => {
    const { server, refresh, form, revoke } = await simulated()
    const word = fc.string({ unit: 'binary', maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), word, word, async (bytes, one, two) => {
        await exchanged(server.port, Buffer.concat([bytes, Buffer.from('\r\n\r\n')]), 100)
        expect((await form('/oauth/token', { grant_type: one, client_id: two })).status).toBeLessThan(500)
        expect((await revoke({ client_id: one, token: two, [one]: two })).status).toBeLessThan(500)
        expect((await fetch(`${server.origin}/v3/${encodeURIComponent(one)}/${two.length}`)).status).toBe(401)
      }),
      { numRuns: 25 },
    )
    expect((await refresh()).status).toBe(200)
  })

  test.each(['', '[]', 'null', '7', '{', '"token"', '{"client_id":7,"token":{}}'])(
    'a revoke body of %j',
    async (body) => {
      const { server } = await simulated()
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.origin}/oauth/revoke`, { method: 'POST', headers, body })
      expect(response.status).toBe(400)
      expect(await json(response)).toMatchObject({ error: 'invalid_request' })
    },
  )

  test('a client that sends garbage into its open stream loses it and frees the slot', async () => {
    const { server, accessToken } = await simulated({ streamRate: 0 })
    const head = `Host: x\r\nAuthorization: Bearer ${await accessToken()}\r\n\r\n`
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET /v3/brokerage/stream/accounts/SIM1001/positions HTTP/1.1\r\n${head}`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.write('garbage\r\n\r\n')
    await vi.waitFor(() => expect(server.service.streams()).toHaveLength(0), PATIENT)
    socket.destroy()
  })

  test('a client that half-closes its socket ends its stream and frees the slot', async () => {
    const { server, accessToken } = await simulated({ streamRate: 0 })
    const token = await accessToken()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `GET /v3/brokerage/stream/accounts/SIM1001/positions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    expect(server.service.streams()).toHaveLength(1)
    socket.end()
    await vi.waitFor(() => expect(server.service.streams()).toHaveLength(0), PATIENT)
  })
})

describe('start and stop', () => {
  test('a taken port is an error with its code', async () => {
    const { server } = await simulated()
    await expect(startSimulatorServer({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test.each([
    { traffic: { Nothing: 1 } },
    { traffic: { Positions: -1 } },
    { slotsElsewhere: { Positions: 1 } },
    { alreadySpent: { Nothing: 1 } },
    { limits: { Positions: { limit: 0, periodSeconds: 60 } } },
    { neighbours: [{ category: 'Positions', perSecond: 1, onSeconds: 0, offSeconds: 1 }] },
    { accessLifetimeSeconds: 0 },
    { streamRate: Number.NaN },
    { faults: ['nonsense'] },
  ])('%j cannot be simulated, and the reason is given', async (options) => {
    await expect(startSimulatorServer(options as never)).rejects.toThrow(RangeError)
  })

  test('closing destroys open streams and unanswered requests', async () => {
    const sim = await simulated({ streamRate: 0 })
    const stream = await sim.get('/v3/brokerage/stream/accounts/SIM1001/positions')
    sim.server.faults.set('black-hole', 1)
    const unanswered = sim.get('/v3/brokerage/accounts').catch(() => 'gone')
    await vi.waitFor(
      () => expect(sim.server.service.ledger.entries().at(-1)?.outcome).toBe('silence'),
      PATIENT,
    )
    await sim.server.close()
    expect(await unanswered).toBe('gone')
    await expect(stream.text()).rejects.toThrow()
    expect(sim.server.service.streams()).toHaveLength(0)
  })

  test('with a real clock a stream sends heartbeats and a response has the current date', async () => {
    const server = await startSimulatorServer({ heartbeatSeconds: 0.05, streamRate: 0, faults: [] })
    try {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'sim-key',
        refresh_token: 'sim-refresh',
      })
      const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body })
      expect(Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now())).toBeLessThan(5000)
      const { access_token } = (await answer.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${access_token}` }
      const stream = await fetch(`${server.origin}/v3/marketdata/stream/quotes/MSFT`, { headers })
      let text = ''
      for await (const chunk of stream.body ?? []) {
        text += new TextDecoder().decode(chunk as Uint8Array)
        if (text.includes('"Heartbeat":2')) break
      }
      expect(text).toContain('"Heartbeat":1')
    } finally {
      await server.close()
    }
  })
})
