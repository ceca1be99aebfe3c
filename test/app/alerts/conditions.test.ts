import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conditionsOf, freshForMs } from '../../../app/alerts/conditions.ts'
import type { Reading } from '../../../app/alerts/episode.ts'
import type { AlertKind } from '../../../app/alerts/kinds.ts'
import type { RequestQuota, SlotQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import {
  AT_MS,
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
} from '../../main/hosts/terminal/example-snapshot.ts'

const MINUTE_MS = 60_000

function readingOf(kind: AlertKind, changes: Partial<Snapshot>): Reading | undefined {
  const conditions = conditionsOf(exampleSnapshot({ at: AT_MS, ...changes }))
  return conditions.find((condition) => condition.kind === kind)?.reading
}

const ofRow = (kind: AlertKind, row: Partial<RequestQuota>) =>
  readingOf(kind, { requests: [exampleQuota(row)] })
const ofSlot = (row: Partial<SlotQuota>) => readingOf('slots-low', { slots: [exampleSlot(row)] })

describe('a request quota', () => {
  test('is bad while its state is low, good a tenth above its threshold, and neither between', () => {
    expect(ofRow('below-threshold', { state: 'low', low: 63, remaining: 66 })?.kind).toBe('bad')
    // Low for what others may do, not for what is left.
    expect(ofRow('below-threshold', { state: 'low', low: 64, remaining: 66 })?.kind).toBe('between')
    expect(ofRow('below-threshold', { state: 'ok', remaining: 95 })?.kind).toBe('between')
    expect(ofRow('below-threshold', { state: 'ok', remaining: 96 })?.kind).toBe('good')
    for (const state of ['running-out', 'empty', 'blocked', 'not-checked'] as const) {
      expect(ofRow('below-threshold', { state, low: 0, remaining: 0 })?.kind).toBe('between')
    }
  })

  test('has a threshold of its own where one was set, and 0 turns it off', () => {
    const low = { state: 'low', low: 200, remaining: 200 } as const
    expect(ofRow('below-threshold', { ...low, threshold: 0.9 })?.kind).toBe('bad')
    expect(ofRow('below-threshold', { remaining: 320, threshold: 1 })?.kind).toBe('good')
    expect(ofRow('below-threshold', { ...low, threshold: 0 })?.kind).toBe('gone')
  })

  test('is blocked because the service said so, and only a later header with capacity ends that', () => {
    expect(ofRow('blocked', { blockedUntil: AT_MS + 1, remaining: 0 })).toEqual({
      kind: 'bad',
      asOfMs: AT_MS,
    })
    expect(ofRow('blocked', { remaining: 0 })?.kind).toBe('between')
    expect(ofRow('blocked', { remaining: 1 })).toEqual({ kind: 'good', asOfMs: AT_MS - 3000 })
  })

  test('runs out and is empty by its state, one at a time', () => {
    const kinds = (state: RequestQuota['state']) =>
      (['runs-out', 'empty'] as const).map((kind) => ofRow(kind, { state })?.kind)
    expect(kinds('running-out')).toEqual(['bad', 'good'])
    expect(kinds('empty')).toEqual(['gone', 'bad'])
    expect(kinds('low')).toEqual(['between', 'good'])
    expect(kinds('ok')).toEqual(['good', 'good'])
    expect(kinds('not-checked')).toEqual(['between', 'between'])
    expect(kinds('blocked')).toEqual(['gone', 'between'])
  })

  test('says nothing, good or bad, on evidence that is old or nobody’s', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 320 }),
        fc.constantFrom('ok', 'low', 'running-out', 'empty', 'not-checked'),
        fc.constantFrom(60, 300),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.boolean(),
        (remaining, state, period, lateMs, isDefault) => {
          const observedAt = AT_MS - freshForMs(period) - lateMs
          const row = isDefault ? { source: 'default' as const } : { source: 'modelled' as const, observedAt }
          for (const kind of ['runs-out', 'empty', 'below-threshold', 'blocked'] as const) {
            expect(ofRow(kind, { remaining, state, period, ...row })?.kind).toBe('stale')
          }
        },
      ),
    )
  })

  test('is taken at its word up to the last fresh millisecond', () => {
    const age = (ms: number) =>
      ofRow('below-threshold', { state: 'low', low: 1, observedAt: AT_MS - ms })?.kind
    expect(age(150_000)).toBe('bad')
    expect(age(150_001)).toBe('stale')
  })
})

