import type { KeySettings } from '../contract/settings.ts'
import type { RequestQuota } from '../contract/snapshot.ts'

/** History of a category's checks. */
export interface ProbeRecord {
  /**
   * When checks were sent, oldest first. Contains at least the checks of the last period and the last
   * `RECORDED_CHECKS` checks.
   */
  readonly sentAtMs: readonly number[]
  /** Time of the latest header that a check received, rounded like `observedAt`. Absent before the first. */
  readonly headerAtMs?: number
  /** Time of the latest header that showed far more use by others than expected. Absent before the first. */
  readonly surprisedAtMs?: number | undefined
  /** No check is sent before this time, because the last one got no usable response. */
  readonly notBeforeMs: number
  /** Random part of the wait for the next check, from −1 (shortest wait) to 1 (longest wait). */
  readonly jitter: number
}

export const NO_PROBES: ProbeRecord = { sentAtMs: [], notBeforeMs: Number.NEGATIVE_INFINITY, jitter: 0 }

/** A key's settings of its checks. By default, none is sent during the wait after a 429. */
export type ProbeRules = Pick<KeySettings, 'budgetFraction' | 'everySeconds'> &
  Partial<Pick<KeySettings, 'trialAfterStep'>>

/** Minimum time between two checks of one row. Hardly anything refills in a shorter time. */
export const MIN_GAP_MS = 5_000
/**
 * A second check is sent this share of the interval after the first header. A single header can't show
 * whether others' use lasts.
 */
const SECOND_AFTER = 0.2
/**
 * An early check uses budget ahead of time. Later intervals repay it. The first `after` intervals have the
 * usual length, so that others' behaviour becomes clear. Each of the next `intervals` intervals is longer by
 * `share` of the usual length.
 */
const REPAYMENT = { after: 2, intervals: 4, share: (1 - SECOND_AFTER) / 4 } as const
/** Number of recorded checks needed to recognise an early check. */
export const RECORDED_CHECKS = REPAYMENT.after + REPAYMENT.intervals + 1
/** A check is early if less than this share of the interval has passed since the previous check. */
const EARLY_SHARE = 0.5
/** A check is recorded at most this long after its header arrived. */
const ANSWERED_WITHIN_MS = 1_000
/** Factor that lengthens the interval of the budget, to make up for the additional checks at the start. */
const SLACK = 1.03
/** Time from the usual start of a load until headers show the load. */
const BEHIND_START_MS = 20_000
/**
 * A check may be delayed until just after the start of a usual load, by at most this share of the interval.
 */
const LATER_FOR_START = 0.6
/** Random share of each interval, so that checks do not synchronise with others' cycles. */
export const JITTER = 0.2
/** Minimum time between checks of a row that is probably empty. */
const EMPTY_EVERY_MS = 15_000
/** Number of intervals between two checks during the wait after a 429. */
const PACES_WHILE_HELD = 2
/** Factor that lengthens the interval of an ok row while no window or terminal is watched. */
const SLOWER_UNATTENDED = 3

/**
 * Milliseconds between two evenly spaced checks of this row: the budget's share of the limit, spread over the
 * period. Infinite without a budget.
 *
 * A small quota still gets at least one check per period.
 */
export function paceMsOf(row: Pick<RequestQuota, 'limit' | 'period'>, budgetFraction: number): number {
  return budgetFraction > 0
    ? (row.period * 1000) / Math.max(1, row.limit * budgetFraction)
    : Number.POSITIVE_INFINITY
}

/** Maximum number of checks of this row per minute under the rules, averaged over its period. */
export function maxProbesPerMinute(
  row: Pick<RequestQuota, 'category' | 'limit' | 'period'>,
  { budgetFraction, everySeconds }: ProbeRules,
): number {
  const every = everySeconds[row.category]
  if (every !== undefined) return every > 0 ? 60 / every : 0
  return Math.min(60_000 / paceMsOf(row, budgetFraction), 60_000 / MIN_GAP_MS)
}

/** When the budget has room for another check, epoch ms. In the past if it has room now. */
export function budgetOpensAtMs(
  { limit, period }: Pick<RequestQuota, 'limit' | 'period'>,
  record: ProbeRecord,
  budgetFraction: number,
  nowMs: number,
): number {
  if (budgetFraction === 0) return Number.POSITIVE_INFINITY
  const allowed = Math.max(1, Math.ceil(limit * budgetFraction))
  const periodMs = period * 1000
  const within = record.sentAtMs.filter((at) => nowMs - at < periodMs)
  return within.length < allowed ? nowMs : (within[within.length - allowed] ?? nowMs) + periodMs
}

