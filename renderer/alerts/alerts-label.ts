import { countText } from '../../app/status/rates.ts'

/** The label of the button that counts the alerts of all keys. */
export function alertsLabel(fresh: number, keys: number): string {
  const count = fresh === 0 ? 'none new' : countText(fresh, 'new one', 'new ones')
  return `${keys > 1 ? 'Alerts of all keys' : 'Alerts'}: ${count}`
}
