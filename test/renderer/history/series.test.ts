import '../utc.ts'
import { describe, expect, it } from 'vitest'
import type { HistoryPoint } from '../../../app/contract/history.ts'
import { MINUTE_MS } from '../../../app/contract/units.ts'
import { quotaStatus } from '../../../app/status/quota-status.ts'
import { RANGES } from '../../../renderer/charts/ranges.ts'
import { chartSeries, countTicks, emptyLabel } from '../../../renderer/history/series.ts'
import { defaultQuota, NOW_MS, quota } from '../fixtures.ts'

const at = (seconds: number, remaining: number, source: HistoryPoint['source'] = 'header') => ({
  at: NOW_MS + seconds * 1000,
  remaining,
  source,
})
const positions = quota('Positions', 320, 300, 38)
const refill = 320 / 300
/** 31 to 45 requests are left, and others use 0.1 to 2 a second more than the refill. */
const runningOut = {
  ...positions,
  low: 31,
  high: 45,
  state: 'running-out',
  emptyAt: NOW_MS + 36_000,
  emptyFrom: NOW_MS + 15_500,
  emptyTo: NOW_MS + 450_000,
  use: {
    total: refill + 1,
    own: 0,
    elsewhere: refill + 1,
    elsewhereLow: refill + 0.1,
    elsewhereHigh: refill + 2,
  },
} as const
const rowsOf = (points: readonly HistoryPoint[], row = positions) =>
  chartSeries({ points, rejectedAt: [] }, row, NOW_MS).rows.map(({ headerAt: _, ...one }) => ({
    ...one,
    at: (one.at - NOW_MS) / 1000,
  }))

describe('the chart', () => {
  it('joins headers by a solid line and skips the model between them', () => {
    expect(rowsOf([at(-60, 50), at(-30, 52, 'modelled'), at(0, 38)])).toEqual([
      { at: -60, header: 50, range: [50, 50] },
      { at: 0, header: 38, range: [38, 38] },
      { at: 0, modelled: 38, range: [38, 38] },
    ])
  })

  it('adds the interval at each time without bending the line between headers', () => {
    const estimate = { ...at(-30, 52, 'modelled'), low: 48, high: 60 }
    expect(rowsOf([at(-40, 50), estimate, at(0, 38)])).toEqual([
      { at: -40, header: 50, range: [50, 50] },
      { at: -30, header: 47, range: [48, 60] },
      { at: 0, header: 38, range: [38, 38] },
      { at: 0, modelled: 38, range: [38, 38] },
    ])
    expect(rowsOf([at(-40, 50), estimate])[1]).toEqual({ at: -30, modelled: 52, range: [48, 60] })
  })

  it('draws the model from the last header to now', () => {
    expect(rowsOf([at(-60, 50), at(-30, 52, 'modelled')])).toEqual([
      { at: -60, header: 50, modelled: 50, range: [50, 50] },
      { at: -30, modelled: 52 },
      { at: 0, modelled: 38, range: [38, 38] },
    ])
  })

  it('ends at the last point while the row is not checked, and forecasts nothing', () => {
    const points = [at(-60, 50), at(-45, 45, 'modelled')]
    const unchecked = { ...runningOut, state: 'not-checked' } as const
    expect(rowsOf(points, unchecked).at(-1)).toEqual({ at: -45, modelled: 45 })
    expect(chartSeries({ points, rejectedAt: [] }, unchecked, NOW_MS).hasForecast).toBe(false)
    expect(chartSeries({ points, rejectedAt: [] }, runningOut, NOW_MS).hasForecast).toBe(true)
  })

  it('draws no solid line across more than two minutes without a header', () => {
    const estimates = [-170, -140, -110, -80, -50].map((seconds) => at(seconds, 150, 'modelled'))
    const rows = rowsOf([at(-200, 50), ...estimates, at(-20, 250)])
    expect(rows.slice(0, 2)).toEqual([
      { at: -200, header: 50, modelled: 50, range: [50, 50] },
      { at: -170, modelled: 150 },
    ])
    expect(rows.slice(-3)).toEqual([
      { at: -50, modelled: 150 },
      { at: -20, header: 250, modelled: 250, range: [250, 250] },
      { at: 0, modelled: 38, range: [38, 38] },
    ])
  })

  it('draws an unforeseen fall at the time of the header that proves it', () => {
    const estimates = [-40, -22].map((seconds) => ({ ...at(seconds, 170, 'modelled'), low: 120, high: 200 }))
    const linesOf = (remaining: number) =>
      rowsOf([at(-60, 150), ...estimates, at(-20, remaining)]).map(({ at, header, modelled }) => [
        at,
        header,
        modelled,
      ])
    expect(linesOf(0)).toEqual([
      [-60, 150, 150],
      [-40, undefined, 170],
      [-22, undefined, 170],
      [-20, 0, 0],
      [0, undefined, 38],
    ])
    // The straight line to 140 is within the known range.
    expect(linesOf(140).map(([, header]) => header !== undefined)).toEqual([true, true, true, true, false])
  })

  it('is at 0 at a 429, with or without a header', () => {
    const points = [at(-30, 150), at(-20, 160, 'modelled'), at(-5, 90)]
    const levelsOf = (rejected: number, more: readonly HistoryPoint[] = []) =>
      chartSeries({ points: [...points, ...more], rejectedAt: [NOW_MS + rejected * 1000] }, positions, NOW_MS)
        .rows.filter(({ header }) => header === 0)
        .map(({ at, isRejected }) => [(at - NOW_MS) / 1000, isRejected])
    expect(levelsOf(-12)).toEqual([[-12, true]])
    expect(levelsOf(-2, [at(-2, 0)])).toEqual([
      [-2, true],
      [-2, true],
    ])
  })

  it('forecasts both edges from what is certainly and possibly left, and ends the early one at zero', () => {
    const rows = rowsOf([at(-890, 90), at(-10, 40)], runningOut)
    const now = rows.findIndex((row) => row.at === 0)
    expect(rows[now]).toEqual({
      at: 0,
      modelled: 38,
      range: [31, 45],
      forecast: [31, 45],
      earliest: 31,
      latest: 45,
    })
    const early = rows.filter(({ earliest }) => earliest !== undefined)
    // 31 requests are left, and use exceeds the refill by 2 a second.
    expect(early.at(-1)).toMatchObject({ at: 15.5, earliest: 0 })
    expect(rows.at(-1)?.at).toBe(RANGES['15 min'].aheadMs / 1000)
    expect(rows.at(-1)?.forecast).toEqual([0, rows.at(-1)?.latest])
  })

  it('draws only the early edge if the other is unknown', () => {
    const { elsewhereLow: _, ...use } = runningOut.use
    const rows = rowsOf([at(-10, 40)], { ...runningOut, use }).filter(({ at }) => at >= 0)
    expect(rows.every(({ forecast, latest }) => forecast === undefined && latest === undefined)).toBe(true)
    expect(rows.some(({ earliest }) => earliest === 0)).toBe(true)
  })

  it('draws nothing for a number that no header gave', () => {
    expect(rowsOf([], defaultQuota('TickBar Stream', 500, 300))).toEqual([])
  })

  it('marks the 429s of its 15 minutes and no others', () => {
    const rejectedAt = [NOW_MS - 901_000, NOW_MS - 900_000, NOW_MS]
    const series = chartSeries({ points: [], rejectedAt }, positions, NOW_MS)
    expect(series.rejectedAt).toEqual(rejectedAt.slice(1))
  })

  it('has whole numbers on its axis', () => {
    expect(countTicks(320)).toEqual([0, 80, 160, 240, 320])
    expect(countTicks(30).every(Number.isInteger)).toBe(true)
  })
})

