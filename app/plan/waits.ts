import { type CategoryDemand, type Demand, exceeds, isBefore, totalBurst, totalRate } from './demand.ts'

/** The worst-case wait of a program's requests in one category. */
export interface WorstWait {
  readonly program: string
  /** Seconds, 0 or more. `null` for an unbounded wait. */
  readonly worstSeconds: number | null
}

/**
 * The worst-case wait of each program's requests in a category, by network calculus (J.-Y. Le Boudec, P.
 * Thiran, *Network Calculus*, 1.2 and 6.2). Arrivals are token buckets. Each class is served only while the
 * bucket's level is at least the level that the class needs. More urgent classes go first.
 *
 * Symbols: `L` is the limit and `r` the refill per second. `b` and `ρ` are bursts and rates. `l` is the level
 * that class k needs, and `l'` is the level that the next less urgent class needs.
 *
 * When a request of class k arrives, the level has fallen in one of two ways:
 * - From `L`, by at most all bursts (because `Σρ ≤ r`).
 * - From `l' − 1`, by the bursts of class k and of more urgent classes (because their `Σρ ≤ r`). Below `l'`,
 *   less urgent classes do not send.
 *
 * So the request lacks at most
 *
 *     lack = min( Σ_all b + l − L ,  Σ_≤k b + l − l' )
 *
 * requests. They refill at `r`, minus the rates of requests that are served first: those of more urgent
 * classes, and of programs of the same class that are below their share. So
 * `wait ≤ lack / (r − Σ_<k ρ − Σ_k,others ρ)`.
 *
 * The first term of the minimum includes one extra request, because headers are in whole seconds and may hide
 * one request (service 2.2). Apart from that, the bound is tight: when all bursts coincide, the program that
 * is served last waits exactly that long. The bound requires that arrivals keep to the plan and that the key
 * has no other use.
 */
export function worstWaits(category: CategoryDemand): readonly WorstWait[] {
  return category.demands.map((demand) => ({
    program: demand.program,
    worstSeconds: worstWaitSeconds(category, demand),
  }))
}

function worstWaitSeconds(category: CategoryDemand, demand: Demand): number | null {
  const { capacityPerSecond, demands } = category
  const before = demands.filter((other) => isBefore(other.class, demand.class))
  const sameClass = demands.filter((other) => other.class === demand.class && other !== demand)
  const lack = worstLack(category, demand)
  if (lack === undefined) return null
  if (lack <= 0) return 0
  const freePerSecond = capacityPerSecond - totalRate(before) - totalRate(sameClass)
  return freePerSecond > 0 ? lack / freePerSecond : null
}

/** The maximum `lack` in requests, by the formula above. `undefined` if its rates exceed the refill. */
function worstLack(
  { limit, capacityPerSecond, levels, demands }: CategoryDemand,
  { class: own }: Demand,
): number | undefined {
  const lacks: number[] = []
  if (!exceeds(totalRate(demands), capacityPerSecond)) lacks.push(totalBurst(demands) + levels[own] - limit)
  const after = demands.filter((other) => isBefore(own, other.class)).map((other) => levels[other.class])
  const upTo = demands.filter((other) => !isBefore(own, other.class))
  if (after.length > 0 && !exceeds(totalRate(upTo), capacityPerSecond))
    lacks.push(totalBurst(upTo) + levels[own] - Math.min(...after))
  return lacks.length === 0 ? undefined : Math.min(...lacks)
}
