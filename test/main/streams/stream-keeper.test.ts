import { expect, test } from 'vitest'
import { quotaHeaders } from '../quota-headers.ts'
import { bytes, DEPTH, liveStream, openStream, POSITIONS, RATE, SLOTS, setUp } from './scripted-streams.ts'

test('opens with the bearer, uses a slot at once and is live after the snapshot', async () => {
  const { http, summary, own, service, open, kinds } = setUp()
  await open()
  expect(http.streams[0]?.request).toMatchObject({
    url: 'https://api.test/v3/brokerage/stream/accounts/SIM1001/positions',
    headers: { authorization: 'Bearer a1' },
  })
  expect([summary().state, own('Positions Stream')]).toEqual(['opening', 1])
  service.opens()
  expect(summary().state).toBe('snapshot')
  service.says('{"PositionID":"1"}\n{"StreamStatus":"EndSnapshot"}\n')
  expect(summary().state).toBe('live')
  expect(kinds()).toEqual(['stream-opened'])
})

test('closing hangs up and frees the slot at once, and nothing more is received', async () => {
  const { clock, http, streams, summary, own, service, kinds } = await openStream()
  streams.close('s1')
  expect(http.streams[0]?.closed).toBe(true)
  expect([summary().state, own('Positions Stream')]).toEqual(['closed', 0])
  service.says('{"StreamStatus":"EndSnapshot"}\n')
  service.ends()
  await clock.advance(600_000)
  expect(http.streams.length).toBe(1)
  expect(kinds()).toEqual(['stream-opened', 'stream-closed'])
  expect(clock.pending).toBe(0)
})

test('closing before the response frees the slot too', async () => {
  const { http, streams, own, open } = setUp()
  await open()
  streams.close('s1')
  expect([http.streams[0]?.closed, own('Positions Stream')]).toEqual([true, 0])
})

test('silence counts as stale at 15 s and reopens at 30 s, whatever the socket reports', async () => {
  const { clock, http, summary, own, service, kinds } = await liveStream()
  await clock.advance(14_999)
  expect(summary().state).toBe('live')
  await clock.advance(1)
  expect(summary().state).toBe('stale')
  await clock.advance(15_000)
  expect(summary()).toMatchObject({ state: 'waiting', reason: 'silent for 30 s' })
  expect([http.streams[0]?.closed, own('Positions Stream')]).toEqual([true, 0])
  await clock.advance(500)
  expect(http.streams.length).toBe(2)
  service.opens()
  expect(summary().restarts).toBe(1)
  // An open connection is not a frame, so the stream is still silent.
  expect(kinds()).toEqual(['stream-opened', 'stream-silent', 'stream-restarted'])
  await clock.advance(1_000)
  expect(clock.wallMs() - (summary().lastFrameAt ?? 0)).toBeGreaterThanOrEqual(31_000)
  expect(summary().state).toBe('stale')
  service.says('{"Heartbeat":1,"Timestamp":"2026-01-05T14:30:00Z"}\n')
  expect(kinds().at(-1)).toBe('stream-resumed')
  expect(summary().lastFrameAt).toBe(clock.wallMs())
})

test('heartbeats keep a stream live for hours', async () => {
  const { clock, http, summary, service } = await liveStream()
  for (let count = 0; count < 500; count += 1) {
    await clock.advance(14_000)
    service.says(`{"Heartbeat":${count},"Timestamp":"2026-01-05T14:30:00Z"}\n`)
  }
  expect([summary().state, summary().restarts, http.streams.length]).toEqual(['live', 0, 1])
})

test('a frame in pieces is one frame, even if a piece ends inside a character', async () => {
  const { summary, http } = await openStream()
  const text = bytes('{"StreamStatus":"EndSnapshot","Note":"€"}\n')
  for (const byte of text) http.streams[0]?.listener.chunk(Uint8Array.of(byte))
  expect(summary().state).toBe('live')
})

test.each(['{"StreamStatus":"GoAway"}\n', '{"Error":"GoAway","Message":"bye"}\n'])(
  '%s is a planned restart, at once',
  async (line) => {
    const { clock, http, service, events, own } = await openStream()
    await clock.advance(60_000 - 31_000)
    service.says(line)
    await clock.advance(20)
    // The former connection is read until the new one is open.
    expect([http.streams.length, own('Positions Stream'), http.streams[0]?.closed]).toEqual([2, 2, false])
    service.opens()
    expect([http.streams[0]?.closed, own('Positions Stream')]).toEqual([true, 1])
    expect(events.at(-1)).toMatchObject({
      kind: 'stream-restarted',
      reason: 'server going away',
      since: clock.wallMs() - 20,
      overlapped: true,
    })
  },
)

