import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listening } from '../loopback-server.ts'
import { startGateway } from './started-gateway.ts'

const QUOTES = '/v3/marketdata/stream/quotes/MSFT'
const FRAMES_AT_ONCE = 256

/** A service whose stream of quotes contains ever new symbols. */
async function endlessQuotes() {
  let asked = 0
  const server = createServer((_, reply) => {
    asked += 1
    let count = 0
    const write = () => {
      while (!reply.destroyed) {
        let frames = ''
        for (let at = 0; at < FRAMES_AT_ONCE; at += 1)
          frames += `{"Symbol":"S${count++}","Last":"10.25","Note":"${'n'.repeat(2_000)}"}\n`
        if (!reply.write(frames)) return void reply.once('drain', write)
      }
    }
    reply.writeHead(200, { 'content-type': 'application/vnd.tradestation.streams.v3+json' })
    write()
  })
  return { origin: await listening(server), asked: () => asked }
}

test('a stream with ever new symbols ends by GoAway, and is unshared for programs that retry', async () => {
  const service = await endlessQuotes()
  const { add, get } = await startGateway({ profile: { baseUrl: service.origin } })
  const key = add('bot')
  const text = await (await get(QUOTES, key)).text()
  expect(text.slice(-100)).toContain('GoAway')
  expect(text.length).toBeLessThan(64 << 20)
  const again = await get(QUOTES, key)
  expect([again.status, again.headers.get('cache-status')]).toEqual([200, null])
  let heard = 0
  const reader = again.body!.getReader()
  while (heard < 64 << 20) heard += (await reader.read()).value?.length ?? Number.POSITIVE_INFINITY
  await reader.cancel()
  expect(heard).toBeLessThan(Number.POSITIVE_INFINITY)
  expect(service.asked()).toBe(2)
})
