import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { Quote } from 'tradestation-api-ts'
import { expect, test, vi } from 'vitest'
import { KEPT_MS } from '../../../main/gateway/shared-stream.ts'
import type { ForwardRequest } from '../../../main/network/forward-http.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { startGateway } from './started-gateway.ts'
import { brokerageClient } from './third-party-client.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

test('an unchanged third-party client reads and streams through the gateway', async () => {
  const { url, add, service, monitor } = await startGateway({ simulator: { streamRate: 20 } })
  const { brokerage, marketData } = brokerageClient(url, add('bot'))
  const [account] = await brokerage.getAccounts()
  expect(account?.AccountID).toBe('SIM1001')
  expect((await brokerage.getPositions('SIM1001')).Positions.length).toBeGreaterThan(0)
  expect((await marketData.getQuoteSnapshots(['MSFT'])).Quotes).toHaveLength(1)
  const stream = await marketData.streamQuotes(['MSFT'])
  const message = await new Promise<Quote>((resolve) => stream.once('data', resolve))
  expect(message.Symbol).toBe('MSFT')
  expect(service.service.streams()).toHaveLength(1)
  const [bot] = monitor.snapshot('key-1')?.programs ?? []
  expect(bot).toMatchObject({ name: 'bot', forwarded: 4, refused: 0, waiting: 0, streams: 1 })
})

test('after a critical burst others get the time until enough is left, not ten times it', async () => {
  const reserve = { Positions: 159 }
  const { add, get, monitor } = await startGateway({ reserve })
  expect(monitor.snapshot('key-1')?.gateway).toMatchObject({ state: 'serving', reserve })
  const [bot, notes] = [add('bot', { class: 'critical' }), add('notes', { class: 'background' })]
  const positions = (n: number) => `/v3/brokerage/accounts/SIM1001/positions?n=${n}`
  const burst = await Promise.all(Array.from({ length: 20 }, (_, n) => get(positions(n), bot)))
  expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200))
  const refused = await get(positions(20), notes, { prefer: 'wait=1' })
  expect(refused.status).toBe(429)
  // A background program leaves 318 of the 320 requests. So 19 have to refill, at one every 0.94 s.
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(10)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(22)
})

test('forwarded requests count as own, by program and category', async () => {
  const clock = new SkippingClock()
  const { add, get, monitor } = await startGateway({ clock })
  const [bot, notes] = [add('bot'), add('notes', { class: 'background' })]
  expect((await get('/v3/brokerage/accounts/SIM1001/positions', notes)).status).toBe(200)
  for (let i = 0; i < 3; i += 1) {
    // Use is shown once two headers are a second apart.
    clock.skip(1000)
    expect((await get(ACCOUNTS, bot)).status).toBe(200)
  }
  const snapshot = monitor.snapshot('key-1')
  const row = snapshot?.requests.find(({ category }) => category === 'Accounts')
  expect(row).toMatchObject({ source: 'header', used: { own: 3 } })
  const { own = 0, programs = {} } = row?.use ?? {}
  const ofPrograms = Object.values(programs).reduce((sum, perSecond) => sum + perSecond, 0)
  expect(Object.keys(programs)).toEqual(['program-1'])
  expect(ofPrograms).toBeGreaterThan(0)
  expect(ofPrograms).toBeLessThanOrEqual(own + 1e-9)
  expect(snapshot?.programs).toMatchObject([
    { name: 'bot', forwarded: 3, use: [{ category: 'Accounts', forwarded: 3, waiting: 0 }] },
    { name: 'notes', class: 'background', forwarded: 1, use: [{ category: 'Positions', forwarded: 1 }] },
  ])
})

