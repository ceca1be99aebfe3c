import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CURRENT_REQUEST_QUOTAS, categoryOf } from '../../../app/service/categories.ts'
import { firstAccount, probeRequest } from '../../../main/api/prober.ts'

test('every check counts against its category', () => {
  for (const { category } of CURRENT_REQUEST_QUOTAS) {
    const request = probeRequest(category, { account: 'SIM1001', symbol: 'MSFT' })
    if (request) expect(categoryOf(request.method, request.path)).toBe(category)
  }
})

test('endpoints that place orders or open streams have no check', () => {
  const without = CURRENT_REQUEST_QUOTAS.map(({ category }) => category).filter(
    (category) => !probeRequest(category, { account: 'SIM1001', symbol: 'MSFT' }),
  )
  expect(without).toEqual([
    'Option Risk Reward',
    'Quote Change Stream',
    'Barchart Stream',
    'TickBar Stream',
    'MarketDepth Stream',
  ])
})

test('an account id that cannot be part of a path is skipped', () => {
  const body = (...ids: unknown[]) => JSON.stringify({ Accounts: ids.map((AccountID) => ({ AccountID })) })
  expect(firstAccount(body('../x', 'A/B', 'SIM1001'))).toBe('SIM1001')
  expect(firstAccount(body('a?b'))).toBeUndefined()
  expect(firstAccount(body(7))).toBeUndefined()
})

test('no response makes it throw, and every account id it accepts fits a path', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const account = firstAccount(body)
      return account === undefined || /^[A-Za-z0-9]{1,20}$/.test(account)
    }),
  )
})
