import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { Ledger } from '../../../app/quota/ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { RateReading } from '../../../app/service/headers.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'

const newLedger = () => new Ledger(CURRENT_REQUEST_QUOTAS, 0)
const positions = (remaining: number, resource = 'positions'): RateReading => ({
  limit: 320,
  periodSeconds: 300,
  remaining,
  resetSeconds: Math.ceil(((320 - remaining - 0.5) * 300) / 320),
  resource,
})
const rowOf = (ledger: Ledger, category: string, nowMs = 0): RequestQuota | undefined =>
  ledger.view(nowMs).find((row) => row.category === category)

function ask(ledger: Ledger, endpoint: string, rate: RateReading | undefined, nowMs = 0, rejected = false) {
  return ledger.answered(ledger.sent(endpoint, nowMs), rate, nowMs, rejected)
}

test('rows are in the order of the table, and defaults until a header arrives', () => {
  const rows = newLedger().view(0)
  expect(rows.map((row) => row.category)).toEqual(CURRENT_REQUEST_QUOTAS.map((quota) => quota.category))
  for (const row of rows) {
    expect(row).toMatchObject({ source: 'default', verdict: 'not-seen', use: null, remaining: row.limit })
    expect(row).not.toHaveProperty('observedAt')
  }
})

test('the first resource name of a category belongs to it, and adds no row', () => {
  const ledger = newLedger()
  expect(ask(ledger, 'Positions', positions(300))).toEqual({ category: 'Positions', elsewhere: 0 })
  expect(ledger.view(0)).toHaveLength(CURRENT_REQUEST_QUOTAS.length)
  expect(rowOf(ledger, 'Positions')).toMatchObject({
    resource: 'positions',
    remaining: 300,
    source: 'header',
  })
})

test('a name that belongs to another row moves the endpoint there', () => {
  const ledger = newLedger()
  ask(ledger, 'Positions', positions(300, 'brokerage'))
  expect(ask(ledger, 'Balances', positions(299, 'brokerage'))).toEqual({
    category: 'Positions',
    elsewhere: 0,
  })
  expect(ledger.categoryOf('Balances')).toBe('Positions')
  expect(rowOf(ledger, 'Positions')).toMatchObject({ remaining: 299 })
  expect(rowOf(ledger, 'Balances')).toMatchObject({ source: 'default', remaining: 320 })
})

test('two endpoints of one category with one resource share a bucket', () => {
  const ledger = newLedger()
  const depth = (remaining: number) => ({
    limit: 30,
    periodSeconds: 60,
    remaining,
    resetSeconds: Math.ceil((30 - remaining) * 2),
    resource: 'streaming-market-depth',
  })
  ask(ledger, 'MarketDepth Stream', depth(29))
  ask(ledger, 'MarketDepth Stream', depth(28))
  const rows = ledger.view(0).filter((row) => row.resource === 'streaming-market-depth')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ category: 'MarketDepth Stream', remaining: 28 })
})

test('a second resource of a category becomes its own row, and the first continues', () => {
  const ledger = newLedger()
  ask(ledger, 'Order Details', positions(300, 'orders'))
  ask(ledger, 'Order Details', positions(50, 'historical-orders'))
  ask(ledger, 'Order Details', positions(299, 'orders'))
  expect(rowOf(ledger, 'Order Details')).toMatchObject({ resource: 'orders', remaining: 299 })
  expect(rowOf(ledger, 'historical-orders')).toMatchObject({ resource: 'historical-orders', remaining: 50 })
})

test('two resources of one category in flight at once leave nothing in flight and invent no use', () => {
  const ledger = newLedger()
  ask(ledger, 'Order Details', positions(300, 'orders'))
  let orders = 300
  let historical = 200
  for (let turn = 0; turn < 50; turn += 1) {
    const first = ledger.sent('Order Details', 0)
    const second = ledger.sent('Order Details', 0)
    orders -= 1
    historical -= 1
    const found = [
      ledger.answered(first, positions(historical, 'historical-orders'), 0, false),
      ledger.answered(second, positions(orders, 'orders'), 0, false),
    ]
    expect(found.map((one) => one.elsewhere)).toEqual([0, 0])
  }
  expect(rowOf(ledger, 'Order Details')).toMatchObject({ remaining: orders, low: orders })
  expect(rowOf(ledger, 'historical-orders')).toMatchObject({ remaining: historical, low: historical })
})

