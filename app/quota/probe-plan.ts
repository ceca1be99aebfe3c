import type { RequestQuota } from '../contract/snapshot.ts'

/** What a category's probes have cost and when the last one went out. */
export interface ProbeCredit {
  readonly credit: number
  readonly atMs: number
  readonly lastAtMs: number | undefined
  /** Not before this: the last probe could not be answered in a useful way. */
  readonly notBeforeMs: number
}

export interface ProbeRules {
  /** Share of each quota that probes may spend, 0 to 1. */
  readonly budgetFraction: number
  /** Seconds between probes, overriding the budget for a category. */
  readonly everySeconds: Readonly<Record<string, number>>
}

/** A row older than this is worth a probe; half of it where others are busy or the end is near. */
const FRESH_FOR_MS = 20_000
/** Credit is kept for a quarter of a period at most, so that silence does not end in a burst. */
const KEPT_FRACTION = 0.25

export const newCredit = (nowMs: number): ProbeCredit => ({
  credit: 1,
  atMs: nowMs,
  lastAtMs: undefined,
  notBeforeMs: nowMs,
})

export function earned(credit: ProbeCredit, row: RequestQuota, fraction: number, nowMs: number): ProbeCredit {
  const budget = row.limit * fraction
  const gained = (budget * Math.max(0, nowMs - credit.atMs)) / (row.period * 1000)
  const most = Math.max(1, budget * KEPT_FRACTION)
  return { ...credit, credit: Math.min(most, credit.credit + gained), atMs: nowMs }
}

/**
 * Whether a probe of this row should go out now.
 *
 * Never into a held bucket or one whose lower bound is below 1 (a probe must not be what a trader's own
 * request fails for), never without credit, and only when no header has come in by itself lately.
 */
export function probeIsDue(
  row: RequestQuota,
  credit: ProbeCredit,
  rules: ProbeRules,
  nowMs: number,
  unseen: boolean,
): boolean {
  if (nowMs < credit.notBeforeMs) return false
  if (row.blockedUntil !== undefined) return false
  if (!unseen && row.low < 1) return false
  const every = rules.everySeconds[row.category]
  if (every !== undefined) {
    return every > 0 && (credit.lastAtMs === undefined || nowMs - credit.lastAtMs >= every * 1000)
  }
  if (rules.budgetFraction <= 0 || credit.credit < 1) return false
  const age = nowMs - (row.observedAt ?? Number.NEGATIVE_INFINITY)
  const urgent =
    row.verdict === 'runs-out' || row.verdict === 'near-limit' || (row.use?.elsewhere ?? 0) > 0.05
  return age >= (urgent ? FRESH_FOR_MS / 4 : FRESH_FOR_MS)
}
