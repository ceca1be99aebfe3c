import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { KEPT_MS } from '../../../main/gateway/shared-stream.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { listening } from '../loopback-server.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { RecordingStore } from '../tokens/recording-store.ts'
import { before } from './raw-service.ts'
import { startGateway } from './started-gateway.ts'

const VERY_PATIENT = { timeout: 60_000, interval: 50 }
const ACCOUNTS = '/v3/brokerage/accounts'
const BODY = JSON.stringify({ Accounts: [{ AccountID: 'SIM1001' }] })
const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-ratelimit-limit: 250\r\nx-ratelimit-period: 300\r\n' +
  'x-ratelimit-remaining: 249\r\nx-ratelimit-reset: 2\r\nx-ratelimit-resource: Accounts\r\n' +
  `set-cookie: a=b\r\ncontent-length: ${BODY.length}\r\n\r\n`

/** No request waits and no stream is open, so nothing leaks. */
async function expectNothingLeft(monitor: Awaited<ReturnType<typeof startGateway>>['monitor']) {
  await vi.waitFor(
    () => expect(monitor.snapshot('key-1')?.programs?.[0]).toMatchObject({ waiting: 0, streams: 0 }),
    PATIENT,
  )
}

test('cut at any byte: resent only before the first one, and never a response that looks whole', async () => {
  const whole = HEAD + BODY
  let cutAt = 0
  let seen = 0
  const { add, get, monitor } = await before((socket) => {
    seen += 1
    socket.end(whole.slice(0, cutAt))
  })
  const key = add('bot')
  let cases = 0
  for (cutAt = 0; cutAt < whole.length; cutAt += 1) {
    seen = 0
    cases += 1
    const outcome = await get(ACCOUNTS, key).then(
      async (answer) => [answer.status, await answer.text().catch(() => 'cut')] as const,
      () => ['cut', ''] as const,
    )
    if (cutAt < HEAD.length) expect([cutAt, outcome[0], seen]).toEqual([cutAt, 502, cutAt === 0 ? 2 : 1])
    else {
      expect([cutAt, seen]).toEqual([cutAt, 1])
      expect([cutAt, 'cut']).toEqual([cutAt, outcome.find((one) => one === 'cut')])
    }
  }
  await expectNothingLeft(monitor)
  proves(['G1', 'G6'], { level: 3, cases })
})

test('cut once: the second attempt succeeds, and the caller notices nothing', async () => {
  const { add, get, count } = await before((socket, _, n) => {
    if (n === 1) socket.destroy()
    else socket.write(HEAD + BODY)
  })
  const answer = await get(ACCOUNTS, add('bot'))
  expect([answer.status, await answer.text(), count()]).toEqual([200, BODY, 2])
  expect(answer.headers.get('set-cookie')).toBeNull()
})

const REFUSED = JSON.stringify({ Error: 'Unauthorized', Message: 'not for you' })
const UNAUTHORIZED =
  'HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nx-service: as-it-came\r\n' +
  `content-length: ${REFUSED.length}\r\n\r\n${REFUSED}`
const ENDED = '/v3/brokerage/accounts/SIM1001/positions'

test('a successful refresh may be followed by another, however soon the service ends that token', async () => {
  const { add, get, monitor } = await before(
    (socket, _, number) => void socket.write(number % 2 === 1 ? UNAUTHORIZED : HEAD + BODY),
  )
  const key = add('bot')
  for (const query of ['', '?again', '?thrice'])
    expect((await get(`${ACCOUNTS}${query}`, key)).status).toBe(200)
  expect(monitor.snapshot('key-1')?.refresh.refreshesToday).toBe(4)
  proves(['G1', 'G10'], { level: 3, cases: 3 })
})

test('if a refresh does not help, programs get the unchanged 401, and the next one waits', async () => {
  const clock = new SkippingClock()
  const { add, get, count, monitor } = await before((socket) => void socket.write(UNAUTHORIZED), { clock })
  const key = add('bot')
  const ask = async () => {
    const answer = await get(ACCOUNTS, key)
    expect([answer.status, await answer.text()]).toEqual([401, REFUSED])
    expect(answer.headers.get('x-service')).toBe('as-it-came')
    expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=401')
    return [count(), monitor.snapshot('key-1')?.refresh.refreshesToday]
  }
  expect(await ask()).toEqual([2, 2])
  expect(await ask()).toEqual([3, 2])
  clock.skip(29_000)
  expect(await ask()).toEqual([4, 2])
  clock.skip(1_000)
  expect(await ask()).toEqual([6, 3])
  clock.skip(59_000)
  expect(await ask()).toEqual([7, 3])
  clock.skip(1_000)
  expect(await ask()).toEqual([9, 4])
  await expectNothingLeft(monitor)
  proves('G10', { level: 3, cases: 6 })
})

