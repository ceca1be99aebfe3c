import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Extent, minMaxColumns, thinnedMoments } from '../../../app/history/columns.ts'

const moment = (atMs: number, remaining: number): Extent => ({
  atMs,
  endMs: atMs,
  low: remaining,
  high: remaining,
  lowFirst: true,
  source: 'header',
})

const extents = fc
  .array(
    fc.record({
      gapMs: fc.integer({ min: 1, max: 5_000 }),
      lengthMs: fc.constantFrom(0, 0, 60_000),
      low: fc.integer({ min: 0, max: 50 }),
      more: fc.integer({ min: 0, max: 50 }),
      lowFirst: fc.boolean(),
      source: fc.constantFrom('header', 'modelled'),
    }),
    { maxLength: 400 },
  )
  .map((steps): readonly Extent[] => {
    let atMs = 0
    return steps.map(({ gapMs, lengthMs, low, more, lowFirst, source }) => {
      const start = atMs + gapMs
      atMs = start + lengthMs
      const high = lengthMs === 0 ? low : low + more
      return { atMs: start, endMs: atMs, low, high, lowFirst, source } as const
    })
  })

test('draws everything that fits', () => {
  const points = minMaxColumns([moment(1, 5), moment(2, 9), moment(3, 5)], 0, 10, 4)
  expect(points.map(({ at, remaining }) => [at, remaining])).toEqual([
    [1, 5],
    [2, 9],
    [3, 5],
  ])
})

test('a dip of one moment survives in a column of thousands', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => moment(at, at === 4_321 ? 0 : 300))
  const points = minMaxColumns(many, 0, 10_000, 300)
  expect(points.filter(({ remaining }) => remaining === 0).map(({ at }) => at)).toEqual([4_321])
  expect(points.length).toBeLessThanOrEqual(300)
})

test('a column with a header contains no estimate', () => {
  const many = Array.from({ length: 100 }, (_, at): Extent => {
    return at % 10 === 0 ? moment(at, 3 + at) : { ...moment(at, at === 55 ? 0 : 300), source: 'modelled' }
  })
  const levels = minMaxColumns(many, 0, 100, 4).map(({ remaining }) => remaining)
  expect(levels).toEqual([3, 43, 53, 93])
})

test('does not draw points outside the interval, or table values', () => {
  const table: Extent = { ...moment(5, 1), source: 'default' }
  expect(minMaxColumns([moment(0, 1), table, moment(11, 1)], 1, 10, 10)).toEqual([])
})

test('stores a quarter of an hour of samples every three seconds, in bounded memory', () => {
  fc.assert(
    fc.property(extents, fc.integer({ min: 2, max: 300 }), (all, most) => {
      const toMs = (all.at(-1)?.endMs ?? 0) + 1
      const points = minMaxColumns(all, 0, toMs, most)
      expect(points.length).toBeLessThanOrEqual(most)
      expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b))
      if (all.length === 0) return
      const headers = all.filter(({ source }) => source === 'header')
      const levels = points.flatMap(({ source, remaining }) => (source === 'header' ? [remaining] : []))
      expect(Math.min(...levels)).toBe(Math.min(...headers.map(({ low }) => low)))
      expect(Math.max(...levels)).toBe(Math.max(...headers.map(({ high }) => high)))
      for (const { at } of points) expect(at >= 0 && at <= toMs).toBe(true)
    }),
  )
})

test('of many 429s, keeps as many as fit, including the last', () => {
  const moments = Array.from({ length: 1_000 }, (_, index) => index * 10)
  const thinned = thinnedMoments(moments, 0, 10_000, 100)
  expect(thinned.length).toBeLessThanOrEqual(100)
  expect(thinned.at(-1)).toBe(9_990)
  expect(thinnedMoments([1, 2], 0, 10, 2)).toEqual([1, 2])
})