test('slots are low at a tenth of the limit, on evidence of the last ten minutes', () => {
  expect(ofSlot({ limit: 40, free: 4 })?.kind).toBe('bad')
  expect(ofSlot({ limit: 40, free: 5 })?.kind).toBe('between')
  expect(ofSlot({ limit: 40, free: 6 })?.kind).toBe('good')
  expect(ofSlot({ limit: 10, free: 1 })?.kind).toBe('bad')
  expect(ofSlot({ free: 0, observedAt: AT_MS - 10 * MINUTE_MS - 1 })?.kind).toBe('stale')
  expect(ofSlot({ free: 0, source: 'default' })?.kind).toBe('stale')
})

describe('a sign-in', () => {
  const left = (ms: number) => {
    const { refresh } = exampleSnapshot()
    const changes = { refresh: { ...refresh, state: 'valid' as const, endsAt: AT_MS + ms } }
    const kinds = ['sign-in-1h', 'sign-in-15min', 'sign-in-required'] as const
    return kinds.map((kind) => readingOf(kind, changes)?.kind)
  }

  test('is spoken of an hour ahead and a quarter of an hour ahead, one at a time', () => {
    expect(left(66 * MINUTE_MS)).toEqual(['good', 'good', 'good'])
    expect(left(60 * MINUTE_MS + 1)).toEqual(['between', 'good', 'good'])
    expect(left(60 * MINUTE_MS)).toEqual(['bad', 'good', 'good'])
    expect(left(15 * MINUTE_MS + 1)).toEqual(['bad', 'between', 'good'])
    expect(left(15 * MINUTE_MS)).toEqual(['gone', 'bad', 'good'])
  })

  test('that ended is told as that alone', () => {
    const { refresh } = exampleSnapshot()
    const changes = { refresh: { ...refresh, state: 'sign-in-required' as const, endsAt: AT_MS - 1 } }
    expect(readingOf('sign-in-15min', changes)?.kind).toBe('gone')
    expect(readingOf('sign-in-required', changes)?.kind).toBe('bad')
  })

  test('without an end needs nobody', () => {
    const { endsAt: _, ...refresh } = exampleSnapshot().refresh
    expect(readingOf('sign-in-1h', { refresh: { ...refresh, state: 'valid' } })?.kind).toBe('good')
  })
})

test('a revocation is bad until it is confirmed', () => {
  const { refresh } = exampleSnapshot()
  const reading = (state: Snapshot['refresh']['state']) =>
    readingOf('revoke-unconfirmed', { refresh: { ...refresh, state } })?.kind
  expect(reading('revoke-unconfirmed')).toBe('bad')
  expect(reading('revoking')).toBe('between')
  expect(reading('revoked')).toBe('good')
})

test.each([401, 500])('a %d is one alert of the key, whatever the number of rows', (status) => {
  const problem = { status, since: AT_MS }
  const requests = ['Accounts', 'Balances'].map((category) => exampleQuota({ category, problem }))
  const found = conditionsOf(exampleSnapshot({ at: AT_MS, requests }))
  const refused = found.filter(({ kind, reading }) => kind === 'refused' && reading.kind === 'bad')
  expect(refused.map(({ subject }) => subject)).toEqual([''])
})

test('a missing permission is an alert of its row, and over with the next number', () => {
  const bad = ofRow('refused', { category: 'Balances', problem: { status: 403, since: AT_MS } })
  expect(bad).toEqual({ kind: 'bad', asOfMs: AT_MS })
  expect(ofRow('refused', { category: 'Balances' })?.kind).toBe('good')
})
