import type { Alert } from '../../app/contract/alerts.ts'
import type { Severity } from '../../app/status/severity.ts'

/** Maps an alert's severity to that of a status. */
export function alertSeverity(severity: Alert['severity']): Severity {
  switch (severity) {
    case 'critical':
      return 'critical'
    case 'warning':
      return 'watch'
    case 'info':
      return 'ok'
  }
}

const URGENCY: Readonly<Record<Alert['severity'], number>> = { critical: 2, warning: 1, info: 0 }

/** The most urgent alert that was not dismissed. */
export function mostUrgent(alerts: readonly Alert[]): Alert | undefined {
  return alerts
    .filter(({ dismissed }) => !dismissed)
    .toSorted((a, b) => URGENCY[b.severity] - URGENCY[a.severity])[0]
}
