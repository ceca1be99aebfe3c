import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { queueDay } from './queue-day.ts'

const HOUR_MS = 3_600_000

test('five machines with five programs use a trading day’s quota up, without a 429', async () => {
  const day = await queueDay()
  expect(day.broken).toEqual([])
  expect(day.avoidable).toBe(0)
  expect(day.share).toBeGreaterThanOrEqual(0.998)
  const [fewest = 0] = day.machines
  expect(fewest).toBeGreaterThan(0.95 * (day.machines.at(-1) ?? 0))
  proves('M3', { level: 2, cases: 25 })
}, 600_000)

test('a dispatcher that is killed every hour costs half a percent of the day, and no 429', async () => {
  const day = await queueDay({ killEveryMs: HOUR_MS })
  expect(day.broken).toEqual([])
  expect(day.avoidable).toBe(0)
  expect(day.share).toBeGreaterThanOrEqual(0.995)
  expect(day.kills).toBeGreaterThanOrEqual(6)
  proves('M3', { level: 2, cases: day.kills })
}, 600_000)
