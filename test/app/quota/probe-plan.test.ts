import { describe, expect, test } from 'vitest'
import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import { Ledger } from '../../../app/quota/ledger.ts'
import {
  budgetOpensAtMs,
  mostProbesPerMinute,
  NO_PROBES,
  type ProbeRecord,
  type ProbeRules,
  probeDueAtMs,
  probeIsDue,
  probesAllowed,
  probesWithin,
} from '../../../app/quota/probe-plan.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/quotas.ts'
import { proves } from '../../proof/proves.ts'
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

describe('a probe is never sent', () => {
  test('into a held bucket, whatever the override says', () => {
    const held = row({ blockedUntil: HOUR + 1 })
    expect(probeIsDue(held, NO_PROBES, rules, HOUR)).toBe(false)
    expect(probeIsDue(held, NO_PROBES, { ...rules, everySeconds: { Positions: 1 } }, HOUR)).toBe(false)
    expect(probeIsDue(row(), NO_PROBES, rules, HOUR)).toBe(true)
  })
  test('into a bucket whose lower bound is below 1, and is at exactly 1', () => {
    expect(probeIsDue(row({ low: 0 }), NO_PROBES, rules, HOUR)).toBe(false)
    expect(probeIsDue(row({ low: 1 }), NO_PROBES, rules, HOUR)).toBe(true)
    expect(probeIsDue(row({ low: 0 }), NO_PROBES, { ...rules, everySeconds: { Positions: 1 } }, HOUR)).toBe(
      false,
    )
  })
  test('before the pause after a useless one is over', () => {
    const record = { ...NO_PROBES, notBeforeMs: HOUR }
    expect(probeIsDue(row(), record, rules, HOUR - 1)).toBe(false)
    expect(probeIsDue(row(), record, rules, HOUR)).toBe(true)
  })
  test('without a budget', () => {
    expect(probeIsDue(row(), NO_PROBES, { budgetFraction: 0, everySeconds: {} }, HOUR)).toBe(false)
    expect(probesAllowed(row(), 0)).toBe(0)
  })
  test('while a header that came by itself is fresh', () => {
    expect(probeIsDue(row({ observedAt: HOUR - 1_000 }), NO_PROBES, rules, HOUR)).toBe(false)
  })
})

describe('an override by seconds', () => {
  const every = (seconds: number): ProbeRules => ({ ...rules, everySeconds: { Positions: seconds } })
  const last: ProbeRecord = { ...NO_PROBES, sentAtMs: [HOUR] }
  test('is kept to the millisecond', () => {
    expect(probeIsDue(row(), last, every(30), HOUR + 29_999)).toBe(false)
    expect(probeIsDue(row(), last, every(30), HOUR + 30_000)).toBe(true)
    expect(probeIsDue(row(), NO_PROBES, every(30), 0)).toBe(true)
  })
  test('of 0 is never', () => expect(probeIsDue(row(), NO_PROBES, every(0), HOUR)).toBe(false))
  test('works without a budget, and for its own category only', () => {
    const only = { ...every(30), budgetFraction: 0 }
    expect(probeIsDue(row(), last, only, HOUR + 30_000)).toBe(true)
    expect(probeIsDue(row({ category: 'Accounts' }), NO_PROBES, only, HOUR)).toBe(false)
  })
})

describe('how old a row may grow', () => {
  /** The age at which a probe is due, in seconds. */
  const goal = (fields: Partial<RequestQuota>, attended = true) =>
    (probeDueAtMs(row({ observedAt: HOUR, ...fields }), NO_PROBES, rules, HOUR, attended) - HOUR) / 1000
  const minute = { limit: 30, period: 60 } as const

  test('the pace of the budget where things are as usual, but no less than ten seconds', () => {
    expect(goal({})).toBe(300 / 16)
    expect(goal({ limit: 10_000 })).toBe(10)
  })
  test('sooner where others are busy, the end is near, or the last minute is not like the last five', () => {
    const busy = { total: 1, own: 0, elsewhere: 0.05 }
    expect(goal({ use: { ...busy, elsewhere: 0.049 } })).toBe(300 / 16)
    for (const urgent of [
      { use: busy },
      { verdict: 'near-limit' },
      { verdict: 'runs-out' },
      { burn: { short: 1, long: 0.5, basis: 'short' } },
    ] as const) {
      expect(goal(urgent)).toBe(5)
    }
  })
  test('longer where nothing happens, but not so long that it would read as stale', () => {
    expect(goal({ verdict: 'idle' })).toBe(600 / 16)
    expect(goal({ ...minute, verdict: 'idle' })).toBe(90)
    expect(goal({ limit: 30, verdict: 'idle' })).toBe(300)
    expect(goal({ limit: 80, verdict: 'idle' })).toBe(90)
  })
  test('longer still where nobody looks, and then at the usual pace where others are busy', () => {
    expect(goal({}, false)).toBe((3 * 300) / 16)
    expect(goal({ verdict: 'runs-out' }, false)).toBe(300 / 16)
  })
  test('a row that nobody has seen is due at once, and one that was seen once soon again', () => {
    const { observedAt: _never, ...unseen } = row({ source: 'default', verdict: 'not-seen', use: null })
    expect(probeIsDue(unseen, NO_PROBES, rules, HOUR, false)).toBe(true)
    expect(goal({ use: null })).toBe(5)
    expect(goal({ use: null }, false)).toBe(5)
  })
})

