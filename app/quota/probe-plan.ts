import type { RequestQuota } from '../contract/snapshot.ts'

/** What is remembered of a category's probes. */
export interface ProbeRecord {
  /** When probes went out, oldest first; those older than the period may be missing. */
  readonly sentAtMs: readonly number[]
  /** Not before this: the last probe could not be answered in a useful way. */
  readonly notBeforeMs: number
}

export const NO_PROBES: ProbeRecord = { sentAtMs: [], notBeforeMs: Number.NEGATIVE_INFINITY }

export interface ProbeRules {
  /** Share of each quota that probes may spend in any period, 0 to 1. */
  readonly budgetFraction: number
  /** Seconds between probes, overriding the budget for a category. */
  readonly everySeconds: Readonly<Record<string, number>>
}

/** A header younger than this makes a probe a waste, whatever the budget. */
const FRESH_FOR_MS = { calm: 10_000, urgent: 5_000 } as const
/** Use elsewhere from here on is worth a closer look. Requests per second. */
const NOTABLE_USE = 0.05

/** How many probes of this row the budget allows in any one period: at least one, so that a row can be seen. */
export function probesAllowed(row: Pick<RequestQuota, 'limit'>, budgetFraction: number): number {
  return budgetFraction > 0 ? Math.max(1, Math.floor(row.limit * budgetFraction)) : 0
}

/**
 * Whether a probe of this row should go out now.
 *
 * Never into a held bucket or one whose lower bound is below 1 (a probe must not be what a trader's own request
 * fails for), never beyond the budget, and only when no header came in by itself lately. Where others are busy
 * or the end is near the budget is spent sooner, at a pace that slackens as it is used up.
 */
export function probeIsDue(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
): boolean {
  const seen = row.observedAt !== undefined
  if (nowMs < record.notBeforeMs || row.blockedUntil !== undefined) return false
  if (seen && row.low < 1) return false
  const sinceLastMs = nowMs - (record.sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY)
  const everySeconds = rules.everySeconds[row.category]
  if (everySeconds !== undefined) return everySeconds > 0 && sinceLastMs >= everySeconds * 1000

  const periodMs = row.period * 1000
  const allowed = probesAllowed(row, rules.budgetFraction)
  const used = probesWithin(record, nowMs, periodMs)
  if (used >= allowed) return false
  const paceMs = periodMs / allowed
  const waitMs = isUrgent(row)
    ? Math.max(FRESH_FOR_MS.urgent, row.use === null ? 0 : (paceMs * (used + 1)) / allowed)
    : Math.max(FRESH_FOR_MS.calm, paceMs)
  const ageMs = seen ? nowMs - (row.observedAt ?? 0) : Number.POSITIVE_INFINITY
  return ageMs >= waitMs && sinceLastMs >= waitMs
}

export function probesWithin(record: ProbeRecord, nowMs: number, spanMs: number): number {
  return record.sentAtMs.filter((at) => nowMs - at < spanMs).length
}

/** `use` is null until there are two headers to compare: until then nobody knows what others do. */
function isUrgent(row: RequestQuota): boolean {
  return (
    row.use === null ||
    row.verdict === 'runs-out' ||
    row.verdict === 'near-limit' ||
    row.use.elsewhere >= NOTABLE_USE
  )
}
