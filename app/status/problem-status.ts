import { isOfWholeKey } from '../contract/events.ts'
import type { Severity } from '../contract/severity.ts'
import type { RequestQuota, RowProblem, Snapshot } from '../contract/snapshot.ts'
import { shownRows } from '../quota/verdict.ts'
import { OUTDATED_AFTER_MS } from './durations.ts'

/**
 * What every surface says of answers that bring no quota number: a rejected token, a missing permission, a failing
 * service, or something else that answers in its place. Pure.
 */
export interface ProblemStatus {
  readonly severity: Severity
  /** `rejected`, `no permission`, `failing`, `no headers`. */
  readonly label: string
  /** The status code. */
  readonly note: string
}

/** How long a service may fail, or answer without a number, before a row that has one says so. Milliseconds. */
export const PROBLEM_LASTS_MS = 30_000

/**
 * The problem of a row as far as it is to be told at `nowMs`, epoch ms. A refused token or permission is told at once;
 * one failing answer beside a number is not yet a state.
 */
export function toldProblem(
  { problem, source, state, asOf }: Pick<RequestQuota, 'problem' | 'source' | 'state' | 'asOf'>,
  nowMs: number,
): RowProblem | undefined {
  // What was pushed is too old to be believed.
  if (problem === undefined || nowMs - asOf > OUTDATED_AFTER_MS) return undefined
  const isRefusal = problem.status === 401 || problem.status === 403
  const hasNumber = source !== 'default' && state !== 'not-checked'
  return isRefusal || !hasNumber || nowMs - problem.since >= PROBLEM_LASTS_MS ? problem : undefined
}

/** The rows that are shown whose last answer brought no number, told or not: no ground to call them fine. */
export function unansweredRows(
  { requests }: Pick<Snapshot, 'requests'>,
  nowMs: number,
): readonly RequestQuota[] {
  return shownRows(requests).filter(
    ({ problem, asOf }) => problem !== undefined && nowMs - asOf <= OUTDATED_AFTER_MS,
  )
}

/** Severity and words of a problem. */
export function problemStatus({ status }: Pick<RowProblem, 'status'>): ProblemStatus {
  const note = String(status)
  if (status === 401) return { severity: 'critical', label: 'rejected', note }
  if (status === 403) return { severity: 'warning', label: 'no permission', note }
  if (status >= 500) return { severity: 'warning', label: 'failing', note }
  if (status >= 400) return { severity: 'warning', label: 'rejected', note }
  return { severity: 'warning', label: 'no headers', note }
}

/** One problem of a key: of all rows that share it, or of one row. */
export interface KeyProblem extends ProblemStatus {
  /** The first row that has it. */
  readonly category: string
  readonly problem: RowProblem
  /** Whether it is a problem of the token or of the service, and not of the row alone. */
  readonly isWhole: boolean
}

/**
 * The problems of a key's rows at `nowMs`, epoch ms, the gravest first. Rows that share a 401, a 5xx or answers without
 * headers are one problem; empty where every row that was asked has a number.
 */
export function keyProblems({ requests }: Pick<Snapshot, 'requests'>, nowMs: number): readonly KeyProblem[] {
  const groups = new Map<string, [RequestQuota, ...RequestQuota[]]>()
  const shown = shownRows(requests)
  // Where no row has a number of now, that is what there is to tell.
  const isAll = shown.every(({ problem, state }) => problem !== undefined || state === 'not-checked')
  for (const row of shown) {
    const problem = isAll && nowMs - row.asOf <= OUTDATED_AFTER_MS ? row.problem : toldProblem(row, nowMs)
    if (problem === undefined) continue
    const key = isShared(problem) ? String(problem.status) : row.category
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
    .map((rows) => ofRows(rows, nowMs))
    .toSorted((a, b) => gravityOf(b.problem) - gravityOf(a.problem))
}

function ofRows(rows: readonly [RequestQuota, ...RequestQuota[]], nowMs: number): KeyProblem {
  const [{ category }] = rows
  const since = Math.min(...rows.map(({ problem }) => problem?.since ?? nowMs))
  const problem = { ...(rows[0].problem ?? { status: 0 }), since }
  const isWhole = isShared(problem) && (problem.status === 401 || rows.length > 1)
  return {
    ...problemStatus(problem),
    // One row that fails is the row's trouble; where several do, every call does.
    ...(isWhole && problem.status >= 500 && { severity: 'critical' }),
    category,
    problem,
    isWhole,
  }
}

const isShared = ({ status }: RowProblem): boolean => isOfWholeKey(status) || status < 400

/** A refused token first, then what concerns the whole service, then single rows. */
function gravityOf({ status }: RowProblem): number {
  if (status === 401) return 2
  return status >= 500 || status < 400 ? 1 : 0
}
