import type { Alert } from '../../app/contract/alerts.ts'
import { countText } from '../../app/status/rates.ts'
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

/** The name of the button that counts the alerts, which are not of the shown key alone. */
export function alertsLabel(fresh: number, keys: number): string {
  const count = fresh === 0 ? 'none new' : countText(fresh, 'new one', 'new ones')
  return `${keys > 1 ? 'Alerts of all keys' : 'Alerts'}: ${count}`
}
