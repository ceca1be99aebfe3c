import { concessionsOf } from './advice.ts'
import { type CategoryDemand, demandsOf, totalBurst, totalRate } from './demand.ts'
import type { Plan } from './plan.ts'
import { adviceLines, reasonAgainst } from './plan-words.ts'
import { type SlotUse, slotUseOf } from './slot-use.ts'
import { type WorstWait, worstWaits } from './waits.ts'

/** Whether a plan fits a key, and each worst-case wait. Printed by `headroom plan --json`. */
export interface PlanVerdict {
  readonly fits: boolean
  readonly categories: readonly CategoryVerdict[]
  readonly slots: readonly SlotVerdict[]
  /** Sentences of advice, the first change first. Empty if everything fits. */
  readonly advice: readonly string[]
}

/** Verdict of one request quota. */
export interface CategoryVerdict
  extends Pick<CategoryDemand, 'category' | 'capacityPerSecond' | 'limit' | 'reserve'> {
  /** Requested rate, per second. */
  readonly perSecond: number
  /** Requests that arrive together if the bursts of all programs coincide. */
  readonly burst: number
  readonly fits: boolean
  /** Why the category does not fit, as a phrase after its name. Absent if it fits. */
  readonly why?: string
  readonly waits: readonly WorstWait[]
}

/** Verdict of one group of stream slots. */
export interface SlotVerdict extends SlotUse {
  readonly fits: boolean
}

/**
 * Whether a plan fits (service 8.2, 8.3). It fits if each category has `Σ rate ≤ limit / period` and `Σ burst
 * + reserve ≤ limit`, and if each stream has a slot. Equal streams share a slot.
 *
 * If the plan fits, no request is declined and none waits longer than its `worstSeconds`. This assumes:
 * - Programs use the gateway and keep to the plan, and the key has no other use.
 * - Callers wait long enough, and at most 64 requests of a program wait.
 *
 * If a category does not fit, requests are delayed when bursts coincide or rates last long enough. At least
 * one of these then happens:
 * - A critical or normal request waits.
 * - A background request waits longer than the reserve takes to refill.
 * - A request waits in vain.
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
  const why = reasonAgainst(demand)
  return {
    category,
    perSecond: totalRate(demands),
    capacityPerSecond,
    burst: totalBurst(demands),
    limit,
    reserve,
    fits: why === undefined,
    ...(why !== undefined && { why }),
    waits: worstWaits(demand),
  }
}
