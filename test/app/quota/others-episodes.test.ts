import { expect, test } from 'vitest'
import { OthersEpisodes } from '../../../app/quota/others-episodes.ts'
import { exampleRow } from './example-row.ts'

/** A row that refills 1.07 requests a second. 2 % of that is so little that it is shown as 0. */
const row = (elsewhere: number, observedAt: number, more: Parameters<typeof exampleRow>[0] = {}) =>
  exampleRow({ observedAt, use: { total: elsewhere, own: 0, elsewhere }, ...more })

test('reports use by others once at its start and once at its end, with its rate', () => {
  const episodes = new OthersEpisodes()
  expect(episodes.proved(row(1.2, 0), 0)).toEqual({
    kind: 'elsewhere',
    category: 'Positions',
    perSecond: 1.2,
  })
  const told = []
  for (let ms = 3_000; ms <= 600_000; ms += 3_000) {
    const elsewhere = ms <= 300_000 ? 1.2 : 0
    told.push(episodes.proved(row(elsewhere, ms), ms), episodes.evaluate(row(elsewhere, ms), ms))
  }
  const ends = told.filter((one) => one !== undefined)
  expect(ends).toHaveLength(1)
  expect(ends[0]).toMatchObject({ kind: 'elsewhere-ended', category: 'Positions' })
  expect(ends[0]).toMatchObject({ perSecond: expect.closeTo(1.2, 1) })
})

test('a pause under a minute is no end, and neither is silence of the headers', () => {
  const episodes = new OthersEpisodes()
  episodes.proved(row(1, 0), 0)
  expect(episodes.evaluate(row(0, 3_000), 3_000)).toBeUndefined()
  expect(episodes.evaluate(row(0, 60_000), 60_000)).toBeUndefined()
  expect(episodes.evaluate(row(1, 62_000), 62_000)).toBeUndefined()
  expect(episodes.evaluate(row(0, 62_000), 65_000)).toBeUndefined()
  expect(episodes.evaluate(row(0, 62_000), 900_000)).toBeUndefined()
  expect(episodes.evaluate({ ...row(0, 900_000), use: null }, 900_000)).toBeUndefined()
  expect(episodes.evaluate(row(0, 66_000), 903_000)?.kind).toBe('elsewhere-ended')
})

test('never reports use below 2 % of the refill', () => {
  const episodes = new OthersEpisodes()
  const big = { limit: 1_000, period: 60 }
  expect(episodes.proved(row(0.33, 0, big), 0)).toBeUndefined()
  expect(episodes.proved(row(0.34, 0, big), 0)?.kind).toBe('elsewhere')
  expect(episodes.proved(row(0.049, 0), 0)).toBeUndefined()
})

test('ends after exactly a minute of quiet, with the rate over its duration', () => {
  const episodes = new OthersEpisodes()
  episodes.proved(row(2, 500_000), 500_000)
  episodes.evaluate(row(2, 600_000), 600_000)
  expect(episodes.evaluate(row(0, 600_000), 600_000)).toBeUndefined()
  expect(episodes.evaluate(row(0, 659_999), 659_999)).toBeUndefined()
  expect(episodes.evaluate(row(0, 660_000), 660_000)).toEqual({
    kind: 'elsewhere-ended',
    category: 'Positions',
    perSecond: 2,
  })
})
