import { PROGRAM_CLASSES, type ProgramClass, reserveOf } from '../contract/programs.ts'
import { levelOf } from '../gateway/bucket-queue.ts'
import { STREAM_TABLE, type StreamRequest, sameRequest } from '../service/stream-kinds.ts'
import { byQuota, limitOf, type Plan, quotaOf } from './plan.ts'

/** Demand of one program in one category. */
export interface Demand {
  readonly program: string
  readonly class: ProgramClass
  readonly weight: number
  readonly perSecond: number
  /** Maximum number of simultaneous requests, not counting streams. */
  readonly burst: number
  /**
   * Number of streams that the program may open simultaneously. Opening a stream counts as one request
   * (service 8.2).
   *
   * If an earlier program of the plan has the same stream, the two share it. The stream is then not counted
   * again.
   */
  readonly opens: number
}

/** A category, and the demand of all programs of a plan in it. */
export interface CategoryDemand {
  readonly category: string
  readonly limit: number
  /** Refill in requests per second: `limit / period` (service 8.3). */
  readonly capacityPerSecond: number
  /** The level that the bucket must reach before each class may send, in requests (`levelOf`). */
  readonly levels: Readonly<Record<ProgramClass, number>>
  /**
   * Requests that the gateway reserves for more urgent classes. The plan's programs can't count on them. 0 if
   * all programs are `critical`.
   */
  readonly reserve: number
  readonly demands: readonly Demand[]
}

/**
 * A plan's demand in each category with a request quota, in the order of first mention. If a program has
 * several entries for one quota, they are added up.
 */
export function demandsOf(plan: Plan): readonly CategoryDemand[] {
  const byCategory = new Map<string, Demand[]>()
  const opened: StreamRequest[] = []
  for (const program of plan.programs) {
    const streams = program.streams.filter((stream) => !opened.some((other) => sameRequest(other, stream)))
    opened.push(...streams)
    for (const [category, asked] of askedBy(plan, { ...program, streams })) {
      const demands = byCategory.get(category) ?? []
      const { name, class: own, weight } = program
      demands.push({ program: name, class: own, weight, ...asked })
      byCategory.set(category, demands)
    }
  }
  return [...byCategory].flatMap(([category, demands]) => categoryDemand(plan, category, demands))
}

type Asked = Pick<Demand, 'perSecond' | 'burst' | 'opens'>

function askedBy(plan: Plan, program: Plan['programs'][number]): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>()
  for (const { category, perSecond, burst } of byQuota(plan, program.requests))
    asked.set(category, { perSecond, burst, opens: 0 })
  for (const { kind } of program.streams) {
    const category = quotaOf(plan, STREAM_TABLE[kind].category)
    const { opens, ...before } = asked.get(category) ?? { perSecond: 0, burst: 0, opens: 0 }
    asked.set(category, { ...before, opens: opens + 1 })
  }
  return asked
}

/**
 * The demand in one category. Empty for a category without a request quota, for example one with stream slots
 * only.
 */
function categoryDemand(plan: Plan, category: string, demands: readonly Demand[]): CategoryDemand[] {
  const size = limitOf(plan, category)
  if (size === undefined) return []
  const { limit, periodSeconds } = size
  const levelFor = (own: ProgramClass) => levelOf(own, limit, reserveOf(plan.reserves, category))
  const levels = {
    critical: levelFor('critical'),
    normal: levelFor('normal'),
    background: levelFor('background'),
  }
  const onlyCritical = demands.every((demand) => demand.class === 'critical')
  const reserve = onlyCritical ? 0 : levels.normal - 1
  return [{ category, limit, capacityPerSecond: limit / periodSeconds, levels, reserve, demands }]
}

/** Sum of the rates, in requests per second. */
export const totalRate = (demands: readonly Demand[]): number =>
  demands.reduce((sum, { perSecond }) => sum + perSecond, 0)

/** Sum of the bursts, in requests: the demand if all bursts coincide. */
export const totalBurst = (demands: readonly Demand[]): number =>
  demands.reduce((sum, { burst, opens }) => sum + burst + opens, 0)

/** Whether class `a` is more urgent than `b`. */
export const isBefore = (a: ProgramClass, b: ProgramClass): boolean =>
  PROGRAM_CLASSES.indexOf(a) < PROGRAM_CLASSES.indexOf(b)

/** Whether a sum of rates exceeds a capacity by more than a rounding error. */
export const exceeds = (perSecond: number, capacityPerSecond: number): boolean =>
  perSecond > capacityPerSecond * (1 + 1e-9)
