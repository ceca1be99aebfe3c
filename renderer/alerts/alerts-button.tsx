import { mostUrgent } from '../../app/contract/severity.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { useMirror, useParts } from '../state/window-parts.ts'

/** The button that opens the alerts, with the number of open alerts and the highest severity of new ones. */
export function AlertsButton() {
  const { view } = useParts()
  const open = useMirror(({ alerts }) => alerts.length)
  const fresh = useMirror(({ alerts }) => alerts.filter(({ dismissed }) => !dismissed).length)
  const keys = useMirror(({ snapshots }) => snapshots.length)
  const urgent = useMirror(({ alerts }) => mostUrgent(alerts.filter(({ dismissed }) => !dismissed))?.severity)
  return (
    <Button
      look="ghost with-icon"
      aria-label={alertsLabel({ open, fresh, keys })}
      data-testid="alerts"
      onClick={() => view.setState({ dialog: 'alerts' })}
    >
      {urgent !== undefined && <Shape severity={urgent} />}
      Alerts {open > 0 && <strong className="number">{open}</strong>}
    </Button>
  )
}

interface AlertCounts {
  readonly open: number
  /** Open alerts that were not dismissed. */
  readonly fresh: number
  /** The number of connected keys. */
  readonly keys: number
}

/** The label of the button that counts the alerts of all keys: `Alerts: 2 open, 1 new`. */
export function alertsLabel({ open, fresh, keys }: AlertCounts): string {
  const count = open === 0 ? 'none open' : `${open} open, ${fresh === 0 ? 'none' : fresh} new`
  return `${keys > 1 ? 'Alerts of all keys' : 'Alerts'}: ${count}`
}
