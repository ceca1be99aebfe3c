import { expect, test } from 'vitest'
import { alertsLabel } from '../../../renderer/alerts/alerts-button.tsx'

test('the alert count next to a key’s name shows that it covers all keys', () => {
  expect(alertsLabel({ open: 2, fresh: 1, keys: 1 })).toBe('Alerts: 2 open, 1 new')
  expect(alertsLabel({ open: 1, fresh: 0, keys: 1 })).toBe('Alerts: 1 open, none new')
  expect(alertsLabel({ open: 0, fresh: 0, keys: 1 })).toBe('Alerts: none open')
  expect(alertsLabel({ open: 3, fresh: 3, keys: 2 })).toBe('Alerts of all keys: 3 open, 3 new')
})
