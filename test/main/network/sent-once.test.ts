import { createServer } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { nodeForwardHttp } from '../../../main/network/forward-http.ts'
import type { SentOnce } from '../../../main/network/node-wire.ts'
import { listening } from '../loopback-server.ts'

/** Sends one request; its status, or how it failed. */
function sendOnce(
  forward: ReturnType<typeof nodeForwardHttp>,
  origin: string,
  once: SentOnce,
  timeoutMs = 5_000,
): Promise<number | string> {
  return new Promise((resolve) => {
    forward(
      { method: 'POST', origin, pathAndQuery: '/', headers: {}, body: Buffer.from('{}'), timeoutMs, once },
      {
        answered: ({ status, body }) => {
          body.on('end', () => setImmediate(() => resolve(status)))
          body.resume()
        },
        failed: (how) => resolve(how),
      },
    )
  })
}

/** A server that counts its connections and requests. */
async function countingServer() {
  const counts = { connections: 0, requests: 0 }
  const server = createServer((request, response) => {
    counts.requests += 1
    request.resume()
    request.on('end', () => response.end('{}'))
  })
  server.on('connection', () => {
    counts.connections += 1
  })
  const origin = await listening(server)
  onTestFinished(() => server.closeAllConnections())
  return { origin, counts }
}

const go = () => true

test('a connection that responded long ago is not reused', async () => {
  const { origin, counts } = await countingServer()
  const forward = nodeForwardHttp({})
  expect(await sendOnce(forward, origin, { maxIdleMs: 60_000, mayGo: go })).toBe(200)
  expect(await sendOnce(forward, origin, { maxIdleMs: 60_000, mayGo: go })).toBe(200)
  expect(counts).toEqual({ connections: 1, requests: 2 })
  expect(await sendOnce(forward, origin, { maxIdleMs: -1, mayGo: go })).toBe(200)
  expect(counts).toEqual({ connections: 2, requests: 3 })
})

test('nothing is sent before it may go, or if it may not', async () => {
  const { origin, counts } = await countingServer()
  const forward = nodeForwardHttp({})
  for (const maxIdleMs of [-1, 60_000]) {
    let isConnected = false
    const mayGo = () => {
      isConnected = true
      return false
    }
    expect(await sendOnce(forward, origin, { maxIdleMs, mayGo })).toBe('not-sent')
    expect([isConnected, counts.requests]).toEqual([true, 0])
  }
})

test('refused is not sent, silent is timed out, and cut is cut', async () => {
  const forward = nodeForwardHttp({})
  let asked = 0
  const mayGo = () => {
    asked += 1
    return true
  }
  const gone = createRawServer()
  const nobody = await listening(gone)
  await new Promise((resolve) => void gone.close(resolve))
  expect([await sendOnce(forward, nobody, { maxIdleMs: 0, mayGo }), asked]).toEqual(['not-sent', 0])
  const silent = await listening(createRawServer((socket) => void socket.on('error', () => {}).resume()))
  expect([await sendOnce(forward, silent, { maxIdleMs: 0, mayGo }, 50), asked]).toEqual(['timeout', 1])
  const cutting = await listening(
    createRawServer((socket) => void socket.on('data', () => socket.resetAndDestroy())),
  )
  expect([await sendOnce(forward, cutting, { maxIdleMs: 0, mayGo }), asked]).toEqual(['cut', 2])
})
