import { expect, test } from 'vitest'
import type { Plan, PlannedProgram } from '../../../app/plan/plan.ts'
import { plannedDay } from '../../../app/plan/planned-day.ts'
import { type Arrival, replay } from '../../../app/plan/replay.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import { proves } from '../../proof/proves.ts'
import { type Arrival as DoorArrival, toldOf, VirtualDoor } from '../gateway/virtual-door.ts'
import { chanceFrom } from '../quota/chance.ts'
import { ReferenceService } from '../quota/reference-service.ts'

const LIMIT = 90
const PERIOD_SECONDS = 60
const CATEGORY = 'Option Expirations'
const DAY_MS = 6.5 * 3_600_000
const OPTIONS = { maxWaitMs: 300_000, stretchMs: 180_000 }

const program = (
  name: string,
  own: PlannedProgram['class'],
  perSecond: number,
  burst: number,
): PlannedProgram => ({
  name,
  class: own,
  weight: 1,
  requests: [{ category: CATEGORY, perSecond, burst }],
  streams: [],
})
const planOf = (...programs: PlannedProgram[]): Plan => ({
  programs,
  limits: { [CATEGORY]: { limit: LIMIT, periodSeconds: PERIOD_SECONDS } },
  reserves: {},
})
const BUSY = planOf(
  program('executor', 'critical', 0.1, 4),
  program('scanner', 'normal', 0.65, 40),
  program('backtest', 'background', 0.7, 64),
)

test('without waits nothing waits, and the levels are the service’s', () => {
  const arrivals = [0, 0, 1000, 200_000].map((atMs) => ({ atMs, program: 'scanner', category: CATEGORY }))
  const day = replay(planOf(program('scanner', 'normal', 1, 2)), arrivals, OPTIONS)
  expect(day).toEqual({
    waits: [
      {
        program: 'scanner',
        category: CATEGORY,
        sent: 4,
        refused: 0,
        p99Seconds: 0,
        worstSeconds: 0,
      },
    ],
    levels: [
      { category: CATEGORY, atMs: 0, lowest: LIMIT - 2, longestSeconds: 0 },
      { category: CATEGORY, atMs: 180_000, lowest: LIMIT - 1, longestSeconds: 0 },
    ],
    upstreamRefusals: 0,
  })
})

test('a stretch names the program with the longest wait', () => {
  const arrivals = [
    ...Array.from({ length: 400 }, () => ({ atMs: 1000, program: 'backtest', category: CATEGORY })),
    { atMs: 1000, program: 'executor', category: CATEGORY },
  ]
  const { levels } = replay(BUSY, arrivals, OPTIONS)
  const waited = levels.filter(({ longestSeconds }) => longestSeconds > 0)
  expect(waited.length).toBeGreaterThan(0)
  expect(new Set(waited.map(({ longestBy }) => longestBy))).toEqual(new Set(['backtest']))
})

test('leaves out arrivals that the plan does not know', () => {
  const arrivals: readonly Arrival[] = [
    { atMs: 0, program: 'unknown', category: CATEGORY },
    { atMs: 0, program: 'scanner', category: 'Else' },
  ]
  const day = replay(planOf(program('scanner', 'normal', 1, 2)), arrivals, OPTIONS)
  expect(day).toEqual({ waits: [], levels: [], upstreamRefusals: 0 })
})

test('declines and counts requests whose wait is too long', () => {
  const arrivals = Array.from({ length: 200 }, () => ({ atMs: 1000, program: 'scanner', category: CATEGORY }))
  const [waits] = replay(BUSY, arrivals, { ...OPTIONS, maxWaitMs: 2000 }).waits
  expect((waits?.sent ?? 0) + (waits?.refused ?? 0)).toBe(200)
  expect(waits?.refused).toBeGreaterThan(90)
  expect(waits?.worstSeconds).toBeLessThan(4)
})

test('of 100 requests, 99 waited at most the p99 wait, and one waited longest', () => {
  const plan = { ...BUSY, limits: { [CATEGORY]: { limit: 1, periodSeconds: 10 } } }
  const arrivals = Array.from({ length: 100 }, (_, at) => ({
    atMs: Math.min(at, 98) * 20_000,
    program: 'scanner',
    category: CATEGORY,
  }))
  const [waits] = replay(plan, arrivals, OPTIONS).waits
  expect(waits).toMatchObject({ sent: 100, p99Seconds: 0 })
  expect(waits?.worstSeconds).toBeGreaterThan(5)
})

test('p99 waits are within a tenth of those with a real service and trips, and below the bound', () => {
  const arrivals = plannedDay(BUSY, DAY_MS, chanceFrom(7))
  expect(arrivals.length).toBeGreaterThan(20_000)
  const predicted = replay(BUSY, arrivals, OPTIONS)
  expect(predicted.upstreamRefusals).toBe(0)
  const real = doorOf(arrivals)
  const bounds = new Map(
    planVerdict(BUSY).categories[0]?.waits.map((wait) => [wait.program, wait.worstSeconds]),
  )
  for (const { program: name, p99Seconds, worstSeconds, sent, refused } of predicted.waits) {
    const waits = real.get(name) ?? []
    expect(sent).toBe(waits.length)
    expect(refused).toBe(0)
    const p99 = waits[Math.floor(waits.length * 0.99)] ?? Number.NaN
    // A wait below a tenth of a second depends on the round trips, which vary.
    expect(Math.abs(p99Seconds - p99)).toBeLessThanOrEqual(Math.max(0.1, p99 / 10))
    expect(worstSeconds).toBeLessThanOrEqual((bounds.get(name) ?? Number.NaN) + 0.1)
  }
  expect(predicted.waits.find((waits) => waits.program === 'backtest')?.p99Seconds).toBeGreaterThan(1)
  proves('L2', { level: 2, cases: arrivals.length })
})

/** The waits of each program in seconds, ascending. The round trips to the service vary. */
function doorOf(arrivals: readonly Arrival[]): ReadonlyMap<string, readonly number[]> {
  const rule = { limit: LIMIT, periodSeconds: PERIOD_SECONDS, window: 'rolling' as const }
  const chance = chanceFrom(8)
  const trip = () => ({ upMs: Math.floor(chance() * 80), downMs: Math.floor(chance() * 80) })
  const door = new VirtualDoor(new ReferenceService(rule, LIMIT, 0), trip)
  door.meet()
  const programs = new Map(BUSY.programs.map((one) => [one.name, one]))
  for (const { atMs, program: name } of arrivals) {
    const { class: own = 'normal', weight = 1 } = programs.get(name) ?? {}
    const arrival: DoorArrival = { program: name, class: own, weight, maxWaitMs: OPTIONS.maxWaitMs, atMs }
    door.arrive(arrival)
  }
  door.run()
  const waits = new Map<string, number[]>()
  for (const { arrival, sentAtMs } of toldOf(door)) {
    const own = waits.get(arrival.program) ?? []
    own.push(((sentAtMs[0] ?? Number.NaN) - arrival.atMs) / 1000)
    waits.set(arrival.program, own)
  }
  for (const own of waits.values()) own.sort((a, b) => a - b)
  return waits
}
