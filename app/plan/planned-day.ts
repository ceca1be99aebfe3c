import type { Plan, PlannedRequests } from './plan.ts'
import type { Arrival } from './replay.ts'

/**
 * Maximum number of requests of a replayed day, so that they fit in memory. Together, all quotas of service
 * 8.2 allow fewer in 24 hours.
 */
export const MAX_ARRIVALS = 2_000_000

/** Maximum number of requests of a day under a plan. */
export const plannedCount = ({ programs }: Pick<Plan, 'programs'>, lengthMs: number): number =>
  programs
    .flatMap(({ requests }) => requests)
    .reduce(
      (sum, { perSecond, burst }) => sum + (perSecond > 0 ? burst + (perSecond * lengthMs) / 1000 : 0),
      0,
    )

/**
 * The requests of a day under a plan, in chronological order.
 *
 * Each program sends at its rate, in bursts at random times. It never exceeds its token bucket, and sends at
 * the latest when that bucket is full, because it would otherwise stay below its rate. `lengthMs` is the
 * length of the day. `chance` gives random numbers from 0 to below 1.
 */
export function plannedDay(plan: Plan, lengthMs: number, chance: () => number): readonly Arrival[] {
  const arrivals = plan.programs.flatMap(({ name, requests }) =>
    requests.flatMap((one) =>
      momentsOf(one, lengthMs, chance).map((atMs) => ({ atMs, program: name, category: one.category })),
    ),
  )
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

function momentsOf({ perSecond, burst }: PlannedRequests, lengthMs: number, chance: () => number): number[] {
  if (perSecond <= 0) return []
  const moments: number[] = []
  const msOf = (tokens: number) => (1000 * tokens) / perSecond
  let tokens = burst
  let atMs = chance() * msOf(burst)
  while (atMs < lengthMs) {
    for (; tokens >= 1; tokens -= 1) moments.push(Math.ceil(atMs))
    // Less than one token is left. The next burst has a random size, on average somewhat less than half of
    // the largest one.
    const more = -Math.log(1 - chance()) * 0.5 * (burst - 1)
    const next = Math.min(burst, 1 + more)
    atMs += msOf(next - tokens)
    tokens = next
  }
  return moments
}

/**
 * A fixed sequence of random numbers from 0 to below 1 (mulberry32). A plan therefore always gives the same
 * day.
 */
export function seededChance(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