test('a request whose endpoint moved in flight is reverted in the row it was charged to', () => {
  const ledger = newLedger()
  ask(ledger, 'Order Details', positions(300, 'orders'))
  const tickets = Array.from({ length: 6 }, () => ledger.sent('Order Details', 0))
  ledger.answered(tickets[0]!, positions(200, 'historical-orders'), 0, false)
  ledger.answered(tickets[1]!, positions(199, 'historical-orders'), 0, false)
  ledger.notSent(tickets[2]!, 0)
  ledger.notSent(tickets[3]!, 0)
  ledger.lost(tickets[4]!, 0)
  ledger.lost(tickets[5]!, 0)
  // Two of the six requests were lost. They may have counted against the row that they were sent to.
  expect(rowOf(ledger, 'Order Details')).toMatchObject({ low: 298, high: 300 })
  expect(rowOf(ledger, 'historical-orders')).toMatchObject({ low: 199 })
})

test('a slow response that names another row is as old there', () => {
  const ledger = newLedger()
  ask(ledger, 'Positions', positions(100))
  ask(ledger, 'Balances', positions(200, 'balances'))
  const ticket = ledger.sent('Balances', 1_000)
  // The request was in flight for three seconds. Up to three requests may have refilled since the service
  // counted it.
  ledger.answered(ticket, positions(100), 4_000, false)
  expect(rowOf(ledger, 'Positions', 4_000)?.high).toBeGreaterThan(102)
})

test('an unknown path becomes a row named by its header', () => {
  const ledger = newLedger()
  expect(ledger.categoryOf('/v3/new/thing')).toBeUndefined()
  const folded = ask(ledger, '/v3/new/thing', { ...positions(7, 'news'), limit: 10 })
  expect(folded.category).toBe('news')
  expect(rowOf(ledger, 'news')).toMatchObject({ resource: 'news', limit: 10, remaining: 7, source: 'header' })
  expect(ledger.categoryOf('/v3/new/thing')).toBe('news')
})

test('an unknown path without a name or numbers is no row', () => {
  const ledger = newLedger()
  expect(ask(ledger, '/v3/new/thing', { limit: 10, remaining: 7 }).category).toBeUndefined()
  expect(ask(ledger, '/v3/new/thing', { resource: 'news' }).category).toBeUndefined()
  expect(ask(ledger, '/v3/new/thing', undefined).category).toBeUndefined()
  expect(ledger.view(0)).toHaveLength(CURRENT_REQUEST_QUOTAS.length)
})

test('a stream category without a rate in the table gets one from its headers', () => {
  const ledger = newLedger()
  ask(ledger, 'Positions Stream', positions(39, 'streaming-positions'))
  expect(rowOf(ledger, 'Positions Stream')).toMatchObject({ resource: 'streaming-positions', remaining: 39 })
})

test('a resource named like another category does not merge with it', () => {
  const ledger = newLedger()
  ask(ledger, 'Positions', positions(300, 'positions'))
  ask(ledger, 'Positions', positions(10, 'Balances'))
  expect(rowOf(ledger, 'Balances')).toMatchObject({ source: 'default', remaining: 320 })
  expect(ledger.view(0).filter((row) => row.resource === 'Balances')).toHaveLength(1)
})

test('a row’s burst leaves its set reserve, or the default', () => {
  const ledger = newLedger()
  for (const category of ['Positions', 'Balances']) {
    ask(ledger, category, positions(300, category.toLowerCase()), 0)
    ask(ledger, category, positions(300, category.toLowerCase()), 1_000)
  }
  ledger.reserves = { Positions: 50 }
  const burstOf = (category: string) => {
    const row = rowOf(ledger, category, 1_000)
    return (row?.low ?? 0) - (row?.safe?.burst ?? 0)
  }
  expect([burstOf('Positions'), burstOf('Balances')]).toEqual([50, 20])
})

test('a category whose name every object has is without a set reserve', () => {
  const ledger = newLedger()
  expect(ledger.reserveOf('constructor')).toBeUndefined()
})

test('a pause affects only its category, until it ends', () => {
  const ledger = newLedger()
  ledger.hold('Positions', { untilMs: 60_000, refusals: 1 })
  for (const { category } of CURRENT_REQUEST_QUOTAS) {
    const held = category === 'Positions'
    expect(ledger.holdOf(category, 59_999) !== undefined).toBe(held)
    expect(rowOf(ledger, category, 59_999)?.blockedUntil).toBe(held ? 60_000 : undefined)
  }
  expect(ledger.holdOf('Positions', 60_000)).toBeUndefined()
  expect(rowOf(ledger, 'Positions', 60_000)).not.toHaveProperty('blockedUntil')
})

