import { expect, test } from 'vitest'
import { ProgramLogs } from './logs.ts'

test('programs are idle once each machine reports that and each request has ended', () => {
  const logs = new ProgramLogs()
  const sent = (id: string) =>
    logs.add({ kind: 'sent', id, program: 'a-bot', path: '/v3/brokerage/accounts', atMs: 1 })
  const ended = (id: string) => logs.add({ kind: 'ended', id, atMs: 2 })
  sent('a-1')
  ended('a-1')
  // A busy machine may still send the requests that it was about to send.
  expect(logs.isAtRest(2)).toBe(false)
  logs.add({ kind: 'rested' })
  sent('b-1')
  logs.add({ kind: 'rested' })
  expect(logs.isAtRest(2)).toBe(false)
  ended('b-1')
  expect(logs.isAtRest(2)).toBe(true)
})
