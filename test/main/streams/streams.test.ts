import { expect, test } from 'vitest'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { streamName } from '../../../app/status/stream-status.ts'
import type { Pins } from '../../../main/streams/pinned-streams.ts'
import { MAX_STREAMS } from '../../../main/streams/streams.ts'
import type { OpenedByTest } from '../scripted-http.ts'
import { bytes, DEPTH, liveStream, openStream, POSITIONS, SLOTS, setUp } from './scripted-streams.ts'

const GO_AWAY = '{"StreamStatus":"GoAway"}\n'
const depthOf = (target: string): StreamRequest => ({ ...DEPTH, target })

function memoryPins(initial: readonly StreamRequest[] = []): Pins & { kept: readonly StreamRequest[] } {
  const pins = {
    kept: initial,
    read: () => pins.kept,
    write: (requests: readonly StreamRequest[]) => {
      pins.kept = requests
      return { ok: true } as const
    },
    forget: () => pins.write([]),
  }
  return pins
}

async function fillDepth(setup: ReturnType<typeof setUp>): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await setup.open(depthOf(`S${count}`))
    setup.service.opens()
    await setup.clock.advance(1_000)
  }
}

test('after GoAway the old connection is read until the new one is open, and then closed', async () => {
  const { clock, http, service, summary, own } = await openStream()
  await clock.advance(40_000 - 11_000)
  const [former] = http.streams
  former?.listener.chunk(bytes(GO_AWAY))
  await clock.advance(1_000)
  former?.listener.chunk(bytes('{"PositionID":"1"}\n'))
  expect([summary().state, http.streams.length, former?.closed]).toEqual(['live', 2, false])
  expect(summary().reasonCode).toBe('going-away')
  service.opens()
  expect([former?.closed, own('Positions Stream')]).toEqual([true, 1])
})

test('an old connection that ends first leaves its slot to the new one, which is still opening', async () => {
  const { clock, http, service, summary, own } = await openStream()
  await clock.advance(10_000)
  http.streams[0]?.listener.chunk(bytes(GO_AWAY))
  await clock.advance(10)
  http.streams[0]?.listener.ended('ended by the service')
  expect([summary().state, own('Positions Stream'), http.streams.length]).toEqual(['opening', 1, 2])
  service.opens()
  expect([summary().state, summary().restarts]).toEqual(['snapshot', 1])
})

test('without a spare slot, GoAway closes the stream before it opens the next', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { http, clock, own } = setup
  await clock.advance(3_000)
  http.streams[0]?.listener.chunk(bytes(GO_AWAY))
  expect([http.streams[0]?.closed, own('MarketDepth Stream')]).toEqual([true, 9])
  await clock.advance(20)
  expect([http.streams.length, own('MarketDepth Stream')]).toEqual([11, 10])
})

test('a rejected new connection closes the old one too, and is retried', async () => {
  const { clock, http, service, summary, own, kinds } = await openStream()
  await clock.advance(10_000)
  http.streams[0]?.listener.chunk(bytes(GO_AWAY))
  await clock.advance(10)
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' })
  expect([http.streams[0]?.closed, own('Positions Stream'), summary().state]).toEqual([true, 0, 'waiting'])
  expect(kinds()).toEqual(['stream-opened'])
  await clock.advance(500)
  expect(http.streams.length).toBe(3)
})

/** A stream whose former connection is still read while the next one is opened. */
async function handingOver() {
  const set = setUp()
  await set.open()
  set.service.opens()
  await set.clock.advance(10_000)
  const goAwayAtMs = set.clock.wallMs()
  set.service.says(GO_AWAY)
  await set.clock.advance(10)
  const [former, next] = set.http.streams as [OpenedByTest, OpenedByTest]
  return { ...set, former, next, goAwayAtMs }
}

test('a new connection that ends before it is open closes the old one too', async () => {
  const { former, next, summary } = await handingOver()
  next.listener.ended('connection lost')
  expect([former.closed, summary().state]).toEqual([true, 'waiting'])
})

test('closing a stream during a handover closes both connections', async () => {
  const { former, next, streams, own } = await handingOver()
  streams.close('s1')
  expect([former.closed, next.closed, own('Positions Stream')]).toEqual([true, true, 0])
})

test('symbol errors of an old connection are not shown, and only the next one is opening', async () => {
  const { former, streams, service, summary } = await handingOver()
  former.listener.chunk(bytes('{"Symbol":"NOPE","Error":"FAILED"}\n'))
  expect([summary().symbolErrors, streams.keepers[0]?.opening]).toEqual([undefined, 1])
  service.opens()
  expect(streams.keepers[0]?.opening).toBe(0)
})

