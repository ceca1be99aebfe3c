import { expect, test } from 'vitest'
import type { OwnOutcome, Permit } from '../../../main/api/permit.ts'
import { TRY_EVERY_MS } from '../../../main/streams/stream-outage.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { bytes, DEPTH, POSITIONS, RATE, setUp } from './scripted-streams.ts'

const SYMBOLS = ['MSFT', 'AAPL', 'NVDA']
const GO_AWAY = '{"StreamStatus":"GoAway"}\n'

/** Three streams of Headroom's own, open for a minute; no gateway is on. */
async function threeStreams() {
  const set = setUp()
  for (const target of SYMBOLS) {
    await set.open({ ...DEPTH, target })
    set.service.opens()
  }
  const sayAll = () => {
    for (const { closed, listener } of set.http.streams)
      if (!closed) listener.chunk(bytes('{"Heartbeat":1}\n'))
  }
  for (let count = 0; count < 6; count += 1) {
    await set.clock.advance(10_000)
    sayAll()
  }
  const cutAll = () => {
    for (const { closed, listener } of set.http.streams) if (!closed) listener.ended('connection lost')
  }
  const symbolOf = (at: number) => set.http.streams.at(at)!.request.url.split('/').at(-1)
  return { ...set, cutAll, symbolOf }
}

test('of streams lost together one retries, at most every 5 s, each in turn', async () => {
  const { clock, http, cutAll, service, symbolOf } = await threeStreams()
  cutAll()
  const askedAtMs: number[] = []
  const asked: (string | undefined)[] = []
  while (askedAtMs.length < 6) {
    const before = http.streams.length
    await clock.advance(10)
    if (http.streams.length === before) continue
    expect(http.streams.length).toBe(before + 1)
    askedAtMs.push(clock.monotonicMs())
    asked.push(symbolOf(-1))
    service.refuses(503)
  }
  const waits = askedAtMs.slice(1).map((atMs, at) => atMs - askedAtMs[at]!)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(TRY_EVERY_MS)
  expect(new Set(asked.slice(0, 3))).toEqual(new Set(SYMBOLS))
})

test('the others follow the first success within half a second', async () => {
  const { clock, http, cutAll, service } = await threeStreams()
  cutAll()
  await clock.advance(500)
  expect(http.streams.length).toBe(4)
  await clock.advance(4_000)
  expect(http.streams.length).toBe(4)
  service.opens()
  await clock.advance(500)
  expect(http.streams.length).toBe(6)
})

test('a stream that is lost just after an outage is retried at once', async () => {
  const { clock, http, cutAll, service } = await threeStreams()
  cutAll()
  await clock.advance(500)
  service.opens()
  await clock.advance(500)
  service.opens()
  const before = http.streams.length
  http.streams[before - 3]!.listener.ended('connection lost')
  await clock.advance(500)
  expect(http.streams.length).toBe(before + 1)
})

test('streams that open and end at once do not trigger each other', async () => {
  const { clock, http, cutAll, service } = await threeStreams()
  cutAll()
  const before = http.streams.length
  for (let count = 0; count < 6_000; count += 1) {
    if (!http.streams.at(-1)!.closed) {
      service.opens()
      service.ends('ended by the service')
    }
    await clock.advance(10)
  }
  // Each stream has its own backoff, which grows to half a minute.
  expect(http.streams.length - before).toBeLessThan(3 * 10)
})

test('a person does not wait because of an outage', async () => {
  const { clock, http, streams, cutAll, service } = await threeStreams()
  cutAll()
  await clock.advance(500)
  service.refuses(503)
  const before = http.streams.length
  const waiting = streams.summaries().find(({ state }) => state === 'waiting')!
  streams.restart(waiting.id)
  await clock.advance(20)
  expect(http.streams.length).toBe(before + 1)
})

test('even without a gateway, reopening leaves the reserve to others', async () => {
  const { clock, http, open, service } = setUp()
  await open(DEPTH)
  service.opens({
    'content-type': 'application/vnd.tradestation.streams.v3+json',
    ...quotaHeaders(1, 58, { limit: 30, periodSeconds: 60 }),
  })
  service.ends()
  // The reserve of a limit of 30 is 2, and one request refills in 2 s.
  await clock.advance(2_500)
  expect(http.streams.length).toBe(1)
  await clock.advance(4_000)
  expect(http.streams.length).toBe(2)
})

/** A stream behind a gateway. The test decides its turns. */
async function behindGateway() {
  const outcomes: OwnOutcome[] = []
  const asked: { path: string; isRead: boolean; give: (turn: Permit | { retryAtMs: number }) => void }[] = []
  const set = setUp(
    undefined,
    (path, isRead) => new Promise((give) => void asked.push({ path, isRead, give })),
  )
  const turn: Permit = (outcome) => void outcomes.push(outcome)
  const give = async (given: Permit | { retryAtMs: number } = turn) => {
    asked.shift()!.give(given)
    await set.clock.advance(0)
  }
  await set.open(POSITIONS)
  return { ...set, asked, outcomes, give }
}

