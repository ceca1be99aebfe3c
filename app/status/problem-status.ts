import { isOfWholeKey } from '../contract/events.ts'
import type { Severity } from '../contract/severity.ts'
import type { RequestQuota, RowProblem, Snapshot } from '../contract/snapshot.ts'
import { shownRows } from '../quota/verdict.ts'
import { OUTDATED_AFTER_MS } from './durations.ts'

/**
 * Text and severity for responses without quota headers, the same in the whole app. Causes: a rejected token,
 * a missing permission, a failing service, or an intermediary's response.
 */
export interface ProblemStatus {
  readonly severity: Severity
  /** `rejected`, `no permission`, `failing`, `no headers`. */
  readonly label: string
  /** The status code. */
  readonly note: string
}

/** A row whose level is known shows a problem only after the problem has lasted this long. Milliseconds. */
export const PROBLEM_LASTS_MS = 30_000

/**
 * The problem that a row shows at `nowMs`, epoch ms. `undefined` without a problem.
 *
 * These problems are shown immediately: a 401, a 403, and any problem of a row whose level is unknown. Any
 * other problem is shown after `PROBLEM_LASTS_MS`.
 */
export function shownProblem(
  { problem, source, state, asOf }: Pick<RequestQuota, 'problem' | 'source' | 'state' | 'asOf'>,
  nowMs: number,
): RowProblem | undefined {
  // A row whose data is too old shows no problem.
  if (problem === undefined || nowMs - asOf > OUTDATED_AFTER_MS) return undefined
  const isRefusal = problem.status === 401 || problem.status === 403
  const hasNumber = source !== 'default' && state !== 'not-checked'
  return isRefusal || !hasNumber || nowMs - problem.since >= PROBLEM_LASTS_MS ? problem : undefined
}

/** Whether the service fails to respond. False until the first request has succeeded or failed. */
export const isServiceAway = ({ reachable, pending }: Snapshot['service']): boolean => !reachable && !pending

/**
 * The displayed rows whose last response had no quota headers. Such a row never counts as fine, even before
 * it displays that problem.
 */
export function unansweredRows(
  { requests }: Pick<Snapshot, 'requests'>,
  nowMs: number,
): readonly RequestQuota[] {
  return shownRows(requests).filter(
    ({ problem, asOf }) => problem !== undefined && nowMs - asOf <= OUTDATED_AFTER_MS,
  )
}

/** Severity and text of a problem. */
export function problemStatus({ status }: Pick<RowProblem, 'status'>): ProblemStatus {
  const as = (label: string) => ({ severity: 'warning', label, note: String(status) }) as const
  if (status === 403) return as('no permission')
  if (status >= 500) return as('failing')
  return as(status >= 400 ? 'rejected' : 'no headers')
}

/** One problem of a key, in one or more rows. */
export interface KeyProblem extends ProblemStatus {
  /** The rows with the problem. Never empty. */
  readonly categories: readonly [string, ...string[]]
  readonly problem: RowProblem
  /** Whether the problem concerns the token or the whole service, and not only single rows. */
  readonly isWhole: boolean
}

/**
 * The problems of a key's rows at `nowMs`, epoch ms, worst first. Rows with the same 401, 403 or 5xx status
 * form one problem. So do rows whose successful responses lack quota headers. Empty if no row shows a
 * problem.
 */
export function keyProblems({ requests }: Pick<Snapshot, 'requests'>, nowMs: number): readonly KeyProblem[] {
  const shown = shownRows(requests)
  // If every row has a problem or is unchecked, all problems are shown immediately.
  const isAll = shown.every(({ problem, state }) => problem !== undefined || state === 'not-checked')
  const found = shown.flatMap((row): readonly Found[] => {
    const problem = isAll && nowMs - row.asOf <= OUTDATED_AFTER_MS ? row.problem : shownProblem(row, nowMs)
    return problem === undefined ? [] : [{ category: row.category, problem }]
  })
  const groups = Map.groupBy(found, ({ category, problem }) =>
    isShared(problem) || problem.status === 403 ? problem.status : category,
  )
  return [...groups.values()]
    .map((rows) => ofRows(rows as [Found, ...Found[]]))
    .toSorted((a, b) => gravityOf(b) - gravityOf(a))
}

interface Found {
  readonly category: string
  readonly problem: RowProblem
}

function ofRows(rows: readonly [Found, ...Found[]]): KeyProblem {
  const [first, ...others] = rows
  const problem = { ...first.problem, since: Math.min(...rows.map((row) => row.problem.since)) }
  const isWhole = isShared(problem) && (problem.status === 401 ? problem.alone !== true : rows.length > 1)
  return {
    ...problemStatus(problem),
    // If the problem concerns the token or the whole service, all calls are assumed to fail.
    ...(isWhole && problem.status >= 400 && { severity: 'critical' }),
    categories: [first.category, ...others.map(({ category }) => category)],
    problem,
    isWhole,
  }
}

const isShared = ({ status }: RowProblem): boolean => isOfWholeKey(status) || status < 400

/**
 * Rank of a problem, higher is worse. 2: a rejected token. 1: 5xx responses, or responses without quota
 * headers. 0: any other problem.
 */
function gravityOf({ problem: { status }, isWhole }: KeyProblem): number {
  if (status === 401) return isWhole ? 2 : 0
  return status >= 500 || status < 400 ? 1 : 0
}
