import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listening, portOf } from '../main/loopback-server.ts'
import { FaultProxy, type Trouble } from './fault-proxy.ts'

const BODY = '{"hello":"world"}'

/** A proxy in front of a service that responds at once. For `/stream`, the service begins a stream. */
async function proxied() {
  const service = createServer(({ url }, response) => {
    if (url === '/stream') {
      response.writeHead(200, { 'content-type': 'application/vnd.tradestation.streams.v3+json' })
      response.write(`${BODY}\n`)
    } else response.end(BODY)
  })
  const proxy = await FaultProxy.start(portOf(await listening(service)), 1)
  onTestFinished(() => proxy.close())
  const port = Number(new URL(proxy.origin).port)
  /** All bytes until the connection ends, and how it ended. */
  const ask = (path = '/', onBytes = (_text: string) => {}) =>
    new Promise<{ readonly text: string; readonly how: string }>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('latin1')
      socket.on('data', (part: string) => {
        text += part
        onBytes(text)
      })
      socket.on('end', () => resolve({ text, how: 'end' }))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve({ text, how: error.code ?? '' }))
      socket.write(`GET ${path} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n`)
    })
  const under = (trouble: Trouble) => {
    proxy.strike(trouble)
    return ask()
  }
  return { proxy, ask, under }
}

test('before and after a fault, responses pass through unchanged', async () => {
  const { proxy, ask, under } = await proxied()
  const whole = expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"hello":"world"\}$/)
  expect(await ask()).toEqual({ text: whole, how: 'end' })
  expect((await under('503')).text).toMatch(/^HTTP\/1\.1 503 /)
  proxy.lift()
  expect(await ask()).toEqual({ text: whole, how: 'end' })
})

test('each fault reaches the caller', async () => {
  const { under } = await proxied()
  expect((await under('401')).text).toMatch(/^HTTP\/1\.1 401 /)
  const statuses = [await under('status'), await under('status'), await under('status')]
  expect(statuses.map(({ text }) => text.slice(9, 12)).toSorted()).toEqual(['000', '099', '700'])
  expect((await under('garbage')).text).not.toContain('hello')
  const resets = await Promise.all(Array.from({ length: 40 }, () => under('reset')))
  expect(new Set(resets.map(({ how }) => how))).toEqual(new Set(['ECONNRESET']))
  const cut = resets.filter(({ text }) => text !== '')
  expect(cut.length).toBeGreaterThan(0)
  expect(cut.length).toBeLessThan(resets.length / 2)
  expect(await under('away')).toEqual({ text: '', how: 'ECONNRESET' })
})

test('a slow head sends one byte a second, and completes once the fault ends', async () => {
  const { proxy, ask } = await proxied()
  proxy.strike('slow-head')
  const lengths: number[] = []
  const { text } = await ask('/', (soFar) => {
    lengths.push(soFar.length)
    if (soFar.length === 2) proxy.lift()
  })
  expect(lengths.slice(0, 2)).toEqual([1, 2])
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"hello":"world"\}$/)
})

test('open streams are cut', async () => {
  const { proxy, ask } = await proxied()
  const { text, how } = await ask('/stream', (soFar) => {
    if (soFar.includes(BODY)) proxy.cutStreams()
  })
  expect(text).toContain(BODY)
  expect(how).toBe('ECONNRESET')
})
