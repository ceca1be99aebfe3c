import type {
  Alert,
  AlertPreferences,
  AlertPreferencesChange,
  Announcement,
  alertsContract,
  ClosedAlert,
} from '../../app/contract/alerts.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import type { CommandError } from '../../app/contract/outcome.ts'
import type { Thresholds } from '../../app/contract/units.ts'

/** The open alerts of all profiles, and the thresholds of each profile. */
export interface AlertSource {
  alerts(): readonly Alert[]
  /** Closes an open alert; `false` if no alert with this id is open. */
  dismissAlert(id: string): boolean
  thresholds(profile: string): Thresholds
  setThreshold(profile: string, category: string | undefined, below: number | undefined): Thresholds
  /** Ended alerts of this run, latest first. */
  closedAlerts(): readonly ClosedAlert[]
  alertPreferences(): AlertPreferences
  setAlertPreferences(change: AlertPreferencesChange): AlertPreferences
  /** Calls `listener` with each announcement. Returns the unsubscribe function. */
  onAnnounced(listener: (announcement: Announcement) => void): () => void
  /** Calls `listener` with all open alerts after each change. Returns the unsubscribe function. */
  onAlerts(listener: (alerts: readonly Alert[]) => void): () => void
}

const ALERT_OVER: CommandError = { ok: false, code: 'alert-over', message: 'That alert has ended.' }

/** The window's commands for open alerts and alert thresholds. */
export function alertCommands(source: AlertSource): Feature<typeof alertsContract> {
  return {
    handlers: {
      alerts: () => source.alerts(),
      dismissAlert: ({ id }) => (source.dismissAlert(id) ? { ok: true } : ALERT_OVER),
      alertThresholds: ({ profile }) => source.thresholds(profile),
      closedAlerts: () => source.closedAlerts(),
      alertPreferences: () => source.alertPreferences(),
      setAlertPreferences: (change) => source.setAlertPreferences(change),
      setAlertThreshold: ({ profile, category, below }) => source.setThreshold(profile, category, below),
    },
    follow: ({ alertsChanged, alertAnnounced }) => {
      const stops = [source.onAlerts(alertsChanged), source.onAnnounced(alertAnnounced)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
