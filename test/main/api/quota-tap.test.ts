import { describe, expect, test } from 'vitest'
import { type HttpHeaders, observe } from '../../../app/service/headers.ts'
import { surelyUsesWholeRefill, usesWholeRefill } from '../../../app/status/quota-status.ts'
import { proves } from '../../proof/proves.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { startedTap } from './started-tap.ts'

const ACCOUNTS = '/v3/brokerage/accounts'
/** The refill of 320 requests in 300 s, in requests per second. */
const REFILL = 320 / 300
const DEPTH = '/v3/marketdata/stream/marketdepth/quotes/MSFT'
const RATE = JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
const SLOTS = JSON.stringify({ Error: 'TooManyRequests', Message: 'Stream quota exceeded' })

function setUp() {
  const { clock, timeline, ledger, events, history, tap } = startedTap()
  const row = (category: string) => ledger.view(timeline.now()).find((quota) => quota.category === category)!
  const refuse = (path: string, headers: HttpHeaders, body = RATE) =>
    tap.answered(tap.sent('GET', path), observe(429, headers), body)
  return { clock, timeline, ledger, events, history, tap, row, refuse }
}

test('an aborted request may count for two more seconds, a lost one may already have counted', async () => {
  const { clock, tap, row } = setUp()
  // After this many headers, the quota is known to have no other user.
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(30_000)
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(320, 0)), '')
  }
  tap.lost(tap.sent('GET', ACCOUNTS))
  await clock.advance(1_500)
  const before = row('Accounts').low
  tap.hungUp(tap.sent('GET', ACCOUNTS))
  await clock.advance(1_500)
  const during = row('Accounts').low
  expect(during).toBeLessThan(before)
  await clock.advance(2_000)
  expect(row('Accounts').low).toBeGreaterThan(during)
})

test('a 429 pauses its own category for Reset plus half a second, and no other', () => {
  const { timeline, refuse, ledger, events } = setUp()
  const { retryAtMs } = refuse(ACCOUNTS, { ...quotaHeaders(0, 300), 'x-ts-request-id': 'r-1' })
  expect(retryAtMs).toBe(timeline.now() + 300_500)
  const held = ledger.view(timeline.now()).filter(({ blockedUntil }) => blockedUntil !== undefined)
  expect(held.map(({ category }) => category)).toEqual(['Accounts'])
  expect(events).toEqual([
    {
      kind: 'rate-limited',
      category: 'Accounts',
      retryAt: timeline.now() + 300_500,
      requestId: 'r-1',
      id: expect.stringContaining('rate-limited/Accounts@'),
    },
  ])
  proves('Q7', { level: 1, cases: 1 })
})

test('the first response that is not a 429 reports the end of the rate limiting, once', async () => {
  const { clock, timeline, refuse, tap, events } = setUp()
  const since = timeline.now()
  refuse(ACCOUNTS, quotaHeaders(0, 20))
  await clock.advance(30_000)
  refuse(ACCOUNTS, quotaHeaders(0, 20))
  await clock.advance(60_000)
  for (let count = 0; count < 2; count += 1) {
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(300, 0)), '')
  }
  const [{ id } = {}] = events
  const over = { kind: 'rate-limit-over', category: 'Accounts', since, refused: 2, count: 2, id }
  expect(events.filter(({ kind }) => kind === 'rate-limit-over')).toEqual([over])
})

