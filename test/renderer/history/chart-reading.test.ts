import '../utc.ts'
import { describe, expect, test } from 'vitest'
import type { HistoryPoint } from '../../../app/contract/history.ts'
import { chartMarkers, placedMarkers } from '../../../renderer/charts/markers.ts'
import { chartReading } from '../../../renderer/history/chart-reading.ts'
import { chartSeries } from '../../../renderer/history/series.ts'
import { EVENTS, NOW_MS, quota } from '../fixtures.ts'

const SECOND = 1000
const MINUTE = 60_000

const point = (seconds: number, more: Partial<HistoryPoint> = {}): HistoryPoint => ({
  at: NOW_MS + seconds * SECOND,
  remaining: 100,
  source: 'modelled',
  ...more,
})

describe('the chart’s cursor', () => {
  const points = [
    point(-60, { source: 'header', remaining: 120, own: 0.1, elsewhere: 0 }),
    point(-50, { remaining: 111, own: 0.1, desk: 0.4, elsewhere: 0.6 }),
    point(-32, { remaining: 107, low: 101, high: 113, own: 0.1, elsewhere: 1.25 }),
  ]
  const { rows } = chartSeries({ points, rejectedAt: [] }, quota('Positions', 320, 300, 100), NOW_MS)
  const at = (seconds: number) => {
    const row = rows.find((one) => one.at === NOW_MS + seconds * SECOND)
    return row && chartReading(row, 320)
  }
  test('reads the desk’s part of the use where there is a desk', () => {
    expect(at(-50)?.facts.slice(1)).toEqual([
      { name: 'Own', value: '0.1/s' },
      { name: 'Desk', value: '0.4/s' },
      { name: 'Others', value: '0.6/s' },
    ])
  })
  test('stacks the desk’s part between own use and others’', () => {
    const { ownBar, deskBar, othersBar } = rows.find((one) => one.at === NOW_MS - 50 * SECOND) ?? {}
    expect(deskBar?.[0]).toBe(ownBar?.[1])
    expect(othersBar?.[0]).toBe(deskBar?.[1])
    const height = (bar: readonly [number, number] | undefined) => (bar ? bar[1] - bar[0] : 0)
    expect(height(deskBar) / height(othersBar)).toBeCloseTo(0.4 / 0.6)
  })
  test('reads the time, the range, who used it, and the age of an estimate', () => {
    expect(at(-32)).toEqual({
      time: '14:30:33',
      source: 'estimate, header 28 s before',
      facts: [
        { name: 'Left', value: '101–113 of 320' },
        { name: 'Own', value: '0.1/s' },
        { name: 'Others', value: '1.3/s' },
      ],
    })
  })
  test('reads a header if there was one', () => {
    expect(at(-60)).toMatchObject({ source: 'header', facts: [{ value: '120 of 320' }, {}, { value: '0' }] })
  })
  test('reads a 429 that brought no header', () => {
    const rejectedAt = [NOW_MS - 41 * SECOND]
    const row = chartSeries({ points, rejectedAt }, quota('Positions', 320, 300, 100), NOW_MS).rows.find(
      (one) => one.at === rejectedAt[0],
    )
    expect(row && chartReading(row, 320)).toMatchObject({
      source: '429',
      facts: [{ value: '0 of 320' }, {}, {}, {}],
    })
  })
  test('reads nothing in a gap, and marks a forecast', () => {
    expect(chartReading({ at: NOW_MS }, 320)).toBeUndefined()
    const ahead = { at: NOW_MS, forecast: [3, 19], earliest: 3, latest: 19 } as const
    expect(chartReading(ahead, 320)).toMatchObject({ source: 'forecast', facts: [{ value: '3–19 of 320' }] })
    expect(chartReading({ at: NOW_MS, earliest: 3 }, 320)).toMatchObject({ facts: [{ value: '3 of 320' }] })
  })
})

describe('the strip of use', () => {
  const row = quota('Positions', 320, 300, 100)
  test('is drawn below the line, others on top of own, up to the highest use', () => {
    const points = [point(-10, { own: 0.5, elsewhere: 1.5 }), point(-5, { own: 0, elsewhere: 0 })]
    const { strip, rows } = chartSeries({ points, rejectedAt: [] }, row, NOW_MS)
    const used = rows.find((one) => one.own === 0.5)
    expect(used?.ownBar?.[0]).toBe(strip?.base)
    expect(used?.othersBar?.[0]).toBe(used?.ownBar?.[1])
    expect(strip?.maxPerSecond).toBe(2)
    expect(used?.othersBar?.[1]).toBeCloseTo(strip?.top ?? 0, 6)
    expect(strip?.top ?? 1).toBeLessThan(0)
  })
  test('ends at a round rate, which no use exceeds', () => {
    const topOf = (elsewhere: number) =>
      chartSeries({ points: [point(-10, { own: 0, elsewhere })], rejectedAt: [] }, row, NOW_MS).strip
        ?.maxPerSecond
    expect([2.7, 5, 49, 0.3, 20.4].map(topOf)).toEqual([3, 5, 50, 1.5, 30])
    const slow = quota('Slow', 3, 300, 1)
    const { strip } = chartSeries(
      { points: [point(-10, { own: 0, elsewhere: 0 })], rejectedAt: [] },
      slow,
      NOW_MS,
    )
    expect(strip?.maxPerSecond).toBe(0.015)
  })
  test('is omitted if no use is known', () => {
    expect(chartSeries({ points: [point(-10)], rejectedAt: [] }, row, NOW_MS).strip).toBeUndefined()
  })
})

