import { expect, test } from 'vitest'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { ApiAnswer } from '../../../main/api/client.ts'
import { proves } from '../../proof/proves.ts'
import { ACCOUNTS, categoryAt, MINUTE_MS, setUp } from './scripted-prober.ts'

test('sends no more checks than the budget allows on average, evenly spaced', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  await clock.advance(30 * MINUTE_MS)
  for (const { category, limit, periodSeconds } of CURRENT_REQUEST_QUOTAS) {
    const times = asked.filter(({ path }) => categoryAt(path) === category).map(({ atMs }) => atMs)
    const aPeriod = Math.max(1, limit * 0.02)
    expect(times.length, category).toBeLessThanOrEqual((aPeriod * 30 * 60) / periodSeconds + 1)
    for (const [index, at] of times.entries()) {
      const gapMs = (times[index + 1] ?? Number.POSITIVE_INFINITY) - at
      expect(gapMs, category).toBeGreaterThanOrEqual((0.8 * periodSeconds * 1000) / aPeriod)
    }
  }
  expect(prober.summary().usedFraction).toBeLessThanOrEqual(1 / 30)
  proves('Q6', { level: 1, cases: 1 })
})

test('sends a check at its due time, not at the next whole second', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  const [first, second] = asked
    .filter(({ path }) => path === '/v3/brokerage/accounts')
    .map(({ atMs }) => atMs)
  // 2 % of 320 are 6.4 checks in 300 s. With 3 % more, they are 48.28125 s apart.
  expect(second! - first!).toBe(48_281.25)
})

test('waits for one extra tick at most, however many headers arrive, and for none once stopped', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp(0.02, { Accounts: 2 })
  prober.start()
  const rate = { limit: 320, periodSeconds: 300, remaining: 300, resetSeconds: 20 }
  for (let header = 0; header < 1_000; header += 1) {
    await clock.advance(7)
    ledger.answered(ledger.sent('Accounts', timeline.now()), rate, timeline.now(), false)
    // The regular timer and one extra timer.
    expect(clock.pending).toBeLessThanOrEqual(2)
  }
  expect(asked.length).toBeGreaterThan(0)
  prober.stop()
  expect(clock.pending).toBe(0)
})

test('checks accounts first, and account resources once an account id is known', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  await clock.advance(1)
  const paths = asked.map(({ path }) => path)
  expect(paths.indexOf('/v3/brokerage/accounts')).toBe(0)
  expect(paths).toContain('/v3/brokerage/accounts/SIM1001/positions')
})

test('checks the accounts of another user who has signed in, and keeps a listed account', async () => {
  const { clock, prober, asked, state } = setUp(0.5)
  const answer = state.answer
  const lists = (...ids: readonly string[]) => {
    const body = JSON.stringify({ Accounts: ids.map((AccountID) => ({ AccountID })) })
    state.answer = async (request) => ({ ...(await answer(request)), body }) as ApiAnswer
  }
  prober.start()
  await clock.advance(MINUTE_MS)
  lists('SIM2', 'SIM1001')
  await clock.advance(10 * MINUTE_MS)
  expect(prober.account).toBe('SIM1001')
  lists('SIM2')
  prober.signedIn()
  await clock.advance(10 * MINUTE_MS)
  expect(asked.at(-1)?.path.includes('SIM1001')).toBe(false)
  expect(prober.account).toBe('SIM2')
})

test.each(['before', 'after'])(
  'a former user’s account that is rejected %s the new one is listed pauses nothing',
  async (when) => {
    const { clock, prober, asked, state } = setUp(0.5)
    const { answer } = state
    const late: (() => void)[] = []
    prober.start()
    await clock.advance(MINUTE_MS)
    // The responses to checks in flight at the sign-in arrive later.
    state.answer = async (request) => {
      await new Promise<void>((resolve) => late.push(resolve))
      return request.path.includes('SIM1001') || when === 'before'
        ? { kind: 'answered', status: 403, body: '', hasQuota: false }
        : answer(request)
    }
    await clock.advance(MINUTE_MS)
    const inFlight = [...late]
    expect(inFlight.length).toBeGreaterThan(0)
    state.answer = async (request) => {
      if (request.path.includes('SIM1001'))
        return { kind: 'answered', status: 403, body: '', hasQuota: false }
      const body = JSON.stringify({ Accounts: [{ AccountID: 'SIM2' }] })
      return { ...(await answer(request)), body } as ApiAnswer
    }
    prober.signedIn()
    if (when === 'before') for (const end of inFlight) end()
    await clock.advance(MINUTE_MS)
    for (const end of inFlight) end()
    const from = asked.length
    await clock.advance(2 * MINUTE_MS)
    const paths = asked.slice(from).map(({ path }) => path)
    expect(prober.account).toBe('SIM2')
    expect(paths).toContain('/v3/brokerage/accounts/SIM2/positions')
    expect(paths).toContain('/v3/brokerage/accounts/SIM2/balances')
    expect(paths).toContain('/v3/brokerage/accounts')
  },
)

