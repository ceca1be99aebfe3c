import { beforeAll, expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { added, type Figures, figuresOf } from './figures.ts'
import type { Kind } from './kinds.ts'
import { livedKey } from './live-key.ts'
import type { Looks } from './looks.ts'
import { steady } from './processes.ts'

/**
 * 75 seconds of real time. The simulator, others' programs over HTTP, and `headroom watch --json` are
 * separate processes.
 */
const SECONDS = 75
const DRAINED = 'Accounts'
const steadyKind = (name: string, rate: number, limit = 320, periodSeconds = 300): Kind => ({
  ...{ name, shape: 'steady', limit, periodSeconds, own: 0, others: steady(rate) },
})
const KINDS = [
  // Others use 7 a second of 320, and 1.07 a second refill. So the quota is empty after 54 s.
  { category: DRAINED, kind: steadyKind(DRAINED, 7) },
  { category: 'Balances', kind: steadyKind('Balances', 0.5) },
  { category: 'Quote Snapshot', kind: steadyKind('Quote Snapshot', 2, 500) },
  { category: 'Option Expirations', kind: steadyKind('Option Expirations', 0, 90, 60) },
]

let looks: readonly Looks[] = []
let all: Figures

beforeAll(async () => {
  looks = await livedKey({ kinds: KINDS, seed: 1, seconds: SECONDS })
  all = looks.map(figuresOf).reduce(added)
}, 150_000)

test('the quotas that a process prints include the simulator’s own count', () => {
  // A busy machine may miss some looks, but not most of them.
  expect(all.looks).toBeGreaterThan(KINDS.length * SECONDS * 0.5)
  expect(all.highWrong).toBe(0)
  expect(all.covered / all.looks).toBeGreaterThan(0.88)
  proves('Q8', { level: 3, cases: all.looks })
})

test('it warns before the quota that others use up is empty, and never calls it fine when it is low', () => {
  const drained = looks[0]
  if (!drained) throw new Error('no looks')
  const emptyAt = drained.truth.findIndex((remaining, at) => at < SECONDS && remaining < 1)
  expect(emptyAt).toBeGreaterThan(20)
  const warnedAt = drained.state.findIndex((state) => state === 'running-out' || state === 'empty')
  expect(warnedAt).toBeGreaterThan(0)
  expect(warnedAt).toBeLessThanOrEqual(emptyAt - 15)
  expect(all.underFifth).toBeGreaterThan(5)
  expect(all.okUnderFifth).toBe(0)
  proves('Q9', { level: 3, cases: all.underFifth })
})

test('its checks stay within their budget', () => {
  expect(all.checks).toBeGreaterThanOrEqual(2 * KINDS.length)
  for (const { kind, checks } of looks) {
    const paid = (Math.max(1, 0.02 * kind.limit) * SECONDS) / kind.periodSeconds
    expect(checks, kind.name).toBeLessThanOrEqual(paid + 2)
  }
  proves('Q10', { level: 3, cases: all.checks })
})
