import { countText } from '../../app/status/rates.ts'

/** The name of the button that counts the alerts, which are not of the shown key alone. */
export function alertsLabel(fresh: number, keys: number): string {
  const count = fresh === 0 ? 'none new' : countText(fresh, 'new one', 'new ones')
  return `${keys > 1 ? 'Alerts of all keys' : 'Alerts'}: ${count}`
}
