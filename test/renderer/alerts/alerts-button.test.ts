import { expect, test } from 'vitest'
import { alertsLabel } from '../../../renderer/alerts/alerts-button.tsx'

test('the alert count next to one key’s name says that it covers all keys', () => {
  expect(alertsLabel(1, 1)).toBe('Alerts: 1 new one')
  expect(alertsLabel(0, 1)).toBe('Alerts: none new')
  expect(alertsLabel(3, 2)).toBe('Alerts of all keys: 3 new ones')
})