test('a response is relayed unchanged, and names the gateway', async () => {
  const { add, get, service } = await startGateway()
  const key = add('bot')
  const answer = await get(ACCOUNTS, key)
  expect(answer.headers.get('via')).toBe('1.1 headroom')
  expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=200')
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('319')
  const refused = await get('/v3/marketdata/quotes/NOPE/extra', key)
  expect(refused.status).toBe(404)
  expect(refused.headers.get('proxy-status')).toBe('headroom; received-status=404')
  expect(JSON.stringify([...answer.headers, await answer.text()])).not.toContain('Bearer')
  expect(service.service.streams()).toEqual([])
  proves('G6', { level: 3, cases: 2 })
})

test('the gateway rejects a wrong key, in words that name it', async () => {
  const { get, url } = await startGateway()
  const answer = await get(ACCOUNTS, 'wrong-key-of-a-program')
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="headroom"')
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('proxy-status')).toMatch(/^headroom; error=http_request_denied; details="/)
  expect(await answer.json()).toMatchObject({ status: 401, title: 'Unauthorized', Error: 'Unauthorized' })
  const token = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'wrong' }),
  })
  expect(token.status).toBe(400)
  expect(await token.json()).toMatchObject({ error: 'invalid_grant' })
})

test('a program gets a local token without any part of the key’s access token', async () => {
  const { add, get, url } = await startGateway()
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x', refresh_token: add('bot') }),
  })
  const token = (await answer.json()) as { access_token: string; expires_in: number; token_type: string }
  expect(token).toMatchObject({ expires_in: 1200, token_type: 'Bearer' })
  expect((await get(ACCOUNTS, token.access_token)).status).toBe(200)
})

test('path, query and body go upstream byte for byte, with the token of the key and nothing else of the caller', async () => {
  const sent: ForwardRequest[] = []
  const { add, port } = await startGateway({
    forward: (forwarded, { failed }) => {
      sent.push(forwarded)
      setImmediate(() => failed('not-sent', 'out of reach'))
      return () => {}
    },
  })
  const key = add('bot')
  const path = "/v3/marketdata/quotes/$SPX%20X,%41'?a=%2f..%2F&b=%00&&c"
  const outgoing = request({
    port,
    host: '127.0.0.1',
    path,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'user-agent': 'bot/1',
      prefer: 'wait=1',
    },
  })
  outgoing.end()
  const [answer] = await once(outgoing, 'response')
  expect(answer.statusCode).toBe(503)
  answer.resume()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.pathAndQuery).toBe(path)
  const { authorization, ...rest } = sent[0]?.headers ?? {}
  expect(rest).toEqual({ via: '1.1 headroom', accept: 'application/json' })
  expect(authorization).toMatch(/^Bearer /)
  expect(authorization).not.toContain(key)
})

test('an own check waits behind programs, and is not sent without room', async () => {
  const { add, get, monitor } = await startGateway({ reserve: { Accounts: 1_000 } })
  const key = add('bot', { class: 'critical' })
  for (let i = 0; i < 8; i += 1) expect((await get(`${ACCOUNTS}?i=${i}`, key)).status).toBe(200)
  const check = await monitor.withProfile('key-1', (session) => session.parts.prober.checkNow('Accounts'))
  const message = expect.stringMatching(/^Not checked: the wait for this quota would exceed 5 s/)
  expect(check).toMatchObject({ ok: false, message })
  expect(monitor.snapshot('key-1')?.requests.find(({ category }) => category === 'Accounts')?.used?.own).toBe(
    8,
  )
})