test('a server that sends GoAway at each opening is not retried in a hot loop', async () => {
  const { clock, http, service, open } = setUp()
  await open()
  for (let second = 0; second < 600; second += 1) {
    if (!http.streams.at(-1)!.closed) {
      service.opens()
      service.says('{"StreamStatus":"GoAway"}\n')
    }
    await clock.advance(100)
  }
  expect(http.streams.length).toBeLessThan(15)
})

test('an error of one symbol ends nothing', async () => {
  const { summary, service } = await openStream({ kind: 'quotes', target: 'MSFT,NOPE', options: {} })
  service.says('{"Symbol":"NOPE","Error":"FAILED, EX_INVALID_SYMBOL"}\n')
  expect(summary().state).toBe('live')
})

test('after a 401 it opens again once a new token is there', async () => {
  const { clock, http, service, open, rejected, state, own } = setUp()
  await open()
  service.refuses(401)
  expect([rejected, own('Positions Stream')]).toEqual([['a1'], 0])
  state.access = { kind: 'token', value: 'a2' }
  await clock.advance(500)
  expect(http.streams[1]?.request.headers['authorization']).toBe('Bearer a2')
})

test('a new access token leaves a live stream unchanged', async () => {
  const { clock, http, streams, state, summary } = await liveStream()
  state.access = { kind: 'token', value: 'a2' }
  streams.nudge()
  await clock.advance(10_000)
  expect([http.streams.length, http.streams[0]?.closed, summary().state]).toEqual([1, false, 'live'])
})

test('a 429 of the slots is reported, frees the own slot and is waited out despite nudges', async () => {
  const { clock, http, streams, service, open, events, own, slots } = setUp()
  await open()
  service.refuses(429, SLOTS, {
    'x-concurrency-limit': '40',
    'x-concurrency-remaining': '0',
    'x-ts-request-id': 'r-9',
  })
  expect(events).toMatchObject([{ kind: 'slots-exhausted', category: 'Positions Stream', requestId: 'r-9' }])
  expect([own('Positions Stream'), slots.free('Positions Stream')]).toEqual([0, 0])
  streams.nudge()
  await clock.advance(59_000)
  expect(http.streams.length).toBe(1)
  await clock.advance(1_100)
  expect(http.streams.length).toBe(2)
})

test('a 429 of the rate also delays every other stream of its category', async () => {
  const { clock, http, streams, service, open } = setUp()
  await open(DEPTH)
  service.refuses(429, RATE, quotaHeaders(0, 60, { limit: 30, periodSeconds: 60 }))
  streams.open({ ...DEPTH, target: 'AAPL' })
  await clock.advance(60_400)
  expect(http.streams.length).toBe(1)
  streams.open(POSITIONS)
  await clock.advance(10)
  expect(http.streams.length).toBe(2)
  await clock.advance(1_200)
  expect(http.streams.length).toBe(4)
})

test('a rejection whose body never ends is not waited for', async () => {
  const { clock, http, service, open, summary, own } = setUp()
  await open()
  http.streams[0]?.listener.opened(503, {})
  await clock.advance(5_000)
  expect([http.streams[0]?.closed, summary().state, own('Positions Stream')]).toEqual([true, 'waiting', 0])
  await clock.advance(1_000)
  service.opens()
  expect(summary().state).toBe('snapshot')
})

test.each([302, 407, 408, 500, 503])('a %d from a proxy is not the end of a stream', async (status) => {
  const { clock, http, service, open } = setUp()
  await open()
  service.refuses(status)
  await clock.advance(1_000)
  expect(http.streams.length).toBe(2)
})

test.each([400, 403, 404])('a %d of the service is', async (status) => {
  const { clock, http, service, open, summary } = setUp()
  await open()
  service.refuses(status)
  await clock.advance(600_000)
  expect(http.streams.length).toBe(1)
  expect(summary()).toMatchObject({ state: 'closed', reason: `the service responded ${status}` })
})

