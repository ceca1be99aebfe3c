import { expect, test } from 'vitest'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'

const START_MS = Date.UTC(2026, 0, 5, 14, 0)
const rate = (remaining: number) => ({
  limit: 320,
  periodSeconds: 300,
  remaining,
  resetSeconds: Math.ceil(((320 - remaining) * 300) / 320),
})

function used(ledger: MeteredLedger, nowMs: number) {
  return ledger.view(nowMs).find(({ category }) => category === 'Accounts')?.used
}

test('own requests count when answered or lost, and not when rate-limited or never sent', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  expect(used(ledger, START_MS)).toBeUndefined()
  ledger.answered(ledger.sent('Accounts', START_MS), undefined, START_MS + 100, false)
  ledger.lost(ledger.sent('Accounts', START_MS), START_MS + 200)
  ledger.notSent(ledger.sent('Accounts', START_MS), START_MS + 300)
  ledger.answered(ledger.sent('Accounts', START_MS), undefined, START_MS + 400, true)
  expect(used(ledger, START_MS + 500)).toEqual({ own: 2, elsewhere: 0 })
})

test('a 429 without a stated quota may have counted, and counts as own', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  ledger.rateLimitedUnattributed(ledger.sent('Accounts', START_MS), START_MS + 100)
  expect(used(ledger, START_MS + 100)).toEqual({ own: 1, elsewhere: 0 })
})

test('a request of the desk that is known late is not left among those of others', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  const header = (atMs: number, remaining: number) =>
    ledger.answered(ledger.sent('Accounts', atMs - 50), rate(remaining), atMs, false)
  const ofDesk = (sentAtMs: number, nowMs: number) =>
    ledger.answered(ledger.sentByDesk('Accounts', sentAtMs, nowMs), undefined, nowMs, false)
  header(START_MS, 300)
  // Since the first header, one own request and two of others were counted, and one request has refilled.
  header(START_MS + 1_000, 298)
  expect(used(ledger, START_MS + 1_000)).toEqual({ own: 2, elsewhere: 2 })
  ofDesk(START_MS + 900, START_MS + 1_200)
  expect(used(ledger, START_MS + 1_200)).toEqual({ own: 2, desk: 1, elsewhere: 1 })
  // Neither of these lowers others' use: the first was sent after the header, the second was reported too
  // late.
  ofDesk(START_MS + 1_100, START_MS + 1_200)
  ofDesk(START_MS + 900, START_MS + 4_000)
  expect(used(ledger, START_MS + 4_000)).toEqual({ own: 2, desk: 3, elsewhere: 1 })
})

test('requests that are known late take nothing from what others had used before', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  const header = (atMs: number, remaining: number) =>
    ledger.answered(ledger.sent('Accounts', atMs - 50), rate(remaining), atMs, false)
  header(START_MS, 300)
  header(START_MS + 1_000, 296)
  header(START_MS + 20_000, 310)
  expect(used(ledger, START_MS + 20_000)).toEqual({ own: 3, elsewhere: 9 })
  const sinceMs = START_MS + 2_000
  ledger.missedByDesk('Accounts', 9, { sinceMs, nowMs: START_MS + 21_000 })
  expect(used(ledger, START_MS + 21_000)).toEqual({ own: 3, desk: 9, elsewhere: 4 })
})

test('requests since an adopted header may be in it, so that only the lower bound falls', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  const nowMs = START_MS + 100
  const header = { sentAtMs: START_MS - 50, headerAtMs: START_MS, since: 3, nowMs }
  expect(ledger.adoptHeader('Accounts', rate(200), header)).toBe('Accounts')
  expect(ledger.rowAt('Accounts', nowMs)).toMatchObject({ low: 197, high: 200 })
  expect(used(ledger, nowMs)).toBeUndefined()
})

test('own requests of the last minute are known by their times, unless an earlier run has reported them', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  const own = (sentAtMs: number, nowMs = sentAtMs + 100) =>
    ledger.answered(ledger.sent('Accounts', sentAtMs), undefined, nowMs, false)
  own(START_MS)
  own(START_MS + 10_000)
  expect(ledger.recentOwn(START_MS + 60_000)).toEqual({ Accounts: [START_MS + 10_000] })
  const underWay = ledger.sent('Accounts', START_MS + 11_000)
  ledger.leftDesk(START_MS + 12_000)
  ledger.answered(underWay, undefined, START_MS + 13_000, false)
  expect(ledger.recentOwn(START_MS + 20_000)).toEqual({})
  for (let one = 0; one < 1_500; one += 1) own(START_MS + 20_000 + one)
  expect(ledger.recentOwn(START_MS + 22_000)['Accounts']).toHaveLength(500)
  expect(ledger.recentOwn(START_MS + 22_000)['Accounts']?.at(-1)).toBe(START_MS + 21_499)
})

test('a drop beyond own requests counts as others', () => {
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, START_MS)
  let elsewhere = 0
  const answer = (atMs: number, remaining: number) => {
    elsewhere += ledger.answered(ledger.sent('Accounts', atMs), rate(remaining), atMs, false).elsewhere
  }
  answer(START_MS, 319)
  answer(START_MS + 1_000, 250)
  answer(START_MS + 2_000, 200)
  expect(elsewhere).toBeGreaterThan(50)
  expect(used(ledger, START_MS + 2_000)).toEqual({ own: 3, elsewhere: Math.floor(elsewhere) })
})