test('a 401 of one path during an outage of the sign-in host discards no token that others accept', async () => {
  const { add, get, monitor, service } = await before(
    (socket, request) => void socket.write(request.startsWith(`GET ${ENDED}`) ? UNAUTHORIZED : HEAD + BODY),
  )
  const key = add('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  service.faults.set('refresh-503', 1_000)
  const refused = await get(ENDED, key)
  expect([refused.status, await refused.text()]).toEqual([401, REFUSED])
  for (const query of ['?1', '?2']) expect((await get(`${ACCOUNTS}${query}`, key)).status).toBe(200)
  expect((await get(ENDED, key)).status).toBe(401)
  expect(monitor.snapshot('key-1')?.access.state).not.toBe('expired')
  proves('G10', { level: 3, cases: 1 })
})

test('a request without a token renews it five seconds after the last failure, not at the next retry', async () => {
  const clock = new SkippingClock()
  let [isAway, refreshes] = [false, 0]
  const authUrl = await listening(
    createHttpServer((_, response) => {
      refreshes += 1
      response.writeHead(isAway ? 503 : 200)
      response.end(isAway ? '' : JSON.stringify({ access_token: `access-${refreshes}`, expires_in: 1200 }))
    }),
  )
  const baseUrl = await listening(createHttpServer((_, response) => void response.end(BODY)))
  const { add, get, monitor } = await startGateway({ clock, profile: { authUrl, baseUrl } })
  const access = () => monitor.snapshot('key-1')?.access
  await vi.waitFor(() => expect(access()?.state).toBe('valid'), PATIENT)
  const key = add('bot')
  isAway = true
  clock.skip(1_200_000)
  const retryInMs = () => (monitor.snapshot('key-1')?.refresh.retryAt ?? 0) - clock.wallMs()
  // Retries until the wait for the next retry is long.
  for (let tries = 0; tries < 20 && retryInMs() < 20_000; tries += 1) {
    clock.skip(Math.max(0, retryInMs()))
    await vi.waitFor(() => expect(retryInMs()).toBeGreaterThan(0), PATIENT)
  }
  const failed = refreshes
  isAway = false
  const early = await get(ACCOUNTS, key)
  expect([early.status, refreshes]).toEqual([503, failed])
  expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(5)
  clock.skip(5_000)
  const answer = await get(ACCOUNTS, key)
  expect([answer.status, refreshes]).toEqual([200, failed + 1])
  proves('G10', { level: 3, cases: 1 })
})

/** A gateway whose service rejects its first token; the second refresh waits for the test. */
async function rejected() {
  const clock = new SkippingClock()
  const renewal = (token: string) => JSON.stringify({ access_token: token, expires_in: 1200 })
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<() => void>()
  let refreshes = 0
  const authUrl = await listening(
    createHttpServer((_, response) => {
      refreshes += 1
      if (refreshes === 1) response.end(renewal('access-1'))
      else asked(() => response.end(renewal('access-2')))
    }),
  )
  const baseUrl = await listening(
    createHttpServer(({ headers }, response) => {
      const isNew = headers.authorization === 'Bearer access-2'
      response.writeHead(isNew ? 200 : 401).end(isNew ? BODY : REFUSED)
    }),
  )
  const { add, get, monitor } = await startGateway({ clock, profile: { authUrl, baseUrl } })
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.access.state).toBe('valid'), PATIENT)
  const key = add('bot')
  const statuses: number[] = []
  const ask = (prefer: string) =>
    void get(ACCOUNTS, key, { prefer }).then(({ status }) => void statuses.push(status))
  const lastSeenAt = () => monitor.snapshot('key-1')?.programs?.[0]?.lastSeenAt ?? 0
  return { clock, ask, isAsked, statuses, lastSeenAt }
}

test('a 401 is passed on after the wait that its program chose, while the sign-in host is silent', async () => {
  const { clock, ask, isAsked, statuses } = await rejected()
  ask('wait=2')
  await isAsked
  clock.skip(2_000)
  // A program gets its 401 after 10 s at the latest. The limit here is shorter than the rest of these 10 s.
  await vi.waitFor(() => expect(statuses).toEqual([401]), { timeout: 4_000, interval: 20 })
})