test('the backoff grows from 5 s to half a minute while the service is unreachable, and resets once healthy', async () => {
  const { clock, http, service, open } = setUp()
  await open()
  const waits: number[] = []
  for (let count = 0; count < 9; count += 1) {
    const from = clock.monotonicMs()
    const opened = http.streams.length
    service.ends()
    while (http.streams.length === opened) await clock.advance(10)
    waits.push(clock.monotonicMs() - from)
  }
  // Half of 0.5, 1, 2 … 30 s, because full jitter is at its middle here. In an outage, attempts are at least
  // 5 s apart.
  expect(waits).toEqual([250, 5_040, 5_060, 5_080, 5_100, 8_000, 15_000, 15_000, 15_000])
  service.opens()
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(10_000)
    service.says('{"Heartbeat":1}\n')
  }
  service.ends()
  await clock.advance(260)
  expect(http.streams.length).toBe(11)
})

test('without a token nothing is opened until a nudge, and the slot stays free', async () => {
  const { clock, http, streams, open, state, own } = setUp()
  state.access = { kind: 'none', why: 'sign-in-required' }
  await open()
  await clock.advance(300_000)
  expect([http.streams.length, own('Positions Stream')]).toEqual([0, 0])
  state.access = { kind: 'token', value: 'a2' }
  streams.nudge()
  await clock.advance(500)
  expect(http.streams.length).toBe(1)
})

test('an open stream no longer shows why it waited', async () => {
  const { clock, streams, service, open, state, summary, events } = setUp()
  state.access = { kind: 'none', why: 'unconfirmed' }
  await open()
  expect(summary()).toMatchObject({ state: 'waiting', reason: 'no access token', reasonCode: 'no-token' })
  state.access = { kind: 'token', value: 'a2' }
  streams.nudge()
  await clock.advance(500)
  expect(summary()).toMatchObject({ state: 'opening', reason: 'no access token' })
  service.opens()
  for (const text of ['', '{"StreamStatus":"EndSnapshot"}\n']) {
    service.says(text)
    expect(summary()).not.toHaveProperty('reason')
    expect(summary()).not.toHaveProperty('reasonCode')
  }
  service.ends()
  await clock.advance(1_000)
  expect(summary()).toMatchObject({ state: 'opening', reason: 'connection lost' })
  service.opens()
  expect(summary()).not.toHaveProperty('reason')
  expect(events.at(-1)).toMatchObject({ kind: 'stream-restarted', reason: 'connection lost' })
  expect(events.at(-1)).toHaveProperty('since')
  expect(events.at(-1)).not.toHaveProperty('overlapped')
})

test('no stream is requested while no slot is free', async () => {
  const { open } = setUp()
  for (let count = 0; count < 10; count += 1)
    expect((await open({ ...DEPTH, target: `S${count}` })).ok).toBe(true)
  expect(await open(DEPTH)).toMatchObject({ ok: false, code: 'no-slot' })
})

test('an invalid target is rejected before a request is spent', async () => {
  const { http, open } = setUp()
  expect(await open({ kind: 'positions', target: '../SIM', options: {} })).toMatchObject({
    code: 'bad-target',
  })
  expect(http.streams).toEqual([])
})

test('a closed stream stays visible with its reason until it is closed again', async () => {
  const { streams } = await openStream()
  streams.close('s1')
  expect(streams.summaries()).toMatchObject([{ state: 'closed', reason: 'closed by you' }])
  streams.close('s1')
  expect(streams.summaries()).toEqual([])
  expect(streams.close('s1')).toMatchObject({ code: 'unknown-stream' })
})

test('stopping closes every stream and leaves no timer', async () => {
  const { clock, http, streams, open } = await openStream()
  await open(DEPTH)
  streams.stop()
  expect(http.streams.map(({ closed }) => closed)).toEqual([true, true])
  expect(clock.pending).toBe(0)
})

test('a silence is reported once, with its start and end, even if the stream cannot be reopened', async () => {
  const { clock, http, summary, service, events, kinds } = await liveStream()
  const heardAt = clock.wallMs()
  await clock.advance(15_000)
  expect(events.at(-1)).toMatchObject({ kind: 'stream-silent', target: 'SIM1001', since: heardAt })
  service.says('{"Heartbeat":1,"Timestamp":"2026-01-05T14:30:00Z"}\n')
  expect(events.at(-1)).toMatchObject({ kind: 'stream-resumed', since: heardAt })
  // The connection ends, and no attempt succeeds.
  const lastAt = clock.wallMs()
  service.ends()
  await clock.advance(1)
  expect(summary()).toMatchObject({ state: 'waiting', lastFrameAt: lastAt })
  await clock.advance(60_000)
  expect(http.streams.length).toBeGreaterThan(1)
  expect(kinds()).toEqual(['stream-opened', 'stream-silent', 'stream-resumed', 'stream-silent'])
  expect(events.at(-1)).toMatchObject({ kind: 'stream-silent', since: lastAt })
})