test('declines a request at once if it can’t be sent within its longest wait, and reports its turn', async () => {
  const { add, get, service, monitor } = await startGateway({ simulator: { traffic: {} } })
  const key = add('bot', { class: 'background' })
  const answers = await Promise.all(
    Array.from({ length: 345 }, (_, i) => get(`${ACCOUNTS}?i=${i}`, key, { prefer: 'wait=0' })),
  )
  const refused = answers.filter(({ status }) => status === 429)
  // The quota refills while the requests are sent, more on a slower machine.
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => status !== 429 && status !== 200)).toEqual([])
  // All of these 429s are the gateway's own.
  expect(refused.filter(({ headers }) => !headers.get('proxy-status')?.includes('error='))).toEqual([])
  const [one] = refused
  expect(Number(one?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await one?.json()).toMatchObject({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
  expect(service.port).toBeGreaterThan(0)
  // Reported once for all of them.
  const told = monitor.events(0).filter(({ kind }) => kind === 'program-refused')
  expect(told).toMatchObject([{ program: 'bot', category: 'Accounts', retryAt: expect.any(Number) }])
})

test('counts paths without a header together, without account names', async () => {
  const { add, get, monitor } = await startGateway()
  const bot = add('bot')
  for (const path of ['/v3/brokerage/nowhere/SIM1001', '/v3/brokerage/nowhere/SIM1002']) await get(path, bot)
  expect(monitor.snapshot('key-1')?.programs).toMatchObject([
    { forwarded: 2, use: [{ category: 'Other paths', forwarded: 2 }] },
  ])
})

test.skipIf(process.platform !== 'linux')('shows the process of a program', async () => {
  const { add, get, monitor } = await startGateway()
  await get(ACCOUNTS, add('bot'))
  const shown = () => monitor.snapshot('key-1')?.programs?.[0]?.process
  await vi.waitFor(() => expect(shown()).toContain(`(${process.pid})`), PATIENT)
})

test('a revoked program gets nothing more: its open stream ends at once, its key is unknown', async () => {
  const clock = new SkippingClock()
  const { add, get, gateway, service, monitor } = await startGateway({ simulator: { streamRate: 50 }, clock })
  const [bot, other] = [add('bot'), add('other')]
  const stream = await get('/v3/marketdata/stream/quotes/MSFT', bot)
  const kept = await get('/v3/marketdata/stream/quotes/AAPL', other)
  const reader = stream.body!.getReader()
  await reader.read()
  await kept.body!.getReader().read()
  await vi.waitFor(() => expect(service.service.streams()).toHaveLength(2), PATIENT)
  expect(gateway.cut('bot')).toEqual({ ok: true })
  expect(monitor.events(0).at(-1)).toMatchObject({ kind: 'program-cut', program: 'bot' })
  await expect(
    (async () => {
      // Reads up to a second of frames. The stream ends long before that.
      for (let frame = 0; frame < 50; frame += 1) await reader.read()
    })(),
  ).rejects.toThrow()
  expect((await get(ACCOUNTS, bot)).status).toBe(401)
  // The slot of a shared stream is kept a while for the next reader.
  expect(service.service.streams()).toHaveLength(2)
  clock.skip(KEPT_MS)
  await vi.waitFor(() => expect(service.service.streams()).toHaveLength(1), PATIENT)
  expect(monitor.snapshot('key-1')?.programs).toMatchObject([{ name: 'other', streams: 1 }])
  expect(gateway.cut('bot')).toEqual({ ok: false, why: 'no program is named bot' })
  proves('G8', { level: 3, cases: 1 })
})

test('a paused program gets 429 for five minutes, while its stream continues, and then continues itself', async () => {
  const clock = new SkippingClock()
  const { add, get, gateway, monitor } = await startGateway({ simulator: { streamRate: 50 }, clock })
  const [bot, other] = [add('bot'), add('other')]
  const stream = await get('/v3/marketdata/stream/quotes/MSFT', bot)
  const reader = stream.body!.getReader()
  await reader.read()
  const shown = () => monitor.snapshot('key-1')?.programs?.find(({ name }) => name === 'bot')
  const paused = gateway.pause('BOT')
  expect(paused).toMatchObject({ ok: true })
  const { until } = paused as { until: number }
  expect(Math.abs(until - clock.wallMs() - 300_000)).toBeLessThan(2_000)
  expect(shown()).toMatchObject({ pausedUntil: until, streams: 1 })

  clock.skip(100_000)
  const refused = await get(ACCOUNTS, bot)
  expect(refused.status).toBe(429)
  expect(Math.abs(Number(refused.headers.get('retry-after')) - 200)).toBeLessThanOrEqual(2)
  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(refused.headers.get('proxy-status')).toContain('headroom; error=http_request_denied')
  expect(await refused.json()).toMatchObject({
    ...{ status: 429, title: 'Too Many Requests', Error: 'TooManyRequests', Message: 'Program paused' },
    detail: expect.stringMatching(/^Not sent: this program is paused in Headroom for another \d+ s\.$/),
  })
  expect((await get('/v3/marketdata/stream/quotes/AAPL', bot)).status).toBe(429)
  expect((await get(ACCOUNTS, other)).status).toBe(200)
  for (let frame = 0; frame < 5; frame += 1) expect((await reader.read()).done).toBe(false)
  expect(shown()).toMatchObject({ refused: 2, streams: 1 })

  clock.skip(200_000)
  expect(shown()).not.toHaveProperty('pausedUntil')
  expect((await get(ACCOUNTS, bot)).status).toBe(200)
  await reader.cancel()
})

test('a pause ends at once where the wall clock is set back by days: its end would be days away', async () => {
  const clock = new SkippingClock()
  const { add, get, gateway } = await startGateway({ clock })
  const key = add('bot')
  gateway.pause('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(429)
  clock.setWall(-2 * 86_400_000)
  // A token is fetched first, so the first attempts may fail.
  await vi.waitFor(async () => expect((await get(ACCOUNTS, key)).status).toBe(200), { timeout: 20_000 })
})

test('a program’s waiting requests get 429 as soon as it is paused, others’ do not', async () => {
  const { add, get, gateway, monitor } = await startGateway()
  const [bot, other] = [add('bot', { class: 'background' }), add('other', { class: 'background' })]
  const asks = (key: string, count: number) =>
    Array.from({ length: count }, (_, i) => get(`${ACCOUNTS}?${key}=${i}`, key, { prefer: 'wait=300' }))
  const waiting = asks(bot, 330)
  const waits = (name: string) =>
    monitor.snapshot('key-1')?.programs?.find((program) => program.name === name)?.waiting
  await vi.waitFor(() => expect(waits('bot')).toBeGreaterThan(5), PATIENT)
  const others = asks(other, 3)
  await vi.waitFor(() => expect(waits('other')).toBeGreaterThan(0), PATIENT)
  expect(gateway.pause('bot')).toMatchObject({ ok: true })
  expect(waits('bot')).toBe(0)
  expect(waits('other')).toBeGreaterThan(0)
  const answers = await Promise.all(waiting)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(5)
  for (const { status, headers } of refused) {
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(280)
  }
  expect(gateway.resume('bot')).toEqual({ ok: true })
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await get(ACCOUNTS, bot)).status).toBe(200)
}, 40_000)

