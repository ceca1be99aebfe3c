import { expect, test } from 'vitest'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { shortReport } from '../../../app/quota/short-quota.ts'
import { exampleRow } from './example-row.ts'

/** Events of rows evaluated one after another. */
function startedLooks() {
  const tracker = new ConditionTracker()
  return { evaluate: (one: RequestQuota, atMs: number) => tracker.eventOf(shortReport(one), atMs) }
}

const row = (state: RequestQuota['state'], low = 200): RequestQuota =>
  exampleRow({
    state,
    low,
    remaining: low,
    use: { total: 1.35, own: 0.1, elsewhere: 1.25, elsewhereLow: 1.204, elsewhereHigh: 1.3 },
  })

test('reports each step of a row that runs out, is empty and recovers, with the time of the last', () => {
  const episodes = startedLooks()
  expect(episodes.evaluate(row('ok'), 0)).toBeUndefined()
  expect(episodes.evaluate(row('running-out', 61), 3_000)).toMatchObject({
    kind: 'quota-short',
    category: 'Positions',
    state: 'running-out',
    remaining: 61,
    limit: 320,
    othersLow: 1.2,
    othersHigh: 1.3,
    refill: 1.07,
  })
  expect(episodes.evaluate(row('running-out', 40), 6_000)).toBeUndefined()
  expect(episodes.evaluate(row('empty', 0), 9_000)).toMatchObject({ kind: 'quota-short', state: 'empty' })
  expect(episodes.evaluate(row('ok'), 60_000)).toEqual({
    kind: 'quota-short-ended',
    category: 'Positions',
    state: 'empty',
    since: 9_000,
    id: 'running-out/Positions@3000',
  })
  expect(episodes.evaluate(row('ok'), 63_000)).toBeUndefined()
})

test('a watched row is not short, and ends a short one', () => {
  const episodes = startedLooks()
  expect(episodes.evaluate(row('watch', 64), 0)).toBeUndefined()
  expect(episodes.evaluate(row('low', 63), 3_000)).toMatchObject({ state: 'low' })
  expect(episodes.evaluate(row('low', 70), 6_000)).toBeUndefined()
  expect(episodes.evaluate(row('watch', 90), 9_000)?.kind).toBe('quota-short-ended')
})

test('does not report unknown use by others as none', () => {
  const told = shortReport({ ...row('empty', 0), use: null })
  expect(told).not.toHaveProperty('othersLow')
  expect(told).not.toHaveProperty('othersHigh')
})
