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
 * Each program sends bursts at random times, as often as its rate allows, and never exceeds its token bucket.
 * `lengthMs` is the length of the day. `chance` gives random numbers from 0 to below 1.
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
  const moments: number[] = []
  let tokens = burst
  let atMs = 0
  // After a random pause, the program sends as many requests as its token bucket allows. The mean pause is
  // half the time that a whole burst takes to refill.
  while (atMs < lengthMs && perSecond > 0) {
    const pauseMs = (-Math.log(1 - chance()) * 500 * burst) / perSecond
    tokens = Math.min(burst, tokens + (perSecond * pauseMs) / 1000)
    atMs += pauseMs
    for (; tokens >= 1 && atMs < lengthMs; tokens -= 1) moments.push(Math.ceil(atMs))
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