test('a pause applies to a served program, and not to a later one of its name', async () => {
  const { add, get, gateway } = await startGateway()
  add('bot')
  expect(gateway.pause('nobody')).toEqual({ ok: false, why: 'no program is named nobody' })
  expect(gateway.resume('nobody')).toEqual({ ok: false, why: 'no program is named nobody' })
  gateway.pause('bot')
  gateway.cut('bot')
  expect((await get(ACCOUNTS, add('bot'))).status).toBe(200)
  await gateway.turnOff()
  expect(gateway.pause('bot')).toEqual({
    ok: false,
    why: 'the gateway is off',
  })
})

test('keys are stored as digests, in a file that only the user can read, and are in no log and no snapshot', async () => {
  const { add, get, dataFolder, notes, monitor, gateway } = await startGateway()
  const key = add('bot')
  await get(ACCOUNTS, key)
  expect(readdirSync(dataFolder)).toEqual(['gateway.json'])
  const file = join(dataFolder, 'gateway.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const everything = JSON.stringify([
    readFileSync(file, 'utf8'),
    notes,
    monitor.snapshot('key-1'),
    gateway.programs(),
    monitor.events(0),
  ])
  // No part of the key appears except for its last four characters, by which a person can tell keys apart.
  for (let at = 0; at + 8 <= key.length; at += 1) expect(everything).not.toContain(key.slice(at, at + 8))
  expect(everything).toContain(key.slice(-4))
})

