import { expect, test } from 'vitest'
import { announcerOf } from '../../../app/desk/announcer.ts'

test('the machine that a person used last announces', () => {
  expect(
    announcerOf([
      { id: 'a', inputAge: 600_000 },
      { id: 'b', inputAge: 61_000 },
      { id: 'c', inputAge: undefined },
    ]),
  ).toBe('b')
})

test('of machines in use within a minute always the same announces', () => {
  for (const [first, second] of [
    [0, 59_000],
    [59_000, 0],
  ])
    expect(
      announcerOf([
        { id: 'b', inputAge: first },
        { id: 'a', inputAge: second },
      ]),
    ).toBe('a')
})

test('without a machine in use, the smallest id announces, and an empty desk has no announcer', () => {
  expect(announcerOf([{ id: 'b' }, { id: 'a' }])).toBe('a')
  expect(announcerOf([])).toBeUndefined()
})
