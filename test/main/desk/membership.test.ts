import { describe, expect, test } from 'vitest'
import { membershipIn, membershipText } from '../../../main/desk/membership.ts'
import { exampleMembership } from './example-desk.ts'

const whole = exampleMembership({ tlsCa: '/etc/nats/ca.pem', credentials: 'user:CANARY-password' })

describe('a stored membership', () => {
  test.each([
    ['with all', whole],
    ['with the least', exampleMembership()],
  ])('%s reads back', (_, membership) => {
    expect(membershipIn({ kind: 'found', text: membershipText(membership) })).toEqual({
      kind: 'member',
      membership,
    })
  })

  test.each([
    ['of a newer version', membershipText(whole).replace('"version":1', '"version":2')],
    ['without a secret', membershipText({ ...whole, secret: '' })],
    ['that is no JSON', '{'],
  ])('%s is from another version', (_, text) => {
    expect(membershipIn({ kind: 'found', text })).toMatchObject({
      kind: 'lost',
      line: expect.stringContaining('another version'),
    })
  })

  test('that cannot be opened says why and what to do', () => {
    const lineOf = (reading: Parameters<typeof membershipIn>[0]) => membershipIn(reading)
    expect(lineOf({ kind: 'none' })).toEqual({ kind: 'none' })
    expect(lineOf({ kind: 'lost', state: 'record-corrupt' })).toEqual({
      kind: 'lost',
      line: 'The saved desk is damaged. Leave it, then join again.',
    })
    expect(lineOf({ kind: 'lost', state: 'key-changed' })).toEqual({
      kind: 'lost',
      line: 'The saved desk can’t be decrypted. Leave it, then join again.',
    })
    expect(lineOf({ kind: 'unreadable', why: 'disk full' })).toEqual({
      kind: 'lost',
      line: 'The saved desk can’t be read: disk full. Try again.',
    })
  })
})