test('a gap starts with the GoAway, even if the old connection ended before the next one was open', async () => {
  const { clock, former, next, service, events, goAwayAtMs } = await handingOver()
  await clock.advance(500)
  former.listener.ended('ended by the service')
  await clock.advance(500)
  next.listener.ended('connection lost')
  await clock.advance(500)
  service.opens()
  expect(events.at(-1)).toMatchObject({ kind: 'stream-restarted', since: goAwayAtMs })
})

test('data after the last line of a stream in one chunk is ignored', async () => {
  const { service, summary } = await openStream()
  service.says('{"Error":"DualLogon"}\n{"Symbol":"NOPE","Error":"FAILED"}\n')
  expect(summary()).toMatchObject({ state: 'closed', reasonCode: 'dual-logon' })
  expect(summary().symbolErrors).toBeUndefined()
})

test("one symbol's error is shown as a badge until the stream reopens", async () => {
  const { clock, service, summary } = await openStream({ kind: 'quotes', target: 'MSFT,NOPE', options: {} })
  service.says('{"Symbol":"NOPE","Error":"FAILED, EX_INVALID_SYMBOL"}\n')
  expect(summary().symbolErrors).toMatchObject([{ symbol: 'NOPE', error: 'FAILED, EX_INVALID_SYMBOL' }])
  for (let symbol = 0; symbol < 1_000; symbol += 1) {
    service.says(`{"Symbol":"S${symbol}","Error":"FAILED, EX_NOT_ENTITLED"}\n`)
  }
  expect(summary().symbolErrors).toHaveLength(20)
  service.ends()
  await clock.advance(500)
  service.opens()
  expect(summary().symbolErrors).toBeUndefined()
})

test('a stream that ends early after data, three times in a row, hints at a hidden cap', async () => {
  const { clock, http, service, open, summary } = setUp()
  await open({ kind: 'quotes', target: 'MSFT', options: {} })
  const codes: (string | undefined)[] = []
  for (let life = 0; life < 4; life += 1) {
    service.opens()
    service.says('{"Symbol":"MSFT","Last":"1"}\n')
    await clock.advance(3_000)
    service.ends('ended by the service')
    codes.push(summary().reasonCode)
    const before = http.streams.length
    while (http.streams.length === before) await clock.advance(100)
  }
  expect(codes).toEqual(['ended-by-service', 'ended-by-service', 'hidden-cap', 'hidden-cap'])
})

test('a stream that lasts half a minute, or ends before any data, hints at nothing', async () => {
  const { clock, http, service, open, summary } = setUp()
  await open({ kind: 'quotes', target: 'MSFT', options: {} })
  for (let life = 0; life < 8; life += 1) {
    service.opens()
    if (life % 3 !== 0) service.says('{"Symbol":"MSFT","Last":"1"}\n')
    for (let second = 0; second < (life % 3 === 2 ? 30 : 3); second += 1) {
      await clock.advance(1_000)
      service.says('{"Heartbeat":1}\n')
    }
    service.ends('ended by the service')
    expect(summary().reasonCode).toBe('ended-by-service')
    const before = http.streams.length
    while (http.streams.length === before) await clock.advance(100)
  }
})

test('with every slot taken, the least used stream is proposed, then the oldest', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { http, open } = setup
  for (const [index, stream] of http.streams.entries()) {
    if (index !== 4) stream.listener.chunk(bytes('{"Last":"1"}\n'.repeat(20)))
  }
  const refused = await open(depthOf('MSFT'))
  expect(refused).toMatchObject({ ok: false, code: 'no-slot', proposal: { stream: 's5', target: 'S4' } })
  http.streams[4]?.listener.chunk(bytes('{"Last":"1"}\n'.repeat(20)))
  expect(await open(depthOf('MSFT'))).toMatchObject({ proposal: { stream: 's1' } })
  expect(http.streams).toHaveLength(10)
})

test('the stream named in the error is the one that replacing closes', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { streams, open, own, http } = setup
  // All streams are busy except s5. The oldest is s1.
  for (const [index, stream] of http.streams.entries()) {
    if (index !== 4) stream.listener.chunk(bytes('{"Last":"1"}\n'.repeat(20)))
  }
  const refused = await open(depthOf('MSFT'))
  expect(refused).toMatchObject({
    message:
      'Not opened: all 10 slots of MarketDepth Stream are in use. Least used: Depth quotes · S4 (silent, open for 6 s).',
    proposal: { stream: 's5', streamKind: 'depth', target: 'S4' },
  })
  const named = refused.ok ? undefined : refused.proposal?.stream
  expect(await open(depthOf('MSFT'), named)).toMatchObject({ ok: true })
  expect(streams.summaries().filter(({ state }) => state === 'closed')).toMatchObject([
    { id: 's5', reasonCode: 'made-room' },
  ])
  expect([own('MarketDepth Stream'), http.streams[0]?.closed, http.streams[4]?.closed]).toEqual([
    10,
    false,
    true,
  ])
})

