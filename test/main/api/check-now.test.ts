import { expect, test } from 'vitest'
import { setUp } from './scripted-prober.ts'

test('sends one check, which counts against the budget', async () => {
  const { clock, prober, asked } = setUp(0.02)
  const answer = prober.checkNow('Accounts')
  await clock.advance(0)
  expect(await answer).toEqual({ ok: true })
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(1)
  expect(prober.summary().usedFraction).toBeGreaterThan(0)
})

test('a request that is no check counts against the budget too, and may exceed it', async () => {
  const { prober, asked } = setUp(0.002)
  prober.count('Accounts')
  prober.count('Accounts')
  expect(await prober.checkNow('Accounts')).toMatchObject({ ok: false })
  expect(asked).toEqual([])
})

test('works with automatic checks off, because a person asked', async () => {
  const { prober, asked } = setUp(0)
  expect(await prober.checkNow('Accounts')).toEqual({ ok: true })
  expect(asked.length).toBe(1)
})

test('never checks a paused category, and says when it can', async () => {
  const { timeline, ledger, prober, asked } = setUp()
  const untilMs = timeline.now() + 40_000
  ledger.hold('Accounts', { untilMs, refusals: 1 })
  expect(await prober.checkNow('Accounts')).toMatchObject({ ok: false, code: 'held', retryAt: untilMs })
  expect(asked).toEqual([])
})

test('never checks a bucket with less than one whole request', async () => {
  const { timeline, ledger, prober, asked } = setUp()
  const rate = { limit: 320, periodSeconds: 300, remaining: 0, resetSeconds: 300 }
  ledger.answered(ledger.sent('Accounts', timeline.now()), rate, timeline.now(), false)
  const refusal = await prober.checkNow('Accounts')
  expect(refusal).toMatchObject({ ok: false, code: 'nothing-left' })
  expect(asked).toEqual([])
})

test('stays within the budget, and says when the budget allows the next check', async () => {
  const { clock, timeline, prober, asked } = setUp(0.002)
  const startedMs = timeline.now()
  await prober.checkNow('Accounts')
  await clock.advance(10_000)
  expect(await prober.checkNow('Accounts')).toMatchObject({
    ok: false,
    code: 'budget-spent',
    retryAt: startedMs + 300_000,
  })
  await clock.advance(290_000)
  expect(await prober.checkNow('Accounts')).toEqual({ ok: true })
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(2)
})

test('reports what it needs and what it cannot check', async () => {
  const { timeline, ledger, prober, state } = setUp()
  expect(await prober.checkNow('Positions')).toMatchObject({ code: 'no-account' })
  expect(await prober.checkNow('Option Risk Reward')).toMatchObject({ code: 'not-probed' })
  for (const endpoint of ['Accounts', 'Balances']) {
    const rate = { remaining: 319, resource: 'accounts' }
    ledger.answered(ledger.sent(endpoint, timeline.now()), rate, timeline.now(), false)
  }
  expect(await prober.checkNow('Balances')).toMatchObject({ code: 'counted-elsewhere' })
  state.may = false
  expect(await prober.checkNow('Accounts')).toMatchObject({ code: 'cannot-ask' })
})

test('a response without quota headers is not a success', async () => {
  const { prober, state } = setUp()
  state.answer = () => Promise.resolve({ kind: 'answered', status: 503, body: '', hasQuota: false })
  expect(await prober.checkNow('Accounts')).toMatchObject({ ok: false, code: 'no-headers' })
})
