import { expect, test } from 'vitest'
import { type DeskKey, deskMarks, differenceOf } from '../../../main/desk/marks.ts'
import { DESK_KEY, exampleMembership } from './example-desk.ts'

const { secret, marks } = exampleMembership()
const compared = (key: Partial<DeskKey>) => differenceOf(marks, deskMarks(secret, { ...DESK_KEY, ...key }))

test('a desk differs from a key of another client, host or user, in this order', () => {
  expect(compared({})).toBeUndefined()
  expect(compared({ subject: 'auth0|2' })).toBe('user')
  expect(compared({ baseUrl: 'https://sim-api.test', subject: 'auth0|2' })).toBe('host')
  expect(compared({ clientId: 'other', baseUrl: 'https://sim-api.test' })).toBe('client')
})

test('a user is compared only where both sides know one', () => {
  expect(compared({ subject: undefined })).toBeUndefined()
  const nameless = deskMarks(secret, { ...DESK_KEY, subject: undefined })
  expect(nameless).not.toHaveProperty('user')
  expect(differenceOf(nameless, marks)).toBeUndefined()
})

test('two desks of one key have no mark in common, nor do two fields with one value', () => {
  const { marks: others } = exampleMembership()
  expect(others.client).not.toBe(marks.client)
  expect(others.user).not.toBe(marks.user)
  const same = deskMarks(secret, { clientId: 'api.test', baseUrl: 'https://api.test', subject: 'api.test' })
  expect(new Set(Object.values(same)).size).toBe(3)
})
