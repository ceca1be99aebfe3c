import type { Plan } from '../../../app/plan/plan.ts'
import type { Arrival } from '../../../app/plan/replay.ts'

/**
 * The worst day that keeps to a plan: all bursts at once, the least urgent program first. After that, each
 * request comes as soon as the plan allows.
 */
export function greedyDay(plan: Plan, lengthMs: number): readonly Arrival[] {
  const arrivals = plan.programs.toReversed().flatMap(({ name, requests }) =>
    requests.flatMap(({ category, perSecond, burst }) => {
      const steady = Math.floor((lengthMs * perSecond) / 1000)
      const moments = [
        ...Array.from({ length: burst }, () => 0),
        ...Array.from({ length: steady }, (_, at) => Math.ceil(((at + 1) * 1000) / perSecond)),
      ]
      return moments.map((atMs) => ({ atMs, program: name, category }))
    }),
  )
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}
