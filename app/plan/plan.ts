import type { ProgramClass } from '../contract/programs.ts'
import { CURRENT_REQUEST_QUOTAS, type RequestLimit } from '../service/categories.ts'
import type { StreamRequest } from '../service/stream-kinds.ts'

/**
 * Demand of one program in one category, as a token bucket (RFC 2697): at most `burst + perSecond × t`
 * requests in any `t` seconds.
 */
export interface PlannedRequests {
  readonly category: string
  /** Requests per second on average, 0 or more. */
  readonly perSecond: number
  /** Maximum number of simultaneous requests, a whole number from 1. */
  readonly burst: number
}

/** A program of a plan, with the gateway's class and weight. */
export interface PlannedProgram {
  readonly name: string
  readonly class: ProgramClass
  /** Weight relative to the other programs of the same class, above 0. */
  readonly weight: number
  readonly requests: readonly PlannedRequests[]
  readonly streams: readonly StreamRequest[]
}

/** The slots of one category of streams (service 8.2). */
export interface PlannedSlots {
  readonly limit: number
  /** Slots used by streams outside the plan, 0 or more. */
  readonly elsewhere: number
}

/** A plan: programs that will share one key. */
export interface Plan {
  readonly programs: readonly PlannedProgram[]
  /** Limits that replace those of the service's table, by category. */
  readonly limits: Readonly<Record<string, RequestLimit>>
  /** Reserved requests by category, in place of the gateway's default of 6 % of the limit. */
  readonly reserves: Readonly<Record<string, number>>
  /** Slots that replace those of the service's table, by category. */
  readonly slots?: Readonly<Record<string, PlannedSlots>>
  /** For each category without a quota of its own, the category whose quota counts it. */
  readonly countedBy?: Readonly<Record<string, string>>
}

/** The category whose quota counts the requests of `category`. */
export function quotaOf({ countedBy = {} }: Pick<Plan, 'countedBy'>, category: string): string {
  return (Object.hasOwn(countedBy, category) ? countedBy[category] : undefined) ?? category
}

/** One entry for each quota. Entries that count in the same quota are added up. */
export function byQuota(
  plan: Pick<Plan, 'countedBy'>,
  requests: readonly PlannedRequests[],
): readonly PlannedRequests[] {
  const merged = new Map<string, PlannedRequests>()
  for (const one of requests) {
    const category = quotaOf(plan, one.category)
    const before = merged.get(category)
    const { perSecond, burst } = before ?? { perSecond: 0, burst: 0 }
    merged.set(category, { category, perSecond: perSecond + one.perSecond, burst: burst + one.burst })
  }
  return [...merged.values()]
}

/**
 * The request quota of a category: the plan's, or else the table's (service 8.2). `undefined` if neither has
 * one.
 */
export function limitOf(plan: Pick<Plan, 'limits'>, category: string): RequestLimit | undefined {
  if (Object.hasOwn(plan.limits, category)) return plan.limits[category]
  return CURRENT_REQUEST_QUOTAS.find((quota) => quota.category === category)
}
