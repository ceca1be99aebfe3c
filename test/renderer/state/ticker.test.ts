import { expect, it } from 'vitest'
import { createTicker, TICK_MS } from '../../../renderer/state/ticker.ts'
import { NOW_MS } from '../fixtures.ts'
import { VirtualWindowClock } from '../virtual-window-clock.ts'

function ticking(skewMs = 0) {
  const clock = new VirtualWindowClock(NOW_MS)
  const heard = new Set<() => void>()
  const onSnapshot = (listener: () => void) => {
    heard.add(listener)
    return () => void heard.delete(listener)
  }
  const snapshotCame = () => {
    for (const listener of heard) listener()
  }
  const ticker = createTicker({ clock, skewMs: () => skewMs, onSkew: () => () => {}, onSnapshot })
  return { clock, ticker, heard, snapshotCame }
}

it('time is constant between ticks, so that one render shows one time', async () => {
  const { clock, ticker } = ticking()
  ticker.subscribe(() => {})
  await clock.pass(TICK_MS - 1)
  expect(ticker.nowMs()).toBe(NOW_MS)
  await clock.pass(1)
  expect(ticker.nowMs()).toBe(NOW_MS + TICK_MS)
})

it('a snapshot is a tick, triggered by the mirror alone, and the next one is a whole step later', async () => {
  const { clock, ticker, heard, snapshotCame } = ticking()
  let ticks = 0
  const stop = ticker.subscribe(() => (ticks += 1))
  await clock.pass(TICK_MS - 100)
  snapshotCame()
  expect([ticker.nowMs(), ticks]).toEqual([NOW_MS + TICK_MS - 100, 0])
  await clock.pass(TICK_MS - 1)
  expect(ticks).toBe(0)
  await clock.pass(1)
  expect([ticker.nowMs(), ticks]).toEqual([NOW_MS + 2 * TICK_MS - 100, 1])
  stop()
  expect([clock.timers, heard.size]).toEqual([0, 0])
})

it('uses main’s clock', () => {
  expect(ticking(5000).ticker.nowMs()).toBe(NOW_MS + 5000)
})

it('runs one timer for all subscribers, and none without any', () => {
  const { clock, ticker } = ticking()
  expect(clock.timers).toBe(0)
  const stops = [ticker.subscribe(() => {}), ticker.subscribe(() => {})]
  expect(clock.timers).toBe(1)
  for (const stop of stops) stop()
  expect(clock.timers).toBe(0)
})
