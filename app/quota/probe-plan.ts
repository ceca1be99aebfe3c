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
export const FRESH_FOR_MS = { calm: 10_000, urgent: 5_000 } as const
/** Use elsewhere from here on is worth a closer look. Requests per second. */
const NOTABLE_USE = 0.05
/** How many times its usual pace a row may wait that nothing happens to, or that nobody looks at. */
const SLOWER = { idle: 2, unattended: 3 } as const
/** What somebody looks at is slowed down to this and no further: a little older it would read as stale. */
const OLDEST_ATTENDED_MS = 90_000

/** How many probes of this row the budget allows in any one period: at least one, so that a row can be seen. */
export function probesAllowed(row: Pick<RequestQuota, 'limit'>, budgetFraction: number): number {
  return budgetFraction > 0 ? Math.max(1, Math.floor(row.limit * budgetFraction)) : 0
}

/** How many probes of this row the rules allow in a minute, on average over its period. */
export function mostProbesPerMinute(
  row: Pick<RequestQuota, 'category' | 'limit' | 'period'>,
  { budgetFraction, everySeconds }: ProbeRules,
): number {
  const every = everySeconds[row.category]
  if (every !== undefined) return every > 0 ? 60 / every : 0
  const perMinute = (probesAllowed(row, budgetFraction) * 60) / row.period
  return Math.min(perMinute, 60_000 / FRESH_FOR_MS.urgent)
}

/** When the budget has room for one more probe, epoch ms; a moment that is over where it has room now. */
export function budgetOpensAtMs(
  limit: number,
  periodMs: number,
  record: ProbeRecord,
  budgetFraction: number,
  nowMs: number,
): number {
  const allowed = probesAllowed({ limit }, budgetFraction)
  if (allowed === 0) return Number.POSITIVE_INFINITY
  const within = record.sentAtMs.filter((at) => nowMs - at < periodMs)
  return within.length < allowed ? nowMs : (within[within.length - allowed] ?? nowMs) + periodMs
}

/**
 * Whether a probe of this row should go out now.
 *
 * Never into a held bucket or one whose lower bound is below 1 (a probe must not be what a trader's own request
 * fails for), never beyond the budget, and only when no header came in by itself lately. Where others are busy
 * or the end is near the budget is spent sooner, at a pace that slackens as it is used up; where nothing happens
 * or nobody looks (`attended` is false) it is spent more slowly.
 */
export function probeIsDue(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
  attended = true,
): boolean {
  return probeDueAtMs(row, record, rules, nowMs, attended) <= nowMs
}

/** When a probe of this row should go out if no header comes before that, epoch ms; infinite where nothing says when. */
export function probeDueAtMs(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
  attended = true,
): number {
  const seen = row.observedAt !== undefined
  if (row.blockedUntil !== undefined) return Math.max(row.blockedUntil, nowMs + 1)
  if (nowMs < record.notBeforeMs) return record.notBeforeMs
  if (seen && row.low < 1) return Number.POSITIVE_INFINITY
  const lastMs = record.sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const everySeconds = rules.everySeconds[row.category]
  if (everySeconds !== undefined) {
    return everySeconds > 0 ? lastMs + everySeconds * 1000 : Number.POSITIVE_INFINITY
  }
  const periodMs = row.period * 1000
  const opensAtMs = budgetOpensAtMs(row.limit, periodMs, record, rules.budgetFraction, nowMs)
  if (opensAtMs > nowMs) return opensAtMs
  const waitMs = waitOf(row, record, rules, nowMs, attended)
  return Math.max(lastMs, seen ? (row.observedAt ?? 0) : Number.NEGATIVE_INFINITY) + waitMs
}

/** The freshness goal: how old a row may grow before a request is spent on it. */
function waitOf(
  row: RequestQuota,
  record: ProbeRecord,
  rules: ProbeRules,
  nowMs: number,
  attended: boolean,
): number {
  const allowed = probesAllowed(row, rules.budgetFraction)
  const paceMs = (row.period * 1000) / allowed
  // Until there are two headers to compare nobody knows what others do; long after them, nobody asked.
  const isNew = row.observedAt === undefined || nowMs - row.observedAt <= row.period * 1000
  if (row.use === null && isNew) return FRESH_FOR_MS.urgent
  if (isUrgent(row)) {
    const used = probesWithin(record, nowMs, row.period * 1000)
    const soonMs = Math.max(FRESH_FOR_MS.urgent, (paceMs * (used + 1)) / allowed)
    return attended ? soonMs : Math.max(soonMs, paceMs)
  }
  const calmMs = Math.max(FRESH_FOR_MS.calm, paceMs)
  if (!attended) return calmMs * SLOWER.unattended
  return row.verdict === 'idle'
    ? Math.max(calmMs, Math.min(calmMs * SLOWER.idle, OLDEST_ATTENDED_MS))
    : calmMs
}

export function probesWithin(record: ProbeRecord, nowMs: number, spanMs: number): number {
  return record.sentAtMs.filter((at) => nowMs - at < spanMs).length
}

function isUrgent(row: RequestQuota): boolean {
  return (
    row.verdict === 'runs-out' ||
    row.verdict === 'near-limit' ||
    (row.use?.elsewhere ?? 0) >= NOTABLE_USE ||
    (row.burn !== undefined && row.burn.basis === 'short' && row.burn.short > row.burn.long + NOTABLE_USE)
  )
}
