import { describe, expect, test } from 'vitest'
import { LevelBounds } from '../../../app/quota/level-bounds.ts'
import { OwnRequests } from '../../../app/quota/own-requests.ts'

/** 500 in 300 s: 1 request refills in 600 ms. */
const PER_MS = 500 / 300_000

function rolling(low = 500, high = low) {
  const requests = new OwnRequests()
  const bounds = new LevelBounds(500, 300_000, 0, requests)
  bounds.replace(low, high)
  return { bounds, requests }
}

/**
 * A fixed window that ends between 248,999 and 250,101 ms. Its header has a Reset that no rolling interval
 * would show.
 */
function fixed(low = 490, high = low) {
  const requests = new OwnRequests()
  const bounds = new LevelBounds(500, 300_000, 0, requests)
  expect(bounds.judge({ remaining: 490, resetSeconds: 250, sentAtMs: 0, nowMs: 100 })).toBe(true)
  expect(bounds.model).toBe('fixed')
  expect(bounds.window).toEqual({ endsEarliestMs: 248_999, endsLatestMs: 250_101 })
  bounds.replace(low, high)
  return { bounds, requests }
}

describe('in a rolling interval', () => {
  test('the lower bound rises a clock step late, the upper one a step early', () => {
    const { bounds } = rolling(100, 101)
    expect([bounds.lowAt(0), bounds.highAt(0)]).toEqual([100, 101])
    expect(bounds.lowAt(1)).toBe(100)
    expect(bounds.lowAt(601)).toBeCloseTo(101, 9)
    expect(bounds.highAt(599)).toBeCloseTo(102, 9)
    expect([bounds.lowAt(1e9), bounds.highAt(1e9)]).toEqual([500, 500])
  })

  test('the midpoint is between the bounds, with requests in flight subtracted from the lower one', () => {
    const { bounds, requests } = rolling(100, 102)
    expect(bounds.middleAt(0)).toBe(101)
    requests.sent(1, 0)
    requests.sent(2, 0)
    expect(bounds.middleAt(0)).toBe(100)
    expect(bounds.middleAt(600)).toBeCloseTo(101, 9)
    expect(bounds.middleAt(1e9)).toBe(500)
  })

  test('refill overflows once the midpoint is full, and is counted from then on', () => {
    const { bounds } = rolling(499)
    expect(bounds.overflowedAt(600)).toBeCloseTo(0, 9)
    expect(bounds.overflowedAt(1_200)).toBeCloseTo(1, 9)
    bounds.advance(1_200)
    expect(bounds.overflowedAt(0)).toBeCloseTo(1, 9)
    expect(bounds.overflowedAt(1_800)).toBeGreaterThan(1.9)
  })

  test('a header allows for refill in transit, and one more clock step', () => {
    const { bounds } = rolling()
    const shown = bounds.shownBy({ remaining: 100, resetSeconds: undefined, sentAtMs: 1_000, nowMs: 1_599 })
    expect(shown.least).toBe(100)
    expect(shown.most).toBeCloseTo(101 + 600 * PER_MS, 9)
    expect(bounds.shownBy({ remaining: 500, resetSeconds: 0, sentAtMs: 0, nowMs: 9_000 }).most).toBe(500)
  })

  test('is observed after two consistent headers of a bucket that is not full', () => {
    const { bounds } = rolling()
    const judge = (remaining: number) =>
      bounds.judge({ remaining, resetSeconds: Math.ceil((500 - remaining) * 0.6), sentAtMs: 0, nowMs: 1 })
    judge(500)
    judge(500)
    judge(400)
    expect(bounds.confidence).toBe('assumed')
    judge(399)
    expect(bounds.confidence).toBe('observed')
  })

  test('while the clock is uncertain only the upper bound rises, from where both were', () => {
    const { bounds } = rolling(100)
    bounds.markClockUncertain(601, 60_601)
    expect(bounds.low).toBeCloseTo(101, 9)
    expect(bounds.high).toBeGreaterThan(200)
  })

  test('a late request may count in a bucket that is full again', () => {
    const { bounds } = rolling()
    bounds.chargeLost(6_000)
    expect(bounds.low).toBeCloseTo(489, 9)
    bounds.chargeLost(0)
    expect(bounds.low).toBeCloseTo(488, 9)
    expect(bounds.high).toBe(500)
  })
})

