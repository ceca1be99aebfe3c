import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { SILENT } from '../../main/alerts/announcer.ts'
import { HistoryService } from '../../main/history/history-service.ts'
import { quotaCommands } from '../../main/monitor/commands/quotas.ts'
import { Monitor } from '../../main/monitor/monitor.ts'
import { Redactor } from '../../main/ports/redactor.ts'
import { proves } from '../proof/proves.ts'
import { VirtualClock } from '../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from './example-key.ts'
import { answerOf, renewal, ScriptedHttp } from './scripted-http.ts'
import { temporaryFolder } from './storage/temporary-folder.ts'

const ACCESS = 'CANARY-access-token-0123456789-abcdefghijklmnopqrstuvwxyz'
const REFRESH = 'CANARY-refresh-token-9876543210-zyxwvutsrqponmlkjihgfedcba'
const SECRET = 'CANARY+client/secret=1357924680'
const WAYS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in a sentence', (text) => `Invalid token '${text}'.`],
  ['percent-encoded', encodeURIComponent],
  ['its first half', (text) => text.slice(0, text.length / 2)],
  ['its end', (text) => text.slice(-20)],
  // Names are cut at 64 characters and texts at 100. The secret begins before that, so that its replacement
  // is visible.
  ['cut at the limit of a name', (text) => 'x'.repeat(50) + text],
  ['cut at the limit of a text', (text) => 'x'.repeat(85) + text],
]

test.each(WAYS)('a service that echoes requests, %s, exposes no secret anywhere', async (_, echo) => {
  const folder = temporaryFolder()
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  const secrets = [ACCESS, REFRESH, SECRET]
  let turn = 0
  const next = () => echo(secrets[turn++ % secrets.length] ?? '')
  http.reply = ({ url }) => {
    if (url.endsWith('/oauth/token')) {
      return renewal(ACCESS, { scope: `openid ${next()} ${next()} ${next()}` })
    }
    return answerOf(
      429,
      { Error: next(), Message: next() },
      {
        'x-ratelimit-resource': next(),
        'x-ratelimit-limit': '10',
        'x-ratelimit-period': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': next(),
        'x-concurrency-resource': next(),
        'x-ts-request-id': next(),
      },
    )
  }
  const monitor = new Monitor({ clock, http, random: { next: () => 0.5 }, log: { note: () => {} } })
  const history = new HistoryService({
    monitor,
    clock,
    log: { note: () => {} },
    announcer: SILENT,
    version: '1.2.3',
    dataFolder: folder,
    problem: () => {},
  })
  const said: unknown[] = []
  const events: LoggedEvent[] = []
  monitor.subscribe({
    changed: (id) => said.push(monitor.snapshot(id)),
    event: (event) => events.push(event),
    removed: () => {},
  })
  monitor.connect({
    ...EXAMPLE_KEY,
    authUrl: 'https://service.test',
    baseUrl: 'https://service.test',
    clientSecret: SECRET,
    refreshToken: REFRESH,
    probes: { budgetFraction: 0.02, everySeconds: { Accounts: 1, Positions: 1 } },
    streams: [
      { kind: 'quotes', target: 'MSFT', options: {} },
      { kind: 'positions', target: 'SIM1001', options: {} },
    ],
  })
  await clock.advance(2_000)
  const row = { profile: 'key-1', category: 'Accounts' }
  const { checkNow, rowDetails } = quotaCommands(monitor).handlers
  await checkNow(row)
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(http.streams.length).toBeGreaterThan(0)
  const headers = { 'content-type': 'application/json', 'x-ratelimit-resource': next() }
  for (const [index, { listener }] of http.streams.entries()) {
    listener.opened(200, headers)
    const lines = [
      JSON.stringify({ Symbol: next(), Error: next(), Message: next() }),
      index === 0 ? JSON.stringify({ Error: next() }) : `ERROR - ${next()}`,
    ]
    // Sends two chunks, with the echo of a secret across both.
    const all = bytes(`${lines.join('\n')}\n`)
    listener.chunk(all.subarray(0, 60))
    listener.chunk(all.subarray(60))
  }
  await clock.advance(5_000)
  said.push(monitor.snapshot('key-1'), events, rowDetails(row))
  monitor.stop()
  history.close()
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  const everything = `${JSON.stringify(said)}\n${kept.join('\n')}`
  // The service's frames were received: there are events for them, but without the texts of the service.
  expect(events.map(({ kind }) => kind)).toContain('rate-limited')
  expect(everything).toContain('[redacted]')
  for (const secret of secrets) {
    for (let at = 0; at + 17 <= secret.length; at += 1)
      expect(everything, `of ${secret.slice(7, 14)} from ${at}`).not.toContain(secret.slice(at, at + 17))
  }
  proves('T11', { level: 2, cases: secrets.length })
})

test('a text that shares a few characters with a secret by chance is unchanged', () => {
  const redactor = new Redactor()
  redactor.hide(ACCESS)
  for (const text of ['CANARY-acce', 'the access token', 'Positions', '0123456789', ''])
    expect(redactor.clean(text)).toBe(text)
})

test('of more tokens than a day needs, the newest and those in use are known', () => {
  const redactor = new Redactor()
  redactor.hide(SECRET)
  for (let count = 0; count < 500; count += 1) {
    redactor.hide(`token-number-${count}-of-the-day`)
    // Each token refresh hides the secret again.
    redactor.hide(SECRET)
  }
  expect(redactor.clean(`${SECRET} token-number-499-of-the-day`)).toBe('[redacted] [redacted]')
  expect(redactor.clean('token-number-499-of-t')).toBe('[redacted]')
})
