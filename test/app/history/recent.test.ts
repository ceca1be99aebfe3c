import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { RecentHistory } from '../../../app/history/recent.ts'

const MINUTE_MS = 60_000
const row = (source: RequestQuota['source'], remaining: number) =>
  ({ category: 'Accounts', source, remaining }) as RequestQuota

test('separates headers from samples of the model, and skips rows that were never seen', () => {
  const history = new RecentHistory()
  history.sampled([row('default', 320)], 1)
  history.observed('Accounts', 2, 319)
  history.sampled([row('header', 319)], 3)
  history.sampled([row('modelled', 320)], 4)
  expect(history.query('Accounts', 0, 10, 300).points).toEqual([
    { at: 2, remaining: 319, source: 'header' },
    { at: 3, remaining: 319, source: 'header' },
    { at: 4, remaining: 320, source: 'modelled' },
  ])
})

test('a dip between two headers of one slot remains, and so does the lowest header of a second', () => {
  const history = new RecentHistory()
  for (let at = 0; at <= 100; at += 10) history.observed('Accounts', at, at)
  history.rejected('Accounts', 20)
  history.rejected('Accounts', 50)
  const { points, rejectedAt } = history.query('Accounts', 20, 40, 300)
  expect(points.map(({ at }) => at)).toEqual([20, 30, 40])
  expect(rejectedAt).toEqual([20])
  expect(history.query('Unknown', 0, 100, 300)).toEqual({ points: [], rejectedAt: [] })
})

test('holds a quarter of an hour of samples every three seconds, in bounded memory', () => {
  const history = new RecentHistory()
  const day = 24 * 60 * MINUTE_MS
  for (let at = 0; at <= day; at += 3_000) history.sampled([row('modelled', 5)], at)
  const { points } = history.query('Accounts', day - 15 * MINUTE_MS, day, 100_000)
  expect(points.length).toBe(301)
  expect(history.query('Accounts', 0, day, 100_000).points.length).toBeLessThanOrEqual(2_000)
})

test('returns at most the requested number of points, in order, headers before samples', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.boolean()), { maxLength: 400 }),
      fc.integer({ min: 2, max: 300 }),
      (steps, most) => {
        const history = new RecentHistory()
        let at = 0
        const headers: number[] = []
        for (const [gap, isHeader] of steps) {
          at += gap
          if (isHeader) headers.push(at)
          if (isHeader) history.observed('Accounts', at, at)
          else history.sampled([row('modelled', at)], at)
        }
        const { points } = history.query('Accounts', 0, at, most)
        expect(points.length).toBeLessThanOrEqual(Math.max(most, 0))
        expect(points.map((point) => point.at)).toEqual(points.map((point) => point.at).sort((a, b) => a - b))
        // Every slot that saw a header shows one.
        if (headers.length > 0 && steps.length > 0)
          expect(points.some(({ source }) => source === 'header')).toBe(true)
      },
    ),
  )
})

test('shows who used the quota and since when it records, and prefers a header to a sample that repeats it', () => {
  const history = new RecentHistory()
  const use = { total: 1.35, own: 0.10004, elsewhere: 1.25 }
  history.observed('Accounts', 100, 319)
  history.sampled([{ ...row('header', 319), low: 319, high: 319, use }], 101)
  expect(history.query('Accounts', 0, 1000, 300)).toMatchObject({
    points: [{ source: 'header' }, { own: 0.1, elsewhere: 1.25, low: 319 }],
    since: 100,
  })
  history.sampled([{ ...row('header', 319), low: 319, high: 319, use }], 900)
  expect(history.query('Accounts', 0, 1000, 2).points.map(({ at }) => at)).toEqual([100, 900])
})

test('a dip between two headers of one slot is still there, and so is the lowest header of a second', () => {
  const history = new RecentHistory()
  history.observed('Accounts', 100, 9)
  history.observed('Accounts', 200, 3)
  history.observed('Accounts', 300, 7)
  history.sampled([{ ...row('modelled', 0), low: 0, high: 7 }], 400)
  history.observed('Accounts', 900, 20)
  expect(history.query('Accounts', 0, 1000, 2).points.map(({ remaining }) => remaining)).toEqual([3, 20])
  expect(history.lowestHeader('Accounts', 100, 400)).toBe(3)
  expect(history.lowestHeader('Accounts', 200, 400)).toBe(7)
  expect(history.lowestHeader('Accounts', 300, 400)).toBeUndefined()
  expect(history.lowestHeader('Unknown', 0, 400)).toBeUndefined()
})
