import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { Link } from '../../../renderer/api/window-api.ts'
import { Mirror } from '../../../renderer/state/mirror.ts'
import { EVENTS, NOW_MS, snapshot } from '../fixtures.ts'
import { settled, VirtualWindowClock } from '../virtual-window-clock.ts'

const HELLO = { version: '0.1.0', host: 'browser' } as const

function mirrored() {
  const clock = new VirtualWindowClock(NOW_MS)
  const said: string[] = []
  const snapshotListeners = new Set<(one: Snapshot) => void>()
  const eventListeners = new Set<(one: LoggedEvent) => void>()
  const removedListeners = new Set<(one: { readonly profile: string }) => void>()
  const linkListeners = new Set<(link: Link) => void>()
  const on =
    <T>(name: string, set: Set<(value: T) => void>) =>
    (listener: (value: T) => void) => {
      said.push(`listens to ${name}`)
      set.add(listener)
      return () => set.delete(listener)
    }
  let link: Link = { kind: 'connecting' }
  let answer: () => Promise<readonly Snapshot[]> = async () => [snapshot()]
  const mirror = new Mirror({
    clock,
    api: {
      hello: async () => HELLO,
      snapshots: () => {
        said.push('asks for snapshots')
        return answer()
      },
      events: async ({ after }) => {
        said.push(`asks for events after ${after}`)
        return EVENTS.filter((event) => event.seq > after)
      },
      setVisible: async ({ visible }) => void said.push(`visible ${visible}`),
      snapshotChanged: on('snapshots', snapshotListeners),
      eventHappened: on('events', eventListeners),
      profileRemoved: on('removals', removedListeners),
      alerts: async () => [],
      alertsChanged: () => () => {},
    },
    link: {
      current: () => link,
      subscribe: (listener) => {
        linkListeners.add(listener)
        return () => linkListeners.delete(listener)
      },
      tryNow: () => {},
    },
  })
  return {
    mirror,
    clock,
    said,
    shown: () => mirror.store.getState(),
    answers: (next: typeof answer) => {
      answer = next
    },
    push: (one: Snapshot) => {
      for (const listener of snapshotListeners) listener(one)
    },
    happen: (event: LoggedEvent) => {
      for (const listener of eventListeners) listener(event)
    },
    become: async (next: Link) => {
      link = next
      for (const listener of linkListeners) listener(next)
      await settled()
    },
  }
}

const LIVE: Link = { kind: 'live' }

describe('the mirror of main', () => {
  it('subscribes first, then fetches once', async () => {
    const window = mirrored()
    window.mirror.start()
    expect(window.said).toEqual(['listens to snapshots', 'listens to events', 'listens to removals'])
    await window.become(LIVE)
    expect(window.said.slice(3)).toEqual(['asks for snapshots', 'asks for events after 0'])
    expect(window.shown().snapshots).toHaveLength(1)
    expect(window.shown().events).toHaveLength(4)
    expect(window.shown().hello).toEqual(HELLO)
  })

  it('keeps a push that overtakes the response', async () => {
    const window = mirrored()
    let give: (answered: readonly Snapshot[]) => void = () => {}
    window.answers(() => new Promise((resolve) => (give = resolve)))
    window.mirror.start()
    await window.become(LIVE)
    window.push(snapshot({ revision: 8 }))
    give([snapshot({ revision: 7 })])
    await settled()
    expect(window.shown().snapshots[0]?.revision).toBe(8)
  })

  it('fetches everything again, and the events it missed, when the host is back', async () => {
    const window = mirrored()
    window.mirror.start()
    await window.become(LIVE)
    await window.become({ kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS + 500 })
    expect(window.shown().snapshots).toHaveLength(1)
    await window.become(LIVE)
    expect(window.said.slice(-2)).toEqual(['asks for snapshots', 'asks for events after 4'])
  })

  it('shows nothing of a run that has ended', async () => {
    const window = mirrored()
    window.answers(async () => [snapshot({ at: NOW_MS + 5000 })])
    window.mirror.start()
    await window.become(LIVE)
    await window.become({ kind: 'no-session', why: 'restarted' })
    expect(window.shown().snapshots).toEqual([])
    expect(window.shown().events).toEqual([])
    expect(window.shown().skew).toEqual({ ms: 0 })
  })

  it('ignores a response that arrives after the host was lost', async () => {
    const window = mirrored()
    let give: (answered: readonly Snapshot[]) => void = () => {}
    window.answers(() => new Promise((resolve) => (give = resolve)))
    window.mirror.start()
    await window.become(LIVE)
    await window.become({ kind: 'no-session', why: 'restarted' })
    give([snapshot()])
    await settled()
    expect(window.shown().snapshots).toEqual([])
  })

  it('fetches again after a failure and periodically', async () => {
    const window = mirrored()
    window.answers(() => Promise.reject(new TypeError('fetch failed')))
    window.mirror.start()
    await window.become(LIVE)
    const asks = () => window.said.filter((one) => one === 'asks for snapshots').length
    expect(asks()).toBe(1)
    window.answers(async () => [snapshot()])
    await window.clock.pass(2000)
    expect(asks()).toBe(2)
    await window.clock.pass(19_999)
    expect(asks()).toBe(2)
    await window.clock.pass(1)
    expect(asks()).toBe(3)
  })

  it('reports when the window is hidden, even to a new host, and fetches when it is shown', async () => {
    const window = mirrored()
    window.mirror.start()
    window.mirror.visibilityChanged(false)
    await window.become(LIVE)
    expect(window.said).toContain('visible false')
    window.mirror.visibilityChanged(true)
    await settled()
    expect(window.said.slice(-3)).toEqual(['visible true', 'asks for snapshots', 'asks for events after 4'])
  })

  it('corrects for a main whose clock is ahead', async () => {
    const window = mirrored()
    window.answers(async () => [snapshot({ at: NOW_MS + 5000 })])
    window.mirror.start()
    await window.become(LIVE)
    expect(window.shown().skew).toEqual({ ms: 5000 })
  })

  it('stops fetching when it is stopped', async () => {
    const window = mirrored()
    window.mirror.start()
    await window.become(LIVE)
    window.mirror.stop()
    expect(window.clock.timers).toBe(0)
  })
})
