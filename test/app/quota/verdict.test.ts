import { expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { rowVerdictOf, verdictOf as verdictAt } from '../../../app/quota/verdict.ts'
import { exampleRow } from './example-row.ts'

const verdictOf = (rows: readonly RequestQuota[]) => verdictAt(rows, { reachable: true })
const use = { total: 0, own: 0, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
const row = (more: Parameters<typeof exampleRow>[0] = {}) => exampleRow({ use, ...more })

test('without recent headers nothing is known', () => {
  expect(verdictOf([])).toEqual({ kind: 'unknown' })
  expect(verdictOf([row({ state: 'not-checked' })])).toEqual({ kind: 'unknown' })
})

test('a row that another one counts is silent', () => {
  const counted = row({ category: 'A', state: 'empty', countedBy: 'B' })
  expect(verdictOf([counted, row({ category: 'B' })])).toEqual({ kind: 'lasts', category: 'B' })
})

test('an unseen row does not hide a seen one', () => {
  expect(verdictOf([row({ category: 'A', state: 'not-checked', level: 0 }), row({ category: 'B' })])).toEqual(
    {
      kind: 'lasts',
      category: 'B',
    },
  )
})

test('quotas last only if each does at the high end of others’ use', () => {
  const quiet = row({ category: 'A' })
  expect(verdictOf([quiet, row({ category: 'B', use: null })])).toEqual({ kind: 'unknown' })
  const busy = { ...use, total: 2, elsewhere: 2, elsewhereHigh: 5.9 }
  expect(verdictOf([quiet, row({ category: 'B', use: busy })])).toEqual({ kind: 'unknown' })
  expect(verdictOf([quiet, row({ category: 'B', state: 'low', use: busy })]).kind).toBe('near-limit')
})

test('nothing is known to last while the service is unreachable; problems remain', () => {
  const away = { reachable: false }
  expect(verdictAt([row()], away)).toEqual({ kind: 'unknown' })
  expect(verdictAt([row(), row({ category: 'low', state: 'low' })], away).kind).toBe('near-limit')
})

test('the worst row decides, in any order', () => {
  const rows = [
    row({ category: 'ok' }),
    row({ category: 'low', state: 'low', level: 1 }),
    row({ category: 'out', state: 'running-out', emptyAt: 900 }),
    row({ category: 'empty', state: 'empty', asOf: 70 }),
    row({ category: 'refused', state: 'blocked', blockedUntil: 5_000 }),
  ]
  for (let turn = 0; turn < rows.length; turn += 1) {
    rows.push(rows.shift()!)
    expect(verdictOf(rows)).toEqual({ kind: 'blocked', category: 'refused', at: 5_000 })
    const without = (...states: readonly string[]) => rows.filter((one) => !states.includes(one.state))
    const going = without('blocked')
    expect(verdictOf(going)).toEqual({ kind: 'runs-out', category: 'empty', at: 70 })
    const out = without('blocked', 'empty')
    expect(verdictOf(out)).toEqual({ kind: 'runs-out', category: 'out', at: 900 })
    const low = without('blocked', 'empty', 'running-out')
    expect(verdictOf(low)).toEqual({ kind: 'near-limit', category: 'low' })
  }
})

test('of equally bad rows the soonest decides, then the emptiest', () => {
  const out = (category: string, emptyAt: number) => row({ category, state: 'running-out', emptyAt })
  expect(verdictOf([out('later', 200), out('sooner', 100)])).toMatchObject({ category: 'sooner', at: 100 })
  const low = (category: string, level: number, limit: number) =>
    row({ category, state: 'low', level, limit })
  expect(verdictOf([low('a', 10, 100), low('b', 5, 100), low('c', 6, 30)])).toMatchObject({
    category: 'b',
  })
})

test('does not reorder its input', () => {
  const rows = [row({ category: 'a' }), row({ category: 'b', state: 'blocked', blockedUntil: 1 })]
  verdictOf(rows)
  expect(rows.map((one) => one.category)).toEqual(['a', 'b'])
})

test.each([
  ['blocked', 'blocked'],
  ['empty', 'runs-out'],
  ['running-out', 'runs-out'],
  ['low', 'near-limit'],
  ['watch', 'near-limit'],
  ['not-checked', 'not-seen'],
  ['ok', 'lasts'],
] as const)('the verdict of a row that is %s is %s, whatever its level', (state, verdict) => {
  for (const level of [0, 1, 50, 99])
    expect(rowVerdictOf(row({ state, level, limit: 100, emptyAt: 1 }))).toBe(verdict)
})

test('a full row without use is idle', () => {
  const full = row({ state: 'ok', level: 100, limit: 100 })
  expect(rowVerdictOf(full)).toBe('idle')
  expect(rowVerdictOf({ ...full, use: { ...use, total: 0.05 } })).toBe('lasts')
  expect(rowVerdictOf({ ...full, state: 'watch' })).toBe('near-limit')
})
