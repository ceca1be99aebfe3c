import { reserveOf } from '../../app/contract/programs.ts'
import { type Concession, withConcessions } from '../../app/plan/advice.ts'
import {
  byQuota,
  limitOf,
  type Plan,
  type PlannedProgram,
  type PlannedRequests,
  quotaOf,
} from '../../app/plan/plan.ts'
import { OTHERS_NAME, OWN_NAME, type RunningPlan } from '../../app/plan/running.ts'
import { type StreamRequest, sameRequest } from '../../app/service/stream-kinds.ts'
import { countText } from '../../app/status/rates.ts'

/** A plan that a person is editing, and its original. */
export interface PlanDraft {
  readonly profile: string
  /** When the plan was taken from the running programs, epoch ms. */
  readonly sinceMs: number
  readonly base: RunningPlan
  readonly plan: Plan
  /** Programs that a person added, by name. */
  readonly added: readonly string[]
}

/** Applies a change to the latest draft. The function stays the same in every render. */
export type ChangeDraft = (change: (draft: PlanDraft) => PlanDraft) => void

export const draftOf = (profile: string, base: RunningPlan, sinceMs: number): PlanDraft => ({
  profile,
  sinceMs,
  base,
  plan: base.plan,
  added: [],
})

/** Whether a person may change the program. Others' use is observed, not chosen. */
export const isChangeable = ({ name }: PlannedProgram): boolean => name !== OTHERS_NAME

/** Rate of a newly added row, requests per second. */
const FIRST_PER_SECOND = 0.1

/**
 * The draft with a file's programs, limits and reserves. Others' use and the slots stay unchanged, because a
 * person can't choose them.
 */
export function fileOpened(draft: PlanDraft, file: Plan): PlanDraft {
  const { plan: running } = draft.base
  const programs = [
    ...file.programs.flatMap((one) =>
      one.name === OTHERS_NAME ? [] : [{ ...one, requests: byQuota(running, one.requests) }],
    ),
    ...running.programs.filter(({ name }) => name === OTHERS_NAME),
  ]
  const known = new Set(running.programs.map(({ name }) => name))
  return {
    ...draft,
    plan: {
      ...running,
      programs,
      limits: { ...running.limits, ...withQuota(running, file.limits) },
      reserves: { ...running.reserves, ...withQuota(running, file.reserves) },
    },
    added: programs.flatMap(({ name }) => (known.has(name) || name === OWN_NAME ? [] : [name])),
  }
}

/** The entries of categories that have a quota of their own. */
const withQuota = <T>(plan: Plan, entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).filter(([category]) => quotaOf(plan, category) === category))

/** Adds a program of class normal with one category and a new name. */
export function programAdded(draft: PlanDraft, category: string | undefined): PlanDraft {
  const taken = new Set(draft.plan.programs.map(({ name }) => name))
  let number = draft.added.length + 1
  while (taken.has(`program ${number}`)) number += 1
  const program: PlannedProgram = {
    name: `program ${number}`,
    class: 'normal',
    weight: 1,
    requests: category === undefined ? [] : [{ category, perSecond: FIRST_PER_SECOND, burst: 1 }],
    streams: [],
  }
  const { programs } = draft.plan
  const own = programs.findIndex(({ name }) => name === OWN_NAME || name === OTHERS_NAME)
  const at = own < 0 ? programs.length : own
  return withPrograms({ ...draft, added: [...draft.added, program.name] }, programs.toSpliced(at, 0, program))
}

export const programRemoved = (draft: PlanDraft, name: string): PlanDraft =>
  withPrograms(
    { ...draft, added: draft.added.filter((one) => one !== name) },
    draft.plan.programs.filter((program) => program.name !== name),
  )

/** Changes class, weight or name. An empty, overlong or used name changes nothing. */
export function programChanged(
  draft: PlanDraft,
  name: string,
  change: Partial<Pick<PlannedProgram, 'name' | 'class' | 'weight'>>,
): PlanDraft {
  const next = change.name?.trim()
  const isTaken = draft.plan.programs.some((program) => program.name === next && next !== name)
  if (next !== undefined && (next === '' || isTaken || next === OTHERS_NAME || next === OWN_NAME))
    return draft
  const { added } = draft
  return changed(
    { ...draft, added: next === undefined ? added : added.map((one) => (one === name ? next : one)) },
    name,
    (program) => ({ ...program, ...change, ...(next !== undefined && { name: next }) }),
  )
}