test.each([
  ['Accounts', ACCOUNTS],
  ['Balances', '/v3/brokerage/accounts/SIM1/balances'],
  ['Positions', '/v3/brokerage/accounts/SIM1/positions'],
  ['Order Details', '/v3/brokerage/accounts/SIM1/orders'],
  ['Quote Snapshot', '/v3/marketdata/quotes/MSFT'],
  ['Option Expirations', '/v3/marketdata/options/expirations/MSFT'],
  ['Option Strikes', '/v3/marketdata/options/strikes/MSFT'],
  ['Option Spread Types', '/v3/marketdata/options/spreadtypes'],
  ['Quote Change Stream', '/v3/marketdata/stream/quotes/MSFT'],
  ['Barchart Stream', '/v3/marketdata/stream/barcharts/MSFT'],
  ['TickBar Stream', '/v2/stream/tickbars/MSFT/5/10'],
  ['MarketDepth Stream', DEPTH],
])('a 429 of %s pauses only that, with and without headers', (category, path) => {
  const refusals = [quotaHeaders(0, 45), {}]
  for (const said of refusals) {
    const { timeline, refuse, ledger, tap } = setUp()
    const { retryAtMs = 0 } = refuse(path, said)
    expect(retryAtMs - timeline.now()).toBeGreaterThan(said === refusals[0] ? 45_000 : 60_000)
    for (const quota of ledger.view(timeline.now())) {
      expect([quota.category, quota.blockedUntil]).toEqual([
        quota.category,
        quota.category === category ? retryAtMs : undefined,
      ])
    }
    expect(tap.notBeforeMs('GET', path)).toBe(retryAtMs)
  }
  proves('Q7', { level: 2, cases: refusals.length })
})

test('a quota that is empty stays so in the log while its 429 lasts', async () => {
  const { clock, timeline, refuse, tap, ledger, events } = setUp()
  const kinds = () => events.map(({ kind }) => kind).filter((kind) => kind !== 'elsewhere')
  const evaluate = () => tap.evaluate(ledger.view(timeline.now()), timeline.now())
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(0, 300)), '')
  evaluate()
  expect(kinds()).toEqual(['quota-short'])
  await clock.advance(1_000)
  refuse(ACCOUNTS, quotaHeaders(0, 300))
  evaluate()
  expect(kinds()).toEqual(['quota-short', 'rate-limited'])
  await clock.advance(301_000)
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(300, 20)), '')
  await clock.advance(10_000)
  evaluate()
  expect(kinds()).toEqual(['quota-short', 'rate-limited', 'rate-limit-over', 'quota-short-ended'])
})

test('a held category is open again at the end of the hold and not a moment sooner', async () => {
  const { clock, tap, refuse } = setUp()
  refuse(ACCOUNTS, quotaHeaders(0, 10))
  await clock.advance(10_499)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBe(clock.worldMs() + 1)
  await clock.advance(1)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
})

test('a 429 without headers pauses for 60 s, doubled at each repetition', async () => {
  const { clock, timeline, refuse } = setUp()
  const waits: number[] = []
  for (let count = 0; count < 6; count += 1) {
    const until = refuse(ACCOUNTS, {}).retryAtMs ?? 0
    waits.push(Math.round((until - timeline.now()) / 1000))
    await clock.advance(until - timeline.now())
  }
  // Half a second is added to each wait, and jitter from the second wait on. The maximum is 15 minutes.
  expect(waits).toEqual([61, 122, 242, 483, 900, 900])
  proves('Q7', { level: 1, cases: 1 })
})

test.each([
  '',
  '<html><h1>Too many requests</h1></html>',
  '{"Error":"TooManyRequests","Message":"Slow down"}',
])('a 429 without a known cause pauses its category and blames nobody: %j', async (body) => {
  const { clock, timeline, tap, row, refuse, events, ledger } = setUp()
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(300, 19)), '')
  await clock.advance(2_000)
  const before = row('Accounts')
  expect(refuse(ACCOUNTS, {}, body)).toMatchObject({
    refused: 'unattributed',
    retryAtMs: timeline.now() + 60_500,
  })
  const after = row('Accounts')
  expect(after.high).toBe(before.high)
  expect(after.low).toBeCloseTo(before.low - 1, 6)
  expect(after.observedAt).toBe(before.observedAt)
  expect(after.use?.elsewhere ?? 0).toBe(0)
  expect(events.map(({ kind }) => kind)).toEqual(['rate-limited'])
  expect(ledger.view(timeline.now()).filter((quota) => quota.blockedUntil !== undefined)).toHaveLength(1)
  expect(tap.detailsOf('Accounts').refusals).toHaveLength(1)
  proves('Q7', { level: 1, cases: 1 })
})

