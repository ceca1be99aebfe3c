import { type CategoryDemand, type Demand, exceeds, isBefore, totalBurst, totalRate } from './demand.ts'

/** How long a program's requests of one category wait at worst. */
export interface WorstWait {
  readonly program: string
  /** Seconds, 0 or more; `undefined`: nothing bounds it. */
  readonly worstSeconds: number | undefined
}

/**
 * The worst wait of each program's requests for a category, by network calculus: arrivals are token buckets, a class is
 * served from its level upwards, classes before it go first (J.-Y. Le Boudec, P. Thiran, *Network Calculus*, 1.2 and 6.2).
 *
 * With `L` the limit, `r` what comes back a second, `b` and `ρ` the bursts and rates, `l` the level of class k and `l'` that
 * of the class after it, the level that a request of class k finds has fallen from `L` by at most all bursts (as `Σρ ≤ r`), or
 * from `l' − 1`, below which the classes after it do not send, by the bursts of its own and of the classes before (as
 * their `Σρ ≤ r`). It lacks at most
 *
 *     lack = min( Σ_all b + l − L ,  Σ_≤k b + l − l' )
 *
 * requests, which come back at `r` less what others may take meanwhile: the classes before, and the others of its class, who
 * may be behind their share. So `wait ≤ lack / (r − Σ_<k ρ − Σ_k,others ρ)`. The first term is one more than the bursts leave,
 * because headers are in whole seconds and may hide one request (service 8.1).
 *
 * It holds for arrivals that keep to the plan, on a key without other use, and is reached, but for that one request, by
 * the program that is served last where all bursts come at once.
 */
export function worstWaits(category: CategoryDemand): readonly WorstWait[] {
  return category.demands.map((demand) => ({
    program: demand.program,
    worstSeconds: worstWaitSeconds(category, demand),
  }))
}

function worstWaitSeconds(category: CategoryDemand, demand: Demand): number | undefined {
  const { capacityPerSecond, demands } = category
  const before = demands.filter((other) => isBefore(other.class, demand.class))
  const beside = demands.filter((other) => other.class === demand.class && other !== demand)
  const lack = worstLack(category, demand)
  if (lack === undefined) return undefined
  if (lack <= 0) return 0
  const freePerSecond = capacityPerSecond - totalRate(before) - totalRate(beside)
  return freePerSecond > 0 ? lack / freePerSecond : undefined
}

/** Requests; `undefined` where the rates that count exceed what comes back. */
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
