import { expect, test, vi } from 'vitest'
import { SILENCE } from '../../../app/streams/life-cycle.ts'
import { MAX_BEHIND } from '../../../app/streams/reader-queue.ts'
import { SharedState } from '../../../app/streams/shared-state.ts'
import { END_STREAM_MS } from '../../../main/gateway/answer-relay.ts'
import { pausedFor } from '../../../main/gateway/refusals.ts'
import { KEPT_MS, MAX_OUTAGE_MS } from '../../../main/gateway/shared-stream.ts'
import { UNSHARED_MS } from '../../../main/gateway/stream-hub.ts'
import { proves } from '../../proof/proves.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { bytes, RATE, SLOTS } from '../streams/scripted-streams.ts'
import { type FakeReply, program, setUpHub } from './scripted-hub.ts'

const POSITIONS = '/v3/brokerage/stream/accounts/SIM1001/positions'
const CHAIN = '/v3/marketdata/stream/options/chains/MSFT'
const quotes = (list: string) => `/v3/marketdata/stream/quotes/${list}`
const position = (id: number, last: number) => `{"AccountID":"SIM1001","PositionID":"${id}","Last":"${last}"}`
const END = '{"StreamStatus":"EndSnapshot"}'
const GO_AWAY = '{"StreamStatus":"GoAway"}'
const heartbeat = (count: number) => `{"Heartbeat":${count}}`
const problemIn = (reply: FakeReply) =>
  JSON.parse(reply.text) as { Error: string; Message: string; detail: string }

/** A stream that is open, with one reader. */
async function openStream(path: string) {
  const set = setUpHub()
  const first = await set.ask(path)
  set.service.opens()
  return { ...set, first }
}

async function openPositions() {
  const set = await openStream(POSITIONS)
  set.says(position(1, 10), position(2, 20), END)
  return set
}

/** Ten option chains that are open, which are as many as there are slots. */
async function openTenChains() {
  const set = setUpHub()
  const replies: FakeReply[] = []
  for (let i = 0; i < 10; i += 1) {
    replies.push(await set.ask(`/v3/marketdata/stream/options/chains/S${i}`))
    set.service.opens()
  }
  return { set, replies }
}

test('equal streams share one request and one slot; a late reader gets the state, its end, and what follows', async () => {
  const { ask, says, first, opened, own, countsOf } = await openPositions()
  says(position(1, 11))
  const late = await ask(`${POSITIONS}?`, program('notes'))
  expect(late.lines).toEqual([position(1, 11), position(2, 20), END])
  says(position(2, 21))
  expect(late.lines.at(-1)).toBe(position(2, 21))
  expect(first.lines).toEqual([position(1, 10), position(2, 20), END, position(1, 11), position(2, 21)])
  expect(opened()).toBe(1)
  expect(own('Positions Stream')).toBe(1)
  expect(countsOf(program('bot'))).toMatchObject({ streams: 1, coalesced: 0 })
  expect(countsOf(program('notes'))).toMatchObject({ streams: 1, coalesced: 1 })
  expect(late.headers).toContain('headroom; hit; detail=coalesced')
})

test('readers that arrive during the opening get its response', async () => {
  const { ask, service, says, opened } = setUpHub()
  const replies = [await ask(POSITIONS), await ask(POSITIONS, program('notes'))]
  expect(opened()).toBe(1)
  service.opens()
  says(position(1, 1), END)
  for (const { status, lines } of replies)
    expect({ status, lines }).toEqual({ status: 200, lines: [position(1, 1), END] })
})

test('a paused program that waits for a slot is declined, and others that wait are not', async () => {
  const { ask, hub, service, says, clock } = setUpHub()
  const [paused, other] = [await ask(POSITIONS), await ask(POSITIONS, program('notes'))]
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' })
  hub.refuseWaitingOf(program('bot'), pausedFor(300_000))
  expect([paused.status, other.status]).toEqual([429, undefined])
  expect(paused.headers).toContain('300')
  await clock.advance(6_000)
  service.opens()
  says(position(1, 1), END)
  expect(other.lines).toEqual([position(1, 1), END])
})

test('a stream that is being opened continues for a paused program, as a sent request does', async () => {
  const { ask, hub, service, says } = setUpHub()
  const reply = await ask(POSITIONS)
  hub.refuseWaitingOf(program('bot'), pausedFor(300_000))
  expect(reply.status).toBeUndefined()
  service.opens()
  says(position(1, 1), END)
  expect(reply.lines).toEqual([position(1, 1), END])
})

test('between two attempts to open its stream, a paused program reads that the first one may count', async () => {
  const { ask, hub, service, clock, opened } = setUpHub()
  const reply = await ask(POSITIONS)
  service.ends()
  hub.refuseWaitingOf(program('bot'), pausedFor(300_000))
  expect([reply.status, problemIn(reply).detail]).toEqual([
    502,
    'No response yet: this program is paused in Headroom. The request may count against the quota.',
  ])
  await clock.advance(10_000)
  expect(opened()).toBe(1)
})

