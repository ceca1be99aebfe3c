import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROGRAM_CLASSES } from '../../../app/contract/programs.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import { concessionsOf, withConcessions } from '../../../app/plan/advice.ts'
import { demandsOf, isBefore, totalRate } from '../../../app/plan/demand.ts'
import type { Plan, PlannedProgram } from '../../../app/plan/plan.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { type Told, toldOf, VirtualDoor } from '../gateway/virtual-door.ts'
import { chanceFrom } from '../quota/chance.ts'
import { ReferenceService } from '../quota/reference-service.ts'

const PLANS = lawRuns(200)
const SEED = 20_261_122
/** Callers are patient, so that no request is declined before it has waited as long as the plan says. */
const CALLER_WAIT_MS = 300_000
/** The error from rounding arrivals to milliseconds. */
const ROUNDING_MS = 5

const CATEGORY = 'Positions'

interface Setting {
  readonly plan: Plan
  readonly limit: number
  readonly periodSeconds: number
  readonly seed: number
}

/** One to five programs on one bucket, near its capacity: about half of the settings fit. */
const setting: fc.Arbitrary<Setting> = fc
  .record({
    limit: fc.integer({ min: 20, max: 320 }),
    periodSeconds: fc.constantFrom(60, 120, 300),
    rateShare: fc.constantFrom(0.3, 0.7, 0.95, 1.2, 1.5),
    burstShare: fc.constantFrom(0.2, 0.6, 0.9, 0.94, 1, 1.3),
    parts: fc.array(
      fc.record({
        class: fc.constantFrom(...PROGRAM_CLASSES),
        weight: fc.constantFrom(1, 1, 2, 5),
        rate: fc.integer({ min: 1, max: 10 }),
        burst: fc.integer({ min: 1, max: 10 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    seed: fc.integer(),
  })
  .map(({ limit, periodSeconds, rateShare, burstShare, parts, seed }) => {
    const rates = parts.reduce((sum, { rate }) => sum + rate, 0)
    const bursts = parts.reduce((sum, { burst }) => sum + burst, 0)
    const programs = parts.map((part, at): PlannedProgram => {
      const perSecond = (rateShare * (limit / periodSeconds) * part.rate) / rates
      const burst = Math.max(1, Math.floor((burstShare * limit * part.burst) / bursts))
      return {
        name: `program ${at}`,
        class: part.class,
        weight: part.weight,
        requests: [{ category: CATEGORY, perSecond, burst }],
        streams: [],
      }
    })
    const plan = { programs, limits: { [CATEGORY]: { limit, periodSeconds } }, reserves: {} }
    return { plan, limit, periodSeconds, seed }
  })

/** When a program sends requests: at most `burst + perSecond × t` of them in any time `t`. */
type Arrivals = (program: PlannedProgram, startMs: number, endMs: number) => readonly number[]

/** The whole burst at once, and each further request as soon as the plan allows. */
const greedy: Arrivals = ({ requests }, startMs, endMs) => {
  const { burst = 1, perSecond = 0 } = requests[0] ?? {}
  const gapMs = 1000 / perSecond
  const first = Array.from({ length: burst }, () => startMs)
  const steady = Array.from({ length: Math.floor((endMs - startMs) / gapMs) }, (_, at) =>
    Math.ceil(startMs + (at + 1) * gapMs),
  )
  return [...first, ...steady]
}

/** Several requests at once from time to time, but never more than the plan allows. */
const conforming =
  (chance: () => number): Arrivals =>
  ({ requests }, startMs, endMs) => {
    const { burst = 1, perSecond = 0 } = requests[0] ?? {}
    const times: number[] = []
    let tokens = burst
    let atMs = startMs
    while (atMs < endMs) {
      for (let asked = Math.floor(chance() * (tokens + 1)); asked > 0; asked -= 1) {
        times.push(atMs)
        tokens -= 1
      }
      const pauseMs = Math.ceil((-Math.log(1 - chance()) * 1000 * burst) / perSecond)
      tokens = Math.min(burst, tokens + (perSecond * pauseMs) / 1000)
      atMs += pauseMs
    }
    return times
  }

/**
 * Runs the plan's arrivals through the gateway's scheduler in front of the service, until every request has
 * its answer.
 */
function run({ plan, limit, periodSeconds }: Setting, arrivalsOf: Arrivals, periods: number): VirtualDoor {
  const service = new ReferenceService({ limit, periodSeconds, window: 'rolling' }, limit, 0)
  const door = new VirtualDoor(service, () => ({ upMs: 20, downMs: 20 }), new Scheduler())
  door.meet()
  // By then, the request that `meet` sent has refilled.
  const startMs = Math.ceil((3 * periodSeconds * 1000) / limit)
  const endMs = startMs + periods * periodSeconds * 1000
  const arrivals = plan.programs.flatMap((program) => {
    const { name, class: own, weight } = program
    const of = { program: name, class: own, weight, maxWaitMs: CALLER_WAIT_MS }
    return arrivalsOf(program, startMs, endMs).map((atMs) => ({ ...of, atMs }))
  })
  for (const arrival of arrivals) door.arrive(arrival)
  door.run(endMs)
  return door
}

const waitMsOf = ({ sentAtMs, arrival, endedAtMs, end }: Told, door: VirtualDoor): number => {
  const [sentMs] = sentAtMs
  if (sentMs !== undefined) return sentMs - arrival.atMs
  return (end === undefined ? door.nowMs : endedAtMs) - arrival.atMs
}

test(`a plan that fits leads to no declined request, and to no wait beyond its bound`, () => {
  let fitting = 0
  fc.assert(
    fc.property(setting, (one) => {
      const verdict = planVerdict(one.plan)
      if (!verdict.fits) return
      fitting += 1
      const worst = new Map(verdict.categories[0]?.waits.map((wait) => [wait.program, wait.worstSeconds]))
      const arrivals = [greedy, conforming(chanceFrom(one.seed)), conforming(chanceFrom(one.seed + 1))]
      for (const arrivalsOf of arrivals) {
        const door = run(one, arrivalsOf, 4)
        expect(door.sent.filter(({ isRefused }) => isRefused)).toEqual([])
        const told = toldOf(door)
        expect(told.length).toBeGreaterThan(0)
        expect(told.filter(({ end }) => end === 'refuse' || end === 'fail')).toEqual([])
        for (const each of told) {
          const worstMs = (worst.get(each.arrival.program) ?? Number.POSITIVE_INFINITY) * 1000
          expect(waitMsOf(each, door)).toBeLessThanOrEqual(worstMs + ROUNDING_MS)
        }
      }
    }),
    { numRuns: PLANS, seed: SEED },
  )
  expect(fitting).toBeGreaterThan(PLANS / 5)
  proves('L1', { level: 2, cases: PLANS })
})

test('a plan that does not fit delays or declines some request as no fitting plan does', () => {
  let unfit = 0
  fc.assert(
    fc.property(setting, (one) => {
      if (planVerdict(one.plan).fits) return
      unfit += 1
      const door = run(one, greedy, 12)
      const [category] = demandsOf(one.plan)
      if (category === undefined) throw new Error('the plan asks for nothing')
      const { capacityPerSecond, reserve, demands } = category
      const before = totalRate(demands.filter((demand) => isBefore(demand.class, 'background')))
      const reserveMs = (1000 * reserve) / (capacityPerSecond - before)
      const beyond = toldOf(door).filter((told) => {
        if (told.end === 'refuse') return true
        const waitMs = waitMsOf(told, door)
        return told.arrival.class === 'background' ? waitMs > reserveMs : waitMs > ROUNDING_MS
      })
      expect(beyond.length).toBeGreaterThan(0)
    }),
    { numRuns: PLANS, seed: SEED },
  )
  expect(unfit).toBeGreaterThan(PLANS / 5)
  proves('L1', { level: 2, cases: PLANS })
})

test('a plan fits once its programs follow the advice', () => {
  fc.assert(
    fc.property(setting, ({ plan }) => {
      const concessions = demandsOf(plan).flatMap(concessionsOf)
      expect(concessions.length > 0).toBe(!planVerdict(plan).fits)
      expect(planVerdict(withConcessions(plan, concessions)).fits).toBe(true)
    }),
    { numRuns: 5 * PLANS },
  )
})
