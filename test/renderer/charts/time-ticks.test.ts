import '../utc.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minuteText } from '../../../app/status/moments.ts'
import { RANGES } from '../../../renderer/charts/ranges.ts'
import { timeTicks } from '../../../renderer/charts/time-ticks.ts'
import { CHART_RANGES } from '../../../renderer/state/view-state.ts'
import { NOW_MS } from '../fixtures.ts'

const LABEL_PIXELS = 42

const ticksOf = (range: (typeof CHART_RANGES)[number], widthPixels: number) => {
  const { pastMs, aheadMs, tickMs } = RANGES[range]
  const [fromMs, toMs] = [NOW_MS - pastMs, NOW_MS + aheadMs]
  return timeTicks({ fromMs, nowMs: NOW_MS, toMs, tickMs, widthPixels, labelPixels: LABEL_PIXELS })
}

describe('the ticks of the time axis', () => {
  it('are full minutes around now, and now itself, which none overlaps', () => {
    const texts = ticksOf('15 min', 830).map((at) => (at === NOW_MS ? 'now' : minuteText(at)))
    // It is 14:31:05. The tick at 14:32 would be only 38 pixels away, where its label has no room.
    expect(texts).toEqual([
      '14:18',
      '14:20',
      '14:22',
      '14:24',
      '14:26',
      '14:28',
      '14:30',
      'now',
      '14:34',
      '14:36',
    ])
  })

  it('are full hours of the day, and days from midnight on', () => {
    expect(ticksOf('24 h', 930).map(minuteText)).toEqual([
      '16:00',
      '20:00',
      '00:00',
      '04:00',
      '08:00',
      '12:00',
      '14:31',
    ])
    expect(
      ticksOf('7 d', 930)
        .slice(0, -1)
        .every((at) => minuteText(at) === '00:00'),
    ).toBe(true)
  })

  it('are fewer in a narrow chart, and never closer than a label is wide', () => {
    expect(ticksOf('15 min', 320).length).toBeLessThan(ticksOf('15 min', 930).length)
    fc.assert(
      fc.property(
        fc.constantFrom(...CHART_RANGES),
        fc.integer({ min: 200, max: 1_800 }),
        fc.integer({ min: 0, max: 86_400_000 }),
        (range, widthPixels, laterMs) => {
          const { pastMs, aheadMs, tickMs } = RANGES[range]
          const nowMs = NOW_MS + laterMs
          const span = { fromMs: nowMs - pastMs, nowMs, toMs: nowMs + aheadMs }
          const ticks = timeTicks({ ...span, tickMs, widthPixels, labelPixels: LABEL_PIXELS })
          expect(ticks).toContain(nowMs)
          for (const [index, at] of ticks.entries()) {
            expect(at).toBeGreaterThanOrEqual(span.fromMs)
            expect(at).toBeLessThanOrEqual(span.toMs)
            const before = ticks[index - 1]
            if (before === undefined) continue
            const pixels = ((at - before) / (pastMs + aheadMs)) * widthPixels
            expect(pixels).toBeGreaterThanOrEqual(LABEL_PIXELS - 1e-6)
          }
        },
      ),
    )
  })
})