test('a caller that joins a request waiting for a refresh has its own longest wait', async () => {
  const { clock, ask, isAsked, statuses, lastSeenAt } = await rejected()
  ask('wait=2')
  const renew = await isAsked
  const firstAt = lastSeenAt()
  clock.skip(1_000)
  ask('wait=20')
  await vi.waitFor(() => expect(lastSeenAt()).toBeGreaterThan(firstAt), PATIENT)
  clock.skip(1_000)
  await new Promise((resolve) => void setImmediate(resolve))
  renew()
  await vi.waitFor(() => expect(statuses).toEqual([200, 200]), PATIENT)
})

test('many simultaneous 401s cause one refresh', async () => {
  let ended: string | undefined
  const { add, get, monitor } = await before((socket, request) => {
    const bearer = /Bearer (\S+)/.exec(request)?.[1]
    ended ??= bearer
    socket.write(bearer === ended ? UNAUTHORIZED : HEAD + BODY)
  })
  const key = add('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  ended = undefined
  const paths = Array.from({ length: 30 }, (_, n) => `/v3/brokerage/accounts/A${n}/balances`)
  const answers = await Promise.all(paths.map((path) => get(path, key)))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  expect(monitor.snapshot('key-1')?.refresh.refreshesToday).toBe(3)
})

test('relays a large 401 whole, even after a refresh without a new token', async () => {
  const page = `{"Error":"${'x'.repeat(200_000)}"}`
  const head = `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${page.length}`
  const { add, get, monitor, service } = await before((socket) => void socket.write(`${head}\r\n\r\n${page}`))
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.access.state).toBe('valid'), PATIENT)
  service.faults.set('refresh-503', 1_000)
  const answer = await get(ACCOUNTS, add('bot'))
  expect([answer.status, (await answer.text()) === page]).toEqual([401, true])
  await expectNothingLeft(monitor)
})

test('a 401 that is cut while withheld is cut for its caller too', async () => {
  for (const length of [100, 200_000]) {
    const head = `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${length}`
    const { add, get, monitor, service } = await before((socket) => {
      socket.write(`${head}\r\n\r\n${'x'.repeat(length - 1)}`)
      setTimeout(() => socket.destroy(), 50)
    })
    await vi.waitFor(() => expect(monitor.snapshot('key-1')?.access.state).toBe('valid'), PATIENT)
    service.faults.set('refresh-503', 1_000)
    const read = get(ACCOUNTS, add('bot')).then((answer) => answer.text())
    await expect(read).rejects.toThrow()
    await expectNothingLeft(monitor)
  }
})

test('a caller that disconnects during a refresh leaves nothing behind', async () => {
  let isClosed = false
  const head = 'HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 2000000'
  const { add, url, monitor, service } = await before((socket) => {
    socket.on('close', () => {
      isClosed = true
    })
    socket.write(`${head}\r\n\r\n${'x'.repeat(1_000_000)}`)
  })
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.access.state).toBe('valid'), PATIENT)
  service.faults.set('black-hole', true)
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${add('bot')}` }
  const asked = fetch(`${url}${ACCOUNTS}`, { headers, signal: leaving.signal }).catch(() => 'left')
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.access.state).toBe('refreshing'), PATIENT)
  expect(isClosed).toBe(false)
  leaving.abort()
  expect(await asked).toBe('left')
  await vi.waitFor(() => expect(isClosed).toBe(true), PATIENT)
  await expectNothingLeft(monitor)
})

test('a rotated token that cannot be stored still serves programs, and is reported', async () => {
  const store = new RecordingStore('sim-refresh', Date.now())
  store.isFull = true
  const { add, get, monitor } = await startGateway({ simulator: { keys: 'rotating' }, tokens: store })
  const key = add('bot')
  for (const query of ['', '?again']) expect((await get(`${ACCOUNTS}${query}`, key)).status).toBe(200)
  expect(store.steps.at(-1)).toMatch(/^save (?!sim-refresh)/)
  expect(store.stored.token.refreshToken).toBe('sim-refresh')
  expect(monitor.snapshot('key-1')?.refresh).toMatchObject({
    state: 'valid',
    stored: 'memory',
    refreshesToday: 1,
    unsaved: 'the disk is full',
  })
  await expectNothingLeft(monitor)
  proves('G1', { level: 3, cases: 2 })
})

test('a truncated response of unknown length does not look whole', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
  const { add, get } = await before((socket) => void socket.end(`${head}2\r\n[]\r\n`))
  const answer = await get(ACCOUNTS, add('bot'))
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
})

test.each(['200 OK', '500 Oops'])(
  'a %s body that ends with its connection is cut by a reset',
  async (status) => {
    const { add, get } = await before((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n{"half"`, () => {
        // The reset must arrive after the bytes.
        setImmediate(() => setImmediate(() => socket.resetAndDestroy()))
      })
    })
    const outcome = await get(ACCOUNTS, add('bot'))
      .then((answer) => answer.text())
      .then(
        () => 'whole',
        () => 'cut',
      )
    expect(outcome).toBe('cut')
  },
)

