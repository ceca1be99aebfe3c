import type { RequestQuota } from '../contract/snapshot.ts'

/** What is remembered of a category's probes. */
export interface ProbeRecord {
  /** When probes went out, oldest first; those older than the period may be missing. */
  readonly sentAtMs: readonly number[]
  /** The latest header that a probe brought, rounded as `observedAt` is; absent before the first. */
  readonly headerAtMs?: number
  /** Not before this: the last probe could not be answered in a useful way. */
  readonly notBeforeMs: number
  /** What chance makes of the wait for the next one: −1 shortens it most, 1 lengthens it most. */
  readonly jitter: number
}

export const NO_PROBES: ProbeRecord = { sentAtMs: [], notBeforeMs: Number.NEGATIVE_INFINITY, jitter: 0 }

export interface ProbeRules {
  /** Share of each quota that probes may spend in any period, 0 to 1. */
  readonly budgetFraction: number
  /** Seconds between probes, overriding the budget for a category. */
  readonly everySeconds: Readonly<Record<string, number>>
  /** Whether probes may ask again while a 429 is being waited out; absent: not. */
  readonly trialAfterStep?: boolean
}

/** Minimum time between two probes of one row: before that hardly anything has come back. */
export const SOONEST_MS = 5_000
/** Share of the pace after which the second header is asked for: only two headers show others' use. */
const SECOND_AFTER = 0.2
/** Most time between a header and the note of the probe that brought it. */
const ANSWERED_WITHIN_MS = 1_000
/** Factor by which the pace is slower than the budget, which pays for the first headers. */
const SLACK = 1.03
/** Share of the pace by which chance moves each check, so that it does not lock to others' cycles. */
export const JITTER = 0.2
/** Minimum time between probes of a row that is probably empty. */
const EMPTY_EVERY_MS = 15_000
/** Paces between two probes of a row whose 429 is being waited out. */
const PACES_WHILE_HELD = 2
/** Factor on the pace of a row that is ok while no window or terminal is watched. */
const SLOWER_UNATTENDED = 3

/**
 * Milliseconds between two probes of this row at an even pace: the budget's share of the limit, spread over the period.
 *
 * One a period at least, so that a small quota can be seen. Infinite without a budget.
 */
export function paceMsOf(row: Pick<RequestQuota, 'limit' | 'period'>, budgetFraction: number): number {
  return budgetFraction > 0
    ? (row.period * 1000) / Math.max(1, row.limit * budgetFraction)
    : Number.POSITIVE_INFINITY
}

/** How many probes of this row the rules allow in a minute, on average over its period. */
export function mostProbesPerMinute(
  row: Pick<RequestQuota, 'category' | 'limit' | 'period'>,
  { budgetFraction, everySeconds }: ProbeRules,
): number {
  const every = everySeconds[row.category]
  if (every !== undefined) return every > 0 ? 60 / every : 0
  return Math.min(60_000 / paceMsOf(row, budgetFraction), 60_000 / SOONEST_MS)
}

/** When the budget has room for one more probe, epoch ms; a moment that is over where it has room now. */
export function budgetOpensAtMs(
  limit: number,
  periodMs: number,
  record: ProbeRecord,
  budgetFraction: number,
  nowMs: number,
): number {
  if (budgetFraction === 0) return Number.POSITIVE_INFINITY
  const allowed = Math.max(1, Math.ceil(limit * budgetFraction))
  const within = record.sentAtMs.filter((at) => nowMs - at < periodMs)
  return within.length < allowed ? nowMs : (within[within.length - allowed] ?? nowMs) + periodMs
}

/** Whether a probe of this row should go out now. */
export function probeIsDue(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
  attended = true,
): boolean {
  return probeDueAtMs(row, record, rules, nowMs, attended) <= nowMs
}

/**
 * When a probe of this row should go out if no header comes before that, epoch ms; infinite where nothing says when.
 *
 * The pace is even, counted from the last header of any request: unspent budget is not saved up and checks are not hurried,
 * because both leave a gap later. Where others use the whole refill, a check goes when it is time for a try. A row after a 429 waits until its end; with `trialAfterStep`, where headers have shown
 * that it fills gradually, it is asked every two paces meanwhile, because a wait for Reset leaves it unseen for so long. A row that is probably empty is asked at most
 * every 15 s, and not before one request has come back. An interval of its own counts from start to start, and anew
 * from a header that another request brought. With `attended` false, when no window or terminal is watched, a row that
 * is ok is asked three times more rarely.
 */
export function probeDueAtMs(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
  attended = true,
): number {
  const lastMs = record.sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const headerMs = row.observedAt ?? Number.NEGATIVE_INFINITY
  const sinceMs = Math.max(lastMs, headerMs)
  if (row.blockedUntil !== undefined) {
    const endMs = Math.max(row.blockedUntil, nowMs + 1)
    if (!rules.trialAfterStep || row.model !== 'rolling' || row.confidence !== 'observed') return endMs
    return Math.min(endMs, Math.max(record.notBeforeMs, sinceMs + PACES_WHILE_HELD * heldPaceMs(row, rules)))
  }
  if (row.nextTryAt !== undefined)
    return Math.max(row.nextTryAt, record.notBeforeMs, sinceMs + heldPaceMs(row, rules))
  if (nowMs < record.notBeforeMs) return record.notBeforeMs
  const everySeconds = rules.everySeconds[row.category]
  if (everySeconds === 0) return Number.POSITIVE_INFINITY
  const isOwnHeader = headerMs === record.headerAtMs
  const dueAtMs =
    everySeconds === undefined
      ? sinceMs + waitMs(row, record, rules, attended)
      : (isOwnHeader ? lastMs : sinceMs) + everySeconds * 1000
  if (!isProbablyEmpty(row)) return dueAtMs
  return Math.max(dueAtMs, sinceMs + Math.max(EMPTY_EVERY_MS, (row.period * 1000) / row.limit))
}

type Level = Pick<RequestQuota, 'observedAt' | 'low' | 'level'>

/** Whether a request would more likely be refused than not, as far as is known. */
export const isProbablyEmpty = (row: Level): boolean => isProbablyBelow(1, row)

/** Whether fewer requests than `needed` are more likely left than not, as far as is known. */
export const isProbablyBelow = (needed: number, { observedAt, low, level }: Level): boolean =>
  observedAt !== undefined && low < needed && level <= needed

function heldPaceMs(row: RequestQuota, { budgetFraction, everySeconds }: ProbeRules): number {
  const every = everySeconds[row.category]
  if (every === 0) return Number.POSITIVE_INFINITY
  return Math.max(SOONEST_MS, every === undefined ? paceMsOf(row, budgetFraction) * SLACK : every * 1000)
}

/** The freshness goal: how old a row may grow before a request is spent on it. */
function waitMs(row: RequestQuota, record: ProbeRecord, rules: ProbeRules, attended: boolean): number {
  const paceMs = Math.max(SOONEST_MS, paceMsOf(row, rules.budgetFraction))
  const lastMs = record.sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  // A check that brought no header is not made up for at once.
  const isSecond =
    row.use === null && row.observedAt !== undefined && lastMs - row.observedAt < ANSWERED_WITHIN_MS
  const share = isSecond ? SECOND_AFTER : 1 + JITTER * record.jitter
  return paceMs * SLACK * share * (attended || row.state !== 'ok' ? 1 : SLOWER_UNATTENDED)
}

/** How many probes went out within `spanMs` before `nowMs`, epoch ms. */
export function probesWithin(record: ProbeRecord, nowMs: number, spanMs: number): number {
  return record.sentAtMs.filter((at) => nowMs - at < spanMs).length
}
