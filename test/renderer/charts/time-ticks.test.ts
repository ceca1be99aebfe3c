import '../utc.ts'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../app/contract/units.ts'
import { minuteText, showTimesIn, weekdayText } from '../../../app/status/moments.ts'
import { RANGES } from '../../../renderer/charts/ranges.ts'
import { hourTicks, timeTicks } from '../../../renderer/charts/time-ticks.ts'
import { CHART_RANGES } from '../../../renderer/state/view-state.ts'
import { NOW_MS } from '../fixtures.ts'

const LABEL_PIXELS = 42

afterEach(() => {
  showTimesIn('local')
  process.env['TZ'] = 'UTC'
})

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

describe('the ticks of a day', () => {
  const texts = (fromMs: number, lengthMs: number) => hourTicks(fromMs, fromMs + lengthMs).map(minuteText)
  const WINTER_MS = Date.UTC(2026, 0, 10, 0, 30)

  it('are full hours of a zone that is half an hour off', () => {
    process.env['TZ'] = 'Asia/Kolkata'
    expect(texts(WINTER_MS, 3 * HOUR_MS)).toEqual(['06:00', '07:00', '08:00', '09:00'])
    expect(texts(WINTER_MS, DAY_MS)).toEqual(
      '06:00 08:00 10:00 12:00 14:00 16:00 18:00 20:00 22:00 00:00 02:00 04:00 06:00'.split(' '),
    )
  })

  it('are even hours of the displayed zone, also where it is an odd number of hours off', () => {
    showTimesIn('exchange')
    expect(texts(WINTER_MS, DAY_MS)).toEqual(
      '20:00 22:00 00:00 02:00 04:00 06:00 08:00 10:00 12:00 14:00 16:00 18:00'.split(' '),
    )
  })

  it('stay round when the clock changes', () => {
    showTimesIn('exchange')
    // In New York, clocks go forward at 02:00 on 8 March 2026, and back at 02:00 on 1 November.
    expect(texts(Date.UTC(2026, 2, 8, 2), DAY_MS).slice(0, 5)).toEqual(
      '22:00 00:00 04:00 06:00 08:00'.split(' '),
    )
    expect(texts(Date.UTC(2026, 10, 1, 2), DAY_MS).slice(0, 4)).toEqual('22:00 00:00 02:00 04:00'.split(' '))
    const nowMs = Date.UTC(2026, 2, 10, 16)
    const week = { fromMs: nowMs - 7 * DAY_MS, nowMs, toMs: nowMs, tickMs: DAY_MS }
    const days = timeTicks({ ...week, widthPixels: 930, labelPixels: 72 }).map(weekdayText)
    expect(days.slice(0, 5)).toEqual(['Wed 00:00', 'Thu 00:00', 'Fri 00:00', 'Sat 00:00', 'Sun 00:00'])
  })
})