test('relays frames whole, however they were cut', async () => {
  const { first, service } = await openPositions()
  const before = first.text
  service.says('{"AccountID":"SIM1001","Positi')
  expect(first.text).toBe(before)
  service.says('onID":"1","Last":"9"}\r\n{"Heart')
  expect(first.text).toBe(`${before}${position(1, 9)}\r\n`)
})

test('without readers, the stream stays for ten seconds, then its slot is free', async () => {
  const { ask, first, clock, own, opened, streams } = await openPositions()
  first.destroy()
  await clock.advance(KEPT_MS - 1)
  expect(own('Positions Stream')).toBe(1)
  const again = await ask(POSITIONS)
  expect(again.lines).toHaveLength(3)
  again.destroy()
  await clock.advance(KEPT_MS)
  expect(own('Positions Stream')).toBe(0)
  expect(opened()).toBe(1)
  expect(streams.summaries()).toEqual([])
})

test('a reader that returns in time keeps the stream', async () => {
  const { ask, first, clock, says, opened } = await openPositions()
  first.destroy()
  await clock.advance(KEPT_MS / 2)
  const again = await ask(POSITIONS)
  await clock.advance(KEPT_MS)
  says(position(1, 12))
  expect([again.lines.at(-1), again.writableEnded, opened()]).toEqual([position(1, 12), false, 1])
})

test('the last frame of a stream that the service ends needs no line end', async () => {
  const { service, says, first: reply } = await openStream(quotes('MSFT'))
  says('{"Symbol":"MSFT","Last":1}')
  service.says('{"Symbol":"MSFT","Last":2}')
  service.ends('ended by the service')
  expect(reply.lines).toEqual(['{"Symbol":"MSFT","Last":1}', '{"Symbol":"MSFT","Last":2}'])
})

test('half a frame of a cut connection is not part of the next one', async () => {
  const { service, says, clock, first: reply } = await openStream(quotes('MSFT'))
  service.says('{"Symbol":"MSFT","La')
  service.ends()
  await clock.advance(500)
  service.opens()
  says('{"Symbol":"MSFT","Last":1}')
  expect(reply.lines).toEqual(['{"Symbol":"MSFT","Last":1}'])
})

test('the gateway’s own lines end like the service’s, even if a chunk ends inside a line end', async () => {
  const { service, hub, first: reply } = await openStream(quotes('MSFT'))
  service.says('{"Symbol":"MSFT","Last":1}\r')
  service.says('\n')
  void hub.end('the gateway was turned off')
  expect(reply.text).toMatch(/\{"StreamStatus":"GoAway"\}\r\n$/)
})

test('per-request fields go only to the reader that made the request', async () => {
  const { ask, service } = setUpHub()
  const first = await ask(quotes('MSFT'))
  service.opens({
    'content-type': 'application/vnd.tradestation.streams.v3+json',
    'x-ratelimit-remaining': '499',
    'x-ts-request-id': 'r-1',
  })
  const late = await ask(quotes('MSFT'), program('notes'))
  expect(first.headers).toEqual(expect.arrayContaining(['x-ratelimit-remaining', 'x-ts-request-id']))
  expect(late.headers).toContain('content-type')
  expect(late.headers).not.toContain('x-ratelimit-remaining')
  expect(late.headers).not.toContain('x-ts-request-id')
})

test('does not share a stream whose target is too long to display', async () => {
  const { isShared } = setUpHub()
  expect([isShared(quotes('A'.repeat(512))), isShared(quotes('A'.repeat(513)))]).toEqual([true, false])
})

test('does not share bars of a longer past than is stored, or non-streams', () => {
  const { isShared } = setUpHub()
  const bars = (past: number) => `/v3/marketdata/stream/barcharts/MSFT?barsback=${past}`
  expect([bars(1_000), bars(1_001), '/v3/brokerage/accounts'].map(isShared)).toEqual([true, false, false])
})

test('a larger stream that is not open yet serves no smaller one', async () => {
  const { ask, opened } = setUpHub()
  await ask(quotes('MSFT,AAPL'))
  await ask(quotes('MSFT'), program('notes'))
  expect(opened()).toBe(2)
})

test('a reader whose wait ends during the opening gets its response', async () => {
  const { ask, service, clock } = setUpHub()
  const reply = await ask(quotes('MSFT'), program('bot'), 1_000)
  await clock.advance(3_000)
  expect(reply.status).toBeUndefined()
  service.opens()
  expect(reply.status).toBe(200)
})

test('hides a 401 from the reader: the stream opens with the next token', async () => {
  const { ask, service, state, clock } = setUpHub()
  const reply = await ask(quotes('MSFT'))
  service.refuses(401)
  expect(reply.status).toBeUndefined()
  state.access = { kind: 'token', value: 'a2' }
  await clock.advance(1_000)
  service.opens()
  expect(reply.status).toBe(200)
})

test.each([
  ['with another token', 'a2'],
  ['without another token', 'a1'],
])('relays a second 401, %s, unchanged', async (_, value) => {
  const { ask, service, state, clock, opened } = setUpHub()
  const replies = [await ask(quotes('MSFT')), await ask(quotes('MSFT'))]
  service.refuses(401, '{"Error":"Unauthorized"}')
  state.access = { kind: 'token', value }
  await clock.advance(1_000)
  service.refuses(401, '{"Error":"Unauthorized"}')
  expect(replies.map(({ status, text }) => [status, text])).toEqual(
    replies.map(() => [401, '{"Error":"Unauthorized"}']),
  )
  await clock.advance(60_000)
  expect(opened()).toBe(2)
})