test('each opening acquires its permit first, and reports its outcome', async () => {
  const { asked, outcomes, give, http, service } = await behindGateway()
  expect(asked).toMatchObject([{ path: '/v3/brokerage/stream/accounts/SIM1001/positions', isRead: false }])
  expect(http.streams.length).toBe(0)
  await give()
  service.opens({
    'content-type': 'application/vnd.tradestation.streams.v3+json',
    'x-ratelimit-limit': '250',
    'x-ratelimit-remaining': '249',
  })
  expect(outcomes).toMatchObject([{ kind: 'answer', rate: { remaining: 249 } }])
})

test('a connection without a response is reported too, once', async () => {
  const { clock, outcomes, give, streams, service } = await behindGateway()
  await give()
  service.ends()
  expect(outcomes).toEqual([{ kind: 'timeout' }])
  await clock.advance(500)
  await give()
  service.refuses(429, RATE, { 'x-ratelimit-limit': '250', 'x-ratelimit-remaining': '0' })
  expect(outcomes).toMatchObject([{}, { kind: 'rate-limited', of: 'rate', rate: { remaining: 0 } }])
  await clock.advance(5_500)
  await give()
  streams.close('s1')
  expect(outcomes).toMatchObject([{}, {}, { kind: 'timeout' }])
})

test('a permit that arrives after its stream was closed is returned', async () => {
  const { outcomes, give, streams, http } = await behindGateway()
  streams.close('s1')
  await give()
  expect([outcomes, http.streams.length]).toEqual([[{ kind: 'not-sent' }], 0])
})

test('without a token a permit is returned', async () => {
  const { outcomes, give, state, summary } = await behindGateway()
  state.access = { kind: 'none', why: 'refreshing' }
  await give()
  expect([outcomes, summary().reasonCode]).toEqual([[{ kind: 'not-sent' }], 'no-token'])
})

test('without a permit, it asks again at the given time', async () => {
  const { clock, timeline, asked, give, summary } = await behindGateway()
  const retryAtMs = timeline.now() + 7_000
  await give({ retryAtMs })
  expect(summary()).toMatchObject({ state: 'waiting', reasonCode: 'rate-limited', retryAt: retryAtMs })
  await clock.advance(6_990)
  expect(asked.length).toBe(0)
  await clock.advance(20)
  expect(asked.length).toBe(1)
})

test('a 429 is not waited out here: the queue knows when the level allows another try', async () => {
  const { clock, asked, give, service } = await behindGateway()
  await give()
  service.refuses(429, RATE, quotaHeaders(0, 300, { limit: 250 }))
  await clock.advance(500)
  expect(asked.length).toBe(1)
})

test('after a GoAway the old connection is read until the new one has its permit', async () => {
  const { clock, asked, give, http, service, summary } = await behindGateway()
  await give()
  service.opens()
  await clock.advance(10_000)
  service.says(GO_AWAY)
  await clock.advance(1_000)
  expect([asked.length, http.streams.length, http.streams[0]!.closed]).toEqual([1, 1, false])
  service.says('{"PositionID":"1"}\n')
  expect(summary().lastFrameAt).toBe(clock.wallMs())
  await give()
  service.opens()
  expect([http.streams.length, http.streams[0]!.closed]).toEqual([2, true])
})

test('an old connection that falls silent before the new one has its permit is over', async () => {
  const { clock, timeline, asked, give, http, service, summary, events } = await behindGateway()
  await give()
  service.opens()
  await clock.advance(10_000)
  service.says(GO_AWAY)
  const heardMs = timeline.now()
  await clock.advance(35_000)
  expect([summary().state, http.streams[0]!.closed]).toEqual(['opening', true])
  expect(events).toContainEqual(expect.objectContaining({ kind: 'stream-silent', since: heardMs }))
  expect(asked.length).toBe(1)
  await give()
  service.opens()
  service.says('{"PositionID":"1"}\n')
  expect([summary().state, http.streams.length]).toEqual(['snapshot', 2])
})

test('without a token no permit is requested', async () => {
  const { asked, give, clock, service, state } = await behindGateway()
  await give()
  state.access = { kind: 'none', why: 'refreshing' }
  service.ends()
  await clock.advance(500)
  expect(asked.length).toBe(0)
})

test('the permit of an earlier try does not affect the current one', async () => {
  const { clock, timeline, give, streams, summary, asked } = await behindGateway()
  streams.restart('s1')
  await clock.advance(20)
  expect(asked.length).toBe(2)
  await give({ retryAtMs: timeline.now() + 7_000 })
  expect(summary().state).toBe('opening')
})

test('a sleep does not end the wait for a permit, and a nudge does not end a timed one', async () => {
  const { clock, timeline, give, streams, summary, asked } = await behindGateway()
  await clock.advance(30_000)
  streams.wake()
  expect([summary().state, asked.length]).toEqual(['opening', 1])
  await give({ retryAtMs: timeline.now() + 7_000 })
  streams.nudge()
  await clock.advance(2_000)
  expect(asked.length).toBe(0)
})
