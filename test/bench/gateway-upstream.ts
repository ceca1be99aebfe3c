import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { categoryOf } from '../../app/service/categories.ts'

/**
 * A process next to the gateway in a bench. `service [MS]`: a service with the headers of a large quota,
 * which responds after `MS` milliseconds, or at once. `scarce`: a service whose responses show each quota of
 * reads as used up. `pass ORIGIN`: a plain Node proxy.
 *
 * Prints its port, and ends when its stdin ends. `/seen-twice` of the service returns how many requests
 * arrived more than once.
 */
const [role, origin = ''] = process.argv.slice(2)
const answersAfterMs = role === 'service' ? Number(origin) : 0
const seen = new Set<string>()
let seenTwice = 0

const BODY = JSON.stringify({
  Accounts: [{ AccountID: 'SIM1001', AccountType: 'Margin', Note: 'x'.repeat(400) }],
})
/** Names an order, because the outcome of an order would be unknown otherwise. */
const ORDER_BODY = JSON.stringify({ Orders: [{ OrderID: '1000000001', Message: 'Sent order' }] })
const TOKEN = {
  access_token: 'an-access-token-of-the-bench',
  refresh_token: 'a-refresh-token-of-the-bench',
  token_type: 'Bearer',
  expires_in: 1200,
  scope: 'openid',
}
const LIMIT = 1_000_000
/** Two requests a second. */
const SCARCE = 120
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const server = createServer((asked, answer) => {
  if (role === 'pass') {
    const { method, url: path, headers } = asked
    const passed = request(new URL(origin), { method, path, headers, agent }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.rawHeaders)
      answered.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
    return
  }
  if (asked.url === '/oauth/token') {
    answer.writeHead(200, { 'content-type': 'application/json' })
    answer.end(JSON.stringify(TOKEN))
    return
  }
  if (asked.url === '/seen-twice') {
    answer.end(String(seenTwice))
    return
  }
  const isOrder = asked.url?.startsWith('/v3/orderexecution/') === true
  const body = isOrder ? ORDER_BODY : BODY
  const isScarce = role === 'scarce' && !isOrder
  const limit = isScarce ? SCARCE : LIMIT
  const resource = isScarce ? categoryOf('GET', asked.url?.split('?', 1)[0] ?? '') : 'Accounts'
  const answerIt = () => {
    answer.writeHead(200, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-ratelimit-resource': isOrder ? 'Orders' : (resource ?? 'Accounts'),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-period': '60',
      'x-ratelimit-remaining': String(isScarce ? 0 : limit - 1),
      'x-ratelimit-reset': '1',
    })
    answer.end(body)
  }
  if (answersAfterMs === 0) {
    answerIt()
    return
  }
  if (seen.has(asked.url ?? '')) seenTwice += 1
  seen.add(asked.url ?? '')
  setTimeout(answerIt, answersAfterMs)
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