test('consecutive 429s count on until a request after the pause succeeds', () => {
  const ledger = newLedger()
  ledger.hold('Positions', { untilMs: 60_000, refusals: 2 })
  ask(ledger, 'Positions', positions(300), 30_000)
  expect(ledger.refusals('Positions')).toBe(2)
  ask(ledger, 'Positions', undefined, 61_000, true)
  expect(ledger.refusals('Positions')).toBe(2)
  ask(ledger, 'Positions', positions(300), 62_000)
  expect(ledger.refusals('Positions')).toBe(0)
})

test('unlimited names and paths leave a bounded number of rows', () => {
  const observations = lawRuns(100_000)
  const ledger = newLedger()
  const chance = chanceFrom(1)
  for (let at = 0; at < observations; at += 1) {
    const ticket = ledger.sent(chance() < 0.5 ? 'Positions' : `/v3/path/${at}`, at)
    const fate = chance()
    if (fate < 0.1) ledger.lost(ticket, at)
    else if (fate < 0.2) ledger.notSent(ticket, at)
    else ledger.answered(ticket, positions(Math.floor(chance() * 320), `name-${at}`), at + 5, chance() < 0.01)
  }
  expect(ledger.view(observations).length).toBeLessThan(200)
})

test('usual observations leave no more rows than the first thousand', () => {
  const ledger = newLedger()
  const categories = CURRENT_REQUEST_QUOTAS.map((quota) => quota.category)
  const chance = chanceFrom(2)
  const fold = (count: number, fromMs: number) => {
    for (let turn = 0; turn < count; turn += 1) {
      const at = fromMs + turn * 100
      const category = categories[turn % categories.length]!
      ask(ledger, category, positions(Math.floor(chance() * 320), category.toLowerCase()), at)
    }
  }
  fold(1_000, 0)
  const rows = ledger.view(0).length
  fold(lawRuns(100_000), 1_000_000)
  expect(ledger.view(0)).toHaveLength(rows)
})

test('no order of responses makes a contradictory row', () => {
  const endpoint = fc.constantFrom('Positions', 'Order Details', 'Positions Stream', '/v3/x', '/v3/y')
  const reading = fc.option(
    fc.record(
      {
        limit: fc.constantFrom(1, 30, 320),
        periodSeconds: fc.constantFrom(60, 300),
        remaining: fc.nat(320),
        resetSeconds: fc.nat(320),
        resource: fc.constantFrom('a', 'b', 'Positions', 'a (2)'),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  )
  const step = fc.tuple(
    endpoint,
    reading,
    fc.nat(60_000),
    fc.constantFrom('answer', 'refuse', 'lose', 'wait'),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const ledger = newLedger()
      const waiting: ReturnType<Ledger['sent']>[] = []
      let now = 0
      for (const [path, rate, elapsed, fate] of steps) {
        now += elapsed
        waiting.push(ledger.sent(path, now))
        if (fate === 'wait') continue
        const ticket = waiting.splice(Math.floor(waiting.length / 2), 1)[0]!
        if (fate === 'lose') ledger.lost(ticket, now)
        else ledger.answered(ticket, rate, now, fate === 'refuse')
      }
      const rows = ledger.view(now)
      expect(new Set(rows.map((row) => row.category)).size).toBe(rows.length)
      const named = rows.flatMap((row) => row.resource ?? [])
      expect(new Set(named).size).toBe(named.length)
      for (const row of rows) {
        if (!(row.low <= row.remaining && row.remaining <= row.high && row.high <= row.limit)) {
          expect.fail(JSON.stringify(row))
        }
        if (Object.values(row).some((value) => typeof value === 'number' && !Number.isFinite(value))) {
          expect.fail(JSON.stringify(row))
        }
        expect(row.source === 'default').toBe(row.observedAt === undefined)
        if (row.low < 0) expect.fail(JSON.stringify(row))
      }
    }),
    { numRuns: lawRuns(1_000) },
  )
})

test('a row is low under its own threshold, and another row under that of all', () => {
  const ledger = newLedger()
  ledger.thresholds = { below: 0.2, perCategory: { Positions: 0.6 } }
  ask(ledger, 'Positions', positions(180))
  ask(ledger, 'Balances', positions(180, 'balances'))
  expect(rowOf(ledger, 'Positions')).toMatchObject({ state: 'low', threshold: 0.6 })
  expect(rowOf(ledger, 'Balances')).toMatchObject({ state: 'ok', threshold: 0.2 })
})
