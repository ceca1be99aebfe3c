import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { QuotaState, RequestQuota } from '../../../app/contract/snapshot.ts'
import { LOW_THRESHOLD } from '../../../app/contract/units.ts'
import { gravityOf, lastsAtMost, RowState, type StateReading, stateOf } from '../../../app/quota/state.ts'
import { proves } from '../../proof/proves.ts'
import { exampleRow } from './example-row.ts'

const reading = (fields: Partial<StateReading> = {}): StateReading => ({
  seen: { remaining: 200, atMs: 0 },
  blocked: false,
  limit: 320,
  threshold: LOW_THRESHOLD,
  low: 200,
  high: 200,
  point: 200,
  emptyNow: 0,
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
    ['less likely empty by present use', { emptyChance: 0.9, emptyChanceByPresent: 0.69 }, 'watch'],
    ['too likely empty to be fine, with nearly all left', { low: 307, emptyChance: 0.2 }, 'watch'],
    ['likely enough empty, and under the threshold', { low: 63, emptyChance: 0.2 }, 'low'],
    ['unlikely empty', { emptyChance: 0.19, emptyChanceByPresent: 0.19 }, 'ok'],
    ['nothing left, nine times out of ten', { low: 0, emptyNow: 0.9, high: 2 }, 'empty'],
    ['perhaps something left', { low: 0, emptyNow: 0.89, high: 3 }, 'low'],
    ['a burst that may have taken all', { low: 0, high: 128, emptyNow: 0.6 }, 'low'],
    ['a 429 waited out', { blocked: true, low: 0, emptyNow: 1, high: 0 }, 'blocked'],
    ['no header yet', { seen: undefined, low: 0, high: 320 }, 'not-checked'],
    ['wider than half the limit', { low: 100, high: 261 }, 'not-checked'],
    ['as wide as half the limit', { low: 100, high: 260 }, 'ok'],
    ['wide, and to be watched', { low: 64, high: 320, emptyChance: 0.2 }, 'watch'],
    ['wide, and perhaps low', { low: 63, high: 320, point: 271, emptyChance: 0.2 }, 'low'],
    ['wide, but probably not low', { low: 63, high: 320, point: 272, emptyChance: 0.2 }, 'watch'],
    [
      'wide, and perhaps running out',
      { low: 64, high: 320, emptyChance: 0.9, emptyChanceByPresent: 0.9 },
      'watch',
    ],
    ['wide, and nine times out of ten empty', { low: 0, emptyNow: 0.9, high: 200 }, 'empty'],
  ])('%s', (_, fields, state) => {
    expect(stateOf(reading(fields))).toBe(state)
  })

  test('a reading below the threshold and an unseen row are never ok, and one above it is never low', () => {
    const anyReading = fc.record({
      isSeen: fc.boolean(),
      low: fc.double({ min: 0, max: 320, noNaN: true }),
      high: fc.double({ min: 0, max: 320, noNaN: true }),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(anyReading, ({ isSeen, low, high, chance }) => {
        const seen = isSeen ? { remaining: low, atMs: 0 } : undefined
        const state = stateOf(reading({ low, high, emptyChance: chance, seen }))
        if (low < 64 || !isSeen) expect(state).not.toBe('ok')
        if (!isSeen || (low < 64 && high <= 160)) expect(state).not.toBe('watch')
        if (low >= 64) expect(state).not.toBe('low')
      }),
    )
  })
})

describe('a row lasts ten minutes', () => {
  const use = { total: 0, own: 0.5, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }
  // 300 requests in 300 s refill 1 a second. So 200 requests last ten minutes if less than 1.333 a second are
  // used.
  const row = (more: Partial<RequestQuota>) => exampleRow({ limit: 300, ...more })

  test('only if others’ use is known', () => {
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
    expect([lastsEndless(0.33), lastsEndless(0.34)]).toEqual([true, false])
  })
})

