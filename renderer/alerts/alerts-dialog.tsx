import { severityOf } from '../../app/alerts/kinds.ts'
import { alertText } from '../../app/alerts/text.ts'
import type { Alert } from '../../app/contract/alerts.ts'
import { sinceText } from '../../app/status/durations.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Shape } from '../components/shape.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import type { MirrorState } from '../state/mirror-state.ts'
import { useMirror, useMoment, useParts } from '../state/window-parts.ts'
import { alertSeverity } from './alert-severity.ts'
import sheet from './alerts.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The open alerts of all keys. An alert whose cause has ended disappears by itself. */
export function AlertsDialog() {
  const { view } = useParts()
  const alerts = useMirror((mirror) => mirror.alerts)
  return (
    <DialogFrame title="Alerts" about="Open problems, newest first. Each clears by itself." width="wide">
      {alerts.length === 0 ? (
        <p>No open problems.</p>
      ) : (
        <ul className={css('list')} aria-label="Alerts">
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      <button type="button" className={css('button')} onClick={() => view.setState({ dialog: 'settings' })}>
        Thresholds…
      </button>
    </DialogFrame>
  )
}

/** The alert with the data of its key's present snapshot; without one, as it was raised. */
function presentOf(
  alert: Alert,
  { snapshots }: MirrorState,
  nowMs: number,
): Pick<Alert, 'severity' | 'title' | 'body'> {
  const snapshot = snapshots.find(({ profile }) => profile.id === alert.profile)
  if (snapshot === undefined) return alert
  const { kind, subject } = alert
  return {
    severity: severityOf(kind, subject, snapshot, nowMs),
    ...alertText(kind, subject, snapshot, nowMs),
  }
}

function AlertRow({ alert }: { readonly alert: Alert }) {
  const { api } = useParts()
  const asked = useAsked()
  const lasting = useMoment(({ nowMs }) => sinceText(alert.since, nowMs))
  const since = useMoment(({ nowMs }) => dayAndMinuteText(alert.since, nowMs))
  const severity = useMoment(({ mirror, nowMs }) => presentOf(alert, mirror, nowMs).severity)
  const title = useMoment(({ mirror, nowMs }) => presentOf(alert, mirror, nowMs).title)
  const body = useMoment(({ mirror, nowMs }) => presentOf(alert, mirror, nowMs).body)
  return (
    <li className={css('alert', alert.dismissed && 'seen')} data-alert={alert.id}>
      <Shape severity={alert.dismissed ? 'unseen' : alertSeverity(severity)} />
      <div>
        <b>{title}</b>
        <p>
          {body} Since {since} ({lasting}).
        </p>
        {asked.refusal !== undefined && <p role="alert">{asked.refusal}</p>}
      </div>
      {alert.dismissed ? (
        <span className={css('muted')}>seen</span>
      ) : (
        <button
          type="button"
          className={css('button')}
          disabled={asked.waiting}
          aria-label={`Dismiss ${title}`}
          onClick={() => void asked.run(() => api.dismissAlert({ id: alert.id }))}
        >
          Dismiss
        </button>
      )}
    </li>
  )
}
