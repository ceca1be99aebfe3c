import { expect, test } from 'vitest'
import type { ComparedCount } from '../desk-machines/desk-counts.ts'
import { type KnownGaps, wrongCounts } from './desk-sums.ts'

const none: KnownGaps = { unanswered: () => 0, checks: () => 0, lastMoment: () => 0, diedWith: () => 0 }
const gaps = (changes: Partial<KnownGaps>): KnownGaps => ({ ...none, ...changes })
const own = (machine: string, more: number, of = 'Accounts'): ComparedCount => ({
  ...{ machine, what: 'own', of, shown: 10 + more, counted: 10 },
})
const desk = (machine: string, more: number): ComparedCount => ({ ...own(machine, more), what: 'desk' })
const total = (machine: string, of: string, more: number): ComparedCount => ({
  ...own(machine, more, of),
  what: 'total',
})

test('a machine’s own count has every request that the service counted, and at most those without a response more', () => {
  const one = gaps({ unanswered: (machine) => (machine === 'A' ? 1 : 0) })
  expect(wrongCounts([own('A', 0), own('A', 1)], one)).toEqual([])
  expect(wrongCounts([own('A', -1)], one)).toEqual(['A, own Accounts: shows 9, the service counted 10'])
  expect(wrongCounts([own('A', 2)], one)).toHaveLength(1)
  expect(wrongCounts([own('B', 1)], one)).toHaveLength(1)
  expect(wrongCounts([own('B', 1)], gaps({ checks: () => 1 }))).toEqual([])
  expect(wrongCounts([own('B', 1), own('B', 1, 'Balances')], gaps({ checks: () => 1 }))).toHaveLength(2)
})

test('the others count exactly what a machine counts for itself', () => {
  const one = gaps({ unanswered: () => 1 })
  expect(wrongCounts([own('A', 1), own('B', 0), desk('B', 1), total('B', 'A', 1)], one)).toEqual([])
  expect(wrongCounts([own('A', 1), own('B', 0), desk('B', 0), total('B', 'A', 0)], one)).toHaveLength(2)
  expect(wrongCounts([own('A', 0), desk('B', 1)], one)).toHaveLength(1)
  // What A itself counts of the others has nothing to do with its own surplus.
  expect(wrongCounts([own('A', 1), desk('A', 0)], one)).toEqual([])
})

test('for a killed machine they may lack its last moment, or include requests in flight when it died', () => {
  const killed = gaps({ lastMoment: () => 2, diedWith: () => 1 })
  expect(wrongCounts([desk('B', -2), desk('B', 1)], killed)).toEqual([])
  expect(wrongCounts([desk('B', -3)], killed)).toHaveLength(1)
  expect(wrongCounts([desk('B', 2)], killed)).toHaveLength(1)
})
