import { expect, it } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { EVENT_FILTERS, eventText, passes } from '../../../renderer/events/shown-events.ts'
import { EVENTS } from '../fixtures.ts'

it('shows each event under "all" and exactly one other filter', () => {
  for (const event of EVENTS) {
    expect(EVENT_FILTERS.filter((filter) => passes(event, filter))).toHaveLength(2)
  }
})

it('shows an unknown kind under "all" only', () => {
  const newer = { ...EVENTS[0], kind: 'of-tomorrow' } as unknown as LoggedEvent
  expect(EVENT_FILTERS.filter((filter) => passes(newer, filter))).toEqual(['all'])
})

it('copies whole request ids, and times in UTC', () => {
  expect(eventText(EVENTS.slice(1, 2), 'sealed')).toMatch(
    /^2026-03-13T14:12:40\.000Z {2}429 on Quote Snapshot · safe to retry at .* · request a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2\n$/,
  )
})
