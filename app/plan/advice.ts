import { PROGRAM_CLASSES } from '../contract/programs.ts'
import { type CategoryDemand, type Demand, totalBurst, totalRate } from './demand.ts'
import type { Plan, PlannedProgram } from './plan.ts'
import { OTHERS_NAME } from './running.ts'

/** How much one program must reduce its demand in one category for the plan to fit. */
export interface Concession {
  readonly category: string
  readonly program: string
  /** Target rate in requests per second, 0 or more. Absent if the rate need not change. */
  readonly perSecond?: number
  /** Target burst in requests. Absent if the burst need not change. */
  readonly burst?: number
}

/** Target rates are whole multiples of 1 / `RATE_STEPS` requests per second. */
const RATE_STEPS = 100

/**
 * The reductions that make a category fit. Empty if it fits.
 *
 * Programs give up demand one after another: the least urgent class first, and within a class the smallest
 * weight first. A program gives up all its demand before the next one gives up any. Others can't be asked to
 * reduce. If a category does not fit even after all programs gave up their demand, the result names only
 * others.
 *
 * In total, the rates fall by `Σρ − r` and the bursts by `Σb + reserve − L`. ρ and b are the rates and bursts
 * of the programs, r is the refill, and L is the limit. Rates are rounded down to hundredths.
 */
export function concessionsOf(category: CategoryDemand): readonly Concession[] {
  const { capacityPerSecond, limit, reserve, demands } = category
  const rates = given(demands, 'perSecond', totalRate(demands) - capacityPerSecond)
  const bursts = given(demands, 'burst', totalBurst(demands) + reserve - limit)
  const givers = inGivingOrder(demands)
  const others = givers.find((demand) => isOthers(demand) && (rates.has(demand) || bursts.has(demand)))
  return (others === undefined ? givers : [others]).flatMap((demand) => {
    const perSecond = rates.get(demand)
    const burst = bursts.get(demand)
    if (perSecond === undefined && burst === undefined) return []
    return [
      {
        category: category.category,
        program: demand.program,
        ...(perSecond !== undefined && { perSecond: Math.floor(perSecond * RATE_STEPS) / RATE_STEPS }),
        ...(burst !== undefined && { burst: Math.floor(burst) }),
      },
    ]
  })
}

/** The reduced rate or burst of each demand that must shrink. The total falls by `excess`. */
function given(
  demands: readonly Demand[],
  what: 'perSecond' | 'burst',
  excess: number,
): ReadonlyMap<Demand, number> {
  const left = new Map<Demand, number>()
  for (const demand of inGivingOrder(demands)) {
    if (excess <= 0) break
    const gives = Math.min(demand[what], excess)
    if (gives > 0) left.set(demand, demand[what] - gives)
    excess -= gives
  }
  return left
}

function inGivingOrder(demands: readonly Demand[]): readonly Demand[] {
  const rank = (demand: Demand) => PROGRAM_CLASSES.indexOf(demand.class)
  return demands.toSorted(
    (a, b) => Number(isOthers(a)) - Number(isOthers(b)) || rank(b) - rank(a) || a.weight - b.weight,
  )
}

const isOthers = ({ program }: Demand): boolean => program === OTHERS_NAME

/** The plan with the concessions applied. A program loses each category in which it has no demand left. */
export function withConcessions(plan: Plan, concessions: readonly Concession[]): Plan {
  return { ...plan, programs: plan.programs.map((program) => conceded(program, concessions)) }
}

function conceded(program: PlannedProgram, concessions: readonly Concession[]): PlannedProgram {
  const own = new Map(
    concessions.filter(({ program: name }) => name === program.name).map((one) => [one.category, one]),
  )
  return {
    ...program,
    requests: program.requests.flatMap((requests) => {
      const { perSecond, burst } = own.get(requests.category) ?? {}
      if (perSecond === 0 || burst === 0) return []
      return [{ ...requests, perSecond: perSecond ?? requests.perSecond, burst: burst ?? requests.burst }]
    }),
  }
}