test('the older 429 without headers says in its Message that the bucket is empty', () => {
  const { tap, row, refuse } = setUp()
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(300, 19)), '')
  refuse(ACCOUNTS, {}, RATE)
  expect(row('Accounts').remaining).toBeLessThan(1)
})

test('an epoch time or garbage in Reset is not used as a wait', () => {
  for (const reset of ['1767623400', '-3', 'soon', '', '1e3']) {
    const { timeline, refuse } = setUp()
    const { retryAtMs } = refuse(ACCOUNTS, { ...quotaHeaders(0, 0), 'x-ratelimit-reset': reset })
    expect(retryAtMs, reset).toBe(timeline.now() + 60_500)
  }
})

test('requests rate limited together count as one 429', () => {
  const { timeline, tap } = setUp()
  const tickets = [tap.sent('GET', ACCOUNTS), tap.sent('GET', ACCOUNTS), tap.sent('GET', ACCOUNTS)]
  for (const ticket of tickets) tap.answered(ticket, observe(429, {}), RATE)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeLessThan(timeline.now() + 62_000)
})

test('a later 429 never shortens a pause', () => {
  const { timeline, tap, refuse } = setUp()
  refuse(ACCOUNTS, quotaHeaders(0, 200))
  refuse(ACCOUNTS, quotaHeaders(0, 3))
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBe(timeline.now() + 200_500)
})

test('a successful request after the pause resets the doubling', async () => {
  const { clock, timeline, tap, refuse } = setUp()
  refuse(ACCOUNTS, {})
  await clock.advance(61_000)
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(10, 290)), '')
  expect(refuse(ACCOUNTS, {}).retryAtMs).toBe(timeline.now() + 60_500)
})

test('a 429 of the slots does not pause requests', () => {
  const { tap, refuse, events } = setUp()
  const tapped = refuse(
    DEPTH,
    { ...quotaHeaders(29, 2, { limit: 30 }), 'x-concurrency-remaining': '0' },
    SLOTS,
  )
  expect(tapped.refused).toBe('concurrency')
  expect(tap.notBeforeMs('GET', DEPTH)).toBeUndefined()
  expect(events).toEqual([])
})

test('a bucket whose lower bound is below one request is waited for', async () => {
  const { clock, tap } = setUp()
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(0, 300)), '')
  const notBeforeMs = tap.notBeforeMs('GET', ACCOUNTS) ?? 0
  expect(notBeforeMs).toBeGreaterThan(clock.worldMs())
  await clock.advance(2_000)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
})

test('after a fixed window has ended, no time in the past is named', async () => {
  const { clock, timeline, tap, row } = setUp()
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(1, 290, { limit: 2 })), '')
  const endsAtMs = row('Accounts').windowEndsAt ?? 0
  await clock.advance(endsAtMs - timeline.now() + 10_000)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
  for (let count = 0; count < 2; count += 1) tap.lost(tap.sent('GET', ACCOUNTS))
  expect(row('Accounts')).toMatchObject({ model: 'fixed', low: 0, windowEndsAt: endsAtMs })
  // A new window began with these requests. It ends within a period, at an unknown time.
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBe(endsAtMs + 300_000)
  await clock.advance(290_000 - 1)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBe(endsAtMs + 300_000)
  // From now on, only a response can show the level. Without a request, the wait would never end.
  await clock.advance(1)
  expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
})

test.each([200, 401, 404, 503])(
  'a response of %d without quota headers may or may not have counted',
  async (status) => {
    const { clock, tap, row } = setUp()
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(100, 207)), '')
    const before = row('Accounts')
    tap.answered(tap.sent('GET', ACCOUNTS), observe(status, {}), '')
    await clock.advance(0)
    expect(row('Accounts').low).toBeLessThan(before.low)
    expect(row('Accounts').high).toBe(before.high)
  },
)

