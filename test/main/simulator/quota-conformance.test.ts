import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { json, quotaOf, simulated, slotsOf } from './simulated.ts'

const ACCOUNTS = '/v3/brokerage/accounts'
const POSITIONS = '/v3/brokerage/accounts/SIM1001/positions'
const SPREAD_TYPES = '/v3/marketdata/options/spreadtypes'
const QUOTES = '/v3/marketdata/quotes/MSFT'

type Sim = Awaited<ReturnType<typeof simulated>>

/** Statuses of `count` requests, one after the other. */
async function statuses(sim: Sim, path: string, count: number): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < count; i++) {
    const response = await sim.get(path)
    await response.arrayBuffer()
    seen.push(response.status)
  }
  return seen
}
const accepted = (seen: readonly number[]) => seen.filter((status) => status === 200).length

describe('headers (service 2.2)', () => {
  test('every response of a throttled resource has all of them', async () => {
    const { get } = await simulated()
    const response = await get(POSITIONS)
    expect(quotaOf(response)).toEqual({
      limit: 320,
      period: 300,
      remaining: 319,
      reset: 1,
      resource: 'positions',
    })
    expect(response.headers.get('x-ts-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(slotsOf(response).limit).toBeUndefined()
  })

  test('so does a response for an unknown account', async () => {
    const { get } = await simulated()
    const response = await get('/v3/brokerage/accounts/OTHER/positions')
    expect(response.status).toBe(404)
    expect(await json(response)).toEqual({ Error: 'NotFound', Message: expect.any(String) })
    expect(quotaOf(response).remaining).toBe(319)
  })
})

describe('the table over HTTP (service 4.3, 8.2)', () => {
  test.each([
    ['GET', ACCOUNTS, 'accounts', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001,SIM1002/balances', 'balances', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001/bodbalances', 'balances', 320],
    ['GET', POSITIONS, 'positions', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001/orders', 'orders', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001/orders/1,2', 'orders', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001/historicalorders?since=2026-01-02', 'orders', 320],
    ['GET', '/v3/brokerage/accounts/SIM1001/historicalorders/1?since=2026-01-02', 'orders', 320],
    ['GET', '/v3/marketdata/quotes/MSFT,AAPL', 'quotes', 500],
    ['GET', '/v3/marketdata/options/expirations/MSFT', 'option-expirations', 90],
    ['GET', '/v3/marketdata/options/strikes/MSFT', 'option-strikes', 90],
    ['GET', SPREAD_TYPES, 'option-spread-types', 90],
    ['POST', '/v3/marketdata/options/riskreward', 'option-risk-reward', 90],
  ])('%s %s counts against %s', async (method, path, resource, limit) => {
    const { get } = await simulated()
    const body = JSON.stringify({ SpreadPrice: 1.5, Legs: [{ Symbol: 'MSFT 261218C400', Quantity: 1 }] })
    const response = await get(path, method === 'POST' ? { method, body } : {})
    expect(response.status).toBe(200)
    expect(quotaOf(response)).toMatchObject({ limit, remaining: limit - 1, resource })
    expect(await json(response)).toBeTypeOf('object')
  })
})

describe('throttling (service 7, 8.3)', () => {
  test('8.3.4: an empty bucket gives 429 with both body values, Remaining 0 and the seconds to full', async () => {
    const sim = await simulated()
    expect(accepted(await statuses(sim, SPREAD_TYPES, 90))).toBe(90)
    const refused = await sim.get(SPREAD_TYPES)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toContain('application/json')
    expect(await json(refused)).toEqual({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
    expect(quotaOf(refused)).toMatchObject({ limit: 90, period: 60, remaining: 0, reset: 60 })
    expect(refused.headers.get('x-ts-request-id')).toBeTruthy()
  })

  test('8.3.5: under the earlier table with fixed windows, the last of 1 plus 250 requests gets 429', async () => {
    const sim = await simulated({ table: 'earlier', window: 'fixed' })
    expect(await statuses(sim, POSITIONS, 1)).toEqual([200])
    sim.clock.ms += 100_000
    const more = await statuses(sim, POSITIONS, 250)
    expect(accepted(more)).toBe(249)
    expect(more.at(-1)).toBe(429)
    const refused = await sim.get(POSITIONS)
    expect(quotaOf(refused)).toMatchObject({ limit: 250, remaining: 0, reset: 200 })
    sim.clock.ms += 200_000
    expect(quotaOf(await sim.get(POSITIONS))).toMatchObject({ remaining: 249, reset: 300 })
  })

  test('200 requests at once on a 90-a-minute bucket: 90 succeed when no time passes', async () => {
    const sim = await simulated()
    const seen = await Promise.all(Array.from({ length: 200 }, () => sim.get(SPREAD_TYPES)))
    expect(accepted(seen.map((response) => response.status))).toBe(90)
    const remaining = seen.filter((r) => r.status === 200).map((r) => quotaOf(r).remaining)
    expect(new Set(remaining).size).toBe(90)
  })

  test('an invalid request that passed the throttle is counted', async () => {
    const { get } = await simulated()
    const response = await get('/v3/marketdata/options/riskreward', { method: 'POST', body: 'no json' })
    expect(response.status).toBe(400)
    expect(quotaOf(response).remaining).toBe(89)
  })

  test('2.3: the older 429 has Content-Length and Date and nothing else, with the same body', async () => {
    const sim = await simulated({ errors: 'legacy', alreadySpent: { 'Option Spread Types': 90 } })
    const token = await sim.accessToken()
    const seen = await new Promise<{ headers: string[]; body: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      httpRequest(sim.server.origin + SPREAD_TYPES, { headers }, (response) => {
        let body = ''
        response.on('data', (part) => {
          body += part
        })
        const names = response.rawHeaders.filter((_, index) => index % 2 === 0)
        response.on('end', () => resolve({ headers: names, body }))
      })
        .on('error', reject)
        .end()
    })
    expect(seen.headers.sort()).toEqual(['Content-Length', 'Date'])
    expect(JSON.parse(seen.body)).toEqual({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
  })
})

describe('parameters', () => {
  test.each([
    [`/v3/brokerage/accounts/${Array.from({ length: 26 }, (_, i) => `A${i}`)}/balances`, 400],
    [`/v3/marketdata/quotes/${Array.from({ length: 101 }, (_, i) => `S${i}`)}`, 400],
    [`/v3/marketdata/quotes/${Array.from({ length: 100 }, (_, i) => `S${i}`)}`, 200],
    ['/v3/brokerage/accounts/SIM1001/historicalorders', 400],
    ['/v3/marketdata/options/strikes/NOPE', 404],
    ['/v3/nothing/here', 404],
    ['/v3/marketdata/options/riskreward', 405],
    ['/v3/marketdata/quotes/%E0%A4%A', 400],
    ['/', 404],
  ])('%s gets %i', async (path, status) => {
    const { get } = await simulated()
    expect((await get(path)).status).toBe(status)
  })

  test('an unknown symbol or account among known ones is listed in Errors', async () => {
    const { get } = await simulated()
    const quotes = await json(await get('/v3/marketdata/quotes/MSFT,NOPE'))
    expect(quotes['Quotes']).toHaveLength(1)
    expect(quotes['Errors']).toEqual([{ Symbol: 'NOPE', Error: 'FAILED, EX_INVALID_SYMBOL' }])
    const balances = await json(await get('/v3/brokerage/accounts/SIM1001,OTHER/balances'))
    expect(balances['Balances']).toHaveLength(1)
    expect(balances['Errors']).toHaveLength(1)
  })

  test('payloads repeat with the seed and change with time', async () => {
    const [one, two, other] = [await simulated(), await simulated(), await simulated({ seed: 2 })]
    const text = async (sim: Sim) => (await sim.get(QUOTES)).text()
    const first = await text(one)
    expect(await text(two)).toBe(first)
    expect(await text(other)).not.toBe(first)
    one.clock.ms += 60_000
    expect(await text(one)).not.toBe(first)
  })
})