describe('a state over time', () => {
  const held = (...readings: readonly [number, Partial<StateReading>][]) => {
    const state = new RowState()
    return readings.map(([atMs, fields]) => state.at(reading(fields), atMs)).at(-1)
  }

  /** A header of `remaining` that came at `atMs`. */
  const header = (remaining: number, atMs: number) => ({ seen: { remaining, atMs } })

  test('is unchecked before the first header, and ok with it', () => {
    expect(held([0, { seen: undefined }])).toBe('not-checked')
    expect(held([0, { seen: undefined }], [1, {}])).toBe('ok')
  })

  test('worsens at once, but not within its first ten seconds', () => {
    expect(held([0, {}], [10_000, { low: 63 }])).toBe('low')
    expect(held([0, {}], [9_999, { low: 63 }])).toBe('ok')
    const out = { emptyChance: 1, emptyChanceByPresent: 1 }
    expect(held([0, {}], [10_000, out])).toBe('running-out')
    expect(held([0, {}], [10_000, { emptyChance: 0.2 }], [19_999, out])).toBe('watch')
    expect(held([0, {}], [10_000, { emptyChance: 0.2 }], [20_000, out])).toBe('running-out')
  })

  test('worsens within ten seconds by a contradicting header, or a 429', () => {
    expect(held([0, {}], [2, { low: 63, ...header(63, 1) }])).toBe('low')
    expect(held([0, {}], [2, { low: 0, high: 1, emptyNow: 1, ...header(0, 1) }])).toBe('empty')
    expect(held([0, {}], [1, { blocked: true }])).toBe('blocked')
    // This header arrived before the state began, so the state already includes it.
    expect(held([1, { ...header(64, 1) }], [2, { low: 63, ...header(63, 1) }])).toBe('ok')
  })

  test('ends running out after ten seconds once the gateway delays the requests that caused it', () => {
    const out = { emptyChance: 1, emptyChanceByPresent: 1 }
    expect(held([0, {}], [10_000, out], [19_999, { isHeldBack: true }])).toBe('running-out')
    expect(held([0, {}], [10_000, out], [20_000, { isHeldBack: true }])).toBe('ok')
    expect(held([0, {}], [10_000, out], [20_000, {}])).toBe('running-out')
    expect(held([0, {}], [10_000, out], [20_000, { ...out, isHeldBack: true }])).toBe('running-out')
  })

  const LOW: Partial<StateReading> = { low: 63 }
  /** Two levels: just under five percentage points above the threshold, and exactly five. */
  const [NEAR, CLEAR]: readonly Partial<StateReading>[] = [{ low: 79 }, { low: 80 }]

  test('stays until the level was five points clear for 45 seconds after a header', () => {
    const clear = { ...CLEAR!, ...header(80, 500) }
    expect(held([0, LOW], [1_000, clear], [45_999, clear])).toBe('low')
    expect(held([0, LOW], [1_000, clear], [46_000, clear])).toBe('ok')
    const near = { ...NEAR!, ...header(79, 500) }
    expect(held([0, LOW], [1_000, near], [60_000, near])).toBe('low')
  })

  test('stays for two minutes if no header shows that it ended, or if it would not be checked', () => {
    expect(held([0, LOW], [1_000, CLEAR!], [120_999, CLEAR!])).toBe('low')
    expect(held([0, LOW], [1_000, CLEAR!], [121_000, CLEAR!])).toBe('ok')
    const wide = { low: 100, high: 261, ...header(200, 500) }
    expect(held([0, LOW], [1_000, wide], [120_999, wide])).toBe('low')
    expect(held([0, LOW], [1_000, wide], [121_000, wide])).toBe('not-checked')
    expect(held([0, LOW], [1_000, wide], [46_000, { ...CLEAR!, ...header(80, 45_000) }])).toBe('ok')
  })

  test('is empty for ten seconds, and no longer once two requests are certainly left', () => {
    const empty: [number, Partial<StateReading>] = [0, { low: 0, emptyNow: 1, high: 1 }]
    expect(held(empty, [10_000, { low: 1.9, emptyNow: 0, high: 3 }])).toBe('empty')
    expect(held(empty, [9_999, { low: 2, emptyNow: 0, high: 3 }])).toBe('empty')
    expect(held(empty, [10_000, { low: 2, emptyNow: 0, high: 3 }])).toBe('low')
    expect(held(empty, [2, { low: 24, high: 25, ...header(25, 1) }])).toBe('low')
    expect(held(empty, [2, { low: 1, high: 2, ...header(1, 1) }])).toBe('empty')
    proves('Q12', { level: 1, cases: 5 })
  })

  test('stays until the chance was below half of its start for 45 seconds', () => {
    const at = (chance: number) => ({
      ...{ emptyChance: chance, emptyChanceByPresent: chance },
      ...header(200, 500),
    })
    expect(held([0, at(0.7)], [1_000, at(0.36)], [60_000, at(0.36)])).toBe('running-out')
    expect(held([0, at(0.7)], [1_000, at(0.34)], [45_999, at(0.34)])).toBe('running-out')
    expect(held([0, at(0.7)], [1_000, at(0.34)], [46_000, at(0.34)])).toBe('watch')
    expect(held([0, at(0.2)], [1_000, at(0.11)], [60_000, at(0.11)])).toBe('watch')
    expect(held([0, at(0.2)], [1_000, at(0.09)], [46_000, at(0.09)])).toBe('ok')
  })

  test('is no longer running out as soon as three quarters are left and no chance requires it', () => {
    const at = (chance: number, low: number) => ({ emptyChance: chance, emptyChanceByPresent: chance, low })
    expect(held([0, at(0.7, 200)], [10_000, at(0.34, 239)])).toBe('running-out')
    expect(held([0, at(0.7, 200)], [9_999, at(0.34, 240)])).toBe('running-out')
    expect(held([0, at(0.7, 200)], [10_000, at(0.34, 240)])).toBe('watch')
    expect(held([0, at(0.7, 200)], [10_000, at(0.36, 320)])).toBe('running-out')
  })

  test('is no longer low as soon as three quarters are left, and more than the threshold', () => {
    expect(held([0, LOW], [1, { low: 239 }])).toBe('low')
    expect(held([0, LOW], [1, { low: 240 }])).toBe('ok')
    const threshold = 0.8
    expect(held([0, { low: 255, threshold }], [1, { low: 271, threshold }])).toBe('low')
    expect(held([0, { low: 255, threshold }], [1, { low: 272, threshold }])).toBe('ok')
  })

  /** A forecast begins at 0, is false from 10 s, and ends at 55 s. It returns `awayMs` after that. */
  const returning = (on: Partial<StateReading>, off: Partial<StateReading>, awayMs: number) => {
    const [endMs, backMs] = [55_000, 55_000 + awayMs]
    const readings = [0, 10_000, endMs, backMs, backMs + 10_000].map(
      (atMs, step): [number, Partial<StateReading>] => {
        const isOn = step === 0 || step === 3
        return [atMs, { ...(isOn ? on : off), ...header(200, atMs + 1) }]
      },
    )
    /** The state if its condition has then been false for `falseMs`. */
    return (falseMs: number, level = {}) => {
      const atMs = backMs + 10_000 + falseMs
      return held(...readings, [atMs, { ...off, ...level, ...header(200, atMs - 1) }])
    }
  }
  const OUT = { emptyChance: 1, emptyChanceByPresent: 1 }
  const WATCHED = { emptyChance: 0.3 }

  test.each([
    ['watch', WATCHED, {}, 'ok'],
    ['low', LOW, { low: 100 }, 'watch'],
    ['running-out', OUT, {}, 'watch'],
  ] as const)('%s that returns is then kept for 1.5 times as long as it was away', (state, on, off, next) => {
    const back = returning(on, off, 120_000)
    expect(back(179_999)).toBe(state)
    expect(back(180_000)).toBe(next)
  })

  test('a forecast that returns after more than five minutes is kept for 45 seconds', () => {
    const [soon, late] = [returning(OUT, {}, 300_000), returning(OUT, {}, 300_001)]
    expect([soon(449_999), soon(450_000)]).toEqual(['running-out', 'watch'])
    expect([late(44_999), late(45_000)]).toEqual(['running-out', 'ok'])
  })

  test('no level ends running out early while it is kept, but requests that wait in the gateway do', () => {
    const back = returning(OUT, {}, 120_000)
    expect(back(100_000, { low: 320 })).toBe('running-out')
    expect(back(180_000, { low: 320 })).toBe('watch')
    expect(back(100_000, { isHeldBack: true })).toBe('watch')
    expect(returning(LOW, { low: 100 }, 120_000)(100_000, { low: 240 })).toBe('watch')
    expect(returning(LOW, { low: 100 }, 300_001)(10_000, { low: 240 })).toBe('ok')
  })

  test('empty and a 429 end by facts, however soon they return', () => {
    const NONE = { low: 0, emptyNow: 1, high: 1 }
    const empty: [number, Partial<StateReading>] = [0, NONE]
    const again: [number, Partial<StateReading>][] = [
      empty,
      [10_000, { low: 2, emptyNow: 0, high: 3 }],
      [30_000, NONE],
    ]
    expect(held(...again)).toBe('empty')
    expect(held(...again, [40_000, { low: 2, emptyNow: 0, high: 3 }])).toBe('low')
    const refused: [number, Partial<StateReading>][] = [
      [0, { blocked: true }],
      [1, {}],
      [200_000, { blocked: true }],
      [200_001, { low: 10, high: 11 }],
    ]
    expect(held(...refused, [245_000, { low: 10, high: 11 }])).toBe('blocked')
    expect(held(...refused, [245_001, { low: 10, high: 11 }])).toBe('low')
  })

  test('restarts the count when the condition returns', () => {
    const clear = { ...CLEAR!, ...header(80, 500) }
    for (const back of [LOW, NEAR!]) {
      const readings: [number, Partial<StateReading>][] = [
        [0, LOW],
        [1_000, clear],
        [10_000, back],
        [20_000, clear],
        [64_999, clear],
      ]
      expect(held(...readings)).toBe('low')
      expect(held(...readings, [65_000, clear])).toBe('ok')
    }
  })

  test('that is ok lasts ten seconds after each header, and until the range is useless', () => {
    const wide = (from: number) => ({ low: 90, high: 315, ...header(300, from) })
    expect(held([0, {}], [9_999, wide(-1_000)])).toBe('ok')
    expect(held([0, {}], [10_000, wide(-1_000)])).toBe('not-checked')
    expect(held([0, {}], [60_000, wide(50_001)])).toBe('ok')
    expect(held([0, {}], [60_000, wide(50_000)])).toBe('not-checked')
    expect(held([0, {}], [60_000, { ...wide(0), high: 314 }])).toBe('ok')
    expect(held([0, {}], [10_000, { seen: undefined }])).toBe('not-checked')
  })

  test('is checked at once with the next header, and otherwise after ten seconds', () => {
    const wide = { low: 100, high: 261 }
    expect(held([0, wide], [2, {}])).toBe('ok')
    const unchecked: [number, Partial<StateReading>] = [10_000, { seen: undefined }]
    expect(held([0, {}], unchecked, [10_002, header(200, 10_001)])).toBe('ok')
    expect(held([0, {}], unchecked, [19_999, { low: 63 }])).toBe('not-checked')
    expect(held([0, {}], unchecked, [20_000, { low: 63 }])).toBe('low')
  })

  test('is unblocked 45 seconds after the wait, or once a header has room', () => {
    const left = { low: 10, high: 11 }
    const over: [number, Partial<StateReading>][] = [
      [0, { blocked: true }],
      [1, left],
    ]
    expect(held(...over)).toBe('blocked')
    expect(held(...over, [45_001, left])).toBe('low')
    expect(held(...over, [10_000, { blocked: true }], [45_001, { blocked: true }])).toBe('blocked')
    expect(held(...over, [3, { ...left, ...header(10, 2) }])).toBe('low')
    expect(held([0, { blocked: true }], [1, {}])).toBe('ok')
  })

  test('is never milder than the reading alone, except for ten seconds without a header', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 320 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), fc.boolean(), (steps, hasHeaders) => {
        const state = new RowState()
        let nowMs = 0
        let before: QuotaState = 'not-checked'
        let sinceMs = 0
        for (const [afterMs, low] of steps) {
          nowMs += afterMs
          const emptyNow = Number(low < 1)
          const seen = { remaining: low, atMs: hasHeaders ? nowMs : -1 }
          const now = reading({ low, high: low, emptyNow, seen })
          const told = state.at(now, nowMs)
          const isHeld = nowMs - sinceMs < 10_000
          if (told !== before) {
            const isEnough = before === 'low' && low >= 240
            if (!hasHeaders && before !== 'not-checked' && !isEnough) expect(isHeld).toBe(false)
            sinceMs = nowMs
          } else if (afterMs > 0 && (hasHeaders || !isHeld)) {
            expect(gravityOf(told)).toBeGreaterThanOrEqual(gravityOf(stateOf(now)))
          }
          before = told
        }
      }),
    )
  })
})
