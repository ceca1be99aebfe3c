import { concessionsOf } from './advice.ts'
import { type CategoryDemand, demandsOf, totalBurst, totalRate } from './demand.ts'
import type { Plan } from './plan.ts'
import { adviceLines, whyNot } from './plan-words.ts'
import { type SlotUse, slotUseOf } from './slot-use.ts'
import { worstWaits } from './waits.ts'

/** Whether a set of programs and streams fits a key, and who waits how long: `headroom plan --json`. */
export interface PlanVerdict {
  readonly fits: boolean
  readonly categories: readonly CategoryVerdict[]
  readonly slots: readonly SlotVerdict[]
  /** What to give up first, one sentence each; empty where all fits. */
  readonly advice: readonly string[]
}

/** Of one request quota. */
export interface CategoryVerdict {
  readonly category: string
  /** Requests a second asked for. */
  readonly perSecond: number
  /** Requests a second that come back. */
  readonly capacityPerSecond: number
  /** Requests asked for at one moment, if all programs ask at once. */
  readonly burst: number
  readonly limit: number
  /** Requests kept back. */
  readonly reserve: number
  readonly fits: boolean
  /** Why not, as the rest of a sentence that begins with the category. Absent where it fits. */
  readonly why?: string
  readonly waits: readonly {
    readonly program: string
    /** Seconds; `null`: no bound. */
    readonly worstSeconds: number | null
  }[]
}

/** Of one group of stream slots. */
export interface SlotVerdict extends SlotUse {
  readonly fits: boolean
}

/**
 * Whether a plan fits: iff for each category `Σ rate ≤ limit / period` and `Σ burst + reserve ≤ limit`, and each of its
 * streams has a slot, which equal ones share (service 8.2, 8.3).
 *
 * Where it fits, through the gateway, on a key without other use, with arrivals that keep to the plan and callers who have the
 * patience for it, and as long as no more than 64 requests of a program wait: no request is refused, and none waits longer than
 * its `worstSeconds`. Where a category does not fit, its bursts at one moment, or its
 * rates for long enough, make a critical or normal request wait, a background one longer than the reserve takes to come
 * back, or any of them in vain.
 */
export function planVerdict(plan: Plan): PlanVerdict {
  const demands = demandsOf(plan)
  const categories = demands.map(categoryVerdict)
  const slots = slotUseOf(plan).map((use) => ({ ...use, fits: use.shared + use.elsewhere <= use.limit }))
  const fits = [...categories, ...slots].every((one) => one.fits)
  return { fits, categories, slots, advice: adviceLines(demands.flatMap(concessionsOf), slots) }
}

function categoryVerdict(demand: CategoryDemand): CategoryVerdict {
  const { category, capacityPerSecond, limit, reserve, demands } = demand
  const why = whyNot(demand)
  return {
    category,
    perSecond: totalRate(demands),
    capacityPerSecond,
    burst: totalBurst(demands),
    limit,
    reserve,
    fits: why === undefined,
    ...(why !== undefined && { why }),
    waits: worstWaits(demand).map(({ program, worstSeconds }) => ({
      program,
      worstSeconds: worstSeconds ?? null,
    })),
  }
}
