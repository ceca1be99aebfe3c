import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DESK_NAME } from '../../../app/plan/running.ts'
import { stackedUse } from '../../../renderer/programs/stacked-use.ts'

const MINUTE_MS = 60_000
const history = (
  programs: readonly { readonly program: string; readonly requests: readonly number[] }[],
  rest: { readonly own: readonly number[]; readonly elsewhere: readonly number[]; readonly toMs?: number },
) => ({ from: 0, resolutionMs: MINUTE_MS, programs, toMs: rest.own.length * MINUTE_MS, ...rest })

test('programs are stacked in order, a removed one above them, then own requests and others', () => {
  const use = stackedUse(
    history(
      [
        { program: 'gone', requests: [6] },
        { program: 'bot', requests: [30] },
      ],
      { own: [48], elsewhere: [60] },
    ),
    ['idle', 'bot'],
    1.5,
  )
  expect(use.layers).toEqual([
    { name: 'idle', requests: 0 },
    { name: 'bot', requests: 30 },
    { name: 'gone', requests: 6 },
    { name: 'Headroom', requests: 12 },
    { name: 'Others', requests: 60 },
  ])
  const rates = use.pieces.map(({ layer, height }) => [
    layer,
    Math.round(height * use.topPerSecond * 10) / 10,
  ])
  expect(rates).toEqual([
    [1, 0.5],
    [2, 0.1],
    [3, 0.2],
    [4, 1],
  ])
})

test('the desk’s other machines are a layer between own requests and others’', () => {
  const use = stackedUse({ ...history([], { own: [12], elsewhere: [60] }), desk: [30] }, [], 1.5)
  expect(use.layers).toEqual([
    { name: 'Headroom', requests: 12 },
    { name: DESK_NAME, requests: 30 },
    { name: 'Others', requests: 60 },
  ])
  const [own, desk, others] = use.pieces
  expect(desk?.bottom).toBeCloseTo((own?.bottom ?? 0) + (own?.height ?? 0))
  expect(others?.bottom).toBeCloseTo((desk?.bottom ?? 0) + (desk?.height ?? 0))
})

test('an incomplete minute counts by its part, and not at all before a quarter of it', () => {
  const rate = (toMs: number) => {
    const use = stackedUse(history([], { own: [60, 15], elsewhere: [0, 0], toMs }), [], 0)
    return use.pieces.map(({ left, width, height }) =>
      [left, width, height * use.topPerSecond].map((one) => Math.round(one * 100) / 100),
    )
  }
  expect(rate(MINUTE_MS + 30_000)).toEqual([
    [0, 0.67, 1],
    [0.67, 0.33, 0.5],
  ])
  expect(rate(MINUTE_MS + 14_000)).toHaveLength(1)
})

test('whatever the requests, no piece leaves the chart, none overlaps another, and the refill is in it', () => {
  const counts = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(counts, { maxLength: 4 }),
      counts,
      fc.double({ min: 0, max: 40, noNaN: true }),
      (all, elsewhere, refill) => {
        const programs = all.map((requests, i) => ({ program: `p${i}`, requests }))
        const use = stackedUse(history(programs, { own: [0, 0, 0], elsewhere }), ['p0'], refill)
        expect(use.topPerSecond).toBeGreaterThanOrEqual(refill)
        for (const left of new Set(use.pieces.map((one) => one.left))) {
          let below = 0
          for (const { bottom, height } of use.pieces.filter((one) => one.left === left)) {
            expect(bottom).toBeCloseTo(below)
            below = bottom + height
          }
          expect(below).toBeLessThanOrEqual(1.000001)
        }
      },
    ),
  )
})
