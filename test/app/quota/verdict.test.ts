import { expect, test } from 'vitest'
import { verdictOf } from '../../../app/quota/verdict.ts'
import { exampleRow as row } from './example-row.ts'

test('nothing seen is nothing known', () => {
  expect(verdictOf([])).toEqual({ kind: 'unknown' })
  expect(verdictOf([row({ verdict: 'not-seen' })])).toEqual({ kind: 'unknown' })
})

test('where every header is old nothing is said to last; an end that was seen coming is still told', () => {
  const old = { observedAt: 0, asOf: 120_001 }
  expect(verdictOf([row({ ...old, verdict: 'lasts' }), row({ ...old, verdict: 'near-limit' })])).toEqual({
    kind: 'unknown',
  })
  expect(verdictOf([row({ ...old, asOf: 120_000 })])).toMatchObject({ kind: 'lasts' })
  expect(verdictOf([row(old), row({ observedAt: 120_001, asOf: 120_001 })])).toMatchObject({ kind: 'lasts' })
  expect(verdictOf([row({ ...old, verdict: 'runs-out', emptyAt: 200_000 })])).toMatchObject({
    kind: 'runs-out',
  })
  expect(verdictOf([row({ ...old, verdict: 'blocked', blockedUntil: 200_000 })])).toMatchObject({
    kind: 'blocked',
  })
})

test('an unseen row does not hide a seen one', () => {
  expect(verdictOf([row({ category: 'A', verdict: 'not-seen', level: 0 }), row({ category: 'B' })])).toEqual({
    kind: 'lasts',
    category: 'B',
  })
})

test('the gravest row speaks, whatever the order', () => {
  const rows = [
    row({ category: 'idle', verdict: 'idle' }),
    row({ category: 'near', verdict: 'near-limit', level: 1 }),
    row({ category: 'out', verdict: 'runs-out', emptyAt: 900 }),
    row({ category: 'held', verdict: 'blocked', blockedUntil: 5_000 }),
  ]
  for (let turn = 0; turn < rows.length; turn += 1) {
    rows.push(rows.shift()!)
    expect(verdictOf(rows)).toEqual({ kind: 'blocked', category: 'held', at: 5_000 })
    const going = rows.filter((one) => one.verdict !== 'blocked')
    expect(verdictOf(going)).toEqual({ kind: 'runs-out', category: 'out', at: 900 })
    const near = going.filter((one) => one.verdict !== 'runs-out')
    expect(verdictOf(near)).toEqual({ kind: 'near-limit', category: 'near' })
  }
})

test('of equally grave rows the soonest speaks, then the emptiest', () => {
  const out = (category: string, emptyAt: number) => row({ category, verdict: 'runs-out', emptyAt })
  expect(verdictOf([out('later', 200), out('sooner', 100)])).toMatchObject({ category: 'sooner', at: 100 })
  const near = (category: string, level: number, limit: number) =>
    row({ category, verdict: 'near-limit', level, limit })
  expect(verdictOf([near('a', 10, 100), near('b', 5, 100), near('c', 6, 30)])).toMatchObject({
    category: 'b',
  })
})

test('the rows that were given are not put into another order', () => {
  const rows = [row({ category: 'a' }), row({ category: 'b', verdict: 'blocked', blockedUntil: 1 })]
  verdictOf(rows)
  expect(rows.map((one) => one.category)).toEqual(['a', 'b'])
})
