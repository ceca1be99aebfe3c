import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyRangeOf, type ForecastRow, levelForecast } from '../../../app/quota/level-forecast.ts'
import { emptyAtWith } from '../../../app/quota/safe-pace.ts'

const NOW_MS = 1_000_000
const MINUTE_MS = 60_000

/** A row that refills 1 request a second. 60 to 90 requests are left, and others use 1.9 to 2.9 a second. */
const row = (more: Partial<ForecastRow> = {}): ForecastRow => ({
  model: 'rolling',
  limit: 300,
  period: 300,
  low: 60,
  high: 90,
  use: { total: 2.5, own: 0.1, elsewhere: 2.4, elsewhereLow: 1.9, elsewhereHigh: 2.9 },
  state: 'running-out',
  asOf: NOW_MS,
  emptyAt: NOW_MS + 50_000,
  ...more,
})
const forecast = (more: Partial<ForecastRow> = {}, toMs = NOW_MS + 2 * MINUTE_MS) =>
  levelForecast(row(more), NOW_MS, toMs)
const at = (seconds: number, more: Partial<ForecastRow> = {}) =>
  forecast(more)?.points.find((point) => point.at === NOW_MS + seconds * 1000)
const used = (more: Partial<NonNullable<ForecastRow['use']>>) => ({
  use: { total: 2.5, own: 0.1, elsewhere: 2.4, ...more },
})