test('streams that open and end at once are opened every 5 s in total', async () => {
  const { ask, service, clock, opened, http } = setUpHub()
  const replies = [await ask(quotes('MSFT'))]
  service.opens()
  replies.push(await ask(quotes('AAPL')))
  service.opens()
  for (const { listener } of http.streams) listener.ended('ended by the service')
  // The first retries have a short backoff, so they are not counted.
  await clock.advance(10_000)
  const before = opened()
  for (let count = 0; count < 2_000; count += 1) {
    if (http.streams.at(-1)?.closed === false) {
      service.opens()
      service.ends('ended by the service')
    }
    await clock.advance(10)
  }
  expect(opened() - before).toBeGreaterThan(1)
  expect(opened() - before).toBeLessThanOrEqual(20 / 5 + 1)
  expect(replies.every(({ writableEnded }) => !writableEnded)).toBe(true)
})

test('removes an access token echoed in a stream’s error, also for later readers', async () => {
  const { ask, service, says, secrets } = setUpHub()
  secrets.hide('the-access-token-of-the-key')
  const first = await ask(quotes('MSFT'))
  service.opens()
  says('{"Symbol":"MSFT","Error":"no the-access-token-of-the-key"}')
  const later = await ask(quotes('MSFT'))
  const clean = '{"Symbol":"MSFT","Error":"no [redacted]"}'
  expect([first.lines.at(-1), later.lines.at(-1)]).toEqual([clean, clean])
})

test('requests a stream uncompressed', async () => {
  const { ask, http } = setUpHub()
  await ask(quotes('MSFT'))
  expect(http.streams[0]?.request.headers['accept-encoding']).toBe('identity')
})

test('without a token a reader is declined at once', async () => {
  const { ask, state } = setUpHub()
  state.access = { kind: 'none', why: 'active', failure: 'connection refused' }
  const reply = await ask(quotes('MSFT'))
  expect([reply.status, JSON.parse(reply.text).detail]).toEqual([
    503,
    'Not sent: renewing the access token failed (connection refused).',
  ])
})

test('does not request a slot that own streams use', async () => {
  const { set } = await openTenChains()
  await set.ask(CHAIN, program('notes'), 30_000)
  await set.clock.advance(20_000)
  expect(set.opened()).toBe(10)
})

test('an unread stream gives its slot to a waiting one at once', async () => {
  const { set, replies } = await openTenChains()
  replies[3]!.destroy()
  expect(set.own('Option Chain Stream')).toBe(10)
  const next = await set.ask(CHAIN)
  expect(set.opened()).toBe(11)
  set.service.opens()
  expect(next.status).toBe(200)
  expect(set.own('Option Chain Stream')).toBe(10)
})

test('without a slot a reader waits, then gets a proposal of the least useful stream', async () => {
  const { set } = await openTenChains()
  const waits = await set.ask(CHAIN, program('notes'), 5_000)
  expect(set.hub.waitingOf(program('notes'))).toMatchObject([{ category: 'Option Chain Stream' }])
  await set.clock.advance(4_000)
  expect(waits.status).toBeUndefined()
  await set.clock.advance(3_000)
  expect(waits.status).toBe(429)
  expect(problemIn(waits)).toMatchObject({ Error: 'TooManyRequests', Message: 'Stream quota exceeded' })
  expect(problemIn(waits).detail).toContain('Least used: Option chain · S0')
  expect(waits.headers).toContain('x-concurrency-remaining')
  expect(set.opened()).toBe(10)
  expect(set.hub.waitingOf(program('notes'))).toEqual([])
})

test('a reader without a slot gets the quota’s name from the service', async () => {
  const { ask, service, clock } = setUpHub()
  const waits = await ask(CHAIN, undefined, 3_000)
  const none = { 'x-concurrency-limit': '10', 'x-concurrency-remaining': '0' }
  service.refuses(429, SLOTS, { ...none, 'x-concurrency-resource': 'options-chain' })
  await clock.advance(4_000)
  expect(waits.headers).toEqual(expect.arrayContaining(['x-concurrency-resource', 'options-chain']))
})

test('a clock set ahead ends no reader’s wait', async () => {
  const { set } = await openTenChains()
  const waits = await set.ask(CHAIN, program('notes'), 5_000)
  const [asked] = set.hub.waitingOf(program('notes'))
  set.hub.markClockUncertain(0, 3_600_000)
  const [moved] = set.hub.waitingOf(program('notes'))
  expect([moved?.sinceMs, moved?.untilMs]).toEqual([
    3_600_000 + (asked?.sinceMs ?? 0),
    3_600_000 + (asked?.untilMs ?? 0),
  ])
  await set.clock.advance(7_000)
  expect(waits.status).toBeUndefined()
})

