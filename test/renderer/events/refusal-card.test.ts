import '../utc.ts'
import { expect, test } from 'vitest'
import { incidentLines } from '../../../app/conditions/incidents.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { refusalCard, supportText } from '../../../renderer/events/refusal-card.ts'

const AT = Date.UTC(2026, 2, 13, 14, 31, 5)
const refusal: LoggedEvent = {
  seq: 1,
  at: AT,
  profile: 'a',
  kind: 'rate-limited',
  category: 'Positions',
  retryAt: AT + 60_000,
  requestId: 'r-1',
  before: { limit: 320, low: 3, high: 9, own: 2, othersLow: 70, othersHigh: 84 },
}
const cardOf = (...events: readonly LoggedEvent[]) => {
  const [line] = incidentLines(events)
  return line && refusalCard(line)
}

test('a 429 shows the level before it, both uses of its last minute and its request id', () => {
  expect(cardOf(refusal)?.facts).toEqual([
    { name: 'Left before', value: '3–9 of 320 (estimate)' },
    { name: 'Headroom, last 60 s', value: '2 requests' },
    { name: 'Others, last 60 s', value: '70–84 requests (estimate)' },
    { name: '429s', value: '1' },
    { name: 'Reset at', value: '14:32:05' },
    { name: 'Request id', value: 'r-1' },
  ])
})

test('a 429 of an earlier version shows these as unknown', () => {
  const { before: _, requestId: __, ...old } = refusal as LoggedEvent & { kind: 'rate-limited' }
  expect(cardOf(old)?.facts[0]).toEqual({ name: 'Left before', value: 'unknown' })
  expect(cardOf(old)?.facts.at(-1)).toEqual({ name: 'Request id', value: 'none given' })
})

test('support gets the category, the time in UTC and every request id', () => {
  const card = cardOf(refusal, { ...refusal, seq: 2, requestId: 'r-2' })
  const text = card ? supportText(card) : ''
  expect(text).toContain('429 on Positions at 2026-03-13T14:31:05.000Z\n')
  expect(text).toContain('Request id: r-1, r-2')
})

test('another event has no card', () => {
  expect(cardOf({ seq: 1, at: AT, profile: 'a', kind: 'revoked' })).toBeUndefined()
})
