import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import {
  gravityOf,
  LOW_THRESHOLD,
  lastsAtMost,
  RowState,
  type StateReading,
  stateOf,
} from '../../../app/quota/state.ts'
import { exampleRow } from './example-row.ts'

const reading = (fields: Partial<StateReading> = {}): StateReading => ({
  seen: true,
  blocked: false,
  limit: 320,
  threshold: LOW_THRESHOLD,
  low: 200,
  high: 200,
  level: 200,
  emptyChance: 0,
  emptyChanceByPresent: 0,
  ...fields,
})

describe('the ladder', () => {
  test.each<[string, Partial<StateReading>, string]>([
    ['well filled', {}, 'ok'],
    ['low at the threshold', { low: 64 }, 'ok'],
    ['low just under the threshold', { low: 63 }, 'low'],
    ['likely empty by present use', { emptyChance: 0.7, emptyChanceByPresent: 0.7 }, 'running-out'],
    ['less likely empty by present use', { emptyChance: 0.9, emptyChanceByPresent: 0.69 }, 'low'],
    ['too likely empty to be fine', { emptyChance: 0.2 }, 'low'],
    ['unlikely empty', { emptyChance: 0.19, emptyChanceByPresent: 0.19 }, 'ok'],
    ['nothing left', { low: 0, level: 0.9, high: 1 }, 'empty'],
    ['perhaps something left', { low: 0, level: 1, high: 3 }, 'low'],
    ['a 429 waited out', { blocked: true, low: 0, level: 0, high: 0 }, 'blocked'],
    ['no header yet', { seen: false, low: 0, high: 320 }, 'not-checked'],
    ['wider than half the limit', { low: 100, high: 261 }, 'not-checked'],
    ['as wide as half the limit', { low: 100, high: 260 }, 'ok'],
    [
      'wide, but kept empty',
      { low: 0, level: 0.5, high: 200, emptyChance: 0.8, emptyChanceByPresent: 0.7 },
      'empty',
    ],
    ['wide, and perhaps empty', { low: 0, level: 0.5, high: 200, emptyChanceByPresent: 0.69 }, 'not-checked'],
  ])('%s', (_, fields, state) => {
    expect(stateOf(reading(fields))).toBe(state)
  })

  test('no reading under the threshold is ok, and none of an unseen row', () => {
    const anyReading = fc.record({
      seen: fc.boolean(),
      low: fc.double({ min: 0, max: 320, noNaN: true }),
      high: fc.double({ min: 0, max: 320, noNaN: true }),
    })
    fc.assert(
      fc.property(anyReading, (fields) => {
        const isFine = stateOf(reading({ ...fields, level: fields.low })) === 'ok'
        expect(isFine && (fields.low < 64 || !fields.seen)).toBe(false)
      }),
    )
  })
})

