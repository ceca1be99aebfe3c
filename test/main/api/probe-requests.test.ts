import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CURRENT_REQUEST_QUOTAS, categoryOf } from '../../../app/service/categories.ts'
import { accountsIn } from '../../../main/api/account-list.ts'
import { probeRequest } from '../../../main/api/prober.ts'

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
  expect(accountsIn(body('../x', 'A/B', 'SIM1001'))?.[0]).toBe('SIM1001')
  expect(accountsIn(body('a?b'))?.[0]).toBeUndefined()
  expect(accountsIn(body(7))?.[0]).toBeUndefined()
})

test('no response makes it throw, and every account id it accepts fits a path', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const account = accountsIn(body)?.[0]
      return account === undefined || /^[A-Za-z0-9]{1,20}$/.test(account)
    }),
  )
})