/** Changes one row of a program, by index. */
export const requestsChanged = (
  draft: PlanDraft,
  name: string,
  { at, ...change }: { readonly at: number } & Partial<PlannedRequests>,
): PlanDraft =>
  changed(draft, name, (program) => ({
    ...program,
    requests: program.requests.map((one, index) => (index === at ? { ...one, ...change } : one)),
  }))

export const requestsAdded = (draft: PlanDraft, name: string, category: string): PlanDraft =>
  changed(draft, name, (program) => ({
    ...program,
    requests: [...program.requests, { category, perSecond: FIRST_PER_SECOND, burst: 1 }],
  }))

export const requestsRemoved = (draft: PlanDraft, name: string, at: number): PlanDraft =>
  changed(draft, name, (program) => ({ ...program, requests: program.requests.toSpliced(at, 1) }))

/** Adds a stream to a program that does not have it yet. */
export const streamAdded = (draft: PlanDraft, name: string, stream: StreamRequest): PlanDraft =>
  changed(draft, name, (program) =>
    program.streams.some((one) => sameRequest(one, stream))
      ? program
      : { ...program, streams: [...program.streams, stream] },
  )

export const streamRemoved = (draft: PlanDraft, name: string, at: number): PlanDraft =>
  changed(draft, name, (program) => ({ ...program, streams: program.streams.toSpliced(at, 1) }))

/** The draft after a program's demand was reduced as advised. */
export const conceded = (draft: PlanDraft, concession: Concession): PlanDraft => ({
  ...draft,
  plan: withConcessions(draft.plan, [concession]),
})

type ProgramChange = 'added' | 'changed' | 'none'

/** Whether the program was added, or differs from the running program. */
export function changeOf(
  { added, base }: Pick<PlanDraft, 'added' | 'base'>,
  program: PlannedProgram,
): ProgramChange {
  if (added.includes(program.name)) return 'added'
  const before = base.plan.programs.find(({ name }) => name === program.name)
  if (before === program) return 'none'
  return JSON.stringify(before) === JSON.stringify(program) ? 'none' : 'changed'
}

/** The present rate of a program in a category. `undefined` if the draft does not change it. */
export function rateBefore(
  { base }: Pick<PlanDraft, 'base'>,
  name: string,
  { category, perSecond }: PlannedRequests,
): number | undefined {
  const before = base.plan.programs
    .find((program) => program.name === name)
    ?.requests.find((one) => one.category === category)
  return before === undefined || before.perSecond === perSecond ? undefined : before.perSecond
}

function changedQuotas({ base: { plan: before }, plan }: PlanDraft): number {
  const sizeIn = ({ limits, reserves }: Plan, category: string) => {
    const { limit, periodSeconds } = limitOf({ limits }, category) ?? {}
    return [limit, periodSeconds, reserveOf(reserves, category)].join(' ')
  }
  const categories = new Set([plan.limits, plan.reserves].flatMap(Object.keys))
  return [...categories].filter((category) => sizeIn(before, category) !== sizeIn(plan, category)).length
}

/** The changes of a draft in words: `1 added, 2 changed, 1 left out`. Empty if unchanged. */
export function changesText(draft: PlanDraft): string {
  const changes = draft.plan.programs.map((program) => changeOf(draft, program))
  const count = (one: ProgramChange) => changes.filter((change) => change === one).length
  const names = new Set(draft.plan.programs.map(({ name }) => name))
  const gone = draft.base.plan.programs.filter(({ name }) => !names.has(name)).length
  const parts = [
    [count('added'), 'added'],
    [count('changed'), 'changed'],
    [gone, 'left out'],
  ] as const
  const quotas = changedQuotas(draft)
  return [
    ...parts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])),
    ...(quotas === 0 ? [] : [`${countText(quotas, 'quota')} changed`]),
  ].join(', ')
}

function changed(draft: PlanDraft, name: string, change: (program: PlannedProgram) => PlannedProgram) {
  return withPrograms(
    draft,
    draft.plan.programs.map((program) => (program.name === name ? change(program) : program)),
  )
}

const withPrograms = (draft: PlanDraft, programs: readonly PlannedProgram[]): PlanDraft => ({
  ...draft,
  plan: { ...draft.plan, programs },
})
