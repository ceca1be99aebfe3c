import { describe, expect, test, vi } from 'vitest'
import { STREAM_KINDS, type StreamKind } from '../../../app/service/stream-kinds.ts'
import { PATIENT } from '../../patient.ts'
import { json, quotaOf, simulated, slotsOf } from './simulated.ts'

const POSITIONS = '/v3/brokerage/stream/accounts/SIM1001/positions'
const DEPTH = '/v3/marketdata/stream/marketdepth/quotes/MSFT'
const AGGREGATES = '/v3/marketdata/stream/marketdepth/aggregates/MSFT'

const V2 = 'application/vnd.tradestation.streams.v2+json'
const V3 = 'application/vnd.tradestation.streams.v3+json'
const TICKS = 'application/vnd.tradestation.streams+json'

interface Row {
  readonly path: string
  readonly type: string
  readonly rate?: number
  readonly slots?: number
  readonly snapshot?: true
}
const KINDS: Readonly<Record<StreamKind, Row>> = {
  quotes: { path: '/v3/marketdata/stream/quotes/MSFT,AAPL', type: V2, rate: 500 },
  barcharts: {
    path: '/v3/marketdata/stream/barcharts/MSFT?interval=5&unit=Minute&barsback=3',
    type: V2,
    rate: 500,
  },
  tickbars: { path: '/v2/stream/tickbars/MSFT/100/5', type: TICKS, rate: 500 },
  depth: { path: DEPTH, type: V2, rate: 30, slots: 10 },
  'depth-aggregates': { path: AGGREGATES, type: V2, rate: 30, slots: 10 },
  'option-quotes': {
    path: `/v3/marketdata/stream/options/quotes?${new URLSearchParams({ 'legs[0].Symbol': 'MSFT 261218C400' })}`,
    type: V2,
    slots: 10,
  },
  'option-chains': { path: '/v3/marketdata/stream/options/chains/MSFT', type: V2, slots: 10 },
  orders: { path: '/v3/brokerage/stream/accounts/SIM1001/orders', type: V3, slots: 40, snapshot: true },
  'orders-by-id': {
    path: '/v3/brokerage/stream/accounts/SIM1001/orders/ID1,ID2',
    type: V3,
    slots: 40,
    snapshot: true,
  },
  positions: {
    path: '/v3/brokerage/stream/accounts/SIM1001,SIM1002/positions',
    type: V3,
    slots: 40,
    snapshot: true,
  },
}

type Sim = Awaited<ReturnType<typeof simulated>>

async function open(sim: Sim, path: string) {
  const stop = new AbortController()
  const response = await sim.get(path, { signal: stop.signal })
  return { response, stop: () => stop.abort() }
}

/** The lines of a stream until `enough` of them came, or its end. */
async function lines(response: Response, enough: (seen: readonly string[]) => boolean): Promise<string[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const seen = text.split(/\r?\n/).slice(0, -1)
    if (enough(seen)) return seen
  }
  return text.split(/\r?\n/)
}