describe('the chart’s annotations', () => {
  const seriesOf = (points: readonly HistoryPoint[], row = positions) =>
    chartSeries({ points, rejectedAt: [] }, row, NOW_MS)
  it('mark the lowest level of the range, once the line has risen from it', () => {
    const risen = quota('Positions', 320, 300, 200)
    expect(seriesOf([at(-600, 90), at(-300, 12), at(-60, 150)], risen).lowest).toEqual({
      at: NOW_MS - 300_000,
      count: 12,
    })
    expect(seriesOf([at(-600, 90), at(-300, 60), at(-60, 40)]).lowest).toBeUndefined()
    expect(seriesOf([at(-60, 200)], risen).lowest).toBeUndefined()
  })
  it('mark no estimate where headers exist', () => {
    const risen = quota('Positions', 320, 300, 200)
    const estimated = { at: NOW_MS - 400_000, remaining: 0, source: 'modelled' } as const
    expect(seriesOf([at(-900, 90), estimated, at(-200, 3), at(-60, 150)], risen).lowest?.count).toBe(3)
    expect(seriesOf([estimated], risen).lowest?.count).toBe(0)
  })
  it('mark no lowest level next to a 429 at the same point', () => {
    const risen = quota('Positions', 320, 300, 200)
    const points = [at(-600, 0), at(-300, 90), at(-60, 150)]
    const lowestBeside = (seconds: number) =>
      chartSeries({ points, rejectedAt: [NOW_MS + seconds * 1000] }, risen, NOW_MS).lowest
    expect(lowestBeside(-610)).toBeUndefined()
    expect(lowestBeside(-300)?.count).toBe(0)
  })
  it('mark when the row is empty, in the row’s words, if a forecast is drawn', () => {
    expect(seriesOf([at(-60, 50)], runningOut).hasForecast).toBe(true)
    expect(emptyLabel(runningOut, NOW_MS)).toBe('empty 14:31–14:38')
    expect(quotaStatus(runningOut, NOW_MS).note).toBe('14:31–14:38')
    expect(seriesOf([at(-60, 50)]).hasForecast).toBe(false)
    expect(emptyLabel(positions, NOW_MS)).toBeUndefined()
    const aWeek = chartSeries({ points: [], rejectedAt: [] }, runningOut, NOW_MS, '7 d')
    expect(aWeek.hasForecast).toBe(false)
  })
})

