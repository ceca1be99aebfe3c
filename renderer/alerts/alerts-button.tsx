import { mostUrgent } from '../../app/contract/severity.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { useMirror, useParts } from '../state/window-parts.ts'
import sheet from './alerts.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Number of open alerts, and their highest severity. */
export function AlertsButton() {
  const { view } = useParts()
  const fresh = useMirror(({ alerts }) => alerts.filter(({ dismissed }) => !dismissed).length)
  const keys = useMirror(({ snapshots }) => snapshots.length)
  const urgent = useMirror(({ alerts }) => mostUrgent(alerts.filter(({ dismissed }) => !dismissed))?.severity)
  return (
    <button
      type="button"
      className={css('button', 'ghost', 'alerts')}
      aria-label={alertsLabel(fresh, keys)}
      data-testid="alerts"
      onClick={() => view.setState({ dialog: 'alerts' })}
    >
      {urgent !== undefined && <Shape severity={urgent} />}
      Alerts {fresh > 0 && <strong className={css('number')}>{fresh}</strong>}
    </button>
  )
}

/** The label of the button that counts the alerts of all keys. */
export function alertsLabel(fresh: number, keys: number): string {
  const count = fresh === 0 ? 'none new' : countText(fresh, 'new one', 'new ones')
  return `${keys > 1 ? 'Alerts of all keys' : 'Alerts'}: ${count}`
}
