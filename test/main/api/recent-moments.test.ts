import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentMoments } from '../../../main/api/recent-moments.ts'

test('recent moments are counted, however many there were', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 2_000 }), (gaps) => {
      const moments = new RecentMoments(1_000)
      const all: number[] = []
      let nowMs = 0
      for (const gap of gaps) {
        nowMs += gap
        moments.add(nowMs)
        all.push(nowMs)
        expect(moments.count(nowMs)).toBe(all.filter((at) => nowMs - at < 1_000).length)
      }
      expect(moments.count(nowMs + 1_000)).toBe(0)
    }),
    { numRuns: 30 },
  )
})
