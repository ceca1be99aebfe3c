import { expect, test } from 'vitest'
import { Monitor } from '../../main/monitor/monitor.ts'
import { proves } from '../proof/proves.ts'
import { VirtualClock } from '../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from './example-key.ts'
import { quotaHeaders } from './quota-headers.ts'
import { answerOf, renewal, ScriptedHttp } from './scripted-http.ts'

const MAX_BYTES = 256_000

test('a service that fills every shown text makes no snapshot of 256 kB', async () => {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  let count = 0
  const next = () => {
    count += 1
    return count
  }
  const long = (length: number) => `${next()}${'€'.repeat(length)}`
  const headers = () => ({
    // Headers are in Latin-1.
    'x-ratelimit-resource': `${next()}${'ü'.repeat(500)}`,
    ...quotaHeaders(9_999_999, 604_800, { limit: 10_000_000, periodSeconds: 604_800 }),
    'x-concurrency-limit': '10000000',
    'x-concurrency-remaining': '9000000',
    'x-concurrency-resource': `${count}${'ü'.repeat(500)}`,
    'x-ts-request-id': long(500),
  })
  http.reply = ({ url }) =>
    url.endsWith('/oauth/token')
      ? renewal('access', { scope: Array.from({ length: 9_000 }, () => long(64)).join(' ') })
      : answerOf(200, '{}', { 'content-type': 'application/json', ...headers() })
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } })
  monitor.connect({
    ...EXAMPLE_KEY,
    authUrl: 'https://service.test',
    baseUrl: 'https://service.test',
    probes: { budgetFraction: 0.02, everySeconds: { Accounts: 1 } },
  })
  await clock.advance(300_000)
  const encoder = new TextEncoder()
  for (let index = 0; index < 200; index += 1) {
    const opened = monitor.withProfile('key-1', ({ parts }) =>
      parts.streams.open({ kind: 'quotes', target: `S${index}`, options: {} }),
    )
    expect(opened.ok).toBe(true)
    await clock.advance(0)
    const listener = http.streams.at(-1)?.listener
    listener?.opened(200, { 'content-type': 'application/json', ...headers() })
    for (let line = 0; line < 20; line += 1)
      listener?.chunk(encoder.encode(`${JSON.stringify({ Symbol: long(100), Error: long(300) })}\n`))
    if (index % 2 === 0) listener?.chunk(encoder.encode(`ERROR - ${long(300)}\n`))
  }
  const bytes = encoder.encode(JSON.stringify(monitor.snapshot('key-1'))).length
  monitor.stop()
  // The snapshot is large, but bounded.
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThan(MAX_BYTES)
  proves('T14', { level: 2, cases: 200 })
}, 60_000)
