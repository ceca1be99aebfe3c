import { expect, test } from 'vitest'
import { dayLevels } from '../../../app/plan/day-levels.ts'
import type { Plan, PlannedProgram } from '../../../app/plan/plan.ts'
import { seededChance } from '../../../app/plan/planned-day.ts'
import { replay } from '../../../app/plan/replay.ts'
import { type WhatIfDay, whatIfArrivals, withoutPrograms } from '../../../app/plan/what-if.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const CATEGORY = 'Positions'

const program = (name: string, perSecond: number): PlannedProgram => ({
  name,
  class: 'normal',
  weight: 1,
  requests: [{ category: CATEGORY, perSecond, burst: 10 }],
  streams: [],
})
const planOf = (...programs: PlannedProgram[]): Plan => ({ programs, limits: {}, reserves: {} })

/** Thirty requests in each of the first ten minutes. */
const minutes = Array.from({ length: 10 }, (_, at) => ({
  category: CATEGORY,
  atMs: 1_000_000_000 + at * MINUTE_MS,
  requests: 30,
}))
const base = planOf(program('scanner', 0.5))
const day: WhatIfDay = {
  base,
  recorded: [{ program: 'scanner', minutes }],
  fromMs: 1_000_000_000,
  lengthMs: HOUR_MS,
  chance: seededChance(),
}
const countOf = (plan: Plan, name: string) =>
  whatIfArrivals(plan, day)?.filter((arrival) => arrival.program === name).length

test('running programs arrive as recorded, faster by as much as their rate was raised', () => {
  expect(countOf(base, 'scanner')).toBe(300)
  expect(countOf(planOf(program('scanner', 1)), 'scanner')).toBe(600)
  expect(countOf(planOf(program('scanner', 0.25)), 'scanner')).toBe(150)
})

test('requests that the plan removed do not arrive', () => {
  expect(countOf(planOf(), 'scanner')).toBe(0)
  expect(countOf(planOf({ ...program('scanner', 1), requests: [] }), 'scanner')).toBe(0)
})

test('recorded programs that neither plan names arrive as recorded', () => {
  const recorded = [{ program: 'scanner', minutes: minutes.map((one) => ({ ...one, category: 'Accounts' })) }]
  const arrivals = whatIfArrivals(base, { ...day, recorded, lengthMs: 0 })
  expect(arrivals?.map(({ category }) => category)).toEqual(Array.from({ length: 300 }, () => 'Accounts'))
})

test('a new program’s requests arrive as planned, in order of time with the others', () => {
  const arrivals = whatIfArrivals(planOf(program('scanner', 0.5), program('notes', 0.2)), day) ?? []
  const notes = arrivals.filter((arrival) => arrival.program === 'notes')
  expect(notes.length).toBeGreaterThan(0.6 * 0.2 * 3600)
  expect(notes.length).toBeLessThanOrEqual(0.2 * 3600 + 10)
  const times = arrivals.map(({ atMs }) => atMs)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

test('a day with too many requests has no arrivals, recorded or not', () => {
  expect(whatIfArrivals(planOf(program('scanner', 0.5), program('notes', 1000)), day)).toBeUndefined()
  expect(whatIfArrivals(planOf(program('scanner', 1000)), { ...day, recorded: [] })).toBeUndefined()
  // 300 recorded requests at 0.5/s are 6 million at 10,000/s.
  expect(whatIfArrivals(planOf(program('scanner', 10_000)), day)).toBeUndefined()
})

test('subtracts programs’ requests from the key’s own minutes', () => {
  const programs = [
    { program: 'scanner', minutes: minutes.slice(0, 2).map((one) => ({ ...one, requests: 10 })) },
    { program: 'notes', minutes: minutes.slice(1, 3).map((one) => ({ ...one, requests: 20 })) },
  ]
  const left = withoutPrograms(minutes, programs)
  // Nothing is left of the second minute.
  expect(left.map(({ requests }) => requests)).toEqual([20, 10, 30, 30, 30, 30, 30, 30, 30])
  expect(left.map(({ atMs }) => atMs)).not.toContain(minutes[1]?.atMs)
})

test('the levels of a day are complete: an unused bucket refills', () => {
  const limits = { [CATEGORY]: { limit: 100, periodSeconds: 1000 } }
  const plan = { ...base, limits }
  const arrivals = Array.from({ length: 50 }, () => ({ atMs: 0, program: 'scanner', category: CATEGORY }))
  const of = { plan, category: CATEGORY, lengthMs: 4 * 180_000, stretchMs: 180_000 }
  const levels = dayLevels(replay(plan, arrivals, { maxWaitMs: 1000, stretchMs: of.stretchMs }), of)
  expect(levels.map(({ lowest }) => lowest)).toEqual([0.5, 0.68, 0.86, 1])
  expect(levels.map(({ atMs }) => atMs)).toEqual([0, 180_000, 360_000, 540_000])
  expect(dayLevels({ waits: [], levels: [], upstreamRefusals: 0 }, { ...of, category: 'Else' })).toEqual([])
})