describe('the forecast of a level', () => {
  test('begins at the bounds, and falls with both ends of others’ use', () => {
    expect(at(0)).toEqual({ at: NOW_MS, low: 60, high: 90 })
    const middle = at(12)
    expect(middle?.low).toBeCloseTo(60 - 12 * 2, 6)
    expect(middle?.high).toBeCloseTo(90 - 12 * 1, 6)
  })

  test('shows the earliest time it runs empty: where the low edge reaches 0', () => {
    expect(forecast()).toMatchObject({ emptyAtMs: NOW_MS + 30_000 })
    expect(at(30)?.low).toBe(0)
    expect(at(30)?.high).toBeCloseTo(60, 6)
    const before = forecast()?.points.filter((point) => point.at < NOW_MS + 30_000) ?? []
    expect(before.every(({ low }) => low > 0)).toBe(true)
    expect(
      forecast()
        ?.points.filter((point) => point.at > NOW_MS + 30_000)
        .every(({ low }) => low === 0),
    ).toBe(true)
  })

  test('rises on its slow side if others may use less than the refill, up to the limit', () => {
    const slow = { ...used({ elsewhereLow: 0.4, elsewhereHigh: 2.9 }), high: 270 }
    const points = forecast(slow)?.points ?? []
    expect(points.find((point) => point.at === NOW_MS + 60_000)?.high).toBeCloseTo(300, 6)
    expect(points.at(-1)?.high).toBe(300)
    expect(points.at(-1)?.low).toBe(0)
  })

  test('reaches 0 on its slow side too if both ends exceed the refill', () => {
    const points = forecast({ high: 60 }, NOW_MS + 2 * MINUTE_MS)?.points ?? []
    expect(points.find((point) => point.at === NOW_MS + 60_000)?.high).toBeCloseTo(0, 6)
    expect(points.at(-1)?.high).toBe(0)
  })

  test('has no slow side if the low end of others’ use is unknown', () => {
    const one = forecast(used({ elsewhereHigh: 2.9 }))
    expect(one?.emptyAtMs).toBe(NOW_MS + 30_000)
    expect(one?.points.every(({ high }) => high === undefined)).toBe(true)
  })

  test('begins at 0 if the row may be empty already', () => {
    const one = forecast({ low: 0 })
    expect(one?.emptyAtMs).toBe(NOW_MS)
    expect(one?.points[0]).toEqual({ at: NOW_MS, low: 0, high: 90 })
    expect(one?.points.every(({ low }) => low === 0)).toBe(true)
  })

  test('is undefined for an empty row, after a 429, for one that lasts, or without others’ use', () => {
    expect(forecast({ state: 'empty', low: 0, high: 0 })).toBeUndefined()
    expect(forecast({ state: 'blocked' })).toBeUndefined()
    expect(forecast({ blockedUntil: NOW_MS + 40_000 })).toBeUndefined()
    expect(forecast({ use: null })).toBeUndefined()
    expect(forecast(used({ elsewhereLow: 0.1, elsewhereHigh: 0.8 }))).toBeUndefined()
  })

  test('of a row that only its fast side empties is shown while its state allows, and within 10 min', () => {
    const { emptyAt: _, ...doubted } = row()
    const of = (one: ForecastRow) => levelForecast(one, NOW_MS, NOW_MS + MINUTE_MS)
    expect(of(doubted)).toBeDefined()
    expect(of({ ...doubted, state: 'low' })).toBeDefined()
    expect(of({ ...doubted, state: 'ok' })).toBeUndefined()
    const slow = { ...doubted, ...used({ elsewhereLow: 0, elsewhereHigh: 1 }) }
    expect(of({ ...slow, low: 60 })?.emptyAtMs).toBeCloseTo(NOW_MS + 600_000, 3)
    expect(of({ ...slow, low: 61 })).toBeUndefined()
  })

  test('of a fixed window ends with it, without refill', () => {
    const fixed = { model: 'fixed', windowEndsAt: NOW_MS + 24_000 } as const
    expect(forecast({ ...fixed, low: 30 })).toMatchObject({ emptyAtMs: NOW_MS + 10_000 })
    expect(forecast({ ...fixed, low: 30 })?.points.at(-1)).toMatchObject({ at: NOW_MS + 24_000, low: 0 })
    expect(forecast({ ...fixed, low: 75 })).toBeUndefined()
  })

  test('of a row that runs out is shown whatever its state', () => {
    expect(forecast({ state: 'ok' })).toMatchObject({ emptyAtMs: NOW_MS + 30_000 })
  })

  test('of a fixed window with an unknown end extends as far as requested', () => {
    expect(forecast({ model: 'fixed' })?.points.at(-1)?.at).toBe(NOW_MS + 2 * MINUTE_MS)
  })

  test('does not move with the clock between two pushes', () => {
    const later = levelForecast(row(), NOW_MS + 2_000, NOW_MS + 2 * MINUTE_MS)
    expect(later?.emptyAtMs).toBe(forecast()?.emptyAtMs)
    expect(later?.points[0]).toEqual({ at: NOW_MS + 2_000, low: 60, high: 90 })
  })

  test('stays on the axis, its edges never cross, and it matches the row’s details', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(share, share, share, share, share, (a, b, own, c, d) => {
        const [low, high] = [Math.min(a, b) * 300, Math.max(a, b) * 300]
        const [elsewhereLow, elsewhereHigh] = [Math.min(c, d) * 9, Math.max(c, d) * 9]
        const use = { total: own, own, elsewhere: elsewhereHigh, elsewhereLow, elsewhereHigh }
        const one = row({ low, high, use })
        const told = levelForecast(one, NOW_MS, NOW_MS + 5 * MINUTE_MS)
        const earliest = emptyAtWith(one, 0, NOW_MS)
        expect(told?.emptyAtMs).toBe(typeof earliest === 'number' ? earliest : undefined)
        let beforeMs = Number.NEGATIVE_INFINITY
        for (const point of told?.points ?? []) {
          expect(point.at).toBeGreaterThan(beforeMs)
          beforeMs = point.at
          expect(point.low).toBeGreaterThanOrEqual(0)
          expect(point.high).toBeGreaterThanOrEqual(point.low - 1e-6)
          expect(point.high).toBeLessThanOrEqual(300)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('when a row is empty', () => {
  test('is one range: what is certainly left at the high end, and what is possibly left at the low end', () => {
    expect(emptyRangeOf(row())).toEqual({ fromMs: NOW_MS + 30_000, toMs: NOW_MS + 90_000 })
  })

  test('has no far end if it may last, or beyond twelve periods', () => {
    expect(emptyRangeOf(row(used({ elsewhereLow: 0.9, elsewhereHigh: 2.9 })))?.toMs).toBeUndefined()
    // At 0.025/s, 90 requests last exactly twelve periods. At 0.024/s they last longer.
    const slow = (low: number) => emptyRangeOf(row(used({ elsewhereLow: 0.9 + low, elsewhereHigh: 2.9 })))
    expect(slow(0.025)?.toMs).toBeCloseTo(NOW_MS + 3_600_000, -2)
    expect(slow(0.024)?.toMs).toBeUndefined()
  })

  test('of a watched row is shown if it can run out within ten minutes', () => {
    const watched = { state: 'watch', ...used({ elsewhereLow: 0, elsewhereHigh: 1 }) } as const
    expect(emptyRangeOf(row({ ...watched, low: 60 }))?.fromMs).toBeCloseTo(NOW_MS + 600_000, 3)
    expect(emptyRangeOf(row({ ...watched, low: 61 }))).toBeUndefined()
  })
})