test('no stream is closed for a replacement that is no longer possible or needed', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { streams, open } = setup
  expect(await open(depthOf('MSFT'), 's99')).toMatchObject({ ok: false, code: 'no-slot' })
  streams.close('s2')
  expect(await open(depthOf('MSFT'), 's3')).toMatchObject({ ok: true })
  expect(streams.summaries().find(({ id }) => id === 's3')?.state).not.toBe('closed')
})

test('a close can be undone for five seconds, and the slot is counted until it really ends', async () => {
  const { streams, clock, http, own, summary } = await openStream()
  expect(streams.closeIn('s1', 5)).toEqual({ ok: true })
  expect([summary().closingAt, own('Positions Stream')]).toEqual([clock.wallMs() + 5_000, 1])
  await clock.advance(4_900)
  expect(streams.keep('s1')).toEqual({ ok: true })
  await clock.advance(5_000)
  expect([summary().closingAt, http.streams[0]?.closed, own('Positions Stream')]).toEqual([
    undefined,
    false,
    1,
  ])
  expect(streams.keep('s1')).toMatchObject({ code: 'unknown-stream' })
  streams.closeIn('s1', 5)
  await clock.advance(5_000)
  expect([summary().state, http.streams[0]?.closed, own('Positions Stream')]).toEqual(['closed', true, 0])
  expect(streams.closeIn('s1', 5)).toEqual({ ok: true })
  expect(streams.summaries()).toEqual([])
})

test('a closing stream frees its slot at once for a new one', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { streams, open, clock, own } = setup
  streams.closeIn('s7', 5)
  expect(await open(depthOf('MSFT'))).toMatchObject({ ok: true })
  expect(streams.summaries().find(({ id }) => id === 's7')).toMatchObject({ state: 'closed' })
  await clock.advance(10_000)
  expect(own('MarketDepth Stream')).toBe(10)
})

test('a pinned stream closed just before exit is not opened at the next start', async () => {
  const pins = memoryPins()
  const { streams, open } = setUp(pins)
  await open(POSITIONS)
  streams.pin('s1', true)
  streams.closeIn('s1', 5)
  expect(pins.kept).toEqual([POSITIONS])
  streams.stop()
  expect(pins.kept).toEqual([])
})

test('depth quotes and depth aggregates of one symbol have different names', async () => {
  const { streams, open, events, service } = await openStream(DEPTH)
  service.says('{"Bids":[]}\n')
  await open({ ...DEPTH, kind: 'depth-aggregates' })
  expect(streams.summaries().map(streamName)).toEqual(['Depth quotes · MSFT', 'Depth aggregates · MSFT'])
  expect(events.find(({ kind }) => kind === 'stream-opened')).toMatchObject({ streamKind: 'depth' })
})

test('a 429 right after a stream made room is retried soon, because the service has yet to notice', async () => {
  const setup = setUp()
  await fillDepth(setup)
  const { clock, open, service, http } = setup
  await open(depthOf('MSFT'), 's1')
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '10', 'x-concurrency-remaining': '0' })
  await clock.advance(1_500)
  expect(http.streams).toHaveLength(12)
  service.opens({ 'x-concurrency-limit': '10', 'x-concurrency-remaining': '0' })
  expect(setup.slots.view().find(({ category }) => category === 'MarketDepth Stream')).toMatchObject({
    own: 10,
    elsewhere: 0,
  })
})

test('a stream that waits for a slot opens when an own one closes', async () => {
  const setup = setUp()
  const { streams, open, service, clock, http, summary } = setup
  await open(POSITIONS)
  service.opens({ 'x-concurrency-limit': '40', 'x-concurrency-remaining': '1' })
  await open({ ...POSITIONS, target: 'SIM1002' })
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' })
  expect(streams.summaries()[1]).toMatchObject({ state: 'waiting', reasonCode: 'no-slot' })
  await clock.advance(10_000)
  expect(http.streams).toHaveLength(2)
  streams.close('s1')
  await clock.advance(500)
  expect([http.streams.length, summary().state]).toEqual([3, 'closed'])
})

test('a slot 429 without headers still reports no free slot, and wakes no stream', async () => {
  const { open, service, slots, clock, http } = setUp()
  await open(POSITIONS)
  service.refuses(429, SLOTS)
  expect(slots.free('Positions Stream')).toBe(0)
  await clock.advance(50_000)
  expect(http.streams).toHaveLength(1)
})