test('a freed slot goes to the most urgent waiting program', async () => {
  const { set, replies } = await openTenChains()
  const background = await set.ask(
    '/v3/marketdata/stream/options/chains/B',
    program('b', { class: 'background' }),
  )
  const critical = await set.ask(
    '/v3/marketdata/stream/options/chains/C',
    program('c', { class: 'critical' }),
  )
  replies[0]!.destroy()
  await set.clock.advance(0)
  set.service.opens()
  expect(critical.status).toBe(200)
  expect(background.status).toBeUndefined()
})

test('tries a slot that others use every five seconds, not more often', async () => {
  const set = setUpHub()
  const waits = await set.ask(CHAIN, undefined, 60_000)
  const none = { 'x-concurrency-limit': '10', 'x-concurrency-remaining': '0' }
  set.service.refuses(429, SLOTS, none)
  expect(set.opened()).toBe(1)
  await set.clock.advance(4_000)
  expect(set.opened()).toBe(1)
  await set.clock.advance(3_000)
  expect(set.opened()).toBe(2)
  set.service.opens()
  expect(waits.status).toBe(200)
})

test('hides a GoAway: another stream first, then only the differences, for fifty readers by one request', async () => {
  const { ask, says, service, clock, opened, first, own, http } = await openPositions()
  const readers = [first]
  for (let i = 0; i < 49; i += 1) readers.push(await ask(POSITIONS))
  await clock.advance(5_000)
  const before = readers.map(({ lines }) => lines.length)
  says(GO_AWAY)
  await clock.advance(0)
  expect(opened()).toBe(2)
  expect(http.streams[0]!.closed).toBe(false)
  service.opens()
  expect(http.streams[0]!.closed).toBe(true)
  says(position(1, 10), position(3, 30), END)
  for (const [at, { lines, writableEnded, destroyed }] of readers.entries()) {
    expect(lines.slice(before[at])).toEqual([
      '{"AccountID":"SIM1001","PositionID":"2","Deleted":true}',
      position(3, 30),
    ])
    expect(writableEnded || destroyed).toBe(false)
  }
  expect(own('Positions Stream')).toBe(1)
  proves('G9', { level: 2, cases: readers.length })
})

test('hides cuts and silence, and invents no heartbeat', async () => {
  const { says, service, clock, first, opened } = await openPositions()
  const before = first.lines.length
  service.ends()
  await clock.advance(5_000)
  expect(opened()).toBe(2)
  service.opens()
  says(position(1, 10), position(2, 20), END)
  // After 30 s of silence, another connection is opened.
  await clock.advance(40_000)
  expect(opened()).toBe(3)
  service.opens()
  says(position(1, 10), position(2, 20), END, heartbeat(1))
  expect(first.lines.slice(before)).toEqual([heartbeat(1)])
  expect(first.writableEnded).toBe(false)
})

test('while programs read it, an unreachable service is tried every 5 s', async () => {
  const { service, clock, first, opened } = await openPositions()
  service.ends()
  const askedAtMs = [clock.monotonicMs()]
  let asked = opened()
  while (clock.monotonicMs() - askedAtMs[0]! < MAX_OUTAGE_MS - 1_000) {
    await clock.advance(100)
    if (opened() === asked) continue
    asked = opened()
    askedAtMs.push(clock.monotonicMs())
    service.refuses(503)
  }
  const waits = askedAtMs.slice(1).map((at, index) => at - askedAtMs[index]!)
  expect(waits.length).toBeGreaterThan(9)
  expect(Math.max(...waits)).toBeLessThanOrEqual(5_300)
  expect(Math.min(...waits.slice(1))).toBeGreaterThanOrEqual(5_000)
  expect(first.writableEnded).toBe(false)
})

test('a service that is not back within a minute ends its readers as it would itself', async () => {
  const { service, clock, first, streams } = await openPositions()
  service.ends()
  await clock.advance(MAX_OUTAGE_MS - 1)
  expect(first.writableEnded).toBe(false)
  await clock.advance(1)
  expect(first.lines.at(-1)).toBe(GO_AWAY)
  expect(first.text.endsWith(`${GO_AWAY}\r\n`)).toBe(true)
  expect(first.writableEnded).toBe(true)
  expect(streams.summaries()).toEqual([])
})

test('a minute without a turn after a GoAway ends its readers too', async () => {
  const set = setUpHub(() => new Promise(() => {}))
  const reply = await set.ask(POSITIONS)
  set.service.opens()
  set.says(position(1, 1), END)
  await set.clock.advance(10_000)
  set.says(GO_AWAY)
  set.service.ends()
  await set.clock.advance(MAX_OUTAGE_MS - 1)
  expect(reply.writableEnded).toBe(false)
  await set.clock.advance(1)
  expect(reply.lines.at(-1)).toBe(GO_AWAY)
  expect(reply.writableEnded).toBe(true)
})

test('a service that returns but never sends its whole state ends its readers too', async () => {
  const { service, says, clock, first } = await openPositions()
  await clock.advance(5_000)
  says(GO_AWAY)
  await clock.advance(0)
  service.opens()
  const before = first.lines.length
  for (let ms = 0; ms < MAX_OUTAGE_MS - 1_000; ms += 1_000) {
    says(position(1, ms))
    await clock.advance(1_000)
  }
  expect(first.lines.slice(before)).toEqual([])
  expect(first.writableEnded).toBe(false)
  await clock.advance(1_000)
  expect(first.lines.at(-1)).toBe(GO_AWAY)
  expect(first.writableEnded).toBe(true)
})