describe('in a fixed window', () => {
  test('refills nothing before its end, and then everything except what may count in the next one', () => {
    const { bounds, requests } = fixed()
    requests.remember(248_000, 248_999, 0)
    requests.remember(249_500, 249_600, 0)
    expect([bounds.highAt(248_998), bounds.highAt(248_999)]).toEqual([490, 500])
    expect([bounds.lowAt(250_100), bounds.lowAt(250_101)]).toEqual([490, 499])
    bounds.advance(250_101)
    expect([bounds.low, bounds.high]).toEqual([499, 500])
    bounds.charge(1)
    // This request was charged after the end of the window, so no later time restores it.
    expect([bounds.lowAt(250_101), bounds.lowAt(300_000), bounds.highAt(300_000)]).toEqual([498, 498, 499])
  })

  test('the midpoint is the lower bound while either window may be current', () => {
    const { bounds, requests } = fixed(480, 490)
    requests.sent(1, 200)
    const at = [248_998, 248_999, 250_100, 250_101]
    expect(at.map((ms) => bounds.middleAt(ms))).toEqual([484.5, 479, 479, 499.5])
    const mayBe = at.map((ms) => {
      bounds.advance(ms)
      return bounds.mayBeInEitherWindow
    })
    expect(mayBe).toEqual([false, true, true, false])
    expect(bounds.overflowedAt(900_000)).toBe(0)
  })

  test('a header is exact until the window may have ended', () => {
    const { bounds } = fixed()
    const shown = () => bounds.shownBy({ remaining: 400, resetSeconds: 1, sentAtMs: 0, nowMs: 248_998 })
    bounds.advance(248_998)
    expect(shown()).toEqual({ least: 400, most: 400 })
    bounds.advance(248_999)
    expect(shown()).toEqual({ least: 400, most: 500 })
  })

  test('a Reset that only a rolling interval explains makes it rolling', () => {
    const { bounds } = fixed()
    bounds.judge({ remaining: 333, resetSeconds: 100, sentAtMs: 0, nowMs: 100 })
    expect(bounds).toMatchObject({ model: 'rolling', window: undefined, confidence: 'assumed' })
  })

  test('a Reset that neither explains counts as the end of the window', () => {
    const { bounds } = fixed()
    expect(bounds.judge({ remaining: 490, resetSeconds: 100, sentAtMs: 0, nowMs: 100 })).toBe(true)
    expect(bounds).toMatchObject({ model: 'fixed', window: { endsLatestMs: 100_101 } })
  })

  test('the next window is recognised even if a rolling interval would show the same', () => {
    const { bounds } = fixed()
    bounds.judge({ remaining: 0, resetSeconds: 300, sentAtMs: 260_000, nowMs: 260_100 })
    expect(bounds).toMatchObject({ model: 'fixed', confidence: 'observed' })
    expect(bounds.window).toEqual({ endsEarliestMs: 558_999, endsLatestMs: 560_101 })
    // A late header of the previous window shows nothing about this one.
    expect(bounds.judge({ remaining: 3, resetSeconds: 1, sentAtMs: 249_000, nowMs: 250_000 })).toBe(false)
    expect(bounds.window?.endsLatestMs).toBe(560_101)
  })

  test('two headers of one window narrow its end', () => {
    const { bounds } = fixed()
    bounds.judge({ remaining: 480, resetSeconds: 240, sentAtMs: 10_050, nowMs: 10_060 })
    expect(bounds.window).toEqual({ endsEarliestMs: 249_049, endsLatestMs: 250_061 })
  })

  test('a header without Reset begins a window of a period where the last one has ended', () => {
    const { bounds } = fixed(0)
    bounds.advance(250_100)
    bounds.judge({ remaining: 0, resetSeconds: undefined, sentAtMs: 250_050, nowMs: 250_100 })
    expect(bounds.window?.endsLatestMs).toBe(250_101)
    bounds.advance(250_101)
    bounds.judge({ remaining: 0, resetSeconds: undefined, sentAtMs: 250_050, nowMs: 250_101 })
    expect(bounds.window).toEqual({ endsEarliestMs: 250_049, endsLatestMs: 550_102 })
    expect(bounds.high).toBe(500)
  })

  test('while the clock is uncertain its end is delayed by as much, by at most a period', () => {
    const { bounds } = fixed()
    bounds.markClockUncertain(10_000, 20_000)
    expect(bounds.window).toEqual({ endsEarliestMs: 248_999, endsLatestMs: 260_101 })
    bounds.markClockUncertain(20_000, 250_000)
    expect(bounds.window?.endsLatestMs).toBe(490_101)
    bounds.markClockUncertain(250_000, 600_000)
    expect(bounds.window?.endsLatestMs).toBe(840_101)
    expect([bounds.low, bounds.high]).toEqual([490, 500])
    bounds.markClockUncertain(840_101, 900_000)
    expect(bounds.window?.endsLatestMs).toBe(840_101)
  })
})

test('another size starts over as a rolling interval, no fuller than it was', () => {
  const { bounds } = fixed()
  bounds.resize(250, 60_000)
  expect(bounds).toMatchObject({ model: 'rolling', window: undefined, low: 250, high: 250 })
  expect(bounds.gainPerMs).toBeCloseTo(250 / 60_000, 12)
  bounds.replace(10, 20)
  bounds.resize(1_000, 60_000)
  expect([bounds.low, bounds.high]).toEqual([10, 1_000])
})

test('a narrower header narrows, and what is in flight may have counted in it', () => {
  const { bounds, requests } = rolling(100, 200)
  bounds.narrow(120, 250)
  expect([bounds.low, bounds.high]).toEqual([120, 200])
  requests.sent(1, 0)
  bounds.narrow(160, 150)
  expect([bounds.low, bounds.high]).toEqual([151, 150])
  bounds.replace(99, 40)
  expect([bounds.low, bounds.high]).toEqual([41, 40])
})
