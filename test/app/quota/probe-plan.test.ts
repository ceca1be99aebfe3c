import { describe, expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { Ledger } from '../../../app/quota/ledger.ts'
import {
  budgetOpensAtMs,
  maxProbesPerMinute,
  NO_PROBES,
  type ProbeRecord,
  type ProbeRules,
  paceMsOf,
  probeDueAtMs,
  probesWithin,
  RECORDED_CHECKS,
} from '../../../app/quota/probe-plan.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import { proves } from '../../proof/proves.ts'
import { part } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { exampleRow } from './example-row.ts'
import { ReferenceService } from './reference-service.ts'

const row = (fields: Partial<RequestQuota> = {}) =>
  exampleRow({
    high: 201,
    level: 200.5,
    source: 'modelled',
    observedAt: 0,
    use: { total: 0, own: 0, elsewhere: 0 },
    ...fields,
  })
const rules: ProbeRules = { budgetFraction: 0.05, everySeconds: {} }
const HOUR = 3_600_000
const probeIsDue = (...asked: Parameters<typeof probeDueAtMs>) => probeDueAtMs(...asked) <= asked[3]

describe('a check is never sent', () => {
  test('into a paused bucket, whatever the override', () => {
    const held = row({ blockedUntil: HOUR + 1 })
    expect(probeIsDue(held, NO_PROBES, rules, HOUR)).toBe(false)
    expect(probeIsDue(held, NO_PROBES, { ...rules, everySeconds: { Positions: 1 } }, HOUR)).toBe(false)
    expect(probeIsDue(row(), NO_PROBES, rules, HOUR)).toBe(true)
  })
  test('into a paused bucket before two intervals, even if checks are allowed', () => {
    const allowed = { ...rules, trialAfterStep: true }
    const held = row({ blockedUntil: 2 * HOUR, observedAt: HOUR, low: 0, level: 0 })
    // The budget pays for 16 checks in 300 s. Intervals are 3 % longer than that.
    const twoPacesMs = 2 * (300_000 / 16) * 1.03
    expect(probeDueAtMs(held, NO_PROBES, allowed, HOUR)).toBe(HOUR + twoPacesMs)
    expect(probeDueAtMs(held, { ...NO_PROBES, sentAtMs: [HOUR + 9] }, allowed, HOUR)).toBe(
      HOUR + 9 + twoPacesMs,
    )
    expect(probeDueAtMs({ ...held, blockedUntil: HOUR + 30_000 }, NO_PROBES, allowed, HOUR)).toBe(
      HOUR + 30_000,
    )
    const every = { ...allowed, everySeconds: { Positions: 60 } }
    expect(probeDueAtMs(held, NO_PROBES, every, HOUR)).toBe(HOUR + 120_000)
    expect(probeDueAtMs(held, NO_PROBES, { ...every, everySeconds: { Positions: 0 } }, HOUR)).toBe(2 * HOUR)
    // The check before `blockedUntil` needs headers that showed a gradual refill. A fixed window refills
    // nothing before its end.
    for (const other of [{ confidence: 'assumed' }, { model: 'fixed' }] as const) {
      expect(probeDueAtMs({ ...held, ...other }, NO_PROBES, allowed, HOUR)).toBe(2 * HOUR)
    }
    expect(probeDueAtMs(held, NO_PROBES, rules, HOUR)).toBe(2 * HOUR)
  })
  test('into a probably empty bucket before one request has refilled and 15 seconds passed', () => {
    const empty = (fields: Partial<RequestQuota> = {}) =>
      row({ low: 0, level: 1, observedAt: HOUR, ...fields })
    const every: ProbeRules = { ...rules, everySeconds: { Positions: 1 } }
    expect(probeDueAtMs(empty(), NO_PROBES, every, HOUR)).toBe(HOUR + 15_000)
    expect(probeDueAtMs(empty({ limit: 30, period: 600 }), NO_PROBES, every, HOUR)).toBe(HOUR + 20_000)
    expect(probeIsDue(row({ low: 0, level: 1.1 }), NO_PROBES, rules, HOUR)).toBe(true)
  })
  test('before the pause after a useless one has ended', () => {
    const record = { ...NO_PROBES, notBeforeMs: HOUR }
    expect(probeIsDue(row(), record, rules, HOUR - 1)).toBe(false)
    expect(probeIsDue(row(), record, rules, HOUR)).toBe(true)
  })
  test('without a budget', () => {
    expect(probeIsDue(row(), NO_PROBES, { budgetFraction: 0, everySeconds: {} }, HOUR)).toBe(false)
    expect(paceMsOf(row(), 0)).toBe(Number.POSITIVE_INFINITY)
  })
  test('while a header from another request is fresh', () => {
    expect(probeIsDue(row({ observedAt: HOUR - 1_000 }), NO_PROBES, rules, HOUR)).toBe(false)
  })
})

describe('an override by seconds', () => {
  const every = (seconds: number): ProbeRules => ({ ...rules, everySeconds: { Positions: seconds } })
  const last: ProbeRecord = { ...NO_PROBES, sentAtMs: [HOUR] }
  test('is exact to the millisecond', () => {
    expect(probeIsDue(row(), last, every(30), HOUR + 29_999)).toBe(false)
    expect(probeIsDue(row(), last, every(30), HOUR + 30_000)).toBe(true)
    expect(probeIsDue(row(), NO_PROBES, every(30), 29_999)).toBe(false)
    expect(probeIsDue(row(), NO_PROBES, every(30), 30_000)).toBe(true)
  })
  test('of 0 means never', () => expect(probeIsDue(row(), NO_PROBES, every(0), HOUR)).toBe(false))
  test('works without a budget, and only for its own category', () => {
    const only = { ...every(30), budgetFraction: 0 }
    expect(probeIsDue(row(), last, only, HOUR + 30_000)).toBe(true)
    expect(probeIsDue(row({ category: 'Accounts' }), NO_PROBES, only, HOUR)).toBe(false)
  })
})

describe('how old a row may grow', () => {
  /** The age at which a probe is due, in seconds. */
  const goal = (fields: Partial<RequestQuota>, attended = true) =>
    (probeDueAtMs(row({ observedAt: HOUR, ...fields }), NO_PROBES, rules, HOUR, attended) - HOUR) / 1000

  test('has the budget’s interval, at least five seconds', () => {
    expect(goal({})).toBeCloseTo((1.03 * 300) / 16, 6)
    expect(goal({ limit: 10_000 })).toBeCloseTo(1.03 * 5, 6)
  })
  test('is varied randomly by at most a fifth', () => {
    const at = (jitter: number) =>
      probeDueAtMs(row({ observedAt: HOUR }), { ...NO_PROBES, jitter }, rules, HOUR) - HOUR
    expect(at(-1)).toBeCloseTo(0.8 * at(0), 6)
    expect(at(1)).toBeCloseTo(1.2 * at(0), 6)
  })
  test('is independent of the row’s state while a window is visible', () => {
    const states = ['ok', 'low', 'running-out', 'not-checked'] as const
    for (const state of states) expect(goal({ state })).toBe(goal({}))
  })
  test('is longer if no window is visible and all is fine', () => {
    expect(goal({}, false)).toBeCloseTo(3 * goal({}), 6)
    expect(goal({ state: 'low' }, false)).toBe(goal({}))
  })
  test('an unseen row is due at once, and one seen once soon again', () => {
    const { observedAt: _never, ...unseen } = row({ source: 'default', verdict: 'not-seen', use: null })
    expect(probeIsDue(unseen, NO_PROBES, rules, HOUR, false)).toBe(true)
    expect(goal({ use: null })).toBeLessThan(goal({}) / 4)
  })
  test('a check without a header is not followed by another in a hurry', () => {
    const dueIn = (sentAtMs: number) =>
      (probeDueAtMs(
        row({ observedAt: HOUR, use: null }),
        { ...NO_PROBES, sentAtMs: [sentAtMs] },
        rules,
        HOUR,
      ) -
        sentAtMs) /
      1000
    expect(dueIn(HOUR + 30_000)).toBeCloseTo(goal({}), 6)
    expect(dueIn(HOUR)).toBeLessThan(goal({}) / 4)
  })
})

describe('after a header that shows far more use by others than expected', () => {
  const PACE_MS = 1.03 * paceMsOf(row(), rules.budgetFraction)
  /** A record of checks that were `gaps` intervals apart. The last one was at `HOUR`. */
  const checked = (gaps: readonly number[]): ProbeRecord => {
    const sentAtMs = [HOUR]
    for (const gap of gaps.toReversed()) sentAtMs.unshift(sentAtMs[0]! - gap * PACE_MS)
    return { ...NO_PROBES, sentAtMs }
  }
  /** Intervals until the next check. */
  const next = (record: ProbeRecord, fields: Partial<RequestQuota> = {}, attended = true) =>
    (probeDueAtMs(row({ observedAt: HOUR, ...fields }), record, rules, HOUR, attended) - HOUR) / PACE_MS
  const surprised = (gaps: readonly number[]) => ({ ...checked(gaps), surprisedAtMs: HOUR - 0.4 })

  test('the next check follows after a fifth of the interval, even if no window is visible', () => {
    expect(next(surprised([1, 1]))).toBeCloseTo(0.2, 9)
    expect(next(surprised([1, 1]), {}, false)).toBeCloseTo(0.2, 9)
    expect(next(checked([1, 1]))).toBeCloseTo(1, 9)
  })
  test('a later header ends the hurry', () => {
    expect(next(surprised([1, 1]), { observedAt: HOUR + 2 })).toBeGreaterThan(1)
  })
  test('it is repaid: two intervals as usual, then four that are a fifth longer', () => {
    const early = [1, 1, 0.2]
    const intervals = Array.from({ length: 7 }, (_, more) =>
      next(checked([...early, ...Array(more).fill(1)])),
    )
    const wanted = [1, 1, 1.2, 1.2, 1.2, 1.2, 1]
    for (const [index, interval] of intervals.entries()) expect(interval).toBeCloseTo(wanted[index]!, 9)
    expect(RECORDED_CHECKS).toBe(7)
  })
  test('the next early check waits until the last one is repaid', () => {
    expect(next(surprised([1, 0.2, 1, 1, 1.2, 1.2, 1.2]))).toBeCloseTo(1.2, 9)
    expect(next(surprised([1, 0.2, 1, 1, 1.2, 1.2, 1.2, 1.2]))).toBeCloseTo(0.2, 9)
  })
})

test('the budget reopens when the oldest of a full set of checks is a period old', () => {
  const record = { ...NO_PROBES, sentAtMs: [0, 1_000, 2_000] }
  expect(budgetOpensAtMs({ limit: 300, period: 300 }, record, 0.01, 3_000)).toBe(300_000)
  expect(budgetOpensAtMs({ limit: 300, period: 300 }, record, 0.01, 300_000)).toBe(300_000)
  expect(budgetOpensAtMs({ limit: 300, period: 300 }, { ...record, sentAtMs: [0, 1_000] }, 0.01, 3_000)).toBe(
    3_000,
  )
  expect(budgetOpensAtMs({ limit: 300, period: 300 }, record, 0, 3_000)).toBe(Number.POSITIVE_INFINITY)
})

test('the interval spreads a quota’s share over its period, at least one per period', () => {
  expect(paceMsOf({ limit: 320, period: 300 }, 0.05)).toBe(300_000 / 16)
  expect(paceMsOf({ limit: 90, period: 60 }, 0.02)).toBeCloseTo(60_000 / 1.8, 9)
  expect(paceMsOf({ limit: 30, period: 60 }, 0.02)).toBe(60_000)
})

test('probes within a span end at exactly the span', () => {
  const record = { ...NO_PROBES, sentAtMs: [0, 1_000] }
  expect(probesWithin(record, 59_999, 60_000)).toBe(2)
  expect(probesWithin(record, 60_000, 60_000)).toBe(1)
})

/** Others use less than the refill, or more. A full run adds a third rate. */
for (const elsewhere of part() === 'quick' ? [0, 1.2] : [0, 0.5, 1.2]) {
  for (const budgetFraction of part() === 'quick' ? [0.02] : [0.02, 0.1]) {
    test(`over a virtual day with ${elsewhere}/s by others, checks spend at most ${budgetFraction * 100} % on average`, {
      timeout: 120_000,
    }, () => {
      const chance = chanceFrom(elsewhere * 10)
      const positions = CURRENT_REQUEST_QUOTAS.filter((quota) => quota.category === 'Positions')
      const ledger = new Ledger(positions, 0)
      const service = new ReferenceService({ limit: 320, periodSeconds: 300, window: 'rolling' }, 320, 0)
      const sentAtMs: number[] = []
      let record = NO_PROBES
      let owed = 0
      let counted = 0
      for (let now = 0; now < 24 * HOUR; now += 1000) {
        for (owed += elsewhere; owed >= 1; owed -= 1) service.spend(now)
        const lastMs = sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
        // No check can be due within five seconds of the previous one. Skipping them saves 172,800
        // evaluations.
        if (now - lastMs < 5_000) continue
        const quota = ledger.rowAt('Positions', now)!
        if (!probeIsDue(quota, record, { budgetFraction, everySeconds: {} }, now)) continue
        expect(quota.blockedUntil).toBeUndefined()
        if (quota.low < 1 && quota.level <= 1)
          expect(now - (quota.observedAt ?? 0)).toBeGreaterThanOrEqual(15_000)
        sentAtMs.push(now)
        const sent = [...record.sentAtMs.filter((at) => at > now - 300_000), now]
        record = { ...record, sentAtMs: sent, jitter: 2 * chance() - 1 }
        const ticket = ledger.sent('Positions', now)
        const accepted = service.spend(now)
        if (accepted) counted += 1
        const later = now + Math.floor(400 * chance())
        ledger.answered(ticket, service.headers(now), later, !accepted)
        if (!accepted) ledger.hold('Positions', { untilMs: later + 300_000, refusals: 1 })
      }
      expect(counted).toBeLessThanOrEqual(320 * budgetFraction * 288)
      // The checks make use of the budget: a row is checked whenever its header grows old.
      expect(sentAtMs.length).toBeGreaterThan(288)
      proves('Q6', { level: 2, cases: sentAtMs.length })
    })
  }
}

test('the most checks a minute follow from the budget, or a row’s own interval', () => {
  expect(maxProbesPerMinute(row(), { budgetFraction: 0.02, everySeconds: {} })).toBeCloseTo(1.28, 9)
  expect(maxProbesPerMinute(row(), { budgetFraction: 0.0001, everySeconds: {} })).toBeCloseTo(0.2, 9)
  expect(maxProbesPerMinute(row(), { budgetFraction: 0, everySeconds: {} })).toBe(0)
  expect(maxProbesPerMinute(row(), { budgetFraction: 0, everySeconds: { Positions: 30 } })).toBe(2)
  expect(maxProbesPerMinute(row(), { budgetFraction: 0.2, everySeconds: { Positions: 0 } })).toBe(0)
})

describe('around the usual start of a load', () => {
  const paceMs = paceMsOf(row(), rules.budgetFraction)
  /**
   * By how much a load's usual start postpones a check. Without the load, the check would be due `earlierMs`
   * before the time 20 s after that start.
   */
  const dueBefore = (earlierMs: number, more: ProbeRules = rules) => {
    const usual = probeDueAtMs(row(), NO_PROBES, rules, 0)
    const at = usual + earlierMs - 20_000
    return probeDueAtMs(row({ usualLoad: { at, perSecond: 3 } }), NO_PROBES, more, 0) - usual
  }
  test('a check waits until 20 s after it, by at most 0.6 of the interval', () => {
    expect(dueBefore(1)).toBeCloseTo(1, 5)
    expect(dueBefore(0.59 * paceMs)).toBeCloseTo(0.59 * paceMs, 5)
    expect(dueBefore(0.61 * paceMs)).toBe(0)
    expect(dueBefore(-1)).toBe(0)
  })
  test('one with its own interval does not', () => {
    const every = { ...rules, everySeconds: { Positions: 60 } }
    const at = 60_000 - 19_000
    expect(probeDueAtMs(row({ usualLoad: { at, perSecond: 3 } }), NO_PROBES, every, 0)).toBe(60_000)
  })
})