test.each([
  ['nothing', ''],
  ['line ends alone', '\r\n'],
])('a service that opens a stream repeatedly, and sends %s on it, ends its readers too', async (_, said) => {
  const { service, clock, opened, http, first: reply } = await openStream(quotes('MSFT'))
  let told = opened()
  for (let ms = 0; ms < SILENCE.deadMs + MAX_OUTAGE_MS - 1_000; ms += 1_000) {
    if (said !== '' && http.streams.at(-1)?.closed === false && opened() === told) service.says(said)
    await clock.advance(1_000)
    if (http.streams.at(-1)?.closed !== false || opened() === told) continue
    told = opened()
    service.opens()
  }
  expect([told > 2, reply.writableEnded]).toEqual([true, false])
  await clock.advance(2_000)
  expect([reply.lines.at(-1), reply.writableEnded]).toEqual([GO_AWAY, true])
})

test('a service that sends its whole state in time is back, even without differences', async () => {
  const { service, says, clock, first, opened, http } = await openPositions()
  service.ends()
  let told = opened()
  // Each connection sends the known data and then falls silent, until it is abandoned.
  for (let ms = 0; ms < 3 * MAX_OUTAGE_MS; ms += 5_000) {
    await clock.advance(5_000)
    if (http.streams.at(-1)?.closed !== false || opened() === told) continue
    told = opened()
    service.opens()
    says(position(1, 10), position(2, 20), END)
  }
  expect(told).toBeGreaterThan(3)
  expect(first.lines).toHaveLength(3)
  expect(first.writableEnded).toBe(false)
})

test('relays a sign-in elsewhere that ends the stream unchanged', async () => {
  const { says, first, opened } = await openPositions()
  says('{"Error":"DualLogon","Message":"elsewhere"}')
  expect(first.lines.at(-1)).toBe('{"Error":"DualLogon","Message":"elsewhere"}')
  expect(first.writableEnded).toBe(true)
  expect(opened()).toBe(1)
})

test('readers end with a sign-in elsewhere only, not with a frame that mentions one', async () => {
  const { says, first, hub, clock, service } = await openPositions()
  says('{"AccountID":"SIM1001","PositionID":"1","Description":"DualLogon"}')
  says('{"Error":"InternalServerError","Message":"DualLogon"}')
  await clock.advance(5_000)
  service.opens()
  says(position(1, 11), position(2, 20), END)
  void hub.end('the gateway was turned off')
  expect(first.lines.at(-1)).toBe(GO_AWAY)
})

test('a frozen reader delays no other, and then gets the newest state of each object', async () => {
  const { ask, says, first } = await openPositions()
  const frozen = await ask(POSITIONS, program('notes'))
  frozen.isFrozen = true
  const rounds = 3 * MAX_BEHIND.frames
  for (let i = 1; i <= rounds; i += 1) says(position(1, i))
  expect(first.lines).toHaveLength(3 + rounds)
  expect(frozen.lines.length).toBeLessThan(6)
  frozen.thaw()
  expect(frozen.lines.at(-1)).toBe(position(1, rounds))
  expect(frozen.lines.length).toBeLessThan(8)
  says(position(2, 5))
  expect(frozen.lines.at(-1)).toBe(position(2, 5))
})

test('a frozen reader that cannot catch up gets GoAway, and is cut if it does not read that', async () => {
  const { says, clock, first: frozen } = await openStream('/v3/marketdata/stream/barcharts/MSFT?barsback=2')
  frozen.isFrozen = true
  for (let i = 0; i < 3 * MAX_BEHIND.frames; i += 1) says(`{"TimeStamp":"${1000 + i}"}`)
  expect(frozen.lines.at(-1)).toBe(GO_AWAY)
  expect(frozen.writableEnded).toBe(true)
  await clock.advance(END_STREAM_MS - 1)
  expect(frozen.destroyed).toBe(false)
  await clock.advance(1)
  expect(frozen.destroyed).toBe(true)
})

test('a reader that reads its GoAway is not cut', async () => {
  const { hub, first, clock } = await openPositions()
  await hub.end('the gateway was turned off')
  await clock.advance(END_STREAM_MS)
  expect([first.writableEnded, first.destroyed]).toEqual([true, false])
})

test('a larger stream provides quotes of some symbols', async () => {
  const { ask, says, opened } = await openStream(quotes('MSFT,AAPL'))
  says('{"Symbol":"MSFT","Last":1}', '{"Symbol":"AAPL","Last":1}')
  const some = await ask(quotes('aapl'), program('notes'))
  says('{"Symbol":"MSFT","Last":2}', '{"Symbol":"AAPL","Last":2}')
  expect(some.lines).toEqual(['{"Symbol":"AAPL","Last":1}', '{"Symbol":"AAPL","Last":2}'])
  expect(opened()).toBe(1)
})

