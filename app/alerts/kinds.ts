import type { Snapshot } from '../contract/snapshot.ts'
import { keyProblems } from '../status/problem-status.ts'
import { quotaStatus } from '../status/quota-status.ts'
import type { Severity } from '../status/severity.ts'

/** What Headroom speaks up about. Each is an episode of its own: of one profile, of one subject. */
export type AlertKind =
  | 'runs-out'
  | 'empty'
  | 'below-threshold'
  | 'blocked'
  | 'capacity-back'
  | 'refused'
  | 'slots-low'
  | 'stream-stale'
  | 'stream-restarts'
  | 'sign-in-1h'
  | 'sign-in-15min'
  | 'sign-in-required'
  | 'revoke-unconfirmed'

/** The severities of alerts, the most urgent first: what may become a problem, and what is not known, is none. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'ok'] as const satisfies readonly Severity[]
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

export const SEVERITY_OF: Readonly<Record<AlertKind, AlertSeverity>> = {
  'runs-out': 'warning',
  empty: 'critical',
  'below-threshold': 'warning',
  blocked: 'critical',
  'capacity-back': 'ok',
  refused: 'warning',
  'slots-low': 'warning',
  'stream-stale': 'warning',
  'stream-restarts': 'warning',
  'sign-in-1h': 'warning',
  'sign-in-15min': 'critical',
  'sign-in-required': 'critical',
  'revoke-unconfirmed': 'critical',
}

/**
 * How urgent an alert is by the present state: a quota that runs out within two minutes is as urgent as an empty one.
 */
export function severityOf(
  kind: AlertKind,
  subject: string,
  snapshot: Snapshot,
  nowMs: number,
): AlertSeverity {
  if (kind === 'refused') {
    const [problem] = subject === '' ? keyProblems(snapshot, nowMs) : []
    return problem?.severity === 'critical' ? 'critical' : SEVERITY_OF[kind]
  }
  if (kind !== 'runs-out') return SEVERITY_OF[kind]
  const row = snapshot.requests.find(({ category }) => category === subject)
  const isCritical = row !== undefined && quotaStatus(row, nowMs).severity === 'critical'
  return isCritical ? 'critical' : SEVERITY_OF[kind]
}

/** How long a condition has to last before it is said, and how long its end before it is withdrawn. Milliseconds. */
export interface Patience {
  readonly holdMs: number
  readonly recoverMs: number
}

export const PATIENCE: Readonly<Record<AlertKind, Patience>> = {
  'runs-out': { holdMs: 10_000, recoverMs: 20_000 },
  empty: { holdMs: 5_000, recoverMs: 20_000 },
  'below-threshold': { holdMs: 5_000, recoverMs: 10_000 },
  // A refusal is a fact, not a trend; the same holds for its end.
  blocked: { holdMs: 0, recoverMs: 0 },
  'capacity-back': { holdMs: 0, recoverMs: 0 },
  // One failing answer passes; a refused token does not.
  refused: { holdMs: 30_000, recoverMs: 0 },
  'slots-low': { holdMs: 5_000, recoverMs: 10_000 },
  // It was silent for 15 s before it is called stale.
  'stream-stale': { holdMs: 0, recoverMs: 5_000 },
  'stream-restarts': { holdMs: 0, recoverMs: 0 },
  'sign-in-1h': { holdMs: 0, recoverMs: 0 },
  'sign-in-15min': { holdMs: 0, recoverMs: 0 },
  'sign-in-required': { holdMs: 0, recoverMs: 0 },
  'revoke-unconfirmed': { holdMs: 0, recoverMs: 0 },
}
