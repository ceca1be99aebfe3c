import type { Plan, PlannedProgram } from './plan.ts'
import { MAX_ARRIVALS, plannedCount, plannedDay } from './planned-day.ts'
import { type RecordedMinute, recordedArrivals } from './recorded.ts'
import type { Arrival } from './replay.ts'

/** Recorded demand of one program. Minutes are in chronological order within each category. */
export interface RecordedProgram {
  readonly program: string
  readonly minutes: readonly RecordedMinute[]
}

/** A recorded day for trying out a changed plan. */
export interface WhatIfDay {
  /** The unchanged plan: the programs that run now. */
  readonly base: Plan
  readonly recorded: readonly RecordedProgram[]
  /** Start of the day, epoch ms. */
  readonly fromMs: number
  readonly lengthMs: number
  /** Returns random numbers from 0 to below 1. */
  readonly chance: () => number
}

/**
 * The arrivals of a day under a plan, in chronological order. `undefined` if there are more than
 * `MAX_ARRIVALS`.
 *
 * If the plan changes a program's rate, the program's recorded requests are scaled by the same factor. A
 * program without a recording sends as planned. Requests that are in `base` but not in the plan are left out.
 */
export function whatIfArrivals(plan: Plan, day: WhatIfDay): readonly Arrival[] | undefined {
  const recorded = new Map(day.recorded.map(({ program, minutes }) => [program, minutes]))
  const parts = plan.programs.map((program) => {
    const minutes = recorded.get(program.name) ?? []
    const known = new Set(minutes.map(({ category }) => category))
    const factors = factorsOf(program, day.base)
    const changed = minutes.flatMap((minute) => {
      const requests = minute.requests * factors(minute.category)
      return requests > 0 ? [{ ...minute, requests }] : []
    })
    const requests = program.requests.filter(({ category }) => !known.has(category))
    return { changed, unrecorded: { ...plan, programs: [{ ...program, requests }] }, name: program.name }
  })
  const count = parts.reduce(
    (sum, { changed, unrecorded }) =>
      changed.reduce((all, { requests }) => all + requests, sum) + plannedCount(unrecorded, day.lengthMs),
    0,
  )
  if (count > MAX_ARRIVALS) return undefined
  const arrivals = parts.flatMap(({ changed, unrecorded, name }) => [
    ...recordedArrivals(name, changed, day.fromMs),
    ...plannedDay(unrecorded, day.lengthMs, day.chance),
  ])
  return arrivals.sort((a, b) => a.atMs - b.atMs)
}

/**
 * The factor by which a plan changed a program's rate in a category. 0 if the plan removed the rate. 1 if
 * `base` has no rate.
 */
function factorsOf({ name, requests }: PlannedProgram, base: Plan): (category: string) => number {
  const rateIn = (all: PlannedProgram['requests'], category: string) =>
    all.filter((one) => one.category === category).reduce((sum, { perSecond }) => sum + perSecond, 0)
  const before = base.programs.find((program) => program.name === name)?.requests ?? []
  return (category) => {
    const was = rateIn(before, category)
    const is = rateIn(requests, category)
    return was > 0 ? is / was : 1
  }
}

/** The requests in `own`, by minute, that did not come from any of the programs. */
export function withoutPrograms(
  own: readonly RecordedMinute[],
  programs: readonly RecordedProgram[],
): readonly RecordedMinute[] {
  const theirs = new Map<string, number>()
  for (const { category, atMs, requests } of programs.flatMap(({ minutes }) => minutes)) {
    const key = `${category}\n${atMs}`
    theirs.set(key, (theirs.get(key) ?? 0) + requests)
  }
  return own.flatMap((minute) => {
    const requests = minute.requests - (theirs.get(`${minute.category}\n${minute.atMs}`) ?? 0)
    return requests > 0 ? [{ ...minute, requests }] : []
  })
}