/** A quote of half a mebibyte. */
const longQuote = (symbol: string) => `{"Symbol":"${symbol}","Note":"${'n'.repeat(1 << 19)}"}`

test('a state over 16 MiB ends its readers with GoAway, and the stream stays unshared for ten minutes', async () => {
  const { ask, isShared, service, says, clock, own, opened, hub } = setUpHub()
  const reply = await ask(quotes('MSFT'))
  const other = await ask(quotes('AAPL'))
  service.opens()
  for (let count = 0; count < 40; count += 1) says(longQuote('AAPL'))
  expect(other.writableEnded).toBe(false)
  for (let count = 0; count < 40; count += 1) if (!other.writableEnded) says(longQuote(`S${count}`))
  expect([other.lines.at(-1), other.writableEnded]).toEqual([GO_AWAY, true])
  expect([reply.writableEnded, hub.size, opened()]).toEqual([false, 1, 2])
  expect(own('Quote Change Stream') ?? 0).toBe(0)
  expect([isShared(quotes('AAPL')), isShared(quotes('NVDA'))]).toEqual([false, true])
  await clock.advance(UNSHARED_MS - 1)
  expect(isShared(quotes('AAPL'))).toBe(false)
  await clock.advance(1)
  expect(isShared(quotes('AAPL'))).toBe(true)
})

test('looks for each object of a smaller stream once, however many frames the larger one has', async () => {
  const { ask, service, says, http, first: reply } = await openStream(quotes('MSFT'))
  for (let count = 0; count < 1_000; count += 1) says(`{"Symbol":"S${count}"}`)
  await ask(quotes('MSFT,AAPL'), program('notes'))
  service.opens()
  const looks = vi.spyOn(SharedState.prototype, 'has')
  for (let count = 0; count < 999; count += 1) says(`{"Symbol":"S${count}"}`)
  expect(looks.mock.calls.length).toBeLessThan(3_000)
  looks.mockRestore()
  expect(http.streams[0]!.closed).toBe(false)
  says('{"Symbol":"S999"}')
  expect(http.streams[0]!.closed).toBe(true)
  expect(reply.writableEnded).toBe(false)
})

test('an enlargement opens the larger stream before it drops the smaller one, whose readers continue', async () => {
  const { ask, service, says, opened, http, first: small } = await openStream(quotes('MSFT'))
  says('{"Symbol":"MSFT","Last":1}')
  const large = await ask(quotes('MSFT,AAPL'), program('notes'))
  expect(opened()).toBe(2)
  service.opens()
  says('{"Symbol":"AAPL","Last":1}')
  expect(http.streams[0]!.closed).toBe(false)
  says('{"Symbol":"MSFT","Last":2}')
  expect(http.streams[0]!.closed).toBe(true)
  says('{"Symbol":"AAPL","Last":3}', '{"Symbol":"MSFT","Last":3}')
  expect(small.lines).toEqual([
    '{"Symbol":"MSFT","Last":1}',
    '{"Symbol":"MSFT","Last":2}',
    '{"Symbol":"MSFT","Last":3}',
  ])
  expect(small.writableEnded).toBe(false)
  expect(large.lines).toHaveLength(4)
})

test('a symbol error of the smaller stream that is over does not delay its enlargement', async () => {
  const { ask, service, says, http } = await openStream(quotes('MSFT'))
  says('{"Symbol":"MSFT","Error":"FeedDown"}')
  await ask(quotes('MSFT,AAPL'), program('notes'))
  service.opens()
  says('{"Symbol":"AAPL","Last":1}')
  http.streams[0]!.listener.chunk(bytes('{"Symbol":"MSFT","Last":1}\r\n'))
  expect(http.streams[0]!.closed).toBe(false)
  says('{"Symbol":"MSFT","Last":1}')
  expect(http.streams[0]!.closed).toBe(true)
})

test('readers get quotes of a symbol that the service names differently', async () => {
  const { ask, says, first: both } = await openStream(quotes('%24SPX.X,MSFT'))
  says('{"Symbol":"$SPX","Last":1}')
  const one = await ask(quotes('%24SPX.X'), program('notes'))
  says('{"Symbol":"MSFT","Last":1}', '{"Symbol":"$SPX","Last":2}', '{"Symbol":"","Error":"FAILED"}')
  const lasts = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).Last)
  expect([lasts(both.lines), lasts(one.lines)]).toEqual([
    [1, 1, 2, undefined],
    [1, 2, undefined],
  ])
})

test("reads a stream that Headroom has open from a first response on, and it stays Headroom's", async () => {
  const { open, service, says, ask, clock, own, opened, http, summary } = setUpHub()
  await open()
  service.opens()
  says(position(1, 1), END)
  await clock.advance(5_000)
  const reader = await ask(POSITIONS)
  expect(opened()).toBe(2)
  expect(http.streams[0]!.closed).toBe(false)
  says(position(1, 2))
  service.opens()
  says(position(1, 3), END)
  expect(reader.lines).toEqual([position(1, 3), END])
  expect(own('Positions Stream')).toBe(1)
  expect(summary()).toMatchObject({ readers: 1, readBy: [{ program: 'bot', readers: 1 }] })
  reader.destroy()
  // If a program returns soon enough, the stream is not opened again.
  await clock.advance(KEPT_MS / 2)
  const again = await ask(POSITIONS)
  expect(again.lines).toEqual([position(1, 3), END])
  again.destroy()
  await clock.advance(KEPT_MS)
  expect(opened()).toBe(2)
  expect(own('Positions Stream')).toBe(1)
  expect(summary()).not.toHaveProperty('readers')
})