test('never checks streams or endpoints that place orders', async () => {
  const { clock, prober, asked } = setUp(0.5)
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(asked.filter(({ path }) => /stream|riskreward/.test(path))).toEqual([])
})

test('skips a paused category until the pause ends, and continues with the others', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp()
  ledger.hold('Accounts', { untilMs: timeline.now() + 5 * MINUTE_MS, refusals: 1 })
  prober.start()
  await clock.advance(5 * MINUTE_MS - 1)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(false)
  expect(asked.some(({ path }) => path.includes('/quotes/'))).toBe(true)
  await clock.advance(2_000)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(true)
  proves('Q6', { level: 1, cases: 1 })
})

test('skips a bucket whose lower bound is below 1', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp(0.5)
  const rate = { limit: 320, periodSeconds: 300, remaining: 0, resetSeconds: 300 }
  ledger.answered(ledger.sent('Accounts', timeline.now()), rate, timeline.now(), false)
  prober.start()
  await clock.advance(900)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(false)
  proves('Q6', { level: 1, cases: 1 })
})

test('skips a category whose requests another category counts', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp()
  for (const endpoint of ['Accounts', 'Balances']) {
    const rate = { remaining: 319, resource: 'accounts' }
    ledger.answered(ledger.sent(endpoint, timeline.now()), rate, timeline.now(), false)
  }
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(asked.some(({ path }) => path.endsWith('/accounts'))).toBe(true)
  expect(asked.some(({ path }) => path.endsWith('/balances'))).toBe(false)
})

test('sends nothing while checks are not allowed', async () => {
  const { clock, prober, asked, state } = setUp()
  state.may = false
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  expect(asked).toEqual([])
  state.may = true
  await clock.advance(1000)
  expect(asked.length).toBeGreaterThan(0)
})

test('a budget of 0 sends nothing and reads as off', async () => {
  const { clock, prober, asked } = setUp(0)
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(asked).toEqual([])
  expect(prober.summary().enabled).toBe(false)
})

test('a category’s own interval replaces the budget for that category alone', async () => {
  const { clock, prober, asked } = setUp(0, { Accounts: 30 })
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v3/brokerage/accounts']))
  expect(asked.length).toBe(21)
})

test('an own interval is measured between own checks, and pauses while programs receive headers', async () => {
  const { clock, timeline, ledger, prober, asked, state } = setUp(0, { Accounts: 30 })
  const header = () => {
    const ticket = ledger.sent('Accounts', timeline.now())
    ledger.answered(ticket, { remaining: 300, limit: 320 }, timeline.now(), false)
  }
  state.answer = async () => {
    // The response takes 3 s. The interval is still measured from start to start.
    await new Promise<void>((resolve) => clock.after(3_000, resolve))
    header()
    return { kind: 'answered', status: 200, body: '{}', hasQuota: true }
  }
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  expect(asked.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 11 }, (_, beat) => beat * 30_000))
  for (let call = 0; call < 60; call += 1) {
    await clock.advance(5_000)
    header()
  }
  expect(asked).toHaveLength(11)
  // The programs have stopped sending requests.
  await clock.advance(29_000)
  expect(asked).toHaveLength(11)
  await clock.advance(2_000)
  expect(asked).toHaveLength(12)
})

test('after a rejection without quota headers a category is skipped for ten minutes', async () => {
  const { clock, prober, asked, state } = setUp()
  state.answer = () => Promise.resolve({ kind: 'answered', status: 403, body: '', hasQuota: false })
  prober.start()
  await clock.advance(10 * MINUTE_MS - 1_000)
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(1)
  await clock.advance(2_000)
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(2)
})

test('has at most four requests in flight', async () => {
  const { clock, prober, asked, state } = setUp()
  state.answer = () => new Promise(() => {})
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  expect(asked.length).toBe(4)
})

test('a response that arrives after stop starts nothing', async () => {
  const { clock, prober, asked, state } = setUp()
  let answer: (value: ApiAnswer) => void = () => {}
  state.answer = () => new Promise((resolve) => (answer = resolve))
  prober.start()
  await clock.advance(1)
  const before = asked.length
  prober.stop()
  answer({ kind: 'answered', status: 200, body: JSON.stringify(ACCOUNTS), hasQuota: true })
  await clock.advance(10 * MINUTE_MS)
  expect(asked.length).toBe(before)
  expect(clock.pending).toBe(0)
})

