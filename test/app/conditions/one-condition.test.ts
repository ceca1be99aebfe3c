import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AlertEffect, AlertEngine } from '../../../app/alerts/engine.ts'
import { incidentLines } from '../../../app/conditions/incidents.ts'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { proves } from '../../proof/proves.ts'
import { CALM_REQUESTS, NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

const CATEGORY = 'Positions'
const RUNS = 60
/** Recovery time of a 429, milliseconds. */
const RECOVER_MS = 10_000

interface Turn {
  readonly refusals: number
  readonly goodSeconds: number
}

/** A quota with alternating 429s and responses: its events and alerts, second by second. */
function lived(turns: readonly Turn[]) {
  const tracker = new ConditionTracker()
  const engine = new AlertEngine()
  const events: LoggedEvent[] = []
  const effects: { readonly kind: AlertEffect['kind']; readonly at: number }[] = []
  let at = NOW_MS
  const second = (isRefused: boolean) => {
    at += 1000
    const report = isRefused
      ? ({ kind: 'rate-limited', category: CATEGORY, retryAt: at + 60_000 } as const)
      : ({ kind: 'rate-limit-over', category: CATEGORY } as const)
    const told = tracker.eventOf(report, at)
    if (told) events.push({ ...told, seq: events.length, at, profile: 'main' })
    const level = isRefused ? 0 : 100
    const row = quota(CATEGORY, 320, 300, level, {
      observedAt: at,
      asOf: at,
      ...(isRefused && { state: 'blocked', blockedUntil: at + 60_000 }),
    })
    const others = CALM_REQUESTS.filter(({ category }) => category !== CATEGORY)
    const requests = [row, ...others.map((one) => ({ ...one, observedAt: at, asOf: at }))]
    for (const { kind, alert } of engine.observe(snapshot({ at, requests })))
      if (alert.kind === 'rate-limited') effects.push({ kind, at })
  }
  for (const { refusals, goodSeconds } of turns) {
    for (let count = 0; count < refusals; count += 1) second(true)
    for (let count = 0; count < goodSeconds; count += 1) second(false)
  }
  const timesOf = (kind: AlertEffect['kind']) =>
    effects.filter((one) => one.kind === kind).map((one) => one.at)
  return { events, raised: timesOf('raised'), withdrawn: timesOf('withdrawn'), nowMs: at }
}

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    refusals: fc.integer({ min: 1, max: 30 }),
    goodSeconds: fc.oneof(fc.integer({ min: 1, max: 25 }), fc.constantFrom(10, 11)),
  }),
  { minLength: 1, maxLength: 8 },
)

it('a 429 that lasts is one event with an end, one incident with its count and one alert, however often it repeats', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const { events, raised, nowMs } = lived(all)
      // A 429 after at most ten seconds of good responses belongs to the same condition.
      const conditions: { refusals: number }[] = []
      let isSame = false
      for (const { refusals, goodSeconds } of all) {
        const last = conditions.at(-1)
        if (isSame && last) last.refusals += refusals
        else conditions.push({ refusals })
        isSame = goodSeconds <= 10
      }
      const lines = incidentLines(events, { nowMs })
      expect(new Set(events.map(({ id }) => id)).size).toBe(conditions.length)
      expect(raised).toHaveLength(conditions.length)
      expect(lines.map(({ title }) => title).toReversed()).toEqual(
        conditions.map(({ refusals }) =>
          refusals > 1 ? `429 on ${CATEGORY} ×${refusals}` : `429 on ${CATEGORY}`,
        ),
      )
      expect(lines.every(({ isOpen, endedAt }) => !isOpen && endedAt !== undefined)).toBe(true)
    }),
    { numRuns: RUNS },
  )
  proves('C3', { level: 2, cases: RUNS })
})

it('the alert and the event of a 429 begin together, and the alert ends once the event has been over for its recovery time', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const { events, raised, withdrawn, nowMs } = lived(all)
      const byId = [...Map.groupBy(events, ({ id }) => id).values()]
      const ends = byId.map((of) => (of.at(-1)?.at ?? 0) + RECOVER_MS)
      expect(raised).toEqual(byId.map(([begin]) => begin?.at))
      expect(withdrawn).toEqual(ends.filter((at) => at <= nowMs))
    }),
    { numRuns: RUNS },
  )
})
