import { expect, test } from 'vitest'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import {
  AT_MS,
  exampleQuota,
  exampleSnapshot,
  exampleStream,
} from '../main/hosts/terminal/example-snapshot.ts'
import type { Look } from './judge.ts'
import { POLLED } from './programs.ts'
import { lookOf } from './state.ts'

const ROW = { low: 100, high: 110 }
const TRUTH = { least: 104, most: 105 }
const rows = (changes: Partial<RequestQuota> = {}) =>
  POLLED.map((category) => exampleQuota({ category, ...ROW, ...(category === 'Positions' && changes) }))
const right = exampleSnapshot({ requests: rows(), streams: [exampleStream()] })
const wrongOf = ({ wrong, unbound }: Look) => [...Object.keys(wrong), ...Object.keys(unbound)]
const wrongIn = (changes: Partial<Snapshot>, truth = TRUTH) =>
  wrongOf(lookOf({ ...right, ...changes }, () => truth))

test('a snapshot that matches the service has no fault', () => {
  expect(lookOf(right, () => TRUTH)).toEqual({ atMs: AT_MS, wrong: {}, unbound: {} })
})

test('each kind of mismatch has a name', () => {
  expect(wrongIn({ service: { ...right.service, reachable: false } })).toEqual(['service'])
  expect(wrongIn({ access: { ...right.access, state: 'refreshing' } })).toEqual(['token'])
  expect(wrongIn({ refresh: { ...right.refresh, state: 'sign-in-required' } })).toEqual(['refresh token'])
  expect(wrongIn({ streams: [exampleStream({ state: 'waiting' })] })).toEqual([
    'stream Positions Stream SIM1001 s1',
  ])
})

test('a row is wrong if its bounds miss the count by more than one request', () => {
  const around = (count: number) => wrongIn({}, { least: count, most: count })
  expect(around(98)).toEqual(POLLED)
  expect(around(99)).toEqual([])
  expect(around(111)).toEqual([])
  expect(around(112)).toEqual(POLLED)
})

test('a row that is not observed, or missing, is wrong', () => {
  const { observedAt: _, ...unseen } = exampleQuota({ category: 'Positions', ...ROW })
  const others = rows().filter(({ category }) => category !== 'Positions')
  expect(wrongIn({ requests: [...others, unseen] })).toEqual(['Positions'])
  expect(wrongIn({ requests: others })).toEqual(['Positions'])
})
