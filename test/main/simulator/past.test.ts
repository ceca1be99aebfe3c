import { expect, test } from 'vitest'
import { BUILT_IN_OPTIONS } from '../../../main/simulator/options.ts'
import { pastOf } from '../../../main/simulator/past.ts'
import { SimulatedService } from '../../../main/simulator/simulated-service.ts'

const NOW = Date.UTC(2026, 2, 13, 14, 31, 5)
const PAST_MS = 15 * 60_000

function built() {
  const service = new SimulatedService(BUILT_IN_OPTIONS, { nowMs: () => NOW, random: () => 0.5 })
  return { service, past: pastOf(service.quotas, NOW - PAST_MS, NOW) }
}

test('the built-in simulator starts with fifteen minutes of history, without a gap', () => {
  const { past } = built()
  const times = past.headers.filter(({ category }) => category === 'Positions').map(({ atMs }) => atMs)
  expect(times[0]).toBe(NOW - PAST_MS)
  expect(times.at(-1)).toBeGreaterThan(NOW - 20_000)
  for (const [index, atMs] of times.entries()) {
    expect(atMs - (times[index - 1] ?? atMs)).toBeLessThanOrEqual(20_000)
  }
})

test('it contains one 429 with its end and one GoAway, in order, and no future ones', () => {
  const { past } = built()
  expect(past.events.map(({ event }) => event.kind)).toEqual([
    'rate-limited',
    'rate-limit-over',
    'stream-restarted',
  ])
  expect(past.events[0]?.event).toMatchObject({ category: 'Positions' })
  expect(past.events[1]?.event).toMatchObject({
    category: 'Positions',
    since: past.events[0]?.atMs,
    refused: 1,
  })
  for (const { atMs } of past.events) expect(atMs).toBeLessThan(NOW)
})

test('its last number is the one that the simulator continues from', () => {
  const { service, past } = built()
  for (const category of ['Positions', 'Balances', 'Order Details']) {
    const last = past.headers.findLast((header) => header.category === category)
    expect(service.quotas.reading(category, last?.atMs ?? 0)?.remaining).toBe(last?.remaining)
  }
})

test('it contains others’ use, matching falls in the readings and the refill', () => {
  const { past } = built()
  const refill = 320 / 300
  const positions = past.headers.filter(({ category }) => category === 'Positions')
  for (const [index, { remaining, elsewhere }] of positions.entries()) {
    const next = positions[index + 1]
    if (next === undefined) expect(elsewhere).toBeUndefined()
    else if (remaining > 0 && next.remaining > 0 && next.remaining < 300) {
      // The tolerance allows for Remaining, which is a whole number.
      expect(elsewhere).toBeCloseTo((remaining - next.remaining) / 15 + refill, 0)
    }
  }
  expect(Math.max(...positions.map(({ elsewhere = 0 }) => elsewhere))).toBeGreaterThan(1.5)
})
