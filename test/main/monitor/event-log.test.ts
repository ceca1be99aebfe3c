import { expect, test } from 'vitest'
import { EventLog } from '../../../main/monitor/event-log.ts'

test('numbers events from 1, across profiles', () => {
  const log = new EventLog()
  expect(log.add({ kind: 'revoked' }, 'a', 10.6)).toEqual({ kind: 'revoked', profile: 'a', seq: 1, at: 11 })
  expect(log.add({ kind: 'revoked' }, 'b', 12)).toMatchObject({ profile: 'b', seq: 2 })
})

test('returns the events after a number, oldest first, at most the newest 500', () => {
  const log = new EventLog()
  for (let at = 1; at <= 2_345; at += 1) log.add({ kind: 'revoked' }, 'a', at)
  expect(log.after(2_343).map(({ seq }) => seq)).toEqual([2_344, 2_345])
  const all = log.after(0)
  expect([all.length, all[0]?.seq, all.at(-1)?.seq]).toEqual([500, 1_846, 2_345])
  expect(log.after(2_345)).toEqual([])
})
