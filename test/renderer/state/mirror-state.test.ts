import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import {
  EMPTY_MIRROR,
  lastSeq,
  MAX_EVENTS,
  withAllSnapshots,
  withEvents,
  withPushedSnapshot,
} from '../../../renderer/state/mirror-state.ts'
import { EVENTS, NOW_MS, snapshot } from '../fixtures.ts'

const times = { askedMs: NOW_MS, receivedMs: NOW_MS }
const nobody = { heardOf: new Set<string>(), removed: new Set<string>() }
const two = { id: 'two', name: 'Second key', environment: 'sim' } as const

describe('the mirror state', () => {
  it('drops an older revision, however it arrives', () => {
    const state = withPushedSnapshot(EMPTY_MIRROR, snapshot({ revision: 5 }), NOW_MS)
    expect(withPushedSnapshot(state, snapshot({ revision: 4 }), NOW_MS).snapshots).toBe(state.snapshots)
    expect(withAllSnapshots(state, [snapshot({ revision: 4 })], times, nobody).snapshots[0]?.revision).toBe(5)
  })

  it('accepts a later snapshot of the same revision', () => {
    const state = withPushedSnapshot(EMPTY_MIRROR, snapshot({ revision: 5 }), NOW_MS)
    const later = withPushedSnapshot(state, snapshot({ revision: 5, at: NOW_MS + 1000 }), NOW_MS + 1000)
    expect(later.snapshots[0]?.at).toBe(NOW_MS + 1000)
  })

  it('counts revisions per profile and keeps profiles in order', () => {
    let state = withPushedSnapshot(EMPTY_MIRROR, snapshot({ revision: 9 }), NOW_MS)
    state = withPushedSnapshot(state, snapshot({ profile: two }), NOW_MS)
    state = withPushedSnapshot(state, snapshot({ revision: 10 }), NOW_MS)
    expect(state.snapshots.map((one) => [one.profile.id, one.revision])).toEqual([
      ['main', 10],
      ['two', 1],
    ])
  })

  it('forgets a profile that main no longer lists, but not one pushed during the request', () => {
    let state = withPushedSnapshot(EMPTY_MIRROR, snapshot(), NOW_MS)
    state = withPushedSnapshot(state, snapshot({ profile: two }), NOW_MS)
    expect(withAllSnapshots(state, [snapshot()], times, nobody).snapshots).toHaveLength(1)
    const meanwhile = { ...nobody, heardOf: new Set(['two']) }
    expect(withAllSnapshots(state, [snapshot()], times, meanwhile).snapshots).toHaveLength(2)
  })

  it('does not restore a profile that was removed during the request', () => {
    const meanwhile = { ...nobody, removed: new Set(['main']) }
    expect(withAllSnapshots(EMPTY_MIRROR, [snapshot()], times, meanwhile).snapshots).toEqual([])
  })

  it('shows each event once, newest first, however it arrived', () => {
    const [first, second, third] = EVENTS as [LoggedEvent, LoggedEvent, LoggedEvent]
    let state = withEvents(EMPTY_MIRROR, [third])
    state = withEvents(state, [first, second, third])
    expect(state.events.map((event) => event.seq)).toEqual([3, 2, 1])
    expect(lastSeq(state)).toBe(3)
    expect(withEvents(state, [second])).toBe(state)
  })

  it('keeps a bounded number of events', () => {
    const many = Array.from({ length: MAX_EVENTS + 50 }, (_, index) => ({ ...EVENTS[0]!, seq: index + 1 }))
    const { events } = withEvents(EMPTY_MIRROR, many)
    expect(events).toHaveLength(MAX_EVENTS)
    expect(events[0]?.seq).toBe(MAX_EVENTS + 50)
  })
})
