import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AlertEngine } from '../../../app/alerts/engine.ts'
import { incidentLines } from '../../../app/conditions/incidents.ts'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { proves } from '../../proof/proves.ts'
import { CALM_REQUESTS, NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'

const CATEGORY = 'Positions'
const RUNS = 60

/** A quota with alternating 429s and responses: its events and alerts, second by second. */
function lived(turns: readonly { readonly refusals: number; readonly goodSeconds: number }[]) {
  const tracker = new ConditionTracker()
  const engine = new AlertEngine()
  const events: LoggedEvent[] = []
  const raised: string[] = []
  let at = NOW_MS
  const second = (isRefused: boolean) => {
    at += 1000
    const report = isRefused
      ? ({ kind: 'rate-limited', category: CATEGORY, retryAt: at + 60_000 } as const)
      : ({ kind: 'rate-limit-over', category: CATEGORY } as const)
    const told = tracker.told(report, at)
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
      if (kind === 'raised' && alert.kind === 'rate-limited') raised.push(alert.id)
  }
  for (const { refusals, goodSeconds } of turns) {
    for (let count = 0; count < refusals; count += 1) second(true)
    for (let count = 0; count < goodSeconds; count += 1) second(false)
  }
  return { events, raised, nowMs: at }
}

it('a 429 that lasts is one event with an end, one incident with its count and one alert, however often it repeats', () => {
  const turn = fc.record({
    refusals: fc.integer({ min: 1, max: 30 }),
    goodSeconds: fc.integer({ min: 1, max: 25 }),
  })
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), (turns) => {
      const { events, raised, nowMs } = lived(turns)
      // What comes again within ten seconds of good answers is the same condition.
      const conditions: { refusals: number }[] = []
      let isSame = false
      for (const { refusals, goodSeconds } of turns) {
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
