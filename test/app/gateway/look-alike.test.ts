import { expect, test } from 'vitest'
import { looksAlike } from '../../../app/contract/programs.ts'

test.each([
  ['bot', 'bοt'],
  ['cop', 'сор'],
  ['TOM', 'ΤΟΜ'],
  ['TOM', 'ТОМ'],
  ['bot', 'ｂｏｔ'],
  ['bot', 'Bot'],
  ['café', 'cafe\u0301'],
])('%j and %j can be confused', (one, other) => {
  expect(looksAlike(one, other)).toBe(true)
  expect(looksAlike(other, one)).toBe(true)
})

test.each([
  ['bot', 'bat'],
  ['bot', 'bot1'],
  ['cafe', 'café'],
  ['strasse', 'straße'],
  ['робот', 'робик'],
])('%j and %j cannot', (one, other) => expect(looksAlike(one, other)).toBe(false))