test('relays a portal’s page unchanged, follows nothing, and learns nothing about quotas', async () => {
  const page = '<html>Please sign in to this network</html>'
  const { add, url, monitor, count } = await before((socket, _, number) => {
    const head = number === 1 ? '302 Found\r\nlocation: http://127.0.0.1:1/portal' : '200 OK'
    socket.end(`HTTP/1.1 ${head}\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`)
  })
  const headers = { authorization: `Bearer ${add('bot')}` }
  const [first, second] = [
    await fetch(`${url}${ACCOUNTS}`, { headers, redirect: 'manual' }),
    await fetch(`${url}${ACCOUNTS}`, { headers }),
  ]
  expect(first.status).toBe(302)
  expect(first.headers.get('location')).toBe('http://127.0.0.1:1/portal')
  expect(second.status).toBe(200)
  expect(await second.text()).toBe(page)
  expect(second.headers.get('proxy-status')).toBe('headroom; received-status=200')
  expect(count()).toBe(2)
  const row = monitor.snapshot('key-1')?.requests.find(({ category }) => category === 'Accounts')
  expect(row).toMatchObject({ source: 'default', limit: 320 })
  expect(monitor.snapshot('key-1')?.service.reachable).toBe(false)
})

test('a wall clock set an hour ahead declines no waiting request', async () => {
  const clock = new SkippingClock()
  const empty = HEAD.replace('remaining: 249', 'remaining: 0').replace('reset: 2', 'reset: 300')
  const { add, get, count, monitor } = await before(
    (socket, _, number) => void socket.write((number === 1 ? empty : HEAD) + BODY),
    { clock },
  )
  const key = add('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  const waits = get(`${ACCOUNTS}?x`, key)
  const waiting = () => monitor.snapshot('key-1')?.programs?.[0]?.waiting
  await vi.waitFor(() => expect(waiting()).toBe(1), PATIENT)
  clock.setWall(3_600_000)
  expect(waiting()).toBe(1)
  clock.skip(5_000)
  expect([waiting(), count()]).toEqual([1, 1])
  // By then, the access token counts as expired, and the request's turn comes before there is a new token.
  clock.skip(20_000)
  expect((await waits).status).toBe(200)
  await expectNothingLeft(monitor)
})

test('a killed program with waiting requests and a stream leaves nothing behind', async () => {
  const clock = new SkippingClock()
  const { add, url, monitor, service } = await startGateway({ simulator: { streamRate: 20 }, clock })
  const script = `
    const headers = { authorization: 'Bearer ${add('bot', { class: 'background' })}', prefer: 'wait=300' }
    const read = async (path) => { for await (const _ of (await fetch('${url}' + path, { headers })).body); }
    const stream = read('/v3/marketdata/stream/quotes/MSFT')
    let asked = 0
    const work = async () => { while (asked < 400) await read('${ACCOUNTS}?' + (asked += 1)) }
    await Promise.all([stream, ...Array.from({ length: 60 }, work)])`
  const program = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  onTestFinished(() => void program.kill('SIGKILL'))
  const shown = () => monitor.snapshot('key-1')?.programs?.[0]
  await vi.waitFor(() => {
    expect(shown()?.waiting).toBeGreaterThan(5)
    expect(shown()?.streams).toBe(1)
  }, VERY_PATIENT)
  program.kill('SIGKILL')
  await vi.waitFor(() => expect(shown()).toMatchObject({ waiting: 0, streams: 0 }), PATIENT)
  // The slot of a shared stream is kept a while for the next reader.
  expect(service.service.streams()).toHaveLength(1)
  clock.skip(KEPT_MS)
  await vi.waitFor(() => expect(service.service.streams()).toEqual([]), VERY_PATIENT)
  proves('G1', { level: 3, cases: 1 })
}, 120_000)

test('a 429 without fields pauses its bucket: the next request is not sent', async () => {
  const refused = 'HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n'
  const { add, get, count, monitor } = await before((socket) => void socket.write(refused))
  const key = add('bot')
  const answer = await get(ACCOUNTS, key, { prefer: 'wait=1' })
  expect([answer.status, answer.headers.get('proxy-status')]).toEqual([429, 'headroom; received-status=429'])
  const next = await get(ACCOUNTS, key, { prefer: 'wait=1' })
  expect(next.status).toBe(429)
  expect(next.headers.get('proxy-status')).toContain('error=')
  expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(30)
  expect(count()).toBe(1)
  // The first request got the service's 429. The gateway refused the second one itself.
  expect(monitor.snapshot('key-1')?.programs).toMatchObject([{ forwarded: 0, rejected: 1, refused: 1 }])
})

test('a dead port is 503, and a caller that disconnects frees its place', async () => {
  const origin = await listening(createServer())
  const { add, get, monitor } = await startGateway({ profile: { baseUrl: origin.replace(/\d+$/, '1') } })
  const key = add('bot')
  const answer = await get(ACCOUNTS, key)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('Not sent') })
  await expectNothingLeft(monitor)
})

