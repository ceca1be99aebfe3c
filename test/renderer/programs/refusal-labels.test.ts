import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalLabels } from '../../../renderer/programs/refusal-labels.ts'

const SPAN = { fromMs: 0, toMs: 1000 }

test('429s that are close together share one label with their count', () => {
  expect(refusalLabels([520, 500, 100, 699, 700], SPAN)).toEqual([
    { at: 100, count: 1, side: 'right' },
    { at: 500, count: 3, side: 'right' },
    { at: 700, count: 1, side: 'right' },
  ])
})

test('a label is on the side with room, and merges with one it would overlap', () => {
  expect(refusalLabels([1000], SPAN)).toEqual([{ at: 1000, count: 1, side: 'left' }])
  expect(refusalLabels([790, 1000], SPAN)).toEqual([{ at: 790, count: 2, side: 'right' }])
  expect(refusalLabels([-1, 1001], SPAN)).toEqual([])
})

test('whenever 429s happened, no label overlaps another, and each is counted once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 60 }), (rejectedAt) => {
      const labels = refusalLabels(rejectedAt, SPAN)
      expect(labels.reduce((sum, { count }) => sum + count, 0)).toBe(rejectedAt.length)
      const starts = labels.map(({ at, side }) => (side === 'left' ? at - 200 : at))
      for (const [index, start] of starts.entries()) {
        expect(start).toBeGreaterThanOrEqual(0)
        expect(start).toBeLessThanOrEqual(800)
        if (index > 0) expect(start - starts[index - 1]!).toBeGreaterThanOrEqual(200)
      }
    }),
  )
})
