import type { QuotaState, RequestQuota, RowVerdict, Verdict } from '../contract/snapshot.ts'
import { gravityOf, lastsAtMost } from './state.ts'

/** A row with its present state. The state differs from `row.state` if the row is too old. */
export interface JudgedRow {
  readonly row: RequestQuota
  readonly state: QuotaState
}

/**
 * Rows with current information, worst first: by state, then by how soon they run out, then by level.
 *
 * Unchecked rows are left out. So are rows whose requests count in another row (`countedBy`).
 */
export function worstFirst(rows: readonly JudgedRow[]): readonly JudgedRow[] {
  return rows
    .filter(({ row, state }) => state !== 'not-checked' && row.countedBy === undefined)
    .sort(
      (a, b) =>
        gravityOf(b.state) - gravityOf(a.state) ||
        (whenOf(a.row) ?? Number.POSITIVE_INFINITY) - (whenOf(b.row) ?? Number.POSITIVE_INFINITY) ||
        shareOf(a.row) - shareOf(b.row),
    )
}

/**
 * Whether less than one request may be left. An ok row is in this state for seconds, until a second header
 * shows others' use.
 */
export const mayBeEmpty = ({ low }: Pick<RequestQuota, 'low'>): boolean => low < 1

/** Rows that are ok now but may run out (see `lastsAtMost`), or may already be empty. */
export function doubtfulRows(rows: readonly JudgedRow[]): readonly RequestQuota[] {
  return rows
    .filter(({ row, state }) => state === 'ok' && (mayBeEmpty(row) || !lastsAtMost(row)))
    .map(({ row }) => row)
}

/**
 * The category that limits the key most, and its state in the terms of `--json`.
 *
 * `lasts` requires that no row runs out even at the high end of others' use, and that headers can still
 * arrive.
 */
export function verdictOf(
  rows: readonly RequestQuota[],
  { reachable }: { readonly reachable: boolean },
): Verdict {
  const judged = worstFirst(rows.map((row) => ({ row, state: row.state })))
  const [worst] = judged
  if (worst === undefined) return { kind: 'unknown' }
  const { category } = worst.row
  const at = whenOf(worst.row)
  switch (worst.state) {
    case 'blocked':
      return { kind: 'blocked', category, ...(at !== undefined && { at }) }
    case 'empty':
      return { kind: 'runs-out', category, at: worst.row.asOf }
    case 'running-out':
      return { kind: 'runs-out', category, ...(at !== undefined && { at }) }
    case 'low':
    case 'watch':
      return { kind: 'near-limit', category }
    case 'ok':
      return reachable && doubtfulRows(judged).length === 0
        ? { kind: 'lasts', category }
        : { kind: 'unknown' }
    case 'not-checked':
      return { kind: 'unknown' }
  }
}

/** A full row with less use than this counts as idle. Requests per second. */
const IDLE_PER_SECOND = 0.05

const VERDICTS: Readonly<Record<Exclude<QuotaState, 'ok'>, RowVerdict>> = {
  blocked: 'blocked',
  empty: 'runs-out',
  'running-out': 'runs-out',
  low: 'near-limit',
  watch: 'near-limit',
  'not-checked': 'not-seen',
}

/** A row's `verdict`, for programs that read `--json`. */
export function rowVerdictOf({
  state,
  level,
  limit,
  use,
}: Pick<RequestQuota, 'state' | 'level' | 'limit' | 'use'>): RowVerdict {
  if (state !== 'ok') return VERDICTS[state]
  return level >= limit && (use === null || use.total < IDLE_PER_SECOND) ? 'idle' : 'lasts'
}

const shareOf = ({ level, limit }: RequestQuota): number => (limit > 0 ? level / limit : 0)

function whenOf({ state, blockedUntil, emptyAt }: RequestQuota): number | undefined {
  return state === 'blocked' ? blockedUntil : emptyAt
}

/**
 * The rows to show, one per quota.
 *
 * If another row counts a category, only the counting row is shown. `alsoCounts` gives the categories that it
 * counts.
 */
export function shownRows(rows: readonly RequestQuota[]): readonly RequestQuota[] {
  return rows.filter((row) => row.countedBy === undefined)
}

/** The other categories that this row counts. */
export function alsoCounts(rows: readonly RequestQuota[], category: string): readonly string[] {
  return rows.filter((row) => row.countedBy === category).map((row) => row.category)
}
