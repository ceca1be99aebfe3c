import { expect, test } from 'vitest'
import { Ledger } from '../../../app/quota/ledger.ts'
import { alsoCounts, shownRows } from '../../../app/quota/verdict.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'

const rate = (resource: string) => ({
  limit: 320,
  periodSeconds: 300,
  remaining: 300,
  resetSeconds: 19,
  resource,
})
const categories = (ledger: Ledger) => shownRows(ledger.view(0)).map(({ category }) => category)

test('a row counted by another row is hidden, and the other names it', () => {
  const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, 0)
  expect(categories(ledger).length).toBe(CURRENT_REQUEST_QUOTAS.length)
  ledger.answered(ledger.sent('Accounts', 0), rate('brokerage'), 0, false)
  ledger.answered(ledger.sent('Balances', 0), rate('brokerage'), 0, false)
  expect(categories(ledger)).not.toContain('Balances')
  expect(categories(ledger)).toContain('Accounts')
  expect(alsoCounts(ledger.view(0), 'Accounts')).toEqual(['Balances'])
  expect(ledger.view(0).find(({ category }) => category === 'Balances')?.countedBy).toBe('Accounts')
})

test('a row that a header named stays, even after its endpoint moved', () => {
  const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, 0)
  ledger.answered(ledger.sent('Balances', 0), rate('balances'), 0, false)
  ledger.answered(ledger.sent('Accounts', 0), rate('accounts'), 0, false)
  ledger.answered(ledger.sent('Balances', 0), rate('accounts'), 0, false)
  expect(categories(ledger)).toContain('Balances')
  expect(alsoCounts(ledger.view(0), 'Accounts')).toEqual([])
})
