import { expect, test } from 'vitest'
import { changedElsewhere, changedSettings, intervalOf } from '../../../renderer/settings/changed-settings.ts'
import { KEY_SETTINGS } from '../harness/memory-fixtures.ts'

const { settings: SETTINGS } = KEY_SETTINGS

test('each differing field is named, an interval by its category', () => {
  expect(changedSettings(SETTINGS, { ...SETTINGS, everySeconds: { Positions: 15 } })).toEqual([])
  expect(changedSettings(SETTINGS, { ...SETTINGS, symbol: 'AAPL', probesEnabled: false })).toEqual([
    'probesEnabled',
    'symbol',
  ])
  expect(changedSettings(SETTINGS, { ...SETTINGS, everySeconds: { Accounts: 0 } })).toEqual([
    intervalOf('Positions'),
    intervalOf('Accounts'),
  ])
})

test('a change made here is not reported as another window’s, and clears its report', () => {
  const first = changedElsewhere(new Set(), ['symbol', 'budgetFraction'], ['budgetFraction'])
  expect([...first]).toEqual(['symbol'])
  expect([...changedElsewhere(first, ['rotationMinutes'], ['symbol'])]).toEqual(['rotationMinutes'])
})
