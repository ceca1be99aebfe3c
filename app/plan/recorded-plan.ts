import { byQuota, type PlannedProgram, type PlannedRequests } from './plan.ts'
import { recordedRequests } from './recorded.ts'
import { OTHERS_NAME, OWN_NAME, othersProgram, type RunningPlan } from './running.ts'
import type { RecordedProgram } from './what-if.ts'

const NO_ONE: PlannedProgram = { name: OWN_NAME, class: 'background', weight: 1, requests: [], streams: [] }

/**
 * The running programs as a plan, with their recorded demand in the `lengthMs` milliseconds since `fromMs`
 * (epoch ms). `minutes` is the number of recorded minutes.
 *
 * The rate and burst of each program, of Headroom and of others cover all recorded minutes. Rates are rounded
 * up to hundredths. Others' numbers are estimates. The desk's other machines count as others, because a
 * recording does not name their programs.
 */
export function recordedPlan(
  { plan, unknown, elsewhere = [] }: RunningPlan,
  recorded: readonly RecordedProgram[],
  {
    fromMs,
    lengthMs,
    minutes,
  }: { readonly fromMs: number; readonly lengthMs: number; readonly minutes: number },
): RunningPlan {
  const askedBy = (name: string): readonly PlannedRequests[] => {
    const recording = recorded.find(({ program }) => program === name)?.minutes ?? []
    const periodSecondsOf = (category: string) => plan.limits[category]?.periodSeconds
    const requests = recordedRequests(recording, { lengthMs, periodSecondsOf })
    return byQuota(plan, requests).map((one) => ({ ...one, perSecond: Math.ceil(one.perSecond * 100) / 100 }))
  }
  const own = plan.programs.find(({ name }) => name === OWN_NAME) ?? NO_ONE
  const leftOut = [OWN_NAME, OTHERS_NAME, ...elsewhere]
  const programs = plan.programs.filter(({ name }) => !leftOut.includes(name))
  const all = [
    ...programs.map((program) => ({ ...program, requests: askedBy(program.name) })),
    { ...own, requests: askedBy(OWN_NAME) },
    { ...othersProgram([]), requests: askedBy(OTHERS_NAME) },
  ]
  const others = askedBy(OTHERS_NAME).map(({ category, perSecond }) => ({
    category,
    perSecond,
    low: perSecond,
    high: perSecond,
  }))
  const isThere = ({ name, requests, streams }: PlannedProgram) =>
    requests.length > 0 || streams.length > 0 || (name !== OWN_NAME && name !== OTHERS_NAME)
  return {
    plan: { ...plan, programs: all.filter(isThere) },
    others,
    // A recording has the requests of others, but not their slots.
    ...(unknown && { unknown: { requests: [], slots: unknown.slots } }),
    recordedFromMs: fromMs,
    recordedMinutes: minutes,
  }
}