test('a stream that Headroom has open waits for its own slot when programs read it', async () => {
  const { open, service, says, ask, clock, opened, summary } = setUpHub()
  await open()
  service.opens()
  says(position(1, 1), END)
  await clock.advance(5_000)
  const reader = await ask(POSITIONS, undefined, 60_000)
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' })
  await clock.advance(10_000)
  const tried = opened()
  expect(tried).toBeGreaterThan(2)
  service.opens()
  says(position(1, 2), END)
  expect(reader.lines).toEqual([position(1, 2), END])
  expect(summary()).toMatchObject({ readers: 1 })
})

test('a stream that programs and a person open is one, and stays when the programs leave', async () => {
  const { open, first, streams, clock, opened, own } = await openPositions()
  expect(await open()).toMatchObject({ ok: true, stream: streams.summaries()[0]!.id })
  first.destroy()
  await clock.advance(2 * KEPT_MS)
  expect(opened()).toBe(1)
  expect(own('Positions Stream')).toBe(1)
})

test('a stream that a person closes ends its readers', async () => {
  const { streams, first, own } = await openPositions()
  streams.close(streams.summaries()[0]!.id)
  expect(first.lines.at(-1)).toBe(GO_AWAY)
  expect(first.writableEnded).toBe(true)
  expect(own('Positions Stream')).toBe(0)
})

test('a stream that a person closes before it opens may count', async () => {
  const { streams, ask } = setUpHub()
  const reply = await ask(POSITIONS)
  streams.close(streams.summaries()[0]!.id)
  expect(reply.status).toBe(502)
  expect(problemIn(reply).detail).toMatch(/^No response yet: .*\. The request may count against the quota\.$/)
})

test('relays a rejection of the stream unchanged', async () => {
  const { ask, service, own, countsOf } = setUpHub()
  const replies = [await ask(POSITIONS), await ask(POSITIONS)]
  service.refuses(403, '{"Error":"Forbidden","Message":"no"}', { 'content-type': 'application/json' })
  for (const { status, text, headers } of replies) {
    expect({ status, text }).toEqual({ status: 403, text: '{"Error":"Forbidden","Message":"no"}' })
    expect(headers).toContain('headroom; received-status=403')
  }
  expect(replies.map(({ headers }) => headers.includes('Cache-Status'))).toEqual([false, true])
  const use = countsOf(program('bot'))
  expect([use.coalesced, use.byCategory(0)]).toMatchObject([1, [{ forwarded: 1 }]])
  expect(own('Positions Stream')).toBe(0)
})

test('waits out a rate 429 within the reader’s longest wait', async () => {
  const { ask, service, clock, countsOf } = setUpHub()
  const patient = await ask(quotes('MSFT'), program('a'), 60_000)
  const hasty = await ask(quotes('MSFT'), program('b'), 1_000)
  service.refuses(429, RATE, quotaHeaders(0, 20, { limit: 500 }))
  expect(hasty.status).toBe(429)
  // Only one request to open the stream got the 429, however many programs waited.
  expect([countsOf(program('a')).rejected, countsOf(program('b')).rejected]).toEqual([1, 0])
  await clock.advance(25_000)
  service.opens()
  expect(patient.status).toBe(200)
})

test('after a 429 a reader waits for room within its longest wait, however late Reset is', async () => {
  const { ask, service, clock, room, timeline } = setUpHub()
  const patient = await ask(quotes('MSFT'), program('a'), 10_000)
  const hasty = await ask(quotes('MSFT'), program('b'), 5_000)
  room.atMs = timeline.now() + 6_000
  service.refuses(429, RATE, quotaHeaders(0, 300, { limit: 500 }))
  expect([patient.status, hasty.status]).toEqual([undefined, 429])
  await clock.advance(0)
  proves('G8', { level: 2, cases: 2 })
})

test('reports a connection lost twice before the stream opened', async () => {
  const { ask, service, clock } = setUpHub()
  const reply = await ask(POSITIONS)
  service.ends()
  await clock.advance(5_000)
  service.ends()
  expect(reply.status).toBe(502)
})

test('a stream that was requested and did not open in time may count', async () => {
  const { ask, service, clock, opened } = setUpHub()
  const hasty = await ask(POSITIONS, program('hasty'), 500)
  const patient = await ask(POSITIONS, program('patient'))
  await clock.advance(14_950)
  service.ends()
  await clock.advance(50)
  expect([hasty.status, problemIn(hasty).detail, opened()]).toEqual([
    502,
    'No response yet: the service did not open this stream in time. The request may count against the quota.',
    1,
  ])
  expect(patient.status).toBeUndefined()
})

