import { expect, test } from 'vitest'
import { RowHeaders } from '../../../app/desk/row-headers.ts'

const header = (from: string, sentAtMs: number) => ({
  from,
  rate: { remaining: 5 },
  sentAtMs,
  atMs: sentAtMs + 50,
})

test('the member with the newest header checks a row at once, the others one after the other', () => {
  const headers = new RowHeaders()
  headers.seen('Accounts', header('b', 1_000))
  const waits = ['a', 'b', 'c'].map((id) => headers.yieldMs('Accounts', id, ['c', 'a', 'b']))
  expect(waits).toEqual([3_000, 0, 6_000])
})

test('an older header changes nothing', () => {
  const headers = new RowHeaders()
  headers.seen('Accounts', header('b', 1_000))
  headers.counted('Accounts')
  headers.seen('Accounts', header('a', 999))
  expect(headers.of('Accounts')).toMatchObject({ from: 'b', since: 1 })
  headers.seen('Accounts', header('a', 1_001))
  expect(headers.of('Accounts')).toMatchObject({ from: 'a', since: 0 })
})

test('if the member with the newest header is gone, the first of the others checks at once', () => {
  const headers = new RowHeaders()
  headers.seen('Accounts', header('b', 1_000))
  const waits = ['a', 'c'].map((id) => headers.yieldMs('Accounts', id, ['a', 'c']))
  expect(waits).toEqual([0, 3_000])
})

test('a row without a header is checked by the members one after the other', () => {
  const headers = new RowHeaders()
  const waits = ['a', 'b'].map((id) => headers.yieldMs('Accounts', id, ['a', 'b']))
  expect(waits).toEqual([0, 3_000])
})
