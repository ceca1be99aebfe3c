import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { useMirror, useParts } from '../state/window-parts.ts'
import { alertSeverity, alertsLabel, mostUrgent } from './alert-severity.ts'
import sheet from './alerts.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The number of open alerts, and the severity of the most urgent one. */
export function AlertsButton() {
  const { view } = useParts()
  const fresh = useMirror(({ alerts }) => alerts.filter(({ dismissed }) => !dismissed).length)
  const keys = useMirror(({ snapshots }) => snapshots.length)
  const urgent = useMirror(({ alerts }) => mostUrgent(alerts)?.severity)
  return (
    <button
      type="button"
      className={css('button', 'ghost', 'alerts')}
      aria-label={alertsLabel(fresh, keys)}
      data-testid="alerts"
      onClick={() => view.setState({ dialog: 'alerts' })}
    >
      {urgent !== undefined && <Shape severity={alertSeverity(urgent)} />}
      Alerts {fresh > 0 && <strong className={css('number')}>{fresh}</strong>}
    </button>
  )
}