describe('the ten kinds (service 6, 12)', () => {
  test.each(STREAM_KINDS)(
    '%s opens with JSON lines, its content type and its quota headers',
    async (kind) => {
      const { path, type, rate, slots, snapshot } = KINDS[kind]
      const sim = await simulated()
      const { response } = await open(sim, path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('transfer-encoding')).toBe('chunked')
      expect(response.headers.get('x-ts-request-id')).toBeTruthy()
      // Even if the table has no request quota, both sets of headers are sent, and nothing is counted.
      expect(quotaOf(response)).toMatchObject(
        rate === undefined ? { limit: 251, remaining: 251, reset: 0 } : { limit: rate, remaining: rate - 1 },
      )
      expect(slotsOf(response)).toMatchObject({
        limit: slots,
        remaining: slots === undefined ? undefined : slots - 1,
      })
      const seen = await lines(response, (got) =>
        snapshot ? got.at(-1)?.includes('EndSnapshot') === true : got.length > 0,
      )
      for (const line of seen) expect(JSON.parse(line)).toBeTypeOf('object')
      if (snapshot) expect(JSON.parse(seen.at(-1) ?? '')).toEqual({ StreamStatus: 'EndSnapshot' })
    },
  )

  test('barsback opens with that many bars', async () => {
    const sim = await simulated()
    const { response } = await open(sim, KINDS.barcharts.path)
    const seen = (await lines(response, (got) => got.length >= 3)).map((line) => JSON.parse(line))
    expect(seen.map(({ IsEndOfHistory }) => IsEndOfHistory)).toEqual([false, false, true])
  })

  test("one symbol's error is sent in the stream, which continues", async () => {
    const sim = await simulated()
    const { response } = await open(sim, '/v3/marketdata/stream/quotes/NOPE,MSFT')
    const seen = (await lines(response, (got) => got.length >= 2)).map((line) => JSON.parse(line))
    expect(seen[0]).toEqual({ Symbol: 'NOPE', Error: 'FAILED, EX_INVALID_SYMBOL' })
    expect(seen[1]).toMatchObject({ Symbol: 'MSFT' })
  })

  test('an unknown account uses no slot', async () => {
    const sim = await simulated()
    const response = await sim.get('/v3/brokerage/stream/accounts/OTHER/positions')
    expect(response.status).toBe(404)
    expect(slotsOf(response)).toMatchObject({ limit: 40, remaining: 40 })
  })
})

describe('slots (service 3, 7, 8.2)', () => {
  test('41 streams on 40 slots: one gets 429, with Remaining 0', async () => {
    const sim = await simulated({ streamRate: 0 })
    await sim.get('/v3/brokerage/accounts')
    const all = await Promise.all(Array.from({ length: 41 }, () => open(sim, POSITIONS)))
    const refused = all.filter(({ response }) => response.status === 429)
    expect(refused).toHaveLength(1)
    const response = refused[0]?.response as Response
    expect(await json(response)).toEqual({ Error: 'TooManyRequests', Message: 'Stream quota exceeded' })
    expect(slotsOf(response)).toEqual({ limit: 40, remaining: 0, resource: 'streaming-positions' })
    expect(quotaOf(response)).toMatchObject({ period: 300, resource: 'streaming-positions' })
    expect(sim.server.service.streams()).toHaveLength(40)
  })

  test('closing one frees its slot, with no time passing for the service', async () => {
    const sim = await simulated({ streamRate: 0, slotsElsewhere: { 'Positions Stream': 39 } })
    const { response, stop } = await open(sim, POSITIONS)
    expect(slotsOf(response).remaining).toBe(0)
    expect((await sim.get(POSITIONS)).status).toBe(429)
    stop()
    await vi.waitFor(() => expect(sim.server.service.streams()).toHaveLength(0), PATIENT)
    expect((await open(sim, POSITIONS)).response.status).toBe(200)
  })

  test('market depth quotes and aggregates share slots and requests', async () => {
    const sim = await simulated({ streamRate: 0, slotsElsewhere: { 'MarketDepth Stream': 8 } })
    const [quotes, aggregates] = [await open(sim, DEPTH), await open(sim, AGGREGATES)]
    expect(slotsOf(aggregates.response).remaining).toBe(0)
    expect(quotaOf(aggregates.response)).toEqual({ ...quotaOf(quotes.response), remaining: 28, reset: 4 })
    const refused = await sim.get(DEPTH)
    expect(await json(refused)).toMatchObject({ Message: 'Stream quota exceeded' })
    // It was rejected for lack of a slot, so no request was counted. Both sets of headers are sent.
    expect(quotaOf(refused).remaining).toBe(28)
    expect(slotsOf(refused).remaining).toBe(0)
  })

  test('with both used up, the rate rejects', async () => {
    const sim = await simulated({
      alreadySpent: { 'MarketDepth Stream': 30 },
      slotsElsewhere: { 'MarketDepth Stream': 10 },
    })
    const refused = await sim.get(DEPTH)
    expect(await json(refused)).toMatchObject({ Message: 'Rate quota exceeded' })
    expect([slotsOf(refused).remaining, quotaOf(refused).remaining]).toEqual([0, 0])
  })

  test('8.1: requests that are not streams use no slot', async () => {
    const sim = await simulated()
    await Promise.all(Array.from({ length: 60 }, () => sim.get('/v3/brokerage/accounts/SIM1001/positions')))
    expect((await open(sim, POSITIONS)).response.status).toBe(200)
  })

  test('an open stream outlives its access token', async () => {
    const sim = await simulated({ accessLifetimeSeconds: 10 })
    const { response } = await open(sim, POSITIONS)
    sim.clock.advance(60_000)
    const seen = await lines(response, (got) => got.length > 8)
    expect(seen.length).toBeGreaterThan(8)
    expect((await sim.get('/v3/brokerage/accounts')).status).toBe(401)
  })
})

