import { expect, test } from 'vitest'
import { TREND, trendPaths } from '../../../renderer/capacity/trend-path.ts'

const rows = [{ category: 'Positions', limit: 320 }]
const second = { fromMs: 0, toMs: 1000 }

test('a small chart runs from the oldest point to now, with a full quota at the top and an empty one at the bottom', () => {
  const trends = { Positions: [[0, 320] as const, [500, 160] as const, [1000, 0] as const] }
  const path = trendPaths(trends, rows, { fromMs: 0, toMs: 8000 }).get('Positions')
  expect(path?.line).toBe('M0 1L4 8L8 15')
  expect(path?.area).toBe(`M0 1L4 8L8 15V${TREND.height}H0Z`)
})

test('a small chart has a gap where data is missing, but not between neighbouring stored points', () => {
  const points = [0, 125, 250, 600, 700].map((atMs) => [atMs, 320] as const)
  const path = trendPaths({ Positions: points }, rows, second).get('Positions')
  expect(path?.line).toBe('M0 1L8 1L16 1M38.4 1L44.8 1')
})

test('a single point, no points, points of another time and unknown rows draw nothing', () => {
  const one = [[0, 320] as const]
  expect(trendPaths({ Positions: one }, rows, second).size).toBe(0)
  expect(trendPaths({}, rows, second).size).toBe(0)
  expect(trendPaths({ Positions: [...one, [2000, 1] as const] }, rows, second).size).toBe(0)
  expect(trendPaths({ toString: [...one, [500, 1] as const] }, rows, second).size).toBe(0)
})
