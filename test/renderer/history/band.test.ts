import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { HistoryPoint } from '../../../app/contract/history.ts'
import { BAND_COLUMNS, bandRows } from '../../../renderer/history/band.ts'
import { chartSeries } from '../../../renderer/history/series.ts'
import { NOW_MS, quota } from '../fixtures.ts'

const SPAN_MS = 24 * 3_600_000
const FROM_MS = NOW_MS - SPAN_MS
const COLUMN_MS = SPAN_MS / BAND_COLUMNS

const point = (column: number, remaining: number, source: HistoryPoint['source'] = 'header') => ({
  at: FROM_MS + (column + 0.5) * COLUMN_MS,
  remaining,
  source,
})

const anyPoints = fc.array(
  fc.record({
    at: fc.integer({ min: FROM_MS - 1000, max: NOW_MS + 1000 }),
    remaining: fc.double({ min: 0, max: 500, noNaN: true }),
    source: fc.constantFrom('header' as const, 'modelled' as const),
  }),
  { maxLength: 400 },
)

it('keeps the lowest and the highest of all, and draws only as many columns as a chart can show', () => {
  fc.assert(
    fc.property(anyPoints, (points) => {
      const rows = bandRows(points, FROM_MS, NOW_MS)
      const bands = rows.flatMap(({ band }) => band ?? [])
      const inside = points.filter(({ at }) => at >= FROM_MS && at <= NOW_MS).map((one) => one.remaining)
      expect(rows.length).toBeLessThanOrEqual(2 * BAND_COLUMNS)
      expect(rows.every(({ at }, index) => index === 0 || at > (rows[index - 1]?.at ?? 0))).toBe(true)
      if (inside.length === 0) expect(bands).toEqual([])
      else {
        const measured = rows.flatMap(({ band, modelled }) => (modelled === false ? (band ?? []) : []))
        const headers = points.filter(
          ({ at, source }) => at >= FROM_MS && at <= NOW_MS && source === 'header',
        )
        expect(Math.min(...measured)).toBe(Math.min(...headers.map((one) => one.remaining)))
        expect(Math.max(...measured)).toBe(Math.max(...headers.map((one) => one.remaining)))
        expect(Math.min(...bands)).toBeGreaterThanOrEqual(Math.min(...inside))
      }
    }),
  )
})

it('leaves a gap after more than two unknown columns', () => {
  const sparse = bandRows([point(10, 5), point(11, 6), point(14, 7), point(15, 7)], FROM_MS, NOW_MS)
  expect(sparse.every(({ band }) => band !== undefined)).toBe(true)
  const apart = bandRows([point(10, 5), point(11, 6), point(15, 7), point(16, 7)], FROM_MS, NOW_MS)
  expect(apart.map(({ band }) => band?.[0])).toEqual([5, 6, undefined, 7, 7])
})

it('draws a lone column at its own width', () => {
  const [start, end] = bandRows([point(75, 40)], FROM_MS, NOW_MS)
  expect((end?.at ?? 0) - (start?.at ?? 0)).toBe(COLUMN_MS)
})

it('has no estimate in a column with a header', () => {
  const points = [point(2, 0, 'modelled'), point(2, 3), point(2, 9), point(2, 90, 'modelled'), point(3, 4)]
  expect(bandRows(points, FROM_MS, NOW_MS)[0]?.band).toEqual([3, 9])
})

it('marks a column with model data only', () => {
  const points = [point(1, 5, 'modelled'), point(2, 5, 'modelled'), point(2, 6), point(3, 4)]
  expect(bandRows(points, FROM_MS, NOW_MS).map(({ modelled }) => modelled)).toEqual([true, false, false])
})

it('joins modelled points to headers', () => {
  const points = [point(1, 5, 'modelled'), point(2, 6), point(3, 4)]
  const { rows } = chartSeries({ points, rejectedAt: [] }, quota('Positions', 320, 300, 38), NOW_MS, '24 h')
  expect(rows.map((row) => [row.modelledBand?.[0], row.headerBand?.[0]])).toEqual([
    [5, undefined],
    [6, 6],
    [undefined, 4],
  ])
})