describe('stream faults over a socket', () => {
  test.each([
    ['goaway-v2', { StreamStatus: 'GoAway' }],
    ['goaway-v3', { Error: 'GoAway', Message: expect.any(String) }],
    ['stream-error', { Symbol: 'positions', Error: 'InternalServerError' }],
  ])('%s is sent, then the body ends', async (fault, said) => {
    const sim = await simulated({ faults: [fault], streamRate: 0 })
    const { response } = await open(sim, POSITIONS)
    sim.clock.advance(20_000)
    const seen = await lines(response, () => false)
    expect(JSON.parse(seen.at(-2) ?? '')).toEqual(said)
    expect(sim.server.service.streams()).toHaveLength(0)
  })

  test.each([
    ['tickbars-end', 'END'],
    ['tickbars-timeout', 'ERROR - A Timeout Occurred after waiting 15000ms'],
  ])('%s ends tick bars with a line that is not JSON', async (fault, said) => {
    const sim = await simulated({ faults: [fault], streamRate: 0 })
    const { response } = await open(sim, KINDS.tickbars.path)
    sim.clock.advance(20_000)
    expect((await lines(response, () => false)).at(-2)).toBe(said)
  })

  test('dual-logon names the symbol', async () => {
    const sim = await simulated({ faults: ['dual-logon'], streamRate: 0 })
    const { response } = await open(sim, KINDS.quotes.path)
    sim.clock.advance(20_000)
    const seen = await lines(response, () => false)
    expect(JSON.parse(seen.at(-2) ?? '')).toEqual({ Symbol: 'MSFT', Error: 'DualLogon' })
  })

  test('stream-reset resets the socket inside a frame', async () => {
    const sim = await simulated({ faults: ['stream-reset'] })
    const { response } = await open(sim, POSITIONS)
    sim.clock.advance(6000)
    let text = ''
    const all = lines(response, (seen) => {
      text = seen.join('\n')
      return false
    })
    await expect(all).rejects.toThrow()
    for (const line of text.split('\n')) expect(JSON.parse(line)).toBeTypeOf('object')
    expect(sim.server.service.streams()).toHaveLength(0)
  })

  test('hidden-cap opens a sixth stream with 200 and closes it after 3 s', async () => {
    const sim = await simulated({ faults: ['hidden-cap'] })
    for (let i = 0; i < 5; i++) await open(sim, KINDS.quotes.path)
    const sixth = await open(sim, KINDS.quotes.path)
    expect(sixth.response.status).toBe(200)
    sim.clock.advance(3000)
    const seen = await lines(sixth.response, () => false)
    expect(JSON.parse(seen[0] ?? '')).toMatchObject({ Symbol: 'MSFT' })
    await vi.waitFor(() => expect(sim.server.service.streams()).toHaveLength(5), PATIENT)
  })

  test('split-frames are complete in the end', async () => {
    const sim = await simulated({ faults: ['split-frames'] })
    const { response } = await open(sim, POSITIONS)
    sim.clock.advance(9000)
    const seen = await lines(response, (got) => got.length >= 10)
    for (const line of seen) expect(JSON.parse(line)).toBeTypeOf('object')
  })
})
