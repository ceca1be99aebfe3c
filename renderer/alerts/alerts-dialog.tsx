import type { Alert } from '../../app/alerts/alert.ts'
import { sinceText } from '../../app/status/durations.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { DialogFrame } from '../theme/dialog-frame.tsx'
import { Shape } from '../theme/shape.tsx'
import { useAsked } from '../view/use-asked.ts'
import { useMirror, useMoment, useParts } from '../view/window-parts.ts'
import { alertSeverity } from './alert-severity.ts'
import sheet from './alerts.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Open episodes of every key. One that is over leaves by itself. */
export function AlertsDialog() {
  const { view } = useParts()
  const alerts = useMirror((mirror) => mirror.alerts)
  return (
    <DialogFrame
      title="Alerts"
      about="What is wrong now, latest first. It leaves when it is over."
      width="wide"
    >
      {alerts.length === 0 ? (
        <p>Nothing is wrong now.</p>
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

function AlertRow({ alert }: { readonly alert: Alert }) {
  const { api } = useParts()
  const asked = useAsked()
  const lasting = useMoment(({ nowMs }) => sinceText(alert.since, nowMs))
  const saidAt = useMoment(({ nowMs }) => dayAndMinuteText(alert.at, nowMs))
  return (
    <li className={css('alert', alert.dismissed && 'seen')} data-alert={alert.id}>
      <Shape severity={alert.dismissed ? 'unseen' : alertSeverity(alert.severity)} />
      <div>
        <b>{alert.title}</b>
        <p>
          {alert.body} Said at {saidAt}, for {lasting} now.
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
          aria-label={`Dismiss ${alert.title}`}
          onClick={() => void asked.run(() => api.dismissAlert({ id: alert.id }))}
        >
          Dismiss
        </button>
      )}
    </li>
  )
}