test('a path without a rule is learned by its resource name', () => {
  const { tap, row } = setUp()
  const named = { ...quotaHeaders(7, 80, { limit: 10 }), 'x-ratelimit-resource': 'news' }
  tap.answered(tap.sent('GET', '/v3/news/latest?limit=5'), observe(200, named), '')
  expect(row('news')).toMatchObject({ limit: 10, remaining: 7, resource: 'news' })
})

test('429s are recorded in the history of their category', () => {
  const { timeline, refuse, history } = setUp()
  refuse(ACCOUNTS, quotaHeaders(0, 300))
  const now = timeline.now()
  expect(history.query('Accounts', 0, now, 10)).toMatchObject({
    rejectedAt: [now],
    points: [{ remaining: 0 }],
  })
})

test('use by others is reported once, not at every header', async () => {
  const { clock, tap, events } = setUp()
  let remaining = 300
  for (let count = 0; count < 20; count += 1) {
    const reset = Math.ceil(((320 - remaining) * 300) / 320)
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(remaining, reset)), '')
    await clock.advance(10_000)
    remaining -= 8
  }
  expect(events.filter(({ kind }) => kind === 'elsewhere').length).toBe(1)
})

test('repeated 429s after a waited Reset lengthen the wait, up to 15 minutes', async () => {
  const { clock, timeline, refuse } = setUp()
  const waits: number[] = []
  for (let count = 0; count < 12; count += 1) {
    // Remaining is 1, because with 0, others would be assumed to use the whole refill.
    const until = refuse(ACCOUNTS, quotaHeaders(1, 1)).retryAtMs ?? 0
    waits.push(until - timeline.now())
    await clock.advance(until - timeline.now())
  }
  expect(waits[0]).toBe(1_500)
  // Each wait is twice the previous one, plus half a second and jitter.
  expect(waits.slice(1, 5)).toEqual([3_500, 6_000, 10_500, 19_000])
  expect(waits.at(-1)).toBeLessThanOrEqual(900_000)
  proves('Q7', { level: 1, cases: 1 })
})

describe('details for support', () => {
  test('the ids of the last 20 429s are stored with their times, and the oldest is dropped first', async () => {
    const { clock, timeline, tap, refuse } = setUp()
    const startedMs = timeline.now()
    for (let count = 1; count <= 23; count += 1) {
      refuse(ACCOUNTS, { ...quotaHeaders(0, 1), 'x-ts-request-id': `r-${count}` })
      await clock.advance(1_000)
    }
    const { refusals } = tap.detailsOf('Accounts')
    expect(refusals.length).toBe(20)
    expect(refusals[0]).toEqual({ at: startedMs + 3_000, requestId: 'r-4' })
    expect(refusals.at(-1)?.requestId).toBe('r-23')
    expect(tap.detailsOf('Positions').refusals).toEqual([])
  })

  test('the last headers are listed as received, numbers only, with those that were not believed', () => {
    const { timeline, tap } = setUp()
    const odd = { 'x-ratelimit-reset': '1767623400', 'x-ratelimit-limit': 'many', 'set-cookie': '12345' }
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, { ...quotaHeaders(319, 1), ...odd }), '')
    expect(tap.detailsOf('Accounts')).toEqual({
      refusals: [],
      headers: { 'x-ratelimit-period': 300, 'x-ratelimit-remaining': 319, 'x-ratelimit-reset': 1767623400 },
      headersAt: timeline.now(),
      oddities: ['x-ratelimit-limit: not a number', 'x-ratelimit-reset: an epoch time, not a count'],
    })
  })

  test('a category with slots but no request quota has headers and 429s too', () => {
    const { tap, refuse } = setUp()
    const path = '/v3/brokerage/stream/accounts/SIM1001/positions'
    const slots = { 'x-concurrency-limit': '40', 'x-concurrency-remaining': '39' }
    tap.answered(tap.sent('GET', path), observe(200, slots), '')
    refuse(path, { ...slots, 'x-concurrency-remaining': '0', 'x-ts-request-id': 'p' }, SLOTS)
    expect(tap.detailsOf('Positions Stream')).toMatchObject({
      refusals: [{ requestId: 'p' }],
      headers: { 'x-concurrency-limit': 40, 'x-concurrency-remaining': 0 },
    })
  })

  test('headers that are garbage throughout are recorded', () => {
    const { tap } = setUp()
    tap.answered(
      tap.sent('GET', ACCOUNTS),
      observe(200, { 'x-ratelimit-remaining': '-1', 'x-ratelimit-limit': '∞' }),
      '',
    )
    expect(tap.detailsOf('Accounts').oddities.length).toBe(2)
  })

  test('a stream that got 429 counts for the row of its stream', () => {
    const { tap, refuse } = setUp()
    refuse(
      DEPTH,
      { 'x-concurrency-remaining': '0', 'x-concurrency-limit': '10', 'x-ts-request-id': 's' },
      SLOTS,
    )
    expect(tap.detailsOf('MarketDepth Stream')).toMatchObject({
      refusals: [{ requestId: 's' }],
      headers: { 'x-concurrency-limit': 10, 'x-concurrency-remaining': 0 },
    })
  })
})

