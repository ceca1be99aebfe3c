import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The service in the bench of shared streams, as a separate process. It has a stream of positions with
 * `PER_SECOND` frames a second, and each frame contains the time at which it was written. `/control/go-away`
 * announces a restart to all streams. `/control/opened` returns how many streams have been opened. Prints its
 * port, and ends when its stdin ends.
 */
const PER_SECOND = 50
const OBJECTS = 20
const TOKEN = {
  access_token: 'an-access-token-of-the-bench',
  refresh_token: 'a-refresh-token-of-the-bench',
  token_type: 'Bearer',
  expires_in: 1200,
  scope: 'openid',
}
const FILL = 'x'.repeat(400)
const open = new Set<ServerResponse>()
let opened = 0
let written = 0

const frame = (id: number) =>
  `${JSON.stringify({
    AccountID: 'SIM1001',
    PositionID: String(id),
    Sequence: written,
    SentAt: performance.timeOrigin + performance.now(),
    Note: FILL,
  })}\r\n`

const server = createServer((asked, answer) => {
  if (asked.url === '/oauth/token') {
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(TOKEN))
    return
  }
  if (asked.url === '/control/opened') {
    answer.end(String(opened))
    return
  }
  if (asked.url === '/control/go-away') {
    for (const one of open) one.end('{"StreamStatus":"GoAway"}\r\n')
    answer.end()
    return
  }
  opened += 1
  open.add(answer)
  answer.on('close', () => open.delete(answer))
  answer.writeHead(200, { 'content-type': 'application/vnd.tradestation.streams.v3+json' })
  for (let id = 0; id < OBJECTS; id += 1) answer.write(frame(id))
  answer.write('{"StreamStatus":"EndSnapshot"}\r\n')
})
setInterval(() => {
  written += 1
  const line = frame(written % OBJECTS)
  for (const one of open) one.write(line)
}, 1000 / PER_SECOND)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