describe('the usual level', () => {
  const points = [at(-600, 90), at(-300, 60), at(-60, 40)]
  const withUsual = (usual: readonly (readonly [number, number])[] | undefined) =>
    chartSeries({ points, rejectedAt: [], ...(usual && { usual }) }, positions, NOW_MS)
  it('connects the middles of neighbouring quarters of an hour', () => {
    const { rows, hasUsual } = withUsual([
      [NOW_MS - 10 * MINUTE_MS, 300],
      [NOW_MS + 5 * MINUTE_MS, 150],
    ])
    expect(hasUsual).toBe(true)
    const usualAt = (seconds: number) => rows.find((row) => row.at === NOW_MS + seconds * 1000)?.usual
    expect([-600, -300, -60, 0].map(usualAt)).toEqual([300, 250, 210, 200])
  })
  it('is not drawn across a night, nor without a record of other days', () => {
    expect(
      withUsual([
        [NOW_MS - 20 * MINUTE_MS, 300],
        [NOW_MS + 5 * MINUTE_MS, 150],
      ]).hasUsual,
    ).toBe(false)
    expect(withUsual(undefined).hasUsual).toBe(false)
  })
})

describe('a time without data', () => {
  const unchecked = { ...positions, state: 'not-checked' } as const
  const isDrawn = ({ header, modelled, headerBand }: ReturnType<typeof rowsOf>[number]) =>
    (header ?? modelled ?? headerBand) !== undefined
  const seriesOf = (points: readonly HistoryPoint[], row = positions, since?: number) =>
    chartSeries({ points, rejectedAt: [], ...(since !== undefined && { since }) }, row, NOW_MS)
  const gapsOf = (...of: Parameters<typeof seriesOf>) =>
    seriesOf(...of).gaps.map(({ fromMs, toMs, isBefore }) => [
      (fromMs - NOW_MS) / 1000,
      (toMs - NOW_MS) / 1000,
      ...(isBefore ? ['before'] : []),
    ])

  it('is a gap in the lines, even between two headers', () => {
    const points = [at(-100, 50), at(-90, 51, 'modelled'), at(-40, 60), at(-20, 61, 'modelled')]
    expect(gapsOf(points)).toEqual([
      [-900, -100, 'before'],
      [-90, -40],
    ])
    expect(rowsOf(points).map((row) => [row.at, isDrawn(row)])).toEqual([
      [-100, true],
      [-90, true],
      [-40.001, false],
      [-40, true],
      [-20, true],
      [0, true],
    ])
    // Thirty seconds without a point are no gap.
    expect(gapsOf([at(-40, 50), at(-10, 60)])).toEqual([[-900, -40, 'before']])
  })

  it('lasts until now while the row is not checked', () => {
    const since = NOW_MS - 60 * MINUTE_MS
    expect(gapsOf([at(-890, 50), at(-870, 50), at(-845, 50)], unchecked, since)).toEqual([[-845, 0]])
    expect(gapsOf([at(-890, 50)], positions, since)).toEqual([])
    expect(gapsOf([], unchecked, since)).toEqual([[-900, 0]])
  })

  it('before the recording is empty, and the axis covers the whole range', () => {
    const series = seriesOf([at(-90, 50), at(-61, 50)], positions, NOW_MS - 90_000)
    expect([series.fromMs, series.sinceMs]).toEqual([NOW_MS - 15 * MINUTE_MS, NOW_MS - 90_000])
    expect(gapsOf([at(-90, 50), at(-61, 50)], positions, NOW_MS - 90_000)).toEqual([[-900, -90, 'before']])
    expect(gapsOf([])).toEqual([])
  })

  it('in a long range is longer than its columns', () => {
    const minutes = [-59, -50, -49, -48, -2, -1]
    const points = minutes.map((minute) => at(minute * 60, 50))
    const since = NOW_MS - 600 * MINUTE_MS
    const { gaps } = chartSeries({ points, rejectedAt: [], since }, unchecked, NOW_MS, '1 h')
    const lengths = gaps.map(({ fromMs, toMs }) => Math.round((toMs - fromMs) / MINUTE_MS))
    expect(lengths).toEqual([9, 46, 1])
  })
})