test('a revoked program has no stream and waits for none; others continue', async () => {
  const { ask, hub, first, http } = await openPositions()
  const [bot, notes] = [program('bot'), program('notes')]
  const other = await ask(POSITIONS, notes)
  const waits = await ask(CHAIN, bot)
  hub.cut(bot)
  expect(first.destroyed).toBe(true)
  expect(waits.status).toBe(401)
  http.streams[0]!.listener.chunk(Buffer.from(`${position(1, 5)}\r\n`))
  expect(other.lines.at(-1)).toBe(position(1, 5))
  expect(hub.size).toBe(1)
  proves('G8', { level: 2, cases: 2 })
})

test('at the end readers get GoAway, waiting ones 503, and those whose stream was requested 502', async () => {
  const { ask, hub, service, first, own } = await openPositions()
  const waits = await ask('/v3/marketdata/stream/options/chains/AAPL')
  const none = { 'x-concurrency-limit': '10', 'x-concurrency-remaining': '0' }
  service.refuses(429, SLOTS, { ...none, 'x-concurrency-resource': 'options-chain' })
  const requested = await ask(quotes('MSFT'))
  hub.end('the gateway was turned off')
  expect(first.lines.at(-1)).toBe(GO_AWAY)
  expect([requested, waits].map((reply) => [reply.status, problemIn(reply).detail])).toEqual([
    [502, 'No response yet: the gateway was turned off. The request may count against the quota.'],
    [503, 'Not sent: the gateway was turned off.'],
  ])
  expect(own('Positions Stream')).toBe(0)
  expect(own('Option Chain Stream')).toBe(0)
})

test('a reader that leaves before its stream opens costs nothing more', async () => {
  const { ask, own, hub, clock } = setUpHub()
  const reply = await ask(POSITIONS)
  reply.destroy()
  await clock.advance(0)
  expect(own('Positions Stream')).toBe(0)
  expect(hub.size).toBe(0)
})

test('a person gets the slot of a stream that no program reads any more', async () => {
  const { set, replies } = await openTenChains()
  const wanted = { kind: 'option-chains', target: 'MSFT', options: {} } as const
  expect(await set.open(wanted)).toMatchObject({ ok: false, code: 'no-slot' })
  replies[5]!.destroy()
  expect(await set.open(wanted)).toMatchObject({ ok: true })
  expect(set.own('Option Chain Stream')).toBe(10)
})

test('a program without a wait is declined at once if no slot is free', async () => {
  const { set } = await openTenChains()
  expect((await set.ask(CHAIN, program('notes'), 0)).status).toBe(429)
})

test('a program’s stream can be pinned as requested', async () => {
  const { streams, summary } = await openStream('/v2/stream/tickbars/MSFT/5/3')
  streams.pin(summary().id, true)
  expect(streams.keepers[0]?.request).toEqual({
    kind: 'tickbars',
    target: 'MSFT',
    options: { interval: '5', barsBack: '3' },
  })
})

test('at the cap a GoAway is hidden too: the connection closes, then another opens', async () => {
  const { set, replies } = await openTenChains()
  const [first, goingAway] = [replies[0]!, set.http.streams[0]!]
  await set.clock.advance(5_000)
  goingAway.listener.chunk(Buffer.from(`${GO_AWAY}\r\n`))
  expect(goingAway.closed).toBe(true)
  await set.clock.advance(1_000)
  expect(set.opened()).toBe(11)
  expect(set.own('Option Chain Stream')).toBe(10)
  set.service.opens()
  set.says('{"Legs":[{"Symbol":"S0 1","Ratio":1}],"Last":"1"}')
  expect(first.lines).toEqual(['{"Legs":[{"Symbol":"S0 1","Ratio":1}],"Last":"1"}'])
  expect(first.writableEnded).toBe(false)
})

test('a program that arrives during an outage gets the last known state, then the differences', async () => {
  const { ask, service, says, clock } = await openPositions()
  service.ends()
  const late = await ask(POSITIONS)
  expect(late.lines).toEqual([position(1, 10), position(2, 20), END])
  await clock.advance(5_000)
  service.opens()
  says(position(1, 12), position(2, 20), END)
  expect(late.lines.slice(3)).toEqual([position(1, 12)])
})

test('all readers of a stream that waits for its slot wait for its turn', async () => {
  const { set, replies } = await openTenChains()
  await set.ask(CHAIN, program('b', { class: 'background' }))
  await set.ask(CHAIN, program('c', { class: 'critical' }))
  replies[0]!.destroy()
  await set.clock.advance(0)
  expect(set.turns.at(-1)).toEqual(['b', 'c'])
})

test('a reader whose response cannot be written gets 502, and the others their stream', async () => {
  const { ask, service, says, defects } = setUpHub()
  const path = '/v3/brokerage/stream/accounts/SIM1/positions'
  const first = await ask(path)
  const second = await ask(path, program('other'))
  const { writeHead } = first
  first.writeHead = (status, headers) => {
    if (status === 200) throw new Error('this head is none')
    writeHead.call(first, status, headers)
  }
  expect(() => service.opens()).not.toThrow()
  says('{"PositionID":"1"}')
  expect([first.status, second.status]).toEqual([502, 200])
  expect(second.lines).toEqual(['{"PositionID":"1"}'])
  expect(defects).toHaveLength(1)
})