test('when turned off, it no longer responds, and the snapshot has no programs', async () => {
  const { add, get, gateway, monitor, url } = await startGateway()
  const key = add('bot')
  expect(monitor.snapshot('key-1')?.gateway).toEqual({ state: 'serving', url, since: expect.any(Number) })
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  expect(await gateway.turnOff()).toEqual({ ok: true })
  await expect(get(ACCOUNTS, key)).rejects.toThrow()
  expect(monitor.snapshot('key-1')).not.toHaveProperty('gateway')
  expect(monitor.snapshot('key-1')).not.toHaveProperty('programs')
  const told = monitor.events(0).filter(({ kind }) => kind.startsWith('gateway-'))
  expect(told).toMatchObject([
    { kind: 'gateway-on', url },
    { kind: 'gateway-off', why: 'the gateway was turned off' },
  ])
})

test('waiting requests end with 503 and the reason when the tokens are revoked', async () => {
  const { add, get, monitor } = await startGateway()
  const key = add('bot', { class: 'background' })
  const waiting = Array.from({ length: 330 }, (_, i) =>
    get(`${ACCOUNTS}?i=${i}`, key, { prefer: 'wait=300' }),
  )
  await vi.waitFor(
    () => expect(monitor.snapshot('key-1')?.programs?.[0]?.waiting).toBeGreaterThan(5),
    PATIENT,
  )
  // The next request is the one that will be sent first. Each request waits as long as its program asked,
  // minus the time until it was queued.
  const [use] = monitor.snapshot('key-1')?.programs?.[0]?.use ?? []
  const { nextCameAt = 0, nextTurnAt = 0, nextPatientUntil = 0, lastTurnAt = 0 } = use ?? {}
  expect(nextPatientUntil - nextCameAt).toBeLessThanOrEqual(300_000)
  expect(nextPatientUntil - nextCameAt).toBeGreaterThan(290_000)
  expect(nextTurnAt).toBeGreaterThan(nextCameAt)
  expect(lastTurnAt).toBeGreaterThan(nextTurnAt)
  // Requests that wait behind the reserve can't run the quota empty, however fast they arrived.
  const row = () => monitor.snapshot('key-1')?.requests.find(({ category }) => category === 'Accounts')
  await vi.waitFor(() => expect(row()?.held).toBeGreaterThan(2), PATIENT)
  expect(row()).not.toHaveProperty('emptyAt')
  await monitor.withProfile('key-1', (session) => session.revoke())
  const answers = await Promise.all(waiting)
  const unavailable = answers.filter(({ status }) => status === 503)
  expect(unavailable.length).toBeGreaterThan(5)
  for (const answer of unavailable)
    expect(await answer.json()).toMatchObject({
      detail: 'Not sent: the tokens of this key are revoked; sign in again in Headroom.',
    })
  expect((await get(ACCOUNTS, key)).status).toBe(503)
})

test('reconnecting a key declines its waiting requests at once, and serves the next', async () => {
  const { monitor, add, get } = await startGateway({ reserve: { Accounts: 319 } })
  const key = add('bot')
  // After the first request, the bucket is below the level for this class until it is full again, some
  // seconds later.
  expect((await get('/v3/brokerage/accounts', key)).status).toBe(200)
  const waiting = Array.from({ length: 20 }, (_, i) =>
    get(`/v3/brokerage/accounts?n=${i}`, key, { prefer: 'wait=60' }),
  )
  await vi.waitFor(
    () => expect(monitor.snapshot('key-1')?.programs?.[0]?.waiting).toBeGreaterThan(15),
    PATIENT,
  )
  const profile = monitor.profile('key-1')
  if (profile === undefined) throw new Error('not connected')
  monitor.connect({ ...profile, refreshToken: 'sim-refresh' } as Profile)
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(10)
  const balances = await get('/v3/brokerage/accounts/SIM1001/balances', key)
  expect(balances.status).toBe(200)
})
