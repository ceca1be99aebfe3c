import { describe, expect, test } from 'vitest'
import type { OpenStream } from '../../../main/simulator/open-stream.ts'
import { BUILT_IN_OPTIONS, problemWith, type SimulatorFlags } from '../../../main/simulator/options.ts'
import { SimulatedService } from '../../../main/simulator/simulated-service.ts'
import type { Answer } from '../../../main/simulator/wire.ts'

/** The service under virtual time: no socket, no timer. */
function virtual(options: Partial<SimulatorFlags>) {
  const clock = { ms: 1_000_000 }
  let drawn = 1
  const random = () => {
    drawn = (drawn * 16_807) % 2_147_483_647
    return drawn / 2_147_483_647
  }
  const service = new SimulatedService(options, { nowMs: () => clock.ms, random })
  const post = (fields: Readonly<Record<string, string>>) =>
    service.handle({
      method: 'POST',
      path: '/oauth/token',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  const renewed = (refresh_token: string): { access_token: string; refresh_token: string } => {
    const reply = post({ grant_type: 'refresh_token', client_id: 'sim-key', refresh_token })
    if (reply.kind !== 'answer' || reply.status !== 200) throw new Error(JSON.stringify(reply))
    return JSON.parse(reply.body)
  }
  const get = (path: string, token: string) =>
    service.handle({
      method: 'GET',
      path,
      query: '',
      headers: { authorization: `Bearer ${token}` },
      body: '',
    })
  return { clock, service, renewed, get }
}
const POSITIONS = '/v3/brokerage/accounts/SIM1001/positions'
const remainingOf = (reply: unknown) => Number((reply as Answer).headers['X-RateLimit-Remaining'])

describe('a day under virtual time', () => {
  test('a rotating key is refreshed every 20 minutes and ends after 24 hours', () => {
    const { clock, renewed, get } = virtual({ keys: 'rotating' })
    const startMs = clock.ms
    let tokens = renewed('sim-refresh')
    while (clock.ms + 1_140_000 < startMs + 86_400_000) {
      clock.ms += 1_140_000
      tokens = renewed(tokens.refresh_token)
      expect(get(POSITIONS, tokens.access_token)).toMatchObject({ status: 200 })
    }
    clock.ms = startMs + 86_400_000
    expect(() => renewed(tokens.refresh_token)).toThrow(/absolute lifetime/)
  })

  test('a stream can be driven from due time to due time', () => {
    const { clock, renewed, get, service } = virtual({ heartbeatSeconds: 5, streamRate: 0 })
    const reply = get('/v3/brokerage/stream/accounts/SIM1001/positions', renewed('sim-refresh').access_token)
    const stream = (reply as { stream: OpenStream }).stream
    let text = ''
    const untilMs = clock.ms + 60_000
    for (
      let dueMs = stream.nextDueMs();
      dueMs !== undefined && dueMs <= untilMs;
      dueMs = stream.nextDueMs()
    ) {
      clock.ms = dueMs
      for (const piece of stream.take(dueMs))
        if (piece.kind === 'chunk') text += new TextDecoder().decode(piece.bytes)
    }
    expect(text.match(/"Heartbeat":/g)).toHaveLength(12)
    expect(service.streams()).toHaveLength(1)
    stream.close()
    expect(service.streams()).toHaveLength(0)
  })

  test('the same seed, chance and times give the same day', () => {
    const dayOf = () => {
      const { clock, renewed, get } = virtual(BUILT_IN_OPTIONS)
      const { access_token } = renewed('sim-refresh')
      return Array.from({ length: 60 }, () => {
        clock.ms += 17_000
        return JSON.stringify(get(POSITIONS, access_token))
      })
    }
    expect(dayOf()).toEqual(dayOf())
  })
})

describe('the built-in simulator', () => {
  test('is a key that can be simulated', () => {
    expect(problemWith(BUILT_IN_OPTIONS)).toBeUndefined()
  })

  test('shows a quota running out and recovering within ten minutes, and never an unused one', () => {
    const { clock, renewed, get } = virtual(BUILT_IN_OPTIONS)
    const { access_token } = renewed('sim-refresh')
    const seen = Array.from({ length: 60 }, () => {
      clock.ms += 10_000
      return remainingOf(get(POSITIONS, access_token))
    })
    expect(Math.min(...seen)).toBeLessThan(64)
    expect(Math.min(...seen.slice(0, 24))).toBeGreaterThan(0)
    expect(seen.at(45)).toBeGreaterThan(Math.min(...seen) + 80)
  })

  test('still runs out and recovers after an hour', () => {
    const quotas = new SimulatedService(BUILT_IN_OPTIONS, { nowMs: () => 0, random: () => 0.5 }).quotas
    const lows = [3, 4, 5, 6].map((round) =>
      Math.min(
        ...Array.from(
          { length: 48 },
          (_, index) =>
            quotas.reading('Positions', round * 480_000 + index * 10_000)?.remaining ?? Number.NaN,
        ),
      ),
    )
    for (const low of lows) expect(low).toBeLessThan(100)
    expect(quotas.reading('Positions', 7 * 480_000 - 1_000)?.remaining).toBeGreaterThan(280)
  })

  test('other programs use slots of two categories', () => {
    const { renewed, get } = virtual(BUILT_IN_OPTIONS)
    const { access_token } = renewed('sim-refresh')
    const headersOf = (path: string) => (get(path, access_token) as { headers: object }).headers
    expect(headersOf('/v3/brokerage/stream/accounts/SIM1001/positions')).toMatchObject({
      'X-Concurrency-Remaining': '37',
    })
    expect(headersOf('/v3/marketdata/stream/marketdepth/quotes/MSFT')).toMatchObject({
      'X-Concurrency-Remaining': '3',
      'X-RateLimit-Remaining': '29',
    })
  })
})
