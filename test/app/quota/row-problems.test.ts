import { expect, test } from 'vitest'
import { RowProblems } from '../../../app/quota/row-problems.ts'

test('a problem stands with its status, message and beginning until the next number', () => {
  const problems = new RowProblems()
  problems.refused('Accounts', { status: 403, message: 'Forbidden' }, 1_000)
  problems.refused('Accounts', { status: 403, message: 'Still forbidden' }, 9_000)
  expect(problems.of('Accounts')).toEqual({ status: 403, message: 'Still forbidden', since: 1_000 })
  problems.refused('Accounts', { status: 500 }, 12_000)
  expect(problems.of('Accounts')).toEqual({ status: 500, since: 12_000 })
  problems.answered('Accounts')
  expect(problems.of('Accounts')).toBeUndefined()
})

test.each([401, 500, 503])('a %d on many rows is one event at its start and one at its end', (status) => {
  const problems = new RowProblems()
  const rows = ['Accounts', 'Balances', 'Positions']
  const begun = rows.flatMap((row) => problems.refused(row, { status }, 1_000) ?? [])
  expect(begun).toEqual([{ kind: 'requests-refused', category: 'Accounts', status }])
  const ended = rows.flatMap((row) => problems.answered(row) ?? [])
  expect(ended).toEqual([{ kind: 'requests-answered', category: 'Positions', status, since: 1_000 }])
})

test('a missing permission is an event of each row, told once', () => {
  const problems = new RowProblems()
  const told = ['Accounts', 'Balances', 'Accounts'].flatMap(
    (row) => problems.refused(row, { status: 403 }, 5) ?? [],
  )
  expect(told.map(({ category }) => category)).toEqual(['Accounts', 'Balances'])
})

test('a number on a row without a problem ends nothing', () => {
  expect(new RowProblems().answered('Accounts')).toBeUndefined()
})

test('an answer of something else is the problem of its row without an event; the service’s own is told after it', () => {
  const problems = new RowProblems()
  problems.strange('Accounts', { status: 418 }, 1_000)
  expect(problems.of('Accounts')).toEqual({ status: 418, since: 1_000 })
  expect(problems.refused('Accounts', { status: 418 }, 2_000)).toEqual({
    kind: 'requests-refused',
    category: 'Accounts',
    status: 418,
  })
})