describe('a row lasts ten minutes', () => {
  const use = { total: 0, own: 0.5, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
  // 300 in 300 s: it refills 1/s, so 200 last where less than 1.333/s are used.
  const row = (more: Partial<RequestQuota>) => exampleRow({ limit: 300, ...more })

  test('only where others’ use is known', () => {
    expect(lastsAtMost(row({ use }))).toBe(true)
    expect(lastsAtMost(row({ use: null }))).toBe(false)
  })

  test('at the high end of others’ use and with own use', () => {
    expect(lastsAtMost(row({ use: { ...use, elsewhereHigh: 0.83 } }))).toBe(true)
    expect(lastsAtMost(row({ use: { ...use, elsewhereHigh: 0.84 } }))).toBe(false)
    expect(lastsAtMost(row({ use: { total: 1.4, own: 0.5, elsewhere: 0.9 } }))).toBe(false)
  })

  test('a fixed window to its end with what is left, and through the next one with its limit', () => {
    const fixed = { model: 'fixed', asOf: 0, windowEndsAt: 100_000, level: 100 } as const
    const lasts = (elsewhereHigh: number, more: Partial<RequestQuota> = {}) =>
      lastsAtMost(row({ ...fixed, ...more, use: { ...use, own: 0, elsewhereHigh } }))
    expect([lasts(0.99), lasts(1)]).toEqual([true, false])
    expect([lasts(0.99, { level: 300 }), lasts(1, { level: 300 })]).toEqual([true, false])
    const { windowEndsAt: _, ...endless } = exampleRow({ ...fixed, limit: 300 })
    const lastsEndless = (elsewhereHigh: number) =>
      lastsAtMost({ ...endless, use: { ...use, own: 0, elsewhereHigh } })
    expect([lastsEndless(0.16), lastsEndless(0.17)]).toEqual([true, false])
  })
})

describe('a state over time', () => {
  const held = (...readings: readonly [number, Partial<StateReading>][]) => {
    const state = new RowState()
    return readings.map(([atMs, fields]) => state.at(reading(fields), atMs)).at(-1)
  }

  test('is not checked before the first header, and ok with it', () => {
    expect(held([0, { seen: false }])).toBe('not-checked')
    expect(held([0, { seen: false }], [1, {}])).toBe('ok')
  })

  test('turns graver at once', () => {
    expect(held([0, {}], [1, { low: 63 }])).toBe('low')
    expect(held([0, {}], [1, { emptyChance: 1, emptyChanceByPresent: 1 }])).toBe('running-out')
  })

  const LOW: Partial<StateReading> = { low: 63 }
  /** Four and five points above the threshold. */
  const [NEAR, CLEAR]: readonly Partial<StateReading>[] = [{ low: 79 }, { low: 80 }]

  test('stays until the level was five points clear of it for 30 seconds', () => {
    expect(held([0, LOW], [1_000, CLEAR!], [30_999, CLEAR!])).toBe('low')
    expect(held([0, LOW], [1_000, CLEAR!], [31_000, CLEAR!])).toBe('ok')
    expect(held([0, LOW], [1_000, NEAR!], [60_000, NEAR!])).toBe('low')
  })

  test('is no longer empty as soon as requests are left, because it says that calls fail', () => {
    const empty: [number, Partial<StateReading>] = [0, { low: 0, level: 0, high: 1 }]
    expect(held(empty, [1, { low: 1.9, level: 1.9, high: 3 }])).toBe('empty')
    expect(held(empty, [1, { low: 2, level: 2, high: 3 }])).toBe('low')
    expect(held(empty, [1, { low: 25, level: 25, high: 26 }])).toBe('low')
  })

  test('stays until the chance was under half of what began it for 30 seconds', () => {
    const at = (chance: number) => ({ emptyChance: chance, emptyChanceByPresent: chance })
    expect(held([0, at(0.7)], [1_000, at(0.36)], [60_000, at(0.36)])).toBe('running-out')
    expect(held([0, at(0.7)], [1_000, at(0.34)], [30_999, at(0.34)])).toBe('running-out')
    expect(held([0, at(0.7)], [1_000, at(0.34)], [31_000, at(0.34)])).toBe('low')
    expect(held([0, at(0.2)], [1_000, at(0.11)], [60_000, at(0.11)])).toBe('low')
    expect(held([0, at(0.2)], [1_000, at(0.09)], [31_000, at(0.09)])).toBe('ok')
  })

  test('runs out no longer as soon as nearly all is left and no chance asks for it', () => {
    const at = (chance: number, low: number) => ({ emptyChance: chance, emptyChanceByPresent: chance, low })
    expect(held([0, at(0.7, 200)], [1_000, at(0.34, 287)])).toBe('running-out')
    expect(held([0, at(0.7, 200)], [1_000, at(0.34, 288)])).toBe('low')
    expect(held([0, at(0.7, 200)], [1_000, at(0.36, 320)])).toBe('running-out')
  })

  test('counts anew where the condition came back', () => {
    for (const back of [LOW, NEAR!]) {
      const readings: [number, Partial<StateReading>][] = [
        [0, LOW],
        [1_000, CLEAR!],
        [10_000, back],
        [20_000, CLEAR!],
        [49_999, CLEAR!],
      ]
      expect(held(...readings)).toBe('low')
      expect(held(...readings, [50_000, CLEAR!])).toBe('ok')
    }
  })

  test('is never ok without a useful range, and checked with the next header at once', () => {
    const wide = { low: 100, high: 261 }
    expect(held([0, {}], [1, wide])).toBe('not-checked')
    expect(held([0, {}], [1, wide], [2, {}])).toBe('ok')
    expect(held([0, LOW], [1_000, wide], [30_999, wide])).toBe('low')
    expect(held([0, LOW], [1_000, wide], [31_000, wide])).toBe('not-checked')
  })

  test('is no longer blocked 30 seconds after the wait, unless the next answer is another 429', () => {
    const over: [number, Partial<StateReading>][] = [
      [0, { blocked: true }],
      [1, { low: 10, level: 10, high: 11 }],
    ]
    expect(held(...over)).toBe('blocked')
    expect(held(...over, [30_001, { low: 10, level: 10, high: 11 }])).toBe('low')
    expect(held(...over, [10_000, { blocked: true }], [30_001, { blocked: true }])).toBe('blocked')
    expect(held([0, { blocked: true }], [1, {}])).toBe('ok')
  })

  test('is never milder than what the reading alone asks for', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 320 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const state = new RowState()
        let nowMs = 0
        for (const [afterMs, low] of steps) {
          nowMs += afterMs
          const now = reading({ low, level: low, high: low })
          expect(gravityOf(state.at(now, nowMs))).toBeGreaterThanOrEqual(gravityOf(stateOf(now)))
        }
      }),
    )
  })
})