const WEEK_MS = 7 * 24 * 60 * MINUTE

describe('markers', () => {
  const range = { profile: 'main', fromMs: NOW_MS - 15 * MINUTE, toMs: NOW_MS }
  test('show 429s, tokens and GoAway of the shown key, oldest first', () => {
    expect(chartMarkers(EVENTS, [NOW_MS - 6 * MINUTE], range)).toEqual([
      { kind: '429', at: NOW_MS - 6 * MINUTE, lane: 0, side: 'right' },
      { kind: 'token', at: NOW_MS - 329 * SECOND, lane: 1, side: 'right' },
      { kind: 'GoAway', at: NOW_MS - 42 * SECOND, lane: 0, side: 'left' },
    ])
    expect(chartMarkers(EVENTS, [], { ...range, profile: 'other' })).toEqual([])
  })
  test('have labels if there is room, and session hours last', () => {
    const week = { ...range, fromMs: NOW_MS - 7 * 24 * 60 * MINUTE }
    const open = chartMarkers([], [], week).find(({ kind }) => kind === 'open')?.at ?? Number.NaN
    const markers = chartMarkers(EVENTS, [open, open - 60 * MINUTE], week)
    expect(markers.find(({ kind }) => kind === '429')?.lane).toBe(0)
    const placed = markers.filter(({ lane }) => lane !== undefined)
    expect(placed.length).toBeLessThan(markers.length)
    const leftOf = ({ at, side }: (typeof markers)[number]) => (side === 'left' ? at - 0.14 * WEEK_MS : at)
    for (const one of placed)
      for (const other of placed)
        if (one !== other && one.lane === other.lane)
          expect(Math.abs(leftOf(one) - leftOf(other))).toBeGreaterThanOrEqual(0.139 * WEEK_MS)
  })
  test('are placed by the width of a label', () => {
    const markers = [
      { kind: '429', at: NOW_MS - 9 * MINUTE },
      { kind: 'token', at: NOW_MS - 6 * MINUTE },
      { kind: 'GoAway', at: NOW_MS - MINUTE },
    ] as const
    const lanes = (labelMinutes: number) =>
      placedMarkers(markers, { toMs: NOW_MS, labelMs: labelMinutes * MINUTE }).map(({ lane, side }) => [
        lane,
        side,
      ])
    expect(lanes(1)).toEqual([
      [0, 'right'],
      [0, 'right'],
      [0, 'right'],
    ])
    // The label of the last marker is to the left of its line. There it would overlap the label of the token,
    // so it is in the next lane.
    expect(lanes(3)).toEqual([
      [0, 'right'],
      [0, 'right'],
      [1, 'left'],
    ])
  })
  test('of one kind that are close together are merged', () => {
    const rejectedAt = [0, 5, 20, 36, 80].map((seconds) => NOW_MS - 300 * SECOND + seconds * SECOND)
    expect(chartMarkers([], rejectedAt, range).map(({ at }) => (at - NOW_MS) / SECOND)).toEqual([
      -300, -264, -220,
    ])
  })
  test('an ended sign-in has one marker', () => {
    const ended = { profile: 'main', seq: 9, at: NOW_MS - 1, kind: 'sign-in-required', reason: 'x' } as const
    expect(chartMarkers([ended], [], range)).toEqual([
      { kind: 'sign-in', at: NOW_MS - 1, lane: 0, side: 'left' },
    ])
  })
  test('show the open and the close of the regular session within the range', () => {
    const day = { ...range, fromMs: NOW_MS - 24 * 60 * MINUTE }
    const told = chartMarkers([], [], day).map(({ kind, at }) => `${kind} ${new Date(at).toISOString()}`)
    expect(told).toEqual(['close 2026-03-12T20:00:00.000Z', 'open 2026-03-13T13:30:00.000Z'])
    expect(chartMarkers([], [], range)).toEqual([])
  })
})