test('callers that disconnect before the response leave nothing behind', async () => {
  let open = 0
  const { add, url, monitor } = await before((socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  const key = add('bot')
  const leaving = Array.from({ length: 20 }, (_, i) => {
    const controller = new AbortController()
    const asked = fetch(`${url}${ACCOUNTS}?i=${i}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: controller.signal,
    }).catch(() => {})
    return { controller, asked }
  })
  await vi.waitFor(() => expect(open).toBeGreaterThan(0), PATIENT)
  for (const { controller } of leaving) controller.abort()
  await Promise.all(leaving.map(({ asked }) => asked))
  await vi.waitFor(() => expect(open).toBe(0), PATIENT)
  await expectNothingLeft(monitor)
})

test('reads a response no faster than its caller', async () => {
  const part = Buffer.alloc(1 << 20, 'x')
  const parts = 128
  let written = 0
  let blocked = false
  const server = createHttpServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      blocked = false
      while (written < parts) {
        written += 1
        if (reply.write(part)) continue
        blocked = true
        reply.once('drain', more)
        return
      }
      reply.end()
    }
    more()
  })
  const { add, port } = await startGateway({ profile: { baseUrl: await listening(server) } })
  const outgoing = request({ port, path: ACCOUNTS, headers: { authorization: `Bearer ${add('bot')}` } }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  await vi.waitFor(() => expect([blocked, written > 0]).toEqual([true, true]), PATIENT)
  let former = 0
  await vi.waitFor(() => {
    const now = written
    const stands = now === former
    former = now
    expect([stands, blocked]).toEqual([true, true])
  }, PATIENT)
  // The buffers of the sockets are full, and nothing more was written.
  expect(written).toBeLessThan(parts / 2)
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(answer, 'end')
  expect(bytes).toBe(parts << 20)
})

test('when turned off, sent requests get their responses, and waiting ones end with 503', async () => {
  let finish = () => {}
  const { add, get, gateway, monitor, count } = await before((socket) => {
    finish = () => void socket.write(HEAD + BODY)
  })
  const key = add('bot')
  const sent = get(ACCOUNTS, key)
  await vi.waitFor(() => expect(count()).toBe(1), PATIENT)
  // Before the first header, only one request is sent at a time.
  const waits = get(`${ACCOUNTS}?second`, key)
  await vi.waitFor(() => expect(monitor.snapshot('key-1')?.programs?.[0]?.waiting).toBe(1), PATIENT)
  const off = gateway.turnOff()
  expect((await waits).status).toBe(503)
  const late = await get(`${ACCOUNTS}?third`, key)
  expect(await late.json()).toMatchObject({ status: 503, detail: expect.stringContaining('turned off') })
  finish()
  const answer = await sent
  expect([answer.status, await answer.text()]).toEqual([200, BODY])
  expect(await off).toEqual({ ok: true })
})

/** A stream that is not shared: it has too many symbols to be shown. */
const UNSHARED = `/v3/marketdata/stream/quotes/${Array.from({ length: 200 }, (_, i) => `S${i}`).join(',')}`
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/vnd.tradestation.streams.v3+json\r\ntransfer-encoding: chunked\r\n'

/**
 * A program that reads an unshared stream. Returns a function with which the service sends text, and what the
 * program read.
 */
async function readsUnshared(head: string) {
  let say = (_text: string) => {}
  const started = await before((socket, request) => {
    if (!request.includes('/stream/')) return
    say = (text) => void socket.write(chunkOf(text))
    socket.write(`${head}\r\n`)
  })
  const answer = await started.get(UNSHARED, started.add('bot'))
  expect(answer.status).toBe(200)
  const decoder = new TextDecoder()
  let text = ''
  const ended = (async () => {
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true })
  })().then(
    () => 'ended',
    () => 'cut',
  )
  return { ...started, say: (said: string) => say(said), text: () => text, ended }
}

test('when turned off, an unshared stream gets GoAway after the current frame', async () => {
  const { say, text, ended, gateway } = await readsUnshared(STREAM_HEAD)
  say('{"Symbol":"S1","Last":"1"}\r\n{"Symbol":"S2",')
  await vi.waitFor(() => expect(text()).toContain('S2'), PATIENT)
  const off = gateway.turnOff()
  say('"Last":"2"}\r\n{"Symbol":"S3"')
  expect(await ended).toBe('ended')
  expect(text().split('\r\n')).toEqual([
    '{"Symbol":"S1","Last":"1"}',
    '{"Symbol":"S2","Last":"2"}',
    '{"StreamStatus":"GoAway"}',
    '',
  ])
  expect(await off).toEqual({ ok: true })
  proves('G9', { level: 3, cases: 1 })
})

test('when turned off, a silent stream gets GoAway at once, and an encoded one is cut', async () => {
  const silent = await readsUnshared(STREAM_HEAD)
  await silent.gateway.turnOff()
  expect([await silent.ended, silent.text()]).toEqual(['ended', '{"StreamStatus":"GoAway"}\n'])
  const encoded = await readsUnshared(`${STREAM_HEAD}content-encoding: gzip\r\n`)
  await encoded.gateway.turnOff()
  expect(await encoded.ended).toBe('cut')
})

test('when turned off, a shared stream that was requested and has no response may count', async () => {
  let requests = 0
  const { get, add, gateway } = await before((_socket, request) => {
    if (request.includes('/stream/')) requests += 1
  })
  const requested = get('/v3/marketdata/stream/quotes/MSFT', add('bot'))
  await vi.waitFor(() => expect(requests).toBe(1), PATIENT)
  await gateway.turnOff()
  const answer = await requested
  expect(await answer.json()).toMatchObject({
    status: 502,
    detail: 'No response yet: the gateway was turned off. The request may count against the quota.',
  })
  proves('G6', { level: 3, cases: 1 })
})

test('a program with a disconnected key gets the reason, and continues once it is connected again', async () => {
  const { add, get, gateway, monitor, service } = await startGateway()
  const key = add('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  const { profile } = monitor.withProfile('key-1', (session) => ({ profile: session.profile })) as {
    profile: Parameters<typeof monitor.connect>[0]
  }
  monitor.disconnect('key-1')
  const answer = await get(ACCOUNTS, key)
  const why =
    "bot belongs to the key 'key-1', which isn't connected. Connect that key, or cut bot and add it again"
  expect(await answer.json()).toMatchObject({ status: 503, detail: `Not sent: ${why}.` })
  expect(gateway.pause('bot')).toEqual({ ok: false, why })
  monitor.connect(profile)
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  expect(monitor.snapshot('key-1')?.programs).toMatchObject([{ name: 'bot', forwarded: 1 }])
  expect(service.port).toBeGreaterThan(0)
})

test('a program without a chosen key gets the reason while no key or several are connected', async () => {
  const given = [{ name: 'bot', class: 'normal', weight: 1, key: 'a-key-of-sixteen' }] as const
  const { get, monitor } = await startGateway({ given })
  const detail = async () => (await (await get(ACCOUNTS, 'a-key-of-sixteen')).json()).detail
  const profile = monitor.profile('key-1')
  if (profile === undefined) throw new Error('not connected')
  monitor.connect({ ...profile, id: 'key-2' })
  expect(await detail()).toBe(
    'Not sent: several keys are connected, and bot belongs to none. Cut bot and add it again.',
  )
  for (const key of ['key-1', 'key-2']) monitor.disconnect(key)
  expect(await detail()).toBe('Not sent: no key is connected in Headroom. Connect one.')
})
