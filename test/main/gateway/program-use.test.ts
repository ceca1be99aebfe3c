import { expect, test } from 'vitest'
import { ProgramUse, shownCategory } from '../../../main/gateway/program-use.ts'

const perSecond = (use: ProgramUse, nowMs: number) => use.byCategory(nowMs).map((one) => one.perSecond * 60)

test('requests count by category, their rates over the last minute', () => {
  const use = new ProgramUse()
  use.forwarded('Accounts', 1_000)
  use.forwarded('Accounts', 1_999)
  use.forwarded('Quotes', 5_000)
  expect(use.byCategory(5_000)).toEqual([
    { category: 'Accounts', forwarded: 2, perSecond: 2 / 60 },
    { category: 'Quotes', forwarded: 1, perSecond: 1 / 60 },
  ])
})

test('a request leaves the rate a minute later, and stays in the total', () => {
  const use = new ProgramUse()
  use.forwarded('Accounts', 0)
  use.forwarded('Accounts', 30_000)
  expect(perSecond(use, 59_999)).toEqual([2])
  expect(perSecond(use, 60_000)).toEqual([1])
  use.forwarded('Accounts', 60_000)
  expect(perSecond(use, 89_999)).toEqual([2])
  expect(perSecond(use, 90_000)).toEqual([1])
  expect(perSecond(use, 10_000_000)).toEqual([0])
  expect(use.byCategory(10_000_000)[0]?.forwarded).toBe(3)
})

test('each second of a minute counts, also after a long silence', () => {
  const use = new ProgramUse()
  use.forwarded('Accounts', 1_000_000)
  for (let second = 5_000; second < 5_060; second += 1) use.forwarded('Accounts', second * 1000)
  expect(perSecond(use, 5_059_000)).toEqual([60])
  expect(perSecond(use, 5_060_000)).toEqual([59])
})

test('a clock that goes back removes nothing', () => {
  const use = new ProgramUse()
  use.forwarded('Accounts', 100_000)
  use.forwarded('Accounts', 40_000)
  expect(perSecond(use, 50_000)).toEqual([2])
})

test('shows a quota without a name under no path, which may name an account', () => {
  expect(shownCategory('/v3/brokerage/accounts/SIM1001')).toBe('Other paths')
  expect(shownCategory('Accounts')).toBe('Accounts')
  expect(shownCategory('Bars/Quotes')).toBe('Bars/Quotes')
})
