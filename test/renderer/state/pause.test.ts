import { expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { EMPTY_MIRROR, type MirrorState } from '../../../renderer/state/mirror-state.ts'
import { createPausable } from '../../../renderer/state/pause.ts'
import { createTicker, TICK_MS } from '../../../renderer/state/ticker.ts'
import { NOW_MS, snapshot } from '../fixtures.ts'
import { ALERTS } from '../harness/memory-fixtures.ts'
import { VirtualWindowClock } from '../virtual-window-clock.ts'

function pausable() {
  const clock = new VirtualWindowClock(NOW_MS)
  const live = createStore<MirrorState>(() => ({ ...EMPTY_MIRROR, snapshots: [snapshot()] }))
  const ticker = createTicker({ clock, skewMs: () => 0, onSkew: () => () => {}, onSnapshot: () => () => {} })
  const shown = createPausable(live, ticker)
  let ticks = 0
  shown.ticker.subscribe(() => {
    ticks += 1
  })
  return { clock, live, shown, ticks: () => ticks }
}

const newer = { snapshots: [snapshot({ revision: 2 })] }

it('shows main’s data while it runs', () => {
  const { live, shown } = pausable()
  live.setState(newer)
  expect(shown.mirror.getState().snapshots[0]?.revision).toBe(2)
})

it('stops numbers and their clock together, and catches up at once', async () => {
  const { clock, live, shown, ticks } = pausable()
  shown.toggle()
  const stoppedMs = shown.ticker.nowMs()
  const before = ticks()
  live.setState(newer)
  await clock.pass(10 * TICK_MS)
  expect(shown.mirror.getState().snapshots[0]?.revision).toBe(1)
  expect([shown.ticker.nowMs(), ticks()]).toEqual([stoppedMs, before])
  shown.toggle()
  expect(shown.mirror.getState().snapshots[0]?.revision).toBe(2)
  expect(shown.ticker.nowMs()).toBe(NOW_MS + 10 * TICK_MS)
  expect(ticks()).toBe(before + 1)
})

it('still reports that the host is gone, and conditions that need a person', () => {
  const { live, shown } = pausable()
  shown.toggle()
  live.setState({ ...newer, link: { kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS }, alerts: ALERTS })
  expect(shown.mirror.getState()).toMatchObject({ link: { kind: 'lost' }, alerts: ALERTS })
  expect(shown.mirror.getState().snapshots[0]?.revision).toBe(1)
})