/**
 * When to check this row if no header arrives before that, epoch ms. Infinite if no check is scheduled.
 *
 * The next check is due one interval after the last header of any request. Unused budget is not saved,
 * because using it would leave a gap later. Exceptions:
 * - After the first header, and after a header that shows far more use by others than expected, the next
 *   check comes after a fifth of the interval. Later intervals are longer to make up for it (`REPAYMENT`).
 * - If others use the whole refill, no check is sent before `nextTryAt`.
 * - After a 429, no check is sent until the wait ends. With `trialAfterStep`, a check is sent every two
 *   intervals during the wait, if headers showed a gradual refill. Without these checks, the row would stay
 *   unknown until the wait ends.
 * - If the row is probably empty, checks are at least 15 s apart, and at least one request must have
 *   refilled.
 * - A check that is due near the start of a usual load is sent just after that start, unless a person set an
 *   interval for the row.
 * - If a person set an interval for the row, it counts from the last check, or from a later header of another
 *   request.
 * - If `attended` is false (no app window or terminal is watched), ok rows are checked a third as often.
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
  if (!isProbablyEmpty(row)) return afterUsualStart(row, dueAtMs, everySeconds, rules)
  return Math.max(dueAtMs, sinceMs + Math.max(EMPTY_EVERY_MS, (row.period * 1000) / row.limit))
}

/**
 * If a check is due near the start of a usual load, moves the check to just after that start. The check's
 * header then shows whether the load has started.
 */
function afterUsualStart(
  row: RequestQuota,
  dueAtMs: number,
  everySeconds: number | undefined,
  { budgetFraction }: ProbeRules,
): number {
  if (row.usualLoad === undefined || everySeconds !== undefined) return dueAtMs
  const behindMs = row.usualLoad.at + BEHIND_START_MS
  const isAround = dueAtMs > behindMs - LATER_FOR_START * paceMsOf(row, budgetFraction) && dueAtMs < behindMs
  return isAround ? behindMs : dueAtMs
}

type Level = Pick<RequestQuota, 'observedAt' | 'low' | 'level'>

/** Whether a request would probably get a 429. */
export const isProbablyEmpty = (row: Level): boolean => isProbablyBelow(1, row)

/** Whether fewer than `needed` requests are probably left. */
export const isProbablyBelow = (needed: number, { observedAt, low, level }: Level): boolean =>
  observedAt !== undefined && low < needed && level <= needed

function heldPaceMs(row: RequestQuota, { budgetFraction, everySeconds }: ProbeRules): number {
  const every = everySeconds[row.category]
  if (every === 0) return Number.POSITIVE_INFINITY
  return Math.max(MIN_GAP_MS, every === undefined ? paceMsOf(row, budgetFraction) * SLACK : every * 1000)
}

/** Time from the last check or header to the next check if no person set an interval. Milliseconds. */
function waitMs(row: RequestQuota, record: ProbeRecord, rules: ProbeRules, attended: boolean): number {
  const paceMs = Math.max(MIN_GAP_MS, paceMsOf(row, rules.budgetFraction))
  const lastMs = record.sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const before = checksSinceEarly(record, paceMs)
  const mayBeEarly = isFirstHeader(row, lastMs) || (isSurprise(row, record) && before === undefined)
  if (mayBeEarly) return paceMs * SLACK * SECOND_AFTER
  const repays = before !== undefined && before >= REPAYMENT.after
  const share = 1 + (repays ? REPAYMENT.share : 0) + JITTER * record.jitter
  return paceMs * SLACK * share * (attended || row.state !== 'ok' ? 1 : SLOWER_UNATTENDED)
}

/**
 * Whether the row has only one header, and the last check received it. If the last check received no header,
 * the next check need not come early.
 */
const isFirstHeader = ({ use, observedAt }: RequestQuota, lastMs: number): boolean =>
  use === null && observedAt !== undefined && lastMs - observedAt < ANSWERED_WITHIN_MS

const isSurprise = ({ observedAt }: RequestQuota, { surprisedAtMs }: ProbeRecord): boolean =>
  surprisedAtMs !== undefined && Math.round(surprisedAtMs) === observedAt

/** Number of checks since the last early one. `undefined` if none of the recorded checks was early. */
function checksSinceEarly({ sentAtMs }: ProbeRecord, paceMs: number): number | undefined {
  const recent = sentAtMs.slice(-RECORDED_CHECKS)
  const early = recent.findLastIndex(
    (at, i) => at - (recent[i - 1] ?? Number.NEGATIVE_INFINITY) < EARLY_SHARE * paceMs,
  )
  return early < 0 ? undefined : recent.length - 1 - early
}

/** How many checks were sent within `spanMs` before `nowMs`, epoch ms. */
export function probesWithin(record: ProbeRecord, nowMs: number, spanMs: number): number {
  return record.sentAtMs.filter((at) => nowMs - at < spanMs).length
}