test('a 429 records what was known before it: the level, and both uses of the last minute', async () => {
  const { clock, tap, refuse, events } = setUp()
  for (const remaining of [300, 270, 240, 210]) {
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(remaining, 300 - remaining)), '')
    await clock.advance(20_000)
  }
  refuse(ACCOUNTS, quotaHeaders(0, 300))
  const [told] = events.flatMap((event) => (event.kind === 'rate-limited' ? event : []))
  // Two requests of the last 60 s, and the rejected one.
  expect(told?.before).toMatchObject({ limit: 320, own: 3 })
  expect(told?.before?.high).toBeGreaterThan(150)
  expect(told?.before?.othersHigh).toBeGreaterThan(60)
})

test('a 429 before any header records no earlier state', () => {
  const { refuse, events } = setUp()
  refuse(ACCOUNTS, quotaHeaders(0, 300))
  expect(events[0]).not.toHaveProperty('before')
})

describe('while others use the whole refill', () => {
  /** Causes `refusals` 429s. Each request was sent after the previous response. */
  async function storm(refusals: number) {
    const made = setUp()
    const retries: number[] = []
    for (let count = 0; count < refusals; count += 1) {
      await made.clock.advance(2_000)
      retries.push(made.refuse(ACCOUNTS, quotaHeaders(0, 300)).retryAtMs ?? 0)
    }
    return { ...made, retries }
  }

  test('the next 429 with Remaining 0 removes the time to retry, and no later one sets another', async () => {
    const { row, events, timeline, retries, tap, refuse, clock } = await storm(1)
    expect(row('Accounts')).toMatchObject({ state: 'blocked', blockedUntil: timeline.now() + 300_500 })
    // The first request after the wait is the trial.
    const under = tap.sent('GET', ACCOUNTS)
    expect(retries).toEqual([row('Accounts').blockedUntil])
    await clock.advance(2_000)
    refuse(ACCOUNTS, quotaHeaders(0, 300))
    const nextTryAt = timeline.now() + 18_000
    expect(row('Accounts')).toMatchObject({ state: 'blocked', verdict: 'blocked', nextTryAt })
    expect(row('Accounts').blockedUntil).toBeUndefined()
    expect(row('Accounts').emptyAt).toBeUndefined()
    expect(row('Accounts').safe).toEqual({ everySeconds: null, burst: 0 })
    expect(tap.notBeforeMs('GET', ACCOUNTS)).toBe(nextTryAt)
    await clock.advance(1_000)
    refuse(ACCOUNTS, quotaHeaders(0, 300))
    tap.answered(under, observe(429, quotaHeaders(0, 300)), RATE)
    expect(row('Accounts')).toMatchObject({ nextTryAt })
    expect(events.at(-1)).toMatchObject({ kind: 'rate-limited', retryAt: nextTryAt, nextTryAt })
    proves('Q7', { level: 1, cases: 1 })
  })

  test('a 429 of a request that was already in flight leaves the shown time to retry unchanged', async () => {
    const { tap, row, clock } = setUp()
    const [one, other] = [tap.sent('GET', ACCOUNTS), tap.sent('GET', ACCOUNTS)]
    await clock.advance(100)
    tap.answered(one, observe(429, quotaHeaders(0, 299)), RATE)
    const { blockedUntil } = row('Accounts')
    await clock.advance(900)
    tap.answered(other, observe(429, quotaHeaders(0, 300)), RATE)
    expect(row('Accounts').blockedUntil).toBe(blockedUntil)
    expect(row('Accounts').nextTryAt).toBeUndefined()
  })

  // Only one header arrives during the burst. Before the wait is over, the estimate alone would no longer be
  // sure that the burst continues.
  test.each([
    { name: 'others caused', others: 12, own: 0, by: true },
    { name: 'own requests caused', others: 0, own: 240, by: false },
  ])('a 429 that $name reports it until its wait is over', async ({ others, own, by }) => {
    const { row, tap, clock, refuse } = setUp()
    let used = 220
    const answer = () => {
      used += 1
      tap.answered(
        tap.sent('GET', ACCOUNTS),
        observe(200, quotaHeaders(320 - used, Math.ceil(used / REFILL))),
        '',
      )
    }
    const pass = async (perSecond: number) => {
      used += Math.round((perSecond - REFILL) * 20)
      await clock.advance(20_000)
      answer()
    }
    for (let count = 0; count < 10; count += 1) await pass(0)
    for (let sent = 0; sent < own; sent += 1) answer()
    await pass(others)
    refuse(ACCOUNTS, quotaHeaders(0, 300))
    for (let second = 0; second < 280; second += 20) {
      expect(usesWholeRefill(row('Accounts'))).toBe(by)
      await clock.advance(20_000)
    }
  })

  test('a 429 without a time postpones the next try by a minute', async () => {
    const { timeline, row, refuse, clock } = await storm(2)
    await clock.advance(18_000)
    refuse(ACCOUNTS, {})
    expect(row('Accounts').nextTryAt).toBe(timeline.now() + 60_500)
  })

  test('the 429 that is the first sign of others says that they use the whole refill', async () => {
    const { row, tap, clock, refuse } = setUp()
    for (let count = 0; count < 10; count += 1) {
      tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(22, 280)), '')
      await clock.advance(2_000)
    }
    refuse(ACCOUNTS, quotaHeaders(0, 300))
    for (let second = 0; second < 280; second += 20) {
      expect(surelyUsesWholeRefill(row('Accounts'))).toBe(true)
      await clock.advance(20_000)
    }
  })

  test('a response without room changes nothing, and the first one with room ends the state', async () => {
    const { row, tap, clock, events } = await storm(2)
    await clock.advance(20_000)
    expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(0, 300)), '')
    expect(row('Accounts').state).toBe('blocked')
    expect(events.filter(({ kind }) => kind === 'rate-limit-over')).toEqual([])
    await clock.advance(40_000)
    tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(40, 262)), '')
    expect(row('Accounts').nextTryAt).toBeUndefined()
    expect(row('Accounts').state).not.toBe('blocked')
    expect(tap.notBeforeMs('GET', ACCOUNTS)).toBeUndefined()
    expect(events.at(-1)).toMatchObject({ kind: 'rate-limit-over', refused: 2 })
  })
})