test('a check that waited for a token is timed from its response, so that the next is a whole interval later', async () => {
  const { clock, prober, asked, state } = setUp()
  const at = () => asked.filter(({ path }) => path.includes('/strikes/')).map(({ atMs }) => atMs)
  state.answer = () =>
    new Promise((resolve) => {
      const answer = { kind: 'answered', status: 200, body: '', hasQuota: true } as const
      clock.after(20_000, () => resolve(answer))
    })
  prober.start()
  await clock.advance(54_000)
  expect(at().length).toBe(1)
  await clock.advance(2_000)
  expect(at().length).toBe(2)
})

test('a check that was never sent is refunded to the budget', async () => {
  const { clock, prober, asked, state } = setUp(0.002)
  const usual = state.answer
  state.answer = () => Promise.resolve({ kind: 'unreachable', why: 'connection refused', sent: false })
  prober.start()
  await clock.advance(30_000)
  expect(asked.length).toBeGreaterThan(1)
  expect(prober.summary()).toMatchObject({ perMinute: 0, usedFraction: 0 })
  state.answer = usual
  asked.length = 0
  await clock.advance(6_000)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(true)
})

test('a check whose response was lost is not refunded, because it may have counted', async () => {
  const { clock, prober, asked, state } = setUp(0.002)
  state.answer = () => Promise.resolve({ kind: 'unreachable', why: 'connection lost', sent: true })
  prober.start()
  await clock.advance(4 * MINUTE_MS)
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(1)
  expect(prober.summary().usedFraction).toBeGreaterThan(0)
})

test('checks are rarer while no window is visible, and resume their rate with the first one', async () => {
  const { clock, ledger, timeline, prober, asked, state } = setUp()
  state.answer = ({ path }) => {
    const category = categoryAt(path)
    const size = ledger.sizeOf(category)!
    const rate = {
      limit: size.limit,
      periodSeconds: size.periodMs / 1000,
      remaining: size.limit - 2,
      resetSeconds: 2,
    }
    ledger.answered(ledger.sent(category, timeline.now()), rate, timeline.now(), false)
    return Promise.resolve({ kind: 'answered', status: 200, body: JSON.stringify(ACCOUNTS), hasQuota: true })
  }
  const sentWithin = async (ms: number) => {
    asked.length = 0
    await clock.advance(ms)
    return asked.length
  }
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  const attended = await sentWithin(30 * MINUTE_MS)
  state.attended = false
  await clock.advance(10 * MINUTE_MS)
  const unattended = await sentWithin(30 * MINUTE_MS)
  expect(unattended).toBeGreaterThan(0)
  expect(unattended).toBeLessThan(attended / 1.5)
  await clock.advance(95_000)
  state.attended = true
  expect(await sentWithin(1_000)).toBeGreaterThan(0)
})

test('checks use the profile’s symbol and the key’s own account, and the summary names both', async () => {
  const { clock, prober, asked } = setUp(0.02, {}, 'BRK.B')
  prober.start()
  await clock.advance(1_000)
  expect(asked.map(({ path }) => path)).toContain('/v3/marketdata/quotes/BRK.B')
  expect(prober.summary()).toMatchObject({ symbol: 'BRK.B', account: 'SIM1001' })
})

test('a row that got 401 is checked at once with a new token, but only once', async () => {
  const { clock, prober, asked, state } = setUp()
  const accepted = state.answer
  state.answer = async () => ({ kind: 'answered', status: 401, body: '', hasQuota: false })
  prober.start()
  const count = () => asked.filter(({ path }) => path.endsWith('/accounts')).length
  await clock.advance(8_000)
  expect(count()).toBe(1)
  state.token = 'access 2'
  await clock.advance(1_000)
  expect(count()).toBe(2)
  await clock.advance(20_000)
  expect(count()).toBe(2)
  state.answer = accepted
  state.token = 'access 3'
  await clock.advance(1_000)
  expect(count()).toBe(3)
})

test('once one row accepts a rejected token, the other rows that rejected it are checked at once', async () => {
  const { clock, prober, asked, state } = setUp()
  const accepted = state.answer
  state.answer = async () => ({ kind: 'answered', status: 401, body: '', hasQuota: false })
  prober.start()
  // By then, each rejected row waits for two minutes after its last check.
  await clock.advance(240_000)
  const from = asked.length
  state.answer = accepted
  while (asked.length === from) await clock.advance(1_000)
  await clock.advance(2_000)
  const paths = new Set(asked.slice(from).map(({ path }) => path))
  expect(paths.size).toBe(new Set(asked.map(({ path }) => path)).size)
})
