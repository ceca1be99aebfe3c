import { expect, test } from 'vitest'
import { Ledger } from '../../../app/quota/ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/quotas.ts'
import type { ApiAnswer, ApiRequest } from '../../../main/api/client.ts'
import { Prober } from '../../../main/api/prober.ts'
import { Timeline } from '../../../main/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

const MINUTE_MS = 60_000
const ACCOUNTS = { Accounts: [{ AccountID: 'SIM1001' }] }

function setUp(budgetFraction = 0.02, everySeconds: Readonly<Record<string, number>> = {}) {
  const clock = new VirtualClock()
  const timeline = new Timeline(clock)
  const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, timeline.now())
  const asked: { readonly path: string; readonly atMs: number }[] = []
  const state = {
    may: true,
    attended: true,
    /** What becomes of a request that the quota allows. */
    answer: (request: ApiRequest): Promise<ApiAnswer> => {
      const ticket = ledger.sent(categoryAt(request.path), timeline.now())
      ledger.answered(ticket, undefined, timeline.now(), false)
      return Promise.resolve({
        kind: 'answered',
        status: 200,
        body: JSON.stringify(ACCOUNTS),
        hasQuota: true,
      })
    },
  }
  const prober = new Prober(
    { budgetFraction, everySeconds },
    {
      clock,
      timeline,
      quotas: ledger,
      attended: () => state.attended,
      request: (request) => {
        asked.push({ path: request.path, atMs: clock.monotonicMs() })
        return state.answer(request)
      },
      mayProbe: () => state.may,
    },
  )
  return { clock, timeline, ledger, prober, asked, state }
}

const PATHS: readonly (readonly [string, string])[] = [
  ['/balances', 'Balances'],
  ['/positions', 'Positions'],
  ['/orders', 'Order Details'],
  ['/expirations/', 'Option Expirations'],
  ['/strikes/', 'Option Strikes'],
  ['/spreadtypes', 'Option Spread Types'],
  ['/quotes/', 'Quote Snapshot'],
]
const categoryAt = (path: string) => PATHS.find(([part]) => path.includes(part))?.[1] ?? 'Accounts'

test('sends no more probes in any period than the budget allows', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  await clock.advance(30 * MINUTE_MS)
  for (const { category, limit, periodSeconds } of CURRENT_REQUEST_QUOTAS) {
    const times = asked.filter(({ path }) => categoryAt(path) === category).map(({ atMs }) => atMs)
    const most = Math.max(1, limit * 0.02)
    for (const from of times) {
      const inPeriod = times.filter((at) => at >= from && at < from + periodSeconds * 1000)
      expect(inPeriod.length, category).toBeLessThanOrEqual(most)
    }
  }
  expect(prober.summary().usedFraction).toBeLessThanOrEqual(0.02)
})

test('asks for accounts first, and for what needs an account once it knows one', async () => {
  const { clock, prober, asked } = setUp()
  prober.start()
  await clock.advance(1)
  const paths = asked.map(({ path }) => path)
  expect(paths.indexOf('/v3/brokerage/accounts')).toBe(0)
  expect(paths).toContain('/v3/brokerage/accounts/SIM1001/positions')
})

test('never asks for streams or for what places orders', async () => {
  const { clock, prober, asked } = setUp(0.5)
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(asked.filter(({ path }) => /stream|riskreward/.test(path))).toEqual([])
})

test('stays out of a held category until the hold ends, and goes on with the others', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp()
  ledger.hold('Accounts', { untilMs: timeline.now() + 5 * MINUTE_MS, refusals: 1 })
  prober.start()
  await clock.advance(5 * MINUTE_MS - 1)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(false)
  expect(asked.some(({ path }) => path.includes('/quotes/'))).toBe(true)
  await clock.advance(2_000)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(true)
})

test('stays out of a bucket whose lower bound is below 1', async () => {
  const { clock, timeline, ledger, prober, asked } = setUp(0.5)
  const rate = { limit: 320, periodSeconds: 300, remaining: 0, resetSeconds: 300 }
  ledger.answered(ledger.sent('Accounts', timeline.now()), rate, timeline.now(), false)
  prober.start()
  await clock.advance(900)
  expect(asked.some(({ path }) => path === '/v3/brokerage/accounts')).toBe(false)
})

test('leaves alone a category whose requests are counted elsewhere', async () => {
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

test('sends nothing while it may not', async () => {
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

test('an interval of its own replaces the budget for its category alone', async () => {
  const { clock, prober, asked } = setUp(0, { Accounts: 30 })
  prober.start()
  await clock.advance(10 * MINUTE_MS)
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v3/brokerage/accounts']))
  expect(asked.length).toBe(21)
})

test('after a refusal that shows no quota a category is left alone for ten minutes', async () => {
  const { clock, prober, asked, state } = setUp()
  state.answer = () => Promise.resolve({ kind: 'answered', status: 403, body: '', hasQuota: false })
  prober.start()
  await clock.advance(10 * MINUTE_MS - 1_000)
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(1)
  await clock.advance(2_000)
  expect(asked.filter(({ path }) => path === '/v3/brokerage/accounts').length).toBe(2)
})

test('has at most four requests under way', async () => {
  const { clock, prober, asked, state } = setUp()
  state.answer = () => new Promise(() => {})
  prober.start()
  await clock.advance(5 * MINUTE_MS)
  expect(asked.length).toBe(4)
})

test('after stop an answer that still comes starts nothing', async () => {
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

test('a probe that waited for a token counts from its answer, so that the next is a whole period later', async () => {
  const { clock, prober, asked, state } = setUp()
  const at = () => asked.filter(({ path }) => path.includes('/strikes/')).map(({ atMs }) => atMs)
  state.answer = () =>
    new Promise((resolve) => {
      const answer = { kind: 'answered', status: 200, body: '', hasQuota: true } as const
      clock.after(20_000, () => resolve(answer))
    })
  prober.start()
  await clock.advance(79_999)
  expect(at().length).toBe(1)
  await clock.advance(10_000)
  expect(at().length).toBe(2)
})