test('the budget opens again when the oldest of a full set of probes is a period old', () => {
  const record = { ...NO_PROBES, sentAtMs: [0, 1_000, 2_000] }
  expect(budgetOpensAtMs(300, 300_000, record, 0.01, 3_000)).toBe(300_000)
  expect(budgetOpensAtMs(300, 300_000, record, 0.01, 300_000)).toBe(300_000)
  expect(budgetOpensAtMs(300, 300_000, { ...record, sentAtMs: [0, 1_000] }, 0.01, 3_000)).toBe(3_000)
  expect(budgetOpensAtMs(300, 300_000, record, 0, 3_000)).toBe(Number.POSITIVE_INFINITY)
})

test('a budget allows its share of a quota a period, and one probe where that is less', () => {
  expect(probesAllowed({ limit: 320 }, 0.05)).toBe(16)
  expect(probesAllowed({ limit: 30 }, 0.02)).toBe(1)
})

test('probes within a span end at exactly the span', () => {
  const record = { ...NO_PROBES, sentAtMs: [0, 1_000] }
  expect(probesWithin(record, 59_999, 60_000)).toBe(2)
  expect(probesWithin(record, 60_000, 60_000)).toBe(1)
})

for (const elsewhere of [0, 0.5, 1.2]) {
  for (const budgetFraction of [0.02, 0.1]) {
    test(`over a virtual day with ${elsewhere}/s elsewhere, no period sees more than ${budgetFraction * 100} % by probes`, () => {
      const chance = chanceFrom(elsewhere * 10)
      const positions = CURRENT_REQUEST_QUOTAS.filter((quota) => quota.category === 'Positions')
      const ledger = new Ledger(positions, 0)
      const service = new ReferenceService({ limit: 320, periodSeconds: 300, window: 'rolling' }, 320, 0)
      const sentAtMs: number[] = []
      let record = NO_PROBES
      let owed = 0
      let refused = 0
      let lowest = 320
      for (let now = 0; now < 24 * HOUR; now += 500) {
        for (owed += elsewhere / 2; owed >= 1; owed -= 1) service.spend(now)
        const quota = ledger.view(now)[0]!
        lowest = Math.min(lowest, quota.low)
        if (!probeIsDue(quota, record, { budgetFraction, everySeconds: {} }, now)) continue
        expect(quota.low).toBeGreaterThanOrEqual(1)
        expect(quota.blockedUntil).toBeUndefined()
        sentAtMs.push(now)
        record = { ...record, sentAtMs: [...record.sentAtMs.filter((at) => at > now - 300_000), now] }
        const ticket = ledger.sent('Positions', now)
        const accepted = service.spend(now)
        if (!accepted) refused += 1
        const later = now + Math.floor(400 * chance())
        ledger.answered(ticket, service.headers(now), later, !accepted)
        if (!accepted) ledger.hold('Positions', { untilMs: later + 300_000, refusals: 1 })
      }
      for (let first = 0; first < sentAtMs.length; first += 1) {
        const end = sentAtMs[first]! + 300_000
        let within = 0
        for (let at = first; at < sentAtMs.length && sentAtMs[at]! < end; at += 1) within += 1
        expect(within).toBeLessThanOrEqual(320 * budgetFraction)
      }
      // It is spent, too: a row that grows stale is looked at.
      expect(sentAtMs.length).toBeGreaterThan(288)
      expect(refused).toBeLessThan(elsewhere > 1 ? 300 : 1)
      proves('Q6', { level: 2, cases: sentAtMs.length })
    })
  }
}

test('the most probes a minute follow from the budget, or from a row’s own interval', () => {
  expect(mostProbesPerMinute(row(), { budgetFraction: 0.02, everySeconds: {} })).toBeCloseTo(1.2, 9)
  expect(mostProbesPerMinute(row(), { budgetFraction: 0.0001, everySeconds: {} })).toBeCloseTo(0.2, 9)
  expect(mostProbesPerMinute(row(), { budgetFraction: 0, everySeconds: {} })).toBe(0)
  expect(mostProbesPerMinute(row(), { budgetFraction: 0, everySeconds: { Positions: 30 } })).toBe(2)
  expect(mostProbesPerMinute(row(), { budgetFraction: 0.2, everySeconds: { Positions: 0 } })).toBe(0)
})
