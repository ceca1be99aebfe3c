import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameRate } from '../../../main/streams/frame-rate.ts'

test('an even two per second reads two per second from the first seconds', () => {
  const rate = new FrameRate(0)
  for (let at = 0; at <= 60_000; at += 500) {
    rate.add(at)
    if (at >= 2_000) expect(Math.abs(rate.perSecond(at) - 2)).toBeLessThanOrEqual(0.6)
  }
})

test('ten seconds after the last frame it reads 0', () => {
  const rate = new FrameRate(0)
  for (let at = 0; at < 5_000; at += 100) rate.add(at)
  expect(rate.perSecond(14_999)).toBe(0)
  expect(rate.perSecond(86_400_000)).toBe(0)
})

test('whatever the gaps, it is never negative and never above the count of ten seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 200 }), (gaps) => {
      const rate = new FrameRate(1_000)
      const times: number[] = []
      let at = 1_000
      for (const gap of gaps) {
        at += gap
        rate.add(at)
        times.push(at)
        const perSecond = rate.perSecond(at)
        const within = times.filter((time) => time > at - 11_000).length
        expect(perSecond).toBeGreaterThanOrEqual(0)
        expect(perSecond).toBeLessThanOrEqual(within + 0.1)
      }
    }),
  )
})
