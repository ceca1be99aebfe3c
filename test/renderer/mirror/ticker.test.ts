import { expect, it } from 'vitest'
import { createTicker, TICK_MS } from '../../../renderer/mirror/ticker.ts'
import { NOW_MS } from '../fixtures.ts'
import { VirtualWindowClock } from '../virtual-window-clock.ts'

function ticking(skewMs = 0) {
  const clock = new VirtualWindowClock(NOW_MS)
  return { clock, ticker: createTicker({ clock, skewMs: () => skewMs, onSkew: () => () => {} }) }
}

it('time stands still between ticks, so that one drawing shows one moment', async () => {
  const { clock, ticker } = ticking()
  ticker.subscribe(() => {})
  await clock.pass(TICK_MS - 1)
  expect(ticker.nowMs()).toBe(NOW_MS)
  await clock.pass(1)
  expect(ticker.nowMs()).toBe(NOW_MS + TICK_MS)
})

it('is on main’s clock', () => {
  expect(ticking(5000).ticker.nowMs()).toBe(NOW_MS + 5000)
})

it('runs one timer for everybody, and none for nobody', () => {
  const { clock, ticker } = ticking()
  expect(clock.timers).toBe(0)
  const stops = [ticker.subscribe(() => {}), ticker.subscribe(() => {})]
  expect(clock.timers).toBe(1)
  for (const stop of stops) stop()
  expect(clock.timers).toBe(0)
})
