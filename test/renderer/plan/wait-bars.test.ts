import { expect, test } from 'vitest'
import { waitBars } from '../../../renderer/plan/wait-bars.tsx'

const MINUTE = 60_000
const rows = (count: number, waits: Readonly<Record<number, readonly [seconds: number, by: string]>>) =>
  Array.from({ length: count }, (_, at) => {
    const [longestSeconds, longestBy] = waits[at] ?? [0]
    return { at: at * 3 * MINUTE, longestSeconds, ...(longestBy !== undefined && { longestBy }) }
  })

test('each bar has the longest wait of its part of the day, and its program', () => {
  const bars = waitBars(rows(120, { 4: [2, 'notes'], 5: [12, 'backtest'], 119: [0, ''] }))
  expect(bars).toHaveLength(40)
  expect(bars[1]).toEqual({ fromMs: 9 * MINUTE, toMs: 18 * MINUTE, seconds: 12, by: 'backtest' })
  expect(bars[0]).toEqual({ fromMs: 0, toMs: 9 * MINUTE, seconds: 0 })
  // The last bar ends at the end of the chart.
  expect(bars.at(-1)?.toMs).toBe(119 * 3 * MINUTE)
})

test('a short day has a bar for each interval except the point at its end', () => {
  expect(waitBars(rows(3, { 1: [1, 'notes'] })).map(({ by }) => by)).toEqual([undefined, 'notes'])
  expect(waitBars([])).toEqual([])
})
