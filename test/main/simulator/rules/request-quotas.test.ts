import { describe, expect, test } from 'vitest'
import { type RequestQuotaRules, RequestQuotas } from '../../../../main/simulator/rules/request-quotas.ts'

const RULES: RequestQuotaRules = {
  table: 'current',
  window: 'rolling',
  limits: {},
  alreadySpent: {},
  traffic: {},
  arrivals: 'even',
  neighbours: [],
  seed: 7,
}
const quotas = (rules: Partial<RequestQuotaRules> = {}) => new RequestQuotas({ ...RULES, ...rules }, 0)

describe('tables (service 8.2)', () => {
  test.each([
    ['Accounts', 320, 300],
    ['Order Details', 320, 300],
    ['Balances', 320, 300],
    ['Positions', 320, 300],
    ['Quote Change Stream', 500, 300],
    ['Barchart Stream', 500, 300],
    ['TickBar Stream', 500, 300],
    ['Option Expirations', 90, 60],
    ['Quote Snapshot', 500, 300],
    ['MarketDepth Stream', 30, 60],
  ])('%s has %i requests in %i seconds', (category, limit, periodSeconds) => {
    expect(quotas().reading(category, 0)).toEqual({ limit, periodSeconds, remaining: limit, resetSeconds: 0 })
  })

  test('the earlier table differs in five rows only', () => {
    const [now, before] = [quotas(), quotas({ table: 'earlier' })]
    const changed = now
      .categories()
      .filter((name) => now.reading(name, 0)?.limit !== before.reading(name, 0)?.limit)
    expect(changed.sort()).toEqual(['Accounts', 'Balances', 'Order Details', 'Positions', 'Quote Snapshot'])
    expect(before.reading('Positions', 0)).toMatchObject({ limit: 250, periodSeconds: 300 })
    expect(before.reading('Quote Snapshot', 0)).toMatchObject({ limit: 30, periodSeconds: 60 })
  })

  test('agreed values override the table and may add a row (8.1)', () => {
    const agreed = quotas({ limits: { 'Positions Stream': { limit: 251, periodSeconds: 300 } } })
    expect(agreed.reading('Positions Stream', 0)).toMatchObject({ limit: 251, remaining: 251 })
  })

  test('each category has its own bucket', () => {
    const all = quotas()
    all.spend('Option Strikes', 0)
    expect(all.reading('Option Strikes', 0)?.remaining).toBe(89)
    expect(all.reading('Option Expirations', 0)?.remaining).toBe(90)
  })
})

describe('other programs on the key', () => {
  test('one request a second lowers Remaining by arrivals minus refill', () => {
    const busy = quotas({ traffic: { Positions: 2 } })
    // 2 a second are used and 320/300 a second refill. So 60 s cost 56.
    expect(busy.elsewhere('Positions', 60_000)).toEqual({ accepted: 120, refused: 0 })
    expect(busy.reading('Positions', 60_000)?.remaining).toBeGreaterThanOrEqual(320 - 57)
    expect(busy.reading('Positions', 60_000)?.remaining).toBeLessThanOrEqual(320 - 55)
  })

  test('they get 429 too once the bucket is empty, which then stays near zero', () => {
    const busy = quotas({ traffic: { Positions: 10 } })
    const { accepted, refused } = busy.elsewhere('Positions', 600_000)
    expect(accepted + refused).toBe(6000)
    // The bucket was full until the first request, so nothing refilled for that first interval.
    expect(accepted).toBe(320 + 640 - 1)
    expect(busy.reading('Positions', 600_000)?.remaining).toBe(0)
  })

  test('polling once after an hour equals polling every second', () => {
    const neighbours = [{ category: 'Positions', perSecond: 1.7, onSeconds: 100, offSeconds: 50 }]
    const rules = { traffic: { Positions: 0.4 }, neighbours, arrivals: 'poisson' } as const
    const [lazy, eager] = [quotas(rules), quotas(rules)]
    for (let second = 0; second <= 3600; second++) eager.reading('Positions', second * 1000)
    expect(lazy.reading('Positions', 3_600_000)).toEqual(eager.reading('Positions', 3_600_000))
    expect(lazy.elsewhere('Positions', 3_600_000)).toEqual(eager.elsewhere('Positions', 3_600_000))
  })

  test('after a clock jump of a year, only the last day is applied', () => {
    const neighbours = [{ category: 'Accounts', perSecond: 0.5, onSeconds: 10, offSeconds: 10 }]
    const busy = quotas({ traffic: { Positions: 2 }, neighbours })
    const [year, day] = [365 * 86_400, 86_400]
    const { accepted, refused } = busy.elsewhere('Positions', year * 1000)
    expect(accepted + refused).toBeGreaterThanOrEqual(2 * day)
    expect(accepted + refused).toBeLessThanOrEqual(2 * day + 1)
    expect(busy.reading('Positions', year * 1000)?.remaining).toBeLessThanOrEqual(1)
    const neighbour = busy.elsewhere('Accounts', year * 1000)
    expect(neighbour.accepted).toBeGreaterThanOrEqual(day / 4)
    expect(neighbour.accepted).toBeLessThanOrEqual(day / 4 + 1)
  })

  test('our request after an idle minute finds what others left', () => {
    const busy = quotas({ traffic: { 'Option Strikes': 3 } })
    // The level 90 + 1.5 × t − 3 × t reaches 0 after 60 s.
    expect(busy.reading('Option Strikes', 30_000)?.remaining).toBeGreaterThan(40)
    expect(busy.spend('Option Strikes', 90_000) && busy.spend('Option Strikes', 90_000)).toBe(false)
  })

  test('a neighbour sends only in its spells', () => {
    const spells = quotas({
      neighbours: [{ category: 'Positions', perSecond: 1, onSeconds: 10, offSeconds: 20 }],
    })
    expect(spells.elsewhere('Positions', 10_000).accepted).toBe(10)
    expect(spells.elsewhere('Positions', 29_999).accepted).toBe(10)
    expect(spells.elsewhere('Positions', 40_000).accepted).toBe(20)
    expect(spells.elsewhere('Positions', 300_000).accepted).toBe(100)
  })

  test('poisson arrivals keep the rate and repeat from the seed', () => {
    const rules = { traffic: { 'Quote Snapshot': 1.5 }, arrivals: 'poisson' } as const
    const { accepted } = quotas(rules).elsewhere('Quote Snapshot', 10_000_000)
    expect(accepted / 10_000).toBeGreaterThan(1.45)
    expect(accepted / 10_000).toBeLessThan(1.55)
    expect(quotas(rules).elsewhere('Quote Snapshot', 10_000_000).accepted).toBe(accepted)
    expect(quotas({ ...rules, seed: 8 }).elsewhere('Quote Snapshot', 10_000_000).accepted).not.toBe(accepted)
  })

  test('traffic can be changed while it runs, and earlier use counts', () => {
    const busy = quotas({ traffic: { Positions: 2 } })
    busy.setTraffic('Positions', 0, 60_000)
    expect(busy.elsewhere('Positions', 600_000).accepted).toBe(120)
    expect(busy.reading('Positions', 600_000)?.remaining).toBe(320)
    expect(() => busy.setTraffic('Nothing', 1, 0)).toThrow(RangeError)
  })
})
