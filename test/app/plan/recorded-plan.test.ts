import { expect, test } from 'vitest'
import type { PlannedProgram } from '../../../app/plan/plan.ts'
import { recordedPlan } from '../../../app/plan/recorded-plan.ts'
import { withOthersHigh } from '../../../app/plan/running.ts'

const program = (name: string, perSecond: number): PlannedProgram => ({
  name,
  class: 'normal',
  weight: 2,
  requests: [{ category: 'Positions', perSecond, burst: 1 }],
  streams: [],
})
const base = {
  plan: {
    programs: [program('scanner', 0.1), program('notes', 0.2)],
    limits: { Positions: { limit: 320, periodSeconds: 300 } },
    reserves: {},
  },
  others: [],
}
const minutes = (requests: number) =>
  Array.from({ length: 10 }, (_, at) => ({ category: 'Positions', atMs: at * 60_000, requests }))

test('programs get rates and bursts that cover their minutes, and idle ones stay', () => {
  const recorded = [
    { program: 'scanner', minutes: minutes(20) },
    { program: 'Others', minutes: minutes(6) },
  ]
  const made = recordedPlan(base, recorded, { fromMs: 5, lengthMs: 600_000, minutes: 3 })
  expect(made.plan.programs).toEqual([
    { ...program('scanner', 0.34), requests: [{ category: 'Positions', perSecond: 0.34, burst: 20 }] },
    { ...program('notes', 0.2), requests: [] },
    {
      ...program('Others', 0.1),
      class: 'critical',
      weight: 1,
      requests: [{ category: 'Positions', perSecond: 0.1, burst: 6 }],
    },
  ])
  expect(made.others).toEqual([{ category: 'Positions', perSecond: 0.1, low: 0.1, high: 0.1 }])
  expect(made.recordedFromMs).toBe(5)
  expect(withOthersHigh(made.plan, made)).toBe(made.plan)
})

test('recorded requests of a category without a quota of its own use the quota that counts it', () => {
  const balances = minutes(20).map((one) => ({ ...one, category: 'Balances' }))
  const shared = { ...base, plan: { ...base.plan, countedBy: { Balances: 'Positions' } } }
  const recorded = [{ program: 'scanner', minutes: [...minutes(20), ...balances] }]
  const made = recordedPlan(shared, recorded, { fromMs: 5, lengthMs: 600_000, minutes: 3 })
  expect(made.plan.programs[0]?.requests).toEqual([{ category: 'Positions', perSecond: 0.67, burst: 40 }])
})

test('a recording shows others’ requests, but not their slots', () => {
  const unknown = { requests: ['Positions'], slots: ['Option Chain Stream'] }
  const made = recordedPlan({ ...base, unknown }, [], { fromMs: 5, lengthMs: 600_000, minutes: 3 })
  expect(made.unknown).toEqual({ ...unknown, requests: [] })
})
