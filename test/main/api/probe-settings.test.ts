import { expect, test } from 'vitest'
import { MINUTE_MS, setUp } from './scripted-prober.ts'

test('when off it sends nothing, but a person can still check within the budget', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  prober.change({ enabled: false, budgetFraction: 0.02, everySeconds: { Accounts: 5 } })
  await clock.advance(2_000)
  asked.length = 0
  await clock.advance(20 * MINUTE_MS)
  expect(asked).toEqual([])
  expect(prober.summary()).toMatchObject({ enabled: false, budgetFraction: 0.02 })
  expect(await prober.checkNow('Option Spread Types')).toEqual({ ok: true })
  // 2 % of 90 are 1.8 checks per period. If a second check is made, later checks are postponed.
  expect(await prober.checkNow('Option Spread Types')).toEqual({ ok: true })
  expect(await prober.checkNow('Option Spread Types')).toMatchObject({ code: 'budget-spent' })
})

test('checks already sent count against a smaller budget', async () => {
  const { clock, prober, asked } = setUp(0.2)
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  prober.change({ budgetFraction: 0.001, everySeconds: {} })
  await clock.advance(1_000)
  asked.length = 0
  await clock.advance(4 * MINUTE_MS)
  expect(asked.filter(({ path }) => path.includes('/quotes/'))).toEqual([])
})

test('after a rejected symbol, a new symbol is checked without waiting', async () => {
  const { clock, prober, asked, state } = setUp()
  const usual = state.answer
  state.answer = (request) =>
    request.path.includes('MSFT')
      ? Promise.resolve({ kind: 'answered', status: 403, body: '', hasQuota: false })
      : usual(request)
  prober.start()
  await clock.advance(MINUTE_MS)
  asked.length = 0
  await clock.advance(MINUTE_MS)
  expect(asked.some(({ path }) => path.includes('/quotes/'))).toBe(false)
  prober.change({ budgetFraction: 0.02, everySeconds: {}, symbol: 'AAPL' })
  expect(asked.some(({ path }) => path.endsWith('/quotes/AAPL'))).toBe(true)
})

test('a late rejection of the former symbol does not pause checks of the new one', async () => {
  const { clock, prober, asked, state } = setUp(0.5)
  const usual = state.answer
  const late = Promise.withResolvers<void>()
  state.answer = async (request) => {
    if (!request.path.endsWith('/quotes/MSFT')) return usual(request)
    await late.promise
    return { kind: 'answered', status: 403, body: '', hasQuota: false }
  }
  prober.start()
  await clock.advance(MINUTE_MS)
  prober.change({ budgetFraction: 0.5, everySeconds: {}, symbol: 'AAPL' })
  late.resolve()
  await clock.advance(MINUTE_MS)
  expect(asked.some(({ path }) => path.endsWith('/quotes/AAPL'))).toBe(true)
})