test('restarting reopens at once, even a waiting or closed stream', async () => {
  const { streams, service, clock, http, own, summary } = await openStream()
  expect(streams.restart('s1')).toEqual({ ok: true, stream: 's1' })
  await clock.advance(0)
  expect([http.streams[0]?.closed, http.streams.length, own('Positions Stream')]).toEqual([true, 2, 1])
  service.ends()
  streams.restart('s1')
  await clock.advance(0)
  expect(http.streams).toHaveLength(3)
  streams.close('s1')
  expect(streams.restart('s1')).toEqual({ ok: true, stream: 's2' })
  await clock.advance(0)
  expect([streams.summaries().length, summary().id, own('Positions Stream')]).toEqual([1, 's2', 1])
  expect(streams.restart('s1')).toMatchObject({ code: 'unknown-stream' })
})

test('pinned streams open at the next start, once, and closing one by hand unpins it', async () => {
  const pins = memoryPins()
  const first = setUp(pins)
  await first.open(POSITIONS)
  await first.open(DEPTH)
  first.streams.pin('s1', true)
  expect([first.summary().pinned, pins.kept]).toEqual([true, [POSITIONS]])
  first.streams.stop()
  expect(pins.kept).toEqual([POSITIONS])

  const second = setUp(pins)
  await second.open(POSITIONS)
  second.streams.openAtStart([])
  await second.clock.advance(0)
  expect([second.http.streams.length, second.summary().pinned]).toEqual([1, true])
  second.streams.close('s1')
  expect(pins.kept).toEqual([])
})

test('a pin that cannot be stored reports that, and lasts until exit', async () => {
  const { streams, open, summary } = setUp({
    ...memoryPins(),
    write: () => ({ ok: false, why: 'disk full' }),
  })
  await open()
  expect(streams.pin('s1', true)).toMatchObject({ ok: false, code: 'not-stored' })
  expect(summary().pinned).toBe(true)
})

test('after a sleep every stream is judged by its silence, and every wait by the elapsed time', async () => {
  const { streams, service, clock, http, summary } = await openStream()
  clock.sleep(3_600_000)
  streams.wake()
  expect(summary()).toMatchObject({ state: 'waiting', reasonCode: 'silent' })
  await clock.advance(500)
  expect(http.streams).toHaveLength(2)
  service.refuses(429, SLOTS, { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '0' })
  clock.sleep(3_600_000)
  streams.wake()
  await clock.advance(10)
  expect(http.streams).toHaveLength(3)
  clock.sleep(3_600_000)
  streams.wake()
  expect(summary()).toMatchObject({ state: 'waiting', reason: 'timed out' })
})

test('after a brief sleep a live stream stays open', async () => {
  const { streams, clock, http, summary } = await liveStream()
  clock.sleep(14_000)
  streams.wake()
  expect([summary().state, http.streams.length]).toEqual(['live', 1])
})

test('the last line of an older stream counts although it has no line end', async () => {
  const { service, summary } = await openStream({ kind: 'tickbars', target: 'MSFT', options: {} })
  service.says('{"Close":1}\r\nERROR - A Timeout Occurred after waiting 15000ms')
  service.ends('ended by the service')
  expect(summary()).toMatchObject({ reasonCode: 'stream-error', reason: expect.stringContaining('15000ms') })
})

test('a stream that cannot be opened at start is listed as closed, with its reason, and reported', async () => {
  const { clock, streams, http, events } = setUp()
  streams.openAtStart([{ ...POSITIONS, target: '../SIM' }, POSITIONS])
  await clock.advance(0)
  expect(http.streams).toHaveLength(1)
  const reason = 'not opened: “../SIM” is not an account id'
  expect(streams.summaries()).toMatchObject([
    { id: 's1', target: '../SIM', state: 'closed', reasonCode: 'refused', reason },
    { target: 'SIM1001', state: 'opening' },
  ])
  expect(events).toMatchObject([{ kind: 'stream-closed', stream: 's1', target: '../SIM', reason }])
  expect(streams.restart('s1')).toMatchObject({ ok: false, code: 'bad-target' })
})

test('a pinned stream without a slot at start reports that, stays pinned and can be opened later', async () => {
  const pinned = Array.from({ length: MAX_STREAMS + 1 }, (_, count) => depthOf(`S${count}`))
  const pins = memoryPins(pinned)
  const { clock, streams, events } = setUp(pins)
  streams.openAtStart([])
  const { id, ...last } = streams.summaries().at(-1)!
  expect(last).toMatchObject({ target: `S${MAX_STREAMS}`, state: 'closed', pinned: true })
  expect(events).toMatchObject([
    { kind: 'stream-closed', reason: 'not opened: 200 streams are open, the maximum' },
  ])
  streams.close('s1')
  expect(pins.kept).toEqual(pinned.slice(1))
  expect(streams.restart(id)).toMatchObject({ ok: true })
  streams.stop()
  await clock.advance(0)
})
